// SPDX-License-Identifier: BSD-3-Clause
// Writes encoded segments: states, words from the last one to the first, zeros, raw bits backwards from the end. A
// thread block takes a segment, a thread 8 bytes at a time.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/numbers/coded_items.cuh"
#include "gpz/cuda/numbers/kernels.hpp"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr unsigned threads = 128;

// 8 bytes of words; part 0 has the last four.
__device__ __forceinline__ U64 words_of(const CodedItems &items, const CodedSegment &coded, U64 part) {
  if (part == 0) return coded.last_words;
  const U32 chunks = coded.words / 4;  // in place of items
  const unsigned left = coded.words % 4 * 16;
  U64 words = 0;
  if (left != 0 && part <= chunks) words = *items.words(chunks - static_cast<U32>(part)) >> (64 - left);
  if (part < chunks) words |= *items.words(chunks - static_cast<U32>(part) - 1) << left;
  return words;
}

// 8 bytes of raw bits; part 0 is the last one.
__device__ __forceinline__ U64 raw_of(const CodedItems &items, const CodedSegment &coded, U64 part) {
  const U64 chunks = coded.raw_bits / 64;  // in place of items
  const auto held = static_cast<unsigned>(coded.raw_bits % 64);
  const U64 parts = chunks + (held != 0 ? 1 : 0);
  if (part >= parts) return 0;
  const U64 k = parts - 1 - part;
  const auto chunk = [&](U64 at) { return at == chunks ? coded.last_raw : *items.raw(static_cast<U32>(at)); };
  if (held == 0) return chunk(k);
  return chunk(k) << (64 - held) | (k == 0 ? 0 : chunk(k - 1) >> held);
}

__global__ void __launch_bounds__(threads) write_segments(const __grid_constant__ SegmentWrite params) {
  const U32 s = blockIdx.x;
  const CodedItems items(params.numbers.items + params.numbers.begins[s], params.numbers.counts[s]);
  const CodedSegment coded = params.coded[s];
  const U64 word_parts = (U64{coded.words} + 3) / 4;
  const U64 size = (params.offsets[s + 1] - params.offsets[s]) / sizeof(U64);
  U64 *const out = params.out + params.offsets[s] / sizeof(U64);
  for (U64 g = threadIdx.x; g < size; g += threads) {
    U64 value = U64{coded.states[1]} << 32 | coded.states[0];
    if (g != 0) {
      value = raw_of(items, coded, size - 1 - g);
      if (g <= word_parts) value |= words_of(items, coded, g - 1);
    }
    out[g] = value;
  }
}

const KernelFile kernels(reinterpret_cast<const void *>(write_segments));

}  // namespace

void launch_write_segments(const SegmentWrite &params, cudaStream_t stream) {
  if (params.numbers.segments == 0) return;
  write_segments<<<params.numbers.segments, threads, 0, stream>>>(params);
  check(cudaGetLastError(), "writing of numbers");
}

}  // namespace gpz::cuda
