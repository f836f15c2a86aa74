// SPDX-License-Identifier: BSD-3-Clause
// Which columns the bytes of a file belong to, from the heads of some of its frames.
#pragma once

#include <functional>

#include "gpz/reader.hpp"

namespace gpz::tool {

// Calls use(field, bytes) for the fields of up to `most_frames_read` frames all over the file, with bytes such that the
// sum over all calls is what the fields take in the whole file. Frames that cannot be read, or have too many sections,
// are left out.
void for_field_sizes(const Reader &reader, const std::function<void(const Field &, double)> &use,
                     std::size_t most_frames_read = 100);

}  // namespace gpz::tool
