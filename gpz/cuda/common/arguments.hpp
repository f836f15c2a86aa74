// SPDX-License-Identifier: BSD-3-Clause
// What can be known to be wrong with a call before anything is queued. A kernel that runs into it instead (a null
// pointer, an element across its alignment) takes the whole CUDA context of the process with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda.hpp"

namespace gpz::cuda {

// Far above any memory; below it neither sizes nor grids of thread blocks overflow.
inline constexpr std::uint64_t max_particles = std::uint64_t{1} << 40;
inline constexpr std::size_t workspace_alignment = 256;
inline constexpr std::size_t chunk_alignment = 8;

// Bytes of an element.
std::size_t size_of(ConstArray::Type type);

// Throws limit_exceeded.
void check_size(std::size_t fields, std::uint64_t particles);

// Throw invalid_argument: no data where there are particles, elements that are not aligned to their size, a type that
// is not the field's. What format::prepare_fields checks of inputs is left to it.
void check_inputs(const std::vector<FieldInput> &fields, std::uint64_t particles);
void check_outputs(const std::vector<FieldOutput> &fields, std::uint64_t particles);

// Whether the caller has an array for a component.
bool is_wanted(const FieldOutput &output);

// Throws invalid_argument: null although `size` is not 0, not aligned. `name` is for the message.
void check_memory(const void *memory, std::size_t size, std::size_t alignment, const char *name);
// As check_memory; also fewer bytes than are needed.
void check_workspace(const void *workspace, std::size_t size, std::size_t needed);

// The fields with the step that a bound without one stands for.
std::vector<FieldOutput> with_steps(std::vector<FieldOutput> fields);

}  // namespace gpz::cuda
