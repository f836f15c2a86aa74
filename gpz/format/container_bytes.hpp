// SPDX-License-Identifier: BSD-3-Clause
// What stands around metadata and around the head and body of a record (docs/format.md, sections 1 and 2).
#pragma once

#include <cstdint>
#include <string>

#include "gpz/container.hpp"

namespace gpz::format {

// The file header around a JSON text, which is not looked at, with these required features. Throws limit_exceeded.
Bytes header_around(const std::string &json, std::uint32_t features = 0);

// Throws invalid_argument unless it is a record that programs may skip, with lengths that records have.
void require_other_record(const StoredRecord &record);

// The record around a head, whose length is a multiple of 8, and a body of so many bytes. Throws limit_exceeded.
FrameRecord make_record(std::uint32_t type, const Bytes &head, std::uint64_t body_length);

}  // namespace gpz::format
