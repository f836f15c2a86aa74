// SPDX-License-Identifier: BSD-3-Clause
// gpz encode --key auto: the key interval of remote files, of which programs read single frames.
#pragma once

#include <cstdint>
#include <functional>

#include "encoding_options.hpp"
#include "gpz/writer.hpp"

namespace gpz::tool {

// Bytes of a frame that is the first one of a file. `write` writes it.
std::uint64_t encoded_size(const Metadata &metadata, const EncodingOptions &options,
                           const std::function<void(Writer &)> &write);

// For key frames of this many bytes.
unsigned key_interval_for(std::uint64_t key_frame_bytes);

}  // namespace gpz::tool
