// SPDX-License-Identifier: BSD-3-Clause
// Block chunks on the CPU: loops over blocks, in one thread or several. The bytes do not depend on the number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/codec/target.hpp"
#include "gpz/core/types.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/frame.hpp"
#include "gpz/kernels/block_kernels.hpp"

namespace gpz::codec {

class Encoder {
 public:
  explicit Encoder(int threads);
  ~Encoder();

  // The caller has checked the fields and set their steps. Throws std::bad_alloc.
  void encode(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows,
              std::vector<std::uint8_t> &bytes, std::vector<double> &largest_error);

 private:
  struct Worker;
  int threads_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

// Decodes a chunk in two steps, so that memory for the values is allocated only if the chunk proves to contain them.
class Decoder {
 public:
  // Checks the structure of all wanted sections (an empty `wanted`: all) of a block chunk in memory. Its bytes are
  // aligned to 4 and must outlive this object. Throws gpz::Error (corrupt), std::bad_alloc.
  Decoder(const format::OpenedChunk &chunk, std::uint64_t particles, const std::vector<Field> &fields,
          const std::vector<bool> &wanted);
  ~Decoder();

  // Writes the values of all particles of a wanted field. Throws corrupt, limit_exceeded (as store), std::bad_alloc.
  void decode(std::size_t field, const Target &target, int threads) const;

 private:
  class Section;
  std::uint32_t block_size_ = 0;
  std::vector<std::unique_ptr<Section>> sections_;  // nullptr for unwanted fields, and for empty chunks
};

}  // namespace gpz::codec
