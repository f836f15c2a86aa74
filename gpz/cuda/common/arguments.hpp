// SPDX-License-Identifier: BSD-3-Clause
// Checks of arguments before anything is queued. In a kernel, such an error (a null pointer, a misaligned element)
// would destroy the CUDA context of the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda.hpp"

namespace gpz::cuda {

// Far above any memory. Below it, neither sizes nor grids of thread blocks overflow.
inline constexpr std::uint64_t max_particles = std::uint64_t{1} << 40;
inline constexpr std::size_t workspace_alignment = 256;
inline constexpr std::size_t chunk_alignment = 8;

// Throws limit_exceeded.
void check_size(std::size_t fields, std::uint64_t particles);

// Throw invalid_argument: missing data, elements that are not aligned to their size, or a type that does not match the
// field. For inputs, the checks of format::prepare_fields are not repeated.
void check_inputs(const std::vector<FieldInput> &fields, std::uint64_t particles);
void check_outputs(const std::vector<FieldOutput> &fields, std::uint64_t particles);

// Throws invalid_argument unless the device can access all components and, if they are given, the rows.
void check_reachable(const std::vector<FieldInput> &fields, const int *rows, int device);

// True if the caller has an array for a component.
bool is_wanted(const FieldOutput &output);

// Throws invalid_argument: null although `size` is not 0, or not aligned. `name` appears in the message.
void check_memory(const void *memory, std::size_t size, std::size_t alignment, const char *name);
// As check_memory. Also throws if `size` is less than `needed`.
void check_workspace(const void *workspace, std::size_t size, std::size_t needed);

// Sets the step of each field that has a bound.
std::vector<FieldOutput> with_steps(std::vector<FieldOutput> fields);

}  // namespace gpz::cuda
