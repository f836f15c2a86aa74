// SPDX-License-Identifier: BSD-3-Clause
// Metadata as the JSON text of the file header (docs/format.md, section 1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gpz/frame.hpp"

namespace gpz::format {

// The object itself is the first level.
constexpr std::size_t max_metadata_depth = 64;

// Bytes of text that are no UTF-8 become U+FFFD.
std::string metadata_to_json(const Metadata &metadata);

// Throws corrupt: no JSON object, one that is nested too deep, or a known key with a value of another type. Unknown
// keys are ignored.
Metadata metadata_from_json(const std::uint8_t *text, std::size_t size);

}  // namespace gpz::format
