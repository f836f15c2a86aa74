// SPDX-License-Identifier: BSD-3-Clause
// Metadata as the JSON text of the file header (docs/format.md, section 1).
#pragma once

#include <cstdint>
#include <string>

#include "gpz/frame.hpp"

namespace gpz::format {

// Bytes of text that are no UTF-8 become U+FFFD.
std::string metadata_to_json(const Metadata &metadata);

// Throws corrupt: no JSON object, or a known key with a value of another type. Unknown keys are ignored.
Metadata metadata_from_json(const std::uint8_t *text, std::size_t size);

}  // namespace gpz::format
