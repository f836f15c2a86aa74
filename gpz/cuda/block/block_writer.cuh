// SPDX-License-Identifier: BSD-3-Clause
// Writes the payload of one block with one thread block: loading, packing, exceptions. The formulas are in core; this
// file distributes the work over threads.
#pragma once

#include <type_traits>

#include "gpz/cuda/block/kernels.cuh"
#include "gpz/cuda/block/publish.cuh"

namespace gpz::cuda {

struct PackShared {
  std::uint32_t low[block_size];  // values to pack: low and high words
  std::uint32_t high[block_size];
  std::uint64_t slots[warps];
  StagedBlock staged;
};

template <typename T>
__device__ T load(const Array &array, const int *rows, std::uint64_t particle) {
  const std::int64_t row = rows != nullptr ? rows[particle] : static_cast<std::int64_t>(particle);
  const char *at = array.data + row * array.stride;
  if constexpr (std::is_same_v<T, std::int64_t>) {
    if (array.type == ArrayType::int32) return *reinterpret_cast<const std::int32_t *>(at);
  }
  return *reinterpret_cast<const T *>(at);
}

// Input indices, within the block, of its particles in stored order, which the leading field determines. Null if
// particles are stored in input order.
__device__ inline const std::uint16_t *stored_order(const EncodeParams &params, std::uint64_t block) {
  if (params.followers_from == 0) return nullptr;
  return core::is_sorted(params.staged[block].record.mode) ? params.order + block * block_size : nullptr;
}

__device__ inline std::uint32_t item_index(int k) { return static_cast<std::uint32_t>(k) * threads + threadIdx.x; }

class BlockWriter {
 public:
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;

  __device__ BlockWriter(const EncodeParams &params, PackShared &shared, U64 block)
      : params(params), shared(shared), block(block) {
    const U64 left = params.particles - block * block_size;
    n = left < block_size ? static_cast<U32>(left) : block_size;
    lanes = core::lanes_of(n, block_size);
  }

  template <typename T, typename Op>
  __device__ T all(T value, Op op) const {
    return reduce(value, op, reinterpret_cast<T *>(shared.slots));
  }
  template <typename T, typename Op>
  __device__ T before(T value, Op op) const {
    return exclusive_scan(value, T{0}, op, reinterpret_cast<T *>(shared.slots));
  }

  __device__ U32 *output(const FieldParams &field) const { return staged_payload(params, field, block); }

  __device__ void put(U32 at, U32 value) { shared.low[at] = value; }
  __device__ void put(U32 at, U64 value) {
    shared.low[at] = static_cast<U32>(value);
    shared.high[at] = static_cast<U32>(value >> 32);
  }

  // core::pack of the values given to put(). Each thread gathers whole words.
  __device__ void pack(int width, U32 *out) const {
    const int low = width < 32 ? width : 32;
    pack_part(shared.low, low, out);
    if (width > 32) pack_part(shared.high, width - 32, out + core::packed_words(n, low, lanes));
  }

  __device__ void finish(int f, const core::BlockRecord &record, U32 words, U64 error_bits) const {
    if (threadIdx.x == 0) shared.staged = {record, words, error_bits};
    __syncthreads();
    if (threadIdx.x < warp_size) publish(params, f, block, shared.staged, known_statistic(params, f));
  }

  // Writes exceptions in the order of component and stored particle. flag(d, j) is true if stored particle j is an
  // exception, value(d, j) is its value.
  template <typename T, typename Flag, typename Value>
  __device__ void write_exceptions(int components, U32 count, U32 *out, const Flag &flag, const Value &value) const {
    U32 *bits = out + count;
    U32 done = 0;
    for (int d = 0; d < components; ++d) {
      for (U32 first = 0; first < n; first += threads) {
        const U32 j = first + threadIdx.x;
        const U32 here = j < n && flag(d, j) ? 1 : 0;
        const U32 at = done + before(here, Sum{});
        if (here != 0) {
          out[at] = j | static_cast<U32>(d) << 16;
          const T exact = value(d, j);
          if constexpr (sizeof(T) == 4) {
            bits[at] = core::bit_cast<U32>(exact);
          } else {
            bits[2 * at] = static_cast<U32>(core::bit_cast<U64>(exact));
            bits[2 * at + 1] = static_cast<U32>(core::bit_cast<U64>(exact) >> 32);
          }
        }
        done += all(here, Sum{});
      }
    }
  }

  // Stores keys of the values themselves: for integers, floats without a grid, and blocks that a grid would make
  // larger.
  template <typename T, typename Particle>
  __device__ void encode_exact(int f, const Particle &particle) {
    const FieldParams &field = params.field[f];
    core::BlockRecord record;
    record.mode = core::Mode::exact;
    U32 *out = output(field);
    U32 words = 0;
#pragma unroll
    for (int d = 0; d < core::max_components; ++d) {
      if (d >= field.components) continue;
      U64 key[items];
      U64 low = ~U64{0};
      U64 high = 0;
#pragma unroll
      for (int k = 0; k < items; ++k) {
        if (item_index(k) >= n) continue;
        key[k] = core::key_of(load<T>(field.array[d], params.rows, particle(item_index(k))));
        low = key[k] < low ? key[k] : low;
        high = key[k] > high ? key[k] : high;
      }
      record.min[d] = all(low, Min{});
      record.extent[d] = all(high, Max{}) - record.min[d];
#pragma unroll
      for (int k = 0; k < items; ++k)
        if (item_index(k) < n) put(item_index(k), key[k] - record.min[d]);
      __syncthreads();
      const int width = core::bit_length(record.extent[d]);
      pack(width, out + words);
      words += core::packed_words(n, width, lanes);
      __syncthreads();
    }
    finish(f, record, words, 0);
  }

  const EncodeParams &params;
  PackShared &shared;
  U64 block;
  U32 n;
  U32 lanes;

 private:
  // Word j of lane l gathers the bits of all rows that overlap it.
  __device__ void pack_part(const U32 *values, int width, U32 *out) const {
    if (width == 0) return;
    const U32 words = core::packed_words(n, width, lanes);
    const U32 rows = (n + lanes - 1) / lanes;
    const auto w = static_cast<U32>(width);
    for (U32 word = threadIdx.x; word < words; word += threads) {
      const U32 lane = word % lanes;
      const U32 first_bit = word / lanes * 32;
      U32 row = first_bit / w;
      U32 bits = 0;
      int shift = static_cast<int>(row * w) - static_cast<int>(first_bit);
      for (; shift < 32 && row < rows; ++row, shift += width) {
        const U32 value = values[row * lanes + lane];
        bits |= shift >= 0 ? value << shift : value >> -shift;
      }
      out[word] = bits;
    }
  }
};

}  // namespace gpz::cuda
