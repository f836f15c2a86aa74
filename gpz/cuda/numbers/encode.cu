// SPDX-License-Identifier: BSD-3-Clause
// Encodes segments of numbers, a thread for each one, from the last number to the first, as asymmetric numeral systems
// require. Words and raw bits take the place of the items.
#include <algorithm>

#include "gpz/core/ans.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/numbers/coded_items.cuh"
#include "gpz/cuda/numbers/kernels.hpp"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr unsigned threads = 64;
constexpr U32 group_size = CodedItems::group_size;
// Groups prefetched into L2: the one group in registers would leave most of the memory's bandwidth unused.
constexpr U32 groups_ahead = 4;

// Symbols of items. `Shared`: the tables are in shared memory.
template <bool Shared>
struct Symbols {
  const uint2 *symbols;
  const U32 *first_symbol;

  __device__ __forceinline__ uint2 of(U64 item) const {
    const U32 place = static_cast<U32>(item >> 32);
    const U32 token = core::token_of(static_cast<U32>(item));
    if constexpr (Shared) return symbols[first_symbol[place] + token];
    return __ldg(symbols + (__ldg(first_symbol + place) + token));
  }
};

// core::ans_push by a 32-bit reciprocal. The product is below state / frequency by less than 1, so the quotient is
// exact or one less.
__device__ __forceinline__ U32 push(U32 state, U32 start, U32 frequency, U32 reciprocal) {
  return core::ans_push(state, start, frequency, __umulhi(state, reciprocal));
}

// Words and raw bits of each thread before they are stored, in rings: store() keeps less than a group's, and the items
// of another group follow.
constexpr U32 ring_words = 2 * group_size;
constexpr U32 ring_raw = 2 * group_size;
struct Rings {
  U32 words[ring_words / 2][threads];  // pairs, the later word in the low bits
  U32 raw[ring_raw][threads];          // 32 raw bits
};

class SegmentCoder {
 public:
  __device__ SegmentCoder(const CodedItems &items, Rings &rings)
      : items_(items), pairs_(&rings.words[0][threadIdx.x]), raws_(&rings.raw[0][threadIdx.x]) {}

  // Encodes a number with one of the states. No branches, as most would be taken by some thread of a warp: words and
  // raw bits that are incomplete are overwritten later.
  __device__ __forceinline__ void step(U32 number, uint2 symbol, U32 &state) {
    const U32 start = symbol.x % core::ans_total;
    const U32 frequency = symbol.x >> PackedSymbol::start_bits & ((1u << PackedSymbol::frequency_bits) - 1);
    const U32 bits = symbol.x >> (PackedSymbol::start_bits + PackedSymbol::frequency_bits);
    const bool full = core::ans_is_full(state, frequency);
    last_words_ = full ? last_words_ << 16 | (state & 0xFFFF) : last_words_;
    words_ += full ? 1 : 0;
    pair(words_ - 1) = last_words_;
    state = push(full ? state >> 16 : state, start, frequency, symbol.y);

    const U32 low = number & static_cast<U32>((U64{1} << bits) - 1);
    last_raw_ |= low << held_;
    const U32 beyond = __funnelshift_l(low, 0, held_);
    held_ += bits;
    raw(raw_) = last_raw_;
    const bool complete = held_ >= 32;
    last_raw_ = complete ? beyond : last_raw_;
    raw_ += complete ? 1 : 0;
    held_ %= 32;
  }

  // Stores words and raw bits, those of a group together. Call it behind a group.
  __device__ __forceinline__ void store() {
    if (words_ - stored_words_ >= group_size) {
      auto *const to = reinterpret_cast<uint4 *>(items_.words(stored_words_ / 4));
#pragma unroll
      for (U32 k = 0; k < group_size / 8; ++k) {
        const U32 *const from = &pair(stored_words_) + 4 * k * threads;
        to[k] = make_uint4(from[threads], from[0], from[3 * threads], from[2 * threads]);
      }
      stored_words_ += group_size;
    }
    if (raw_ - stored_raw_ >= group_size) {
      auto *const to = reinterpret_cast<uint4 *>(items_.raw(stored_raw_ / 2));
#pragma unroll
      for (U32 k = 0; k < group_size / 4; ++k) {
        const U32 *const from = &raw(stored_raw_) + 4 * k * threads;
        to[k] = make_uint4(from[0], from[threads], from[2 * threads], from[3 * threads]);
      }
      stored_raw_ += group_size;
    }
  }

  // Stores what is left.
  __device__ CodedSegment finish(U32 even, U32 odd) {
    for (; words_ - stored_words_ >= 4; stored_words_ += 4)
      *items_.words(stored_words_ / 4) = U64{pair(stored_words_)} << 32 | pair(stored_words_ + 2);
    for (; raw_ - stored_raw_ >= 2; stored_raw_ += 2)
      *items_.raw(stored_raw_ / 2) = U64{raw(stored_raw_ + 1)} << 32 | raw(stored_raw_);
    CodedSegment coded{{even, odd}, 0, last_raw_, U64{raw_} * 32 + held_, words_};
    if (raw_ != stored_raw_) coded.last_raw = U64{last_raw_} << 32 | raw(stored_raw_);
    for (U32 w = words_ - min(words_, 4u); w < words_; ++w) {
      const bool is_last = w + 1 == words_;
      const U32 word = w % 2 != 0 || is_last ? pair(w) : pair(w) >> 16;
      coded.last_words = coded.last_words << 16 | (word & 0xFFFF);
    }
    return coded;
  }

