// SPDX-License-Identifier: BSD-3-Clause
// decompress() of gpz/cuda.hpp into rows that may be anywhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda.hpp"

namespace gpz::cuda {

// For each field, in device memory: particle i goes to element rows[i]; nullptr: to element i.
using FieldRows = std::array<const std::uint32_t *, max_fields>;

void decompress_to_rows(const void *chunk, std::size_t size, std::uint64_t particles,
                        const std::vector<FieldOutput> &fields, const FieldRows &rows, void *workspace,
                        std::size_t workspace_size, std::uint32_t *damaged, Stream stream, BlockRange range = {});

}  // namespace gpz::cuda
