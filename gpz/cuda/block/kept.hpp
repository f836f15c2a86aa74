// SPDX-License-Identifier: BSD-3-Clause
// Decodes a block chunk to what a history keeps of it, without an array of values in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/core/types.hpp"
#include "gpz/cuda_codec.hpp"

namespace gpz::cuda {

// An array of device memory, without gaps, for each component of a field.
struct KeptOutput {
  Field field;        // with a step, if it has a bound
  bool keys = false;  // int64: integers, or keys of floats (core::key_of). Else int32: grid indices, or integers
  void *component[core::max_components] = {};
};

// Bytes of workspace.
std::size_t decompress_kept_workspace_size(std::size_t fields, std::uint64_t particles);

// As decompress() of all blocks. Values that the grid cannot hold have the index 0. *wide (device memory) becomes 1 if
// an index or an integer of 32 bits is device_index_end or more, and is left alone otherwise.
void decompress_kept(const DeviceChunk &chunk, const std::vector<KeptOutput> &fields, std::uint32_t *wide,
                     void *workspace, std::size_t workspace_size, std::uint32_t *damaged, Stream stream);

}  // namespace gpz::cuda
