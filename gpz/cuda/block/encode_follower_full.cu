// SPDX-License-Identifier: BSD-3-Clause
// Encodes fields in the order of the leading field (ids, types, images, velocities), for the common blocks: full,
// differences of at most 32 bits, no exceptions. One warp per block. All other blocks are left to encode_followers.cu.
#include <cuda_pipeline.h>

#include <type_traits>

#include "gpz/core/block.hpp"
#include "gpz/core/keys.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/cuda/block/block_writer.cuh"
#include "gpz/cuda/block/kernels.cuh"
#include "gpz/cuda/block/lane_packer.cuh"
#include "gpz/cuda/block/lane_range.cuh"
#include "gpz/cuda/block/publish.cuh"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/common/warp.cuh"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr int rows = block_size / warp_size;
constexpr int cta_warps = 4;  // each has its own block

// Values of a component, by input index in the block. Contiguous arrays are first copied to shared memory, where
// reading in another order is cheap.
template <typename T, bool Staged>
class Values {
 public:
  struct Shared {
    __align__(16) T values[Staged ? block_size : 1];
  };
  __device__ Values(const Array &array, const int *rows_of_caller, U64 block, Shared &shared)
      : array_(array), rows_(rows_of_caller), first_(block * block_size), shared_(shared) {
    if constexpr (Staged) {
      const char *from = array.data + first_ * sizeof(T) + this_lane() * 16;
      char *to = reinterpret_cast<char *>(shared.values) + this_lane() * 16;
#pragma unroll
      for (U32 at = 0; at < block_size * sizeof(T); at += 16 * warp_size)
        __pipeline_memcpy_async(to + at, from + at, 16);
      __pipeline_commit();
      __pipeline_wait_prior(0);
      __syncwarp();
    }
  }
  __device__ __forceinline__ T operator()(U32 i) const {
    if constexpr (Staged) return shared_.values[i];
    return load<T>(array_, rows_, first_ + i);
  }

 private:
  const Array &array_;
  const int *rows_;
  U64 first_;
  Shared &shared_;
};

// Keys, in 32 bits if the type has no more. Keys have the order of the values.
template <typename T>
__device__ __forceinline__ auto short_key(T value) {
  if constexpr (std::is_same_v<T, std::int32_t>)
    return static_cast<U32>(value) ^ 0x80000000u;
  else if constexpr (std::is_same_v<T, float>)
    return static_cast<U32>(core::key_of(value));
  else
    return core::key_of(value);
}

template <typename T, typename K>
__device__ __forceinline__ U64 full_key(K key) {
  if constexpr (std::is_same_v<T, std::int32_t>)
    return core::key_of(static_cast<std::int64_t>(static_cast<std::int32_t>(key ^ 0x80000000u)));
  else
    return key;
}

// Computes the low words of the keys of a component. Returns false if the component does not fit.
template <typename T, bool Grid, typename At>
__device__ __forceinline__ bool make_keys(const FieldParams &field, const At &at, U32 (&key)[rows], U64 &min,
                                          U64 &extent, T &error) {
  if constexpr (Grid) {
    LaneRange<T> range;
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      const T x = at(row);
      const core::Quantized<T> q = core::quantize(x, field.grid);
      range.add(x, q, error);
      key[row] = static_cast<U32>(q.index);
    }
    std::int32_t low;
    std::int32_t high;
    const bool good = range.finish(field.grid, low, high) && static_cast<double>(error) < field.grid.bound;
    min = core::key_of(static_cast<std::int64_t>(low));
    extent = static_cast<U32>(high) - static_cast<U32>(low);
    return __all_sync(full_mask, good) != 0;
  } else {
    using K = decltype(short_key(T{}));
    K low = ~K{0};
    K high = 0;
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      const K k = short_key(at(row));
      low = core::min_of(low, k);
      high = core::max_of(high, k);
      key[row] = static_cast<U32>(full_key<T>(k));
    }
    low = static_cast<K>(~warp_max(static_cast<K>(~low)));
    high = warp_max(high);
    min = full_key<T>(low);
    extent = high - low;
    return extent <= 0xFFFFFFFFu;
  }
}

