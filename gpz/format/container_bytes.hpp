// SPDX-License-Identifier: BSD-3-Clause
// File header and record frames, as bytes (docs/format.md, sections 1 and 2).
#pragma once

#include <cstdint>
#include <string>

#include "gpz/container.hpp"

namespace gpz::format {

// The first bytes of a file or a frame array, up to these required features.
Bytes file_start(std::uint32_t features);

// File header with this JSON text, which is not checked, and these required features. Throws limit_exceeded.
Bytes header_around(const std::string &json, std::uint32_t features = 0);

// Throws invalid_argument unless programs may skip the record and its lengths are valid.
void require_other_record(const StoredRecord &record);

// Record frame around a head, whose length is a multiple of 8, and a body of `body_length` bytes. Throws
// limit_exceeded.
FrameRecord make_record(std::uint32_t type, const Bytes &head, std::uint64_t body_length);

}  // namespace gpz::format