 private:
  // The pair that word w is in, alone in the low bits if it is the last one.
  __device__ __forceinline__ U32 &pair(U32 w) { return pairs_[w % ring_words / 2 * threads]; }
  __device__ __forceinline__ U32 &raw(U32 k) { return raws_[k % ring_raw * threads]; }

  const CodedItems &items_;
  U32 *pairs_;
  U32 *raws_;
  U32 last_words_ = 0;
  U32 words_ = 0;
  U32 stored_words_ = 0;
  U32 last_raw_ = 0;
  U32 raw_ = 0;  // of 32 bits
  U32 stored_raw_ = 0;
  U32 held_ = 0;  // bits of last_raw_, below 32
};

__device__ __forceinline__ void load_group(const U64 *from, U64 (&items)[group_size]) {
#pragma unroll
  for (U32 k = 0; k < group_size; k += 2) {
    const ulonglong2 pair = *reinterpret_cast<const ulonglong2 *>(from + k);
    items[k] = pair.x;
    items[k + 1] = pair.y;
  }
}

// A group is a cache line.
__device__ __forceinline__ void prefetch(const U64 *group) { asm volatile("prefetch.global.L2 [%0];" : : "l"(group)); }

template <bool Shared>
__global__ void __launch_bounds__(threads) encode_numbers(const __grid_constant__ SegmentEncode params) {
  extern __shared__ __align__(16) uint2 shared[];  // symbols, then the first symbol of each place
  __shared__ Rings rings;
  const auto *const in_global = reinterpret_cast<const uint2 *>(params.symbols);
  Symbols<Shared> symbols{in_global, params.first_symbol};
  if constexpr (Shared) {
    auto *const first_symbol = reinterpret_cast<U32 *>(shared + params.symbol_count);
    for (U32 k = threadIdx.x; k < params.symbol_count; k += threads) shared[k] = in_global[k];
    for (U32 k = threadIdx.x; k < params.places; k += threads) first_symbol[k] = params.first_symbol[k];
    symbols = {shared, first_symbol};
    __syncthreads();
  }
  const U32 s = blockIdx.x * threads + threadIdx.x;
  if (s >= params.numbers.segments) return;
  const CodedItems items(params.numbers.items + params.numbers.begins[s], params.numbers.counts[s]);
  SegmentCoder coder(items, rings);
  // The state of the next number, and the other one.
  static_assert(core::ans_states == 2);
  U32 state = core::ans_low;
  U32 other = core::ans_low;
  const auto one = [&](U64 item) {
    coder.step(static_cast<U32>(item), symbols.of(item), state);
    const U32 next = other;
    other = state;
    state = next;
  };

  U64 next[group_size];
  if (items.groups() != 0) load_group(items.group(0), next);
  for (U32 v = 0; v < items.behind(); ++v) one(*items.spare(v));
#pragma unroll 1
  for (U32 g = 0; g < items.groups(); ++g) {
    U32 number[group_size];
    uint2 symbol[group_size];
#pragma unroll
    for (U32 k = 0; k < group_size; ++k) {
      number[k] = static_cast<U32>(next[k]);
      symbol[k] = symbols.of(next[k]);
    }
    if (g + 1 < items.groups()) load_group(items.group(g + 1), next);
    if (g + groups_ahead < items.groups()) prefetch(items.group(g + groups_ahead));
    static_assert(group_size % 2 == 0);
#pragma unroll
    for (U32 k = group_size; k > 0; k -= 2) {
      coder.step(number[k - 1], symbol[k - 1], state);
      coder.step(number[k - 2], symbol[k - 2], other);
    }
    coder.store();
  }
  for (U32 v = items.behind(); v < items.behind() + items.before(); ++v) one(*items.spare(v));

  // Behind the first number, the next state would be that of numbers with odd places.
  const CodedSegment coded = coder.finish(other, state);
  params.coded[s] = coded;
  const U64 bytes = sizeof(coded.states) + U64{coded.words} * sizeof(std::uint16_t) + (coded.raw_bits + 7) / 8;
  params.lengths[s] = static_cast<U32>((bytes + 7) / 8 * 8);
}

const KernelFile kernels(reinterpret_cast<const void *>(encode_numbers<true>));

}  // namespace

void launch_encode_numbers(const SegmentEncode &params, const DeviceLimits &limits, cudaStream_t stream) {
  const U32 segments = params.numbers.segments;
  if (segments == 0) return;
  const unsigned blocks = (segments + threads - 1) / threads;
  const std::size_t shared = params.symbol_count * sizeof(PackedSymbol) + params.places * sizeof(U32);
  if (shared + sizeof(Rings) <= limits.shared_of_block) {
    check(cudaFuncSetAttribute(encode_numbers<true>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared)),
          "shared memory");
    encode_numbers<true><<<blocks, threads, shared, stream>>>(params);
  } else {
    encode_numbers<false><<<blocks, threads, 0, stream>>>(params);
  }
  check(cudaGetLastError(), "encoding of numbers");
}

}  // namespace gpz::cuda
