// SPDX-License-Identifier: BSD-3-Clause
// The chosen codes of all axes of a block: their lengths and their bits. All lanes of a warp call these functions
// together.
#pragma once

#include "gpz/cuda/difference/code.cuh"
#include "gpz/cuda/difference/payload.cuh"

namespace gpz::cuda {

// Moves the first element to the end. Loops over axes are not unrolled, to keep the code small, and always use element
// 0.
template <typename T, int D>
__device__ __forceinline__ void rotate(T (&a)[D]) {
  const T first = a[0];
#pragma unroll
  for (int d = 0; d + 1 < D; ++d) a[d] = a[d + 1];
  a[D - 1] = first;
}

// Stores codes, words of the bitmap and the number of exceptions in `record`. `bit` receives the starts of the unary
// codes of the lane's row. Returns the words of the planes.
template <int D>
__device__ __forceinline__ std::uint32_t count_codes(const ResidualMemory &memory, std::uint32_t n,
                                                     const ChosenCode (&chosen)[D], std::uint32_t (&bit)[D],
                                                     core::ResidualRecord &record) {
  std::uint32_t bits = 0;
  std::uint32_t words = 0;
  bool all_counted = true;
#pragma unroll
  for (int d = 0; d < D; ++d) {
    all_counted &= chosen[d].counted;
    record.code[d] = chosen[d].code;
    std::uint32_t total;
    bit[d] = bits + warp_exclusive_sum(chosen[d].row_bits, &total);
    bits += total;
    words += core::packed_words(n, chosen[d].code.width, core::lanes_of(n, difference_block));
  }
  if (!all_counted)
    for (int d = 0; d < D; ++d)
      record.exceptions += warp_sum(static_cast<std::uint32_t>(__popc(memory.exception[d][this_lane()])));
  record.bitmap = core::words_for_bits(bits);
  return words;
}

// Writes the planes and the bitmap. In the first axis's part of the bitmap, this lane's row begins at bit[0].
template <int D>
__device__ __forceinline__ void write_codes(ResidualMemory &memory, std::uint32_t n, std::uint32_t words,
                                            ChosenCode (&chosen)[D], std::uint32_t (&bit)[D], std::uint32_t *out,
                                            std::uint32_t *out_bitmap) {
  const auto lane = this_lane();
  const bool has_room = words <= ResidualMemory::bitmap_room;
  std::uint32_t *bitmap = memory.bitmap;
  for (std::uint32_t w = lane; w < words; w += warp_size) (has_room ? bitmap : out_bitmap)[w] = 0;
  __syncwarp();
#pragma unroll 1
  for (int d = 0; d < D; ++d) {
    const std::uint32_t *u = memory.u[d];
    const core::ResidualCode code = chosen[0].code;
    out += write_plane(u, code, n, out);
    if (has_room)
      set_quotients(u, code, n, bit[0], bitmap);
    else
      set_far_quotients(u, code, n, bit[0], out_bitmap);
    rotate(chosen);
    rotate(bit);
  }
  __syncwarp();
  if (has_room)
    for (std::uint32_t w = lane; w < words; w += warp_size) out_bitmap[w] = bitmap[w];
}

}  // namespace gpz::cuda
