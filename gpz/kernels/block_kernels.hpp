// SPDX-License-Identifier: BSD-3-Clause
// Encoding and decoding of one block on the CPU, compiled once for each instruction set (gpz/kernels/kernels.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpz/core/config.hpp"
#include "gpz/core/types.hpp"

namespace gpz::codec {

// Working memory for blocks of up to `block_size` particles.
struct Scratch {
  explicit Scratch(std::uint32_t block_size);
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  std::uint32_t block_size;
  std::int64_t *index;      // grid indices or keys of one component
  std::uint64_t *delta[3];  // keys less the block's minimum, 64-bit or 32-bit
  std::uint64_t *offset;    // positions inside segments
  std::uint64_t *sorted;    // `offset` after sorting
  std::uint32_t *segment;   // segment ids
  std::uint32_t *start;     // particles per segment, later its first particle; 2 * block_size + 1 elements
  std::uint8_t *missed[3];  // 1: the grid cannot represent the value
  std::uint16_t *order;     // order[j]: input index of stored particle j; set by encode
  std::uint32_t *words;     // payload, written by encode

  // Enough for three raw 64-bit components. By the rule of core::exact_is_smaller() no block needs more.
  static constexpr std::uint32_t max_words(std::uint32_t block_size) { return block_size * 6 + 64; }

 private:
  std::unique_ptr<unsigned char[]> memory_;
};

struct BlockInput {
  core::Value value;
  int components;
  const void *values[3];  // n contiguous values each: int64_t, float or double
  std::uint32_t n;
  core::Grid grid;  // step 0: lossless
  bool may_sort;
};

struct BlockResult {
  core::BlockRecord record;
  std::uint32_t words;  // words used in scratch.words
  double largest_error;
  bool sorted;  // true: scratch.order is set; false: input order
};

struct BlockOutput {
  core::Value value;
  int components;
  double step;
  std::uint32_t n;
  std::uint32_t block_size;
  void *values[3];      // int64_t, or double (f32 is widened); nullptr: not wanted
  bool single = false;  // true: `values` of an f32 field are float
};

struct BlockKernels {
  void (*encode)(const BlockInput &input, Scratch &scratch, BlockResult &result);
  // The caller has checked that `words` has the length given by core::block_layout() and that the field may have this
  // mode. Returns false if the block contradicts the format.
  bool (*decode)(const core::BlockRecord &record, const std::uint32_t *words, const BlockOutput &output,
                 Scratch &scratch);
};

namespace GPZ_ISA {

// BlockKernels::encode and BlockKernels::decode of this instruction set.
void encode_block(const BlockInput &input, Scratch &scratch, BlockResult &result);
bool decode_block(const core::BlockRecord &record, const std::uint32_t *words, const BlockOutput &output,
                  Scratch &scratch);

// Views a 64-bit array of Scratch as an array of U; 32-bit elements are used where they are wide enough.
template <typename U>
U *as(std::uint64_t *memory) {
  return reinterpret_cast<U *>(memory);
}

}  // namespace GPZ_ISA

}  // namespace gpz::codec
