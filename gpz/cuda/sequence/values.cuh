// SPDX-License-Identifier: BSD-3-Clause
// Reads values of the caller's arrays and their grid indices, four particles of a lane at a time. Lanes are far apart:
// single values would be read from memory several times.
#pragma once

#include <type_traits>

#include "gpz/core/quantize.hpp"
#include "gpz/cuda/sequence/params.hpp"

namespace gpz::cuda {

// A value that is stored exactly gets the index of the last value before it that the grid holds. The search goes back
// this far.
inline constexpr std::uint32_t exact_reach = 256;

template <typename T>
struct Tile {
  T x[tile_rows];
};

template <typename T>
__device__ __forceinline__ T value_at(const FieldParams &field, int d, std::uint64_t i) {
  const Array &array = field.array[d];
  return *reinterpret_cast<const T *>(array.data + static_cast<std::int64_t>(i) * array.stride);
}

// Index of the last particle before i whose value the grid holds; 0 if there is none, out_of_reach if it is too far
// away. Not inlined: rare path, many call sites.
inline constexpr std::int64_t out_of_reach = INT64_MIN;
template <typename T>
__device__ __noinline__ std::int64_t index_before(const FieldParams &field, int d, std::uint64_t i) {
  for (std::uint32_t k = 0; k < exact_reach && i > 0; ++k) {
    const T x = value_at<T>(field, d, --i);
    if (core::holds(x, field.grid)) return core::quantize(x, field.grid).index;
  }
  return i == 0 ? 0 : out_of_reach;
}

// Arrays of D components. `Packed`: contiguous, and four values can be read at once. `Exact`: the grid may not hold all
// values.
template <typename T, int D, bool Packed, bool Exact>
class SequenceValues {
 public:
  __device__ explicit SequenceValues(const SequenceEncode &params) : field_(params.field) {}

  __device__ __forceinline__ T value(int d, std::uint64_t i) const {
    if constexpr (Packed) return reinterpret_cast<const T *>(field_.array[d].data)[i];
    return value_at<T>(field_, d, i);
  }

  // Loads `count` particles from i on. `Whole`: a full tile, at a multiple of its length.
  template <bool Whole = false>
  __device__ __forceinline__ Tile<T> load(int d, std::uint64_t i, std::uint32_t count) const {
    Tile<T> tile{};
    if (Packed && (Whole || (count == tile_rows && i % tile_rows == 0))) {
      load_packed(d, i, tile);
    } else {
#pragma unroll
      for (std::uint32_t k = 0; k < tile_rows; ++k)
        if (Whole || k < count) tile.x[k] = value(d, i + k);
    }
    return tile;
  }

  __device__ __forceinline__ bool holds(T x) const { return core::holds(x, field_.grid); }
  __device__ __forceinline__ core::Quantized<T> quantized(T x) const { return core::quantize(x, field_.grid); }

  // Index of particle i, whose value is x.
  __device__ __forceinline__ std::int64_t index(int d, std::uint64_t i, T x) const {
    if (Exact && !holds(x)) return index_before<T>(field_, d, i);
    return quantized(x).index;
  }
  __device__ __forceinline__ std::int64_t index(int d, std::uint64_t i) const { return index(d, i, value(d, i)); }

  // Indices, modulo 2^32, of `count` particles from i on, with values in `tile`.
  __device__ __forceinline__ void indices(int d, std::uint64_t i, const Tile<T> &tile, std::uint32_t count,
                                          std::uint32_t (&out)[tile_rows]) const {
    bool all_held = true;
#pragma unroll
    for (std::uint32_t k = 0; k < tile_rows; ++k) {
      out[k] = static_cast<std::uint32_t>(quantized(tile.x[k]).index);
      if (Exact) all_held &= holds(tile.x[k]);
    }
    if (all_held) return;
#pragma unroll
    for (std::uint32_t k = 0; k < tile_rows; ++k)
      if (k < count && !holds(tile.x[k])) out[k] = static_cast<std::uint32_t>(index_before<T>(field_, d, i + k));
  }

 private:
  __device__ __forceinline__ void load_packed(int d, std::uint64_t i, Tile<T> &tile) const {
    constexpr unsigned at_once = sizeof(T) * tile_rows / sizeof(uint4);
    const auto *const from = reinterpret_cast<const uint4 *>(field_.array[d].data + i * sizeof(T));
    union {
      uint4 words[at_once];
      T x[tile_rows];
    } both;
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) both.words[k] = __ldg(from + k);
#pragma unroll
    for (std::uint32_t k = 0; k < tile_rows; ++k) tile.x[k] = both.x[k];
  }

  const FieldParams &field_;
};

// Values of a chunk. `Plain`: packed, and the grid holds all of them.
template <typename T, int D, bool Plain>
using ChunkValues = SequenceValues<T, D, Plain, !Plain>;

// Calls `launch` with a value of the type of the field's values and a std::integral_constant of its components.
template <typename T, typename Launch>
void with_components(int components, const Launch &launch) {
  if (components == 1) return launch(T{}, std::integral_constant<int, 1>{});
  if (components == 2) return launch(T{}, std::integral_constant<int, 2>{});
  launch(T{}, std::integral_constant<int, 3>{});
}
template <typename Launch>
void with_form(const FieldParams &field, const Launch &launch) {
  if (field.value == core::Value::float32) return with_components<float>(field.components, launch);
  with_components<double>(field.components, launch);
}

}  // namespace gpz::cuda