template <typename T, bool Grid, bool Staged>
__global__ void __launch_bounds__(cta_warps *warp_size)
    encode_follower_full(const __grid_constant__ EncodeParams params, int f) {
  __shared__ typename Values<T, Staged>::Shared shared[cta_warps];
  __shared__ __align__(8) unsigned char staged_memory[cta_warps][sizeof(StagedBlock)];
  const U32 warp = threadIdx.x / warp_size;
  const U64 block = static_cast<U64>(blockIdx.x) * cta_warps + warp;
  if (block >= params.particles / block_size) return;
  const FieldParams &field = params.field[f];
  const U64 known = known_statistic(params, f);
  const U64 slot = static_cast<U64>(f) * params.blocks + block;
  const std::uint16_t *order = stored_order(params, block);
  U32 *out = staged_payload(params, field, block);
  core::BlockRecord record;
  record.mode = Grid ? core::Mode::plain : core::Mode::exact;
  U32 words = 0;
  T error = 0;
#pragma unroll 1
  for (int d = 0; d < field.components; ++d) {
    __syncwarp();
    const Values<T, Staged> values(field.array[d], params.rows, block, shared[warp]);
    U32 key[rows];
    U64 min;
    U64 extent;
    const auto at = [&](int row) {
      const U32 j = static_cast<U32>(row) * warp_size + this_lane();
      return values(order != nullptr ? order[j] : j);
    };
    if (!make_keys<T, Grid>(field, at, key, min, extent, error)) {
      if (this_lane() == 0) params.other_followers[atomicAdd(params.other_follower_count, 1u)] = slot;
      return;
    }
    const int width = core::bit_length(extent);
    if (width != 0) {
      LanePacker packer(out + words);
#pragma unroll
      for (int row = 0; row < rows; ++row) packer.put(key[row] - static_cast<U32>(min), width);
      words += static_cast<U32>(width) * warp_size;
    }
#pragma unroll
    for (int e = 0; e < core::max_components; ++e) {
      if (e != d) continue;
      record.min[e] = min;
      record.extent[e] = extent;
    }
  }
  const U64 error_bits = Grid ? warp_max(core::bit_cast<U64>(static_cast<double>(error))) : 0;
  auto &staged = *reinterpret_cast<StagedBlock *>(staged_memory[warp]);
  if (this_lane() == 0) staged = {record, words, error_bits};
  __syncwarp();
  publish(params, f, block, staged, known);
}

template <typename T, bool Grid>
void launch(const EncodeParams &params, int f, cudaStream_t stream) {
  const auto ctas = static_cast<U32>((params.particles / block_size + cta_warps - 1) / cta_warps);
  bool staged = params.rows == nullptr;
  for (int d = 0; d < params.field[f].components; ++d) {
    const Array &array = params.field[f].array[d];
    staged &= array.stride == sizeof(T) && reinterpret_cast<std::uintptr_t>(array.data) % 16 == 0;
  }
  if (ctas == 0) return;
  if (staged)
    encode_follower_full<T, Grid, true><<<ctas, cta_warps * warp_size, 0, stream>>>(params, f);
  else
    encode_follower_full<T, Grid, false><<<ctas, cta_warps * warp_size, 0, stream>>>(params, f);
}

}  // namespace

void launch_encode_follower_full(const EncodeParams &params, int f, cudaStream_t stream) {
  const FieldParams &field = params.field[f];
  const bool grid = field.grid.step > 0;
  switch (field.value) {
    case core::Value::integer: {
      bool narrow = true;
      for (int d = 0; d < field.components; ++d) narrow &= field.array[d].type == ArrayType::int32;
      if (narrow) return launch<std::int32_t, false>(params, f, stream);
      return launch<std::int64_t, false>(params, f, stream);
    }
    case core::Value::float32:
      return grid ? launch<float, true>(params, f, stream) : launch<float, false>(params, f, stream);
    case core::Value::float64:
      return grid ? launch<double, true>(params, f, stream) : launch<double, false>(params, f, stream);
  }
}

namespace {
const KernelFile kernels(reinterpret_cast<const void *>(encode_follower_full<std::int32_t, false, true>));
}  // namespace

}  // namespace gpz::cuda
