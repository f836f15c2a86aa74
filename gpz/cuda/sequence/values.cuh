// SPDX-License-Identifier: BSD-3-Clause
// Values of the caller's arrays and their indices on the grid, four particles of a lane at a time: lanes lie far apart,
// and what is read one value at a time would be read from memory several times.
#pragma once

#include "gpz/core/quantize.hpp"
#include "gpz/cuda/sequence/params.hpp"

namespace gpz::cuda {

inline constexpr std::uint32_t tile_rows = 4;

// Values that are stored exactly have the index of the last one before that the grid holds. It is looked for that far.
inline constexpr std::uint32_t exact_reach = 256;

template <typename T>
struct Tile {
  T x[tile_rows];
};

// Arrays of D components.
template <typename T, int D>
class SequenceValues {
 public:
  __device__ SequenceValues(const SequenceEncode &params, bool has_exact)
      : field_(params.field), packed_(params.packed), has_exact_(has_exact) {}

  __device__ __forceinline__ T value(int d, std::uint64_t i) const {
    const Array &array = field_.array[d];
    return *reinterpret_cast<const T *>(array.data + static_cast<std::int64_t>(i) * array.stride);
  }

  // `count` particles from i on.
  __device__ __forceinline__ Tile<T> load(int d, std::uint64_t i, std::uint32_t count) const {
    Tile<T> tile{};
    if (packed_ && count == tile_rows && i % tile_rows == 0) {
      const auto *const from = reinterpret_cast<const uint4 *>(field_.array[d].data + i * sizeof(T));
      union {
        uint4 words[sizeof(T) * tile_rows / sizeof(uint4)];
        T x[tile_rows];
      } both;
#pragma unroll
      for (unsigned k = 0; k < sizeof(T) * tile_rows / sizeof(uint4); ++k) both.words[k] = __ldg(from + k);
#pragma unroll
      for (std::uint32_t k = 0; k < tile_rows; ++k) tile.x[k] = both.x[k];
      return tile;
    }
#pragma unroll
    for (std::uint32_t k = 0; k < tile_rows; ++k)
      if (k < count) tile.x[k] = value(d, i + k);
    return tile;
  }

  __device__ __forceinline__ bool holds(T x) const { return core::holds(x, field_.grid); }
  __device__ __forceinline__ core::Quantized<T> quantized(T x) const { return core::quantize(x, field_.grid); }

  // The index of particle i, whose value is x.
  __device__ __forceinline__ std::int64_t index(int d, std::uint64_t i, T x) const {
    if (has_exact_ && !holds(x)) {
      std::int64_t found = 0;
      find_before(d, i, found);
      return found;
    }
    return quantized(x).index;
  }
  __device__ __forceinline__ std::int64_t index(int d, std::uint64_t i) const { return index(d, i, value(d, i)); }

  // Indices, modulo 2^32, of `count` particles from i on, whose values are a tile.
  __device__ __forceinline__ void indices(int d, std::uint64_t i, const Tile<T> &tile, std::uint32_t count,
                                          std::uint32_t (&out)[tile_rows]) const {
#pragma unroll
    for (std::uint32_t k = 0; k < tile_rows; ++k) out[k] = static_cast<std::uint32_t>(quantized(tile.x[k]).index);
    if (!has_exact_) return;
#pragma unroll
    for (std::uint32_t k = 0; k < tile_rows; ++k)
      if (k < count) out[k] = static_cast<std::uint32_t>(index(d, i + k, tile.x[k]));
  }

  // The index of the last particle before i whose value the grid holds, 0 if there is none. False if it is out of
  // reach.
  __device__ __noinline__ bool find_before(int d, std::uint64_t i, std::int64_t &found) const {
    found = 0;
    for (std::uint32_t k = 0; k < exact_reach; ++k) {
      if (i == 0) return true;
      const T x = value(d, --i);
      if (!holds(x)) continue;
      found = quantized(x).index;
      return true;
    }
    return i == 0;
  }

 private:
  const FieldParams &field_;
  bool packed_;
  bool has_exact_;
};

}  // namespace gpz::cuda
