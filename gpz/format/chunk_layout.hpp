// SPDX-License-Identifier: BSD-3-Clause
// Section header and directory of block-coded sections (docs/format.md, sections 4 and 5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/core/types.hpp"

namespace gpz::format {

// The narrowest shape that holds these records.
core::DirectoryShape shape_of(const std::vector<core::BlockRecord> &records, int components);

void append_directory(const core::DirectoryShape &shape, const std::vector<core::BlockRecord> &records,
                      std::vector<std::uint8_t> &bytes);

// Reads a section header from at most `size` bytes. Returns false if it does not fit or violates the format.
bool read_shape(const std::uint8_t *bytes, std::size_t size, int components, core::DirectoryShape &shape);

}  // namespace gpz::format
