// SPDX-License-Identifier: BSD-3-Clause
// Stores the values of a full block. put() takes all components of a row of 32 particles, put_component() one. All
// lanes of a warp call these functions together.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpz/core/keys.hpp"
#include "gpz/cuda/block/decode_params.hpp"
#include "gpz/cuda/block/device_block.cuh"
#include "gpz/cuda/common/device_index.cuh"
#include "gpz/cuda/common/warp.cuh"

namespace gpz::cuda {

__device__ __forceinline__ core::Grid grid_of(const DecodeField &field) {
  return {field.step, field.inverse_step, field.bound};
}

template <typename T>
__device__ __forceinline__ void store(const DecodeField &field, int d, std::uint64_t particle, T value) {
  char *at = field.data[d] + static_cast<std::int64_t>(particle) * field.stride[d];
  switch (field.type[d]) {
    case ArrayType::int32:
      *reinterpret_cast<std::int32_t *>(at) = static_cast<std::int32_t>(value);
      break;
    case ArrayType::int64:
      *reinterpret_cast<std::int64_t *>(at) = static_cast<std::int64_t>(value);
      break;
    case ArrayType::float32:
      *reinterpret_cast<float *>(at) = static_cast<float>(value);
      break;
    case ArrayType::float64:
      *reinterpret_cast<double *>(at) = static_cast<double>(value);
      break;
    case ArrayType::index:
      *reinterpret_cast<std::int32_t *>(at) = kept_index(value, grid_of(field), field.wide);
      break;
    case ArrayType::key:
      if constexpr (std::is_integral_v<T>)
        *reinterpret_cast<std::int64_t *>(at) = value;
      else
        *reinterpret_cast<std::int64_t *>(at) = static_cast<std::int64_t>(core::key_of(value));
      break;
  }
}

// Stores to any arrays. Arrays that are not wanted are null.
template <typename T>
class AnyStore {
 public:
  struct Shared {};
  __device__ AnyStore(const DecodeField &field, std::uint64_t block, Shared &)
      : field_(field), first_(block * block_size + this_lane()) {}
  __device__ __forceinline__ void put(int row, const T (&value)[core::max_components]) const {
#pragma unroll
    for (int d = 0; d < core::max_components; ++d)
      if (d < field_.components) put_component(d, row, value[d]);
  }
  __device__ __forceinline__ void put_component(int d, int row, T value) const {
    if (field_.data[d] != nullptr) store(field_, d, first_ + static_cast<unsigned>(row) * warp_size, value);
  }

 private:
  const DecodeField &field_;
  std::uint64_t first_;
};

// Stores to three contiguous arrays of T.
template <typename T>
class SeparateStore {
 public:
  struct Shared {};
  __device__ SeparateStore(const DecodeField &field, std::uint64_t block, Shared &) {
#pragma unroll
    for (int d = 0; d < core::max_components; ++d)
      at_[d] = reinterpret_cast<T *>(field.data[d]) + block * block_size + this_lane();
  }
  __device__ __forceinline__ void put(int row, const T (&value)[core::max_components]) const {
#pragma unroll
    for (int d = 0; d < core::max_components; ++d) at_[d][row * warp_size] = value[d];
  }
  __device__ __forceinline__ void put_component(int d, int row, T value) const {
    T *at = d == 0 ? at_[0] : d == 1 ? at_[1] : at_[2];
    at[row * warp_size] = value;
  }

 private:
  T *at_[core::max_components];
};

// Stores to one array of x y z x y z .... Rows are collected in shared memory and written as whole cache lines: three
// strided stores per row would send every line to the cache three times.
template <typename T>
class InterleavedStore {
 public:
  static constexpr int rows_at_once = 16 / static_cast<int>(sizeof(T));
  struct Shared {
    __align__(16) T values[rows_at_once * warp_size * 3];
  };
  __device__ InterleavedStore(const DecodeField &field, std::uint64_t block, Shared &shared)
      : shared_(shared), at_(reinterpret_cast<T *>(field.data[0]) + block * block_size * 3) {}
  __device__ __forceinline__ void put(int row, const T (&value)[core::max_components]) const {
    const int lane = static_cast<int>(this_lane());
#pragma unroll
    for (int d = 0; d < core::max_components; ++d)
      shared_.values[(row % rows_at_once * warp_size + lane) * 3 + d] = value[d];
    if (row % rows_at_once != rows_at_once - 1) return;
    __syncwarp();
    auto *to = reinterpret_cast<uint4 *>(at_ + (row - rows_at_once + 1) * warp_size * 3);
#pragma unroll
    for (int k = 0; k < 3; ++k)
      __stcs(&to[k * warp_size + lane], reinterpret_cast<const uint4 *>(shared_.values)[k * warp_size + lane]);
    __syncwarp();
  }
  __device__ __forceinline__ void put_component(int d, int row, T value) const {
    at_[(row * warp_size + static_cast<int>(this_lane())) * 3 + d] = value;
  }

 private:
  Shared &shared_;
  T *at_;
};

// Stores the indices of three components (ArrayType::index).
template <typename T>
class IndexStore {
 public:
  struct Shared {};
  __device__ IndexStore(const DecodeField &field, std::uint64_t block, Shared &) : field_(field) {
#pragma unroll
    for (int d = 0; d < core::max_components; ++d)
      at_[d] = reinterpret_cast<std::int32_t *>(field.data[d]) + block * block_size + this_lane();
  }
  __device__ __forceinline__ void put(int row, const T (&value)[core::max_components]) const {
#pragma unroll
    for (int d = 0; d < core::max_components; ++d)
      at_[d][row * warp_size] = kept_index(value[d], grid_of(field_), field_.wide);
  }
  __device__ __forceinline__ void put_component(int d, int row, T value) const {
    std::int32_t *at = d == 0 ? at_[0] : d == 1 ? at_[1] : at_[2];
    at[row * warp_size] = kept_index(value, grid_of(field_), field_.wide);
  }

 private:
  const DecodeField &field_;
  std::int32_t *at_[core::max_components];
};

enum class Layout { any, separate, interleaved, indices };

// Of three arrays of `type`, float32 or float64.
inline Layout layout_of(const DecodeField &field, ArrayType type) {
  if (field.components != 3) return Layout::any;
  const std::int64_t size = type == ArrayType::float32 ? 4 : 8;
  bool separate = true;
  bool interleaved = reinterpret_cast<std::uintptr_t>(field.data[0]) % 16 == 0;
  for (int d = 0; d < 3; ++d) {
    if (field.data[d] == nullptr || field.type[d] != type) return Layout::any;
    separate &= field.stride[d] == size;
    interleaved &= field.stride[d] == 3 * size && field.data[d] == field.data[0] + d * size;
  }
  return separate ? Layout::separate : interleaved ? Layout::interleaved : Layout::any;
}

// Of arrays that keep every bit of the values.
inline Layout layout_of(const DecodeField &field) {
  if (field.value == core::Value::integer || field.components != 3) return Layout::any;
  if (field.wide != nullptr) return Layout::indices;
  return layout_of(field, field.value == core::Value::float32 ? ArrayType::float32 : ArrayType::float64);
}

}  // namespace gpz::cuda
