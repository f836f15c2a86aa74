// SPDX-License-Identifier: BSD-3-Clause
// Metadata as the JSON text of the file header (docs/format.md, section 1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gpz/frame.hpp"

namespace gpz::format {

// Includes the level of the object itself.
constexpr std::size_t max_metadata_depth = 64;

// Bytes that are not UTF-8 become U+FFFD.
std::string metadata_to_json(const Metadata &metadata);

// Ignores unknown keys. Throws corrupt if the text is not a JSON object, is nested too deep, or has a known key with a
// value of another type.
Metadata metadata_from_json(const std::uint8_t *text, std::size_t size);

}  // namespace gpz::format
