// SPDX-License-Identifier: BSD-3-Clause
// The codes of all axes of a block, once they are chosen: how long they are, and where they go. All functions are for
// all lanes of a warp.
#pragma once

#include "gpz/cuda/difference/code.cuh"
#include "gpz/cuda/difference/payload.cuh"

namespace gpz::cuda {

// The first element goes last: loops over axes that are not unrolled, so that the code stays small, always take that.
template <typename T, int D>
__device__ __forceinline__ void rotate(T (&a)[D]) {
  const T first = a[0];
#pragma unroll
  for (int d = 0; d + 1 < D; ++d) a[d] = a[d + 1];
  a[D - 1] = first;
}

// Codes, words of the bitmap, and exceptions, in `record`; where the unary codes of the lane's row begin. Returns the
// words of the planes.
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

// The planes and the bitmap, the first axis' part of which begins with the row of this lane at bit[0].
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
