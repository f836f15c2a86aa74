// SPDX-License-Identifier: BSD-3-Clause
// Sections of ordered chunks that kernels do not decode: chains of numbers, of which a key frame has too few for a GPU
// (docs/decisions/0080-effort-standard-on-the-gpu.md). The CPU decodes them, and their values are copied to the device.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/cuda.hpp"
#include "gpz/cuda/trajectory/chunk_bytes.hpp"

namespace gpz::trajectory {
class IndependentChunk;
}

namespace gpz::cuda {

class SectionsOnHost {
 public:
  // `chunk` is opened. Both must outlive this object.
  SectionsOnHost(const ChunkBytes &chunk, std::uint64_t particles, const std::vector<FieldOutput> &fields,
                 Stream stream);
  ~SectionsOnHost();
  SectionsOnHost(const SectionsOnHost &) = delete;
  SectionsOnHost &operator=(const SectionsOnHost &) = delete;

  // Decodes field f, and queues the copy of its values to the arrays of its output. Throws as the CPU's decoder, and
  // out_of_memory.
  void decode(std::size_t f);

 private:
  const trajectory::IndependentChunk &opened();

  const ChunkBytes &chunk_;
  std::uint64_t particles_;
  const std::vector<FieldOutput> &outputs_;
  Stream stream_;
  std::vector<Field> fields_;
  std::unique_ptr<trajectory::IndependentChunk> opened_;
};

}  // namespace gpz::cuda
