// SPDX-License-Identifier: BSD-3-Clause
// Decodes blocks of ordered sections whose positions do not fit in 32 bits: one lane per axis follows the particles in
// 64-bit integers, as the CPU does.
#include <algorithm>
#include <type_traits>

#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/ordered/block.cuh"
#include "gpz/cuda/ordered/kernels.hpp"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr unsigned most_ctas = 1024;

struct OtherMemory {
  OrderedMemory block;
  std::int64_t position[core::max_components][difference_block];
};

// Finds the particle whose id is smaller by a lag. Call with ascending particles.
class Parents {
 public:
  __device__ Parents(const std::int64_t *ids, U32 lag) : ids_(ids), lag_(lag) {}

  // -1: there is no such particle.
  __device__ int of(U32 i) {
    if (lag_ == 0) return -1;
    if (ids_ == nullptr) return i < lag_ ? -1 : static_cast<int>(i - lag_);
    while (behind(i) > lag_) ++at_;
    return behind(i) == lag_ ? static_cast<int>(at_) : -1;
  }

 private:
  __device__ U64 behind(U32 i) const { return static_cast<U64>(core::difference_of(ids_[i], ids_[at_])); }

  const std::int64_t *ids_;
  U32 lag_;
  U32 at_ = 0;
};

// Returns `ids` if they ascend with gaps, else nullptr. Called by all lanes.
__device__ const std::int64_t *useful_ids(const std::int64_t *ids, U32 n) {
  if (ids == nullptr || core::difference_of(ids[n - 1], ids[0]) == std::int64_t{n} - 1) return nullptr;
  bool wrong = false;
  for (U32 i = this_lane() + 1; i < n; i += warp_size) wrong |= ids[i] <= ids[i - 1];
  return __any_sync(full_mask, wrong) != 0 ? nullptr : ids;
}

// Computes the positions of axis d. Called by one lane.
__device__ void follow(const OrderedLayout &layout, const std::int64_t *ids, std::int64_t first, int d, U32 n,
                       const OrderedPayload &payload, OtherMemory &memory) {
  const core::OrderedPredictor &predictor = layout.predictor;
  const core::GridAxis axis = layout.axis[d];
  const U32 own = predictor.swapped >> d & 1;
  const bool alone = predictor.lag[0] == 0;
  Parents parents[2] = {Parents(ids, predictor.lag[own]), Parents(ids, predictor.lag[1 - own])};
  U32 e = 0;
  while (e < payload.exceptions && payload.component(e) < d) ++e;
  for (U32 i = 0; i < n; ++i) {
    const int here = parents[0].of(i);
    const int other = parents[1].of(i);
    std::int64_t &position = memory.position[d][i];
    if (e < payload.exceptions && payload.component(e) == d && payload.index(e) == i) {
      position = core::inside(payload.value(e), axis);
      ++e;
      continue;
    }
    std::int64_t expected = first;
    if (!alone && i != 0)
      expected = here >= 0    ? core::step_from(memory.position[d][here], predictor.offset[own][d], axis)
                 : other >= 0 ? core::step_from(memory.position[d][other], predictor.offset[1 - own][d], axis)
                              : core::step_from(memory.position[d][i - 1], 0, axis);
    position = core::step_from(expected, core::unzigzag(memory.block.u[d][padded_index(i)]), axis);
  }
}

__device__ bool read_any_residuals(int components, const core::ResidualRecord &record, const U32 *words, U32 n,
                                   OrderedMemory &memory) {
  if (components == 1) return read_residuals<1>(record, words, n, memory);
  if (components == 2) return read_residuals<2>(record, words, n, memory);
  return read_residuals<3>(record, words, n, memory);
}

template <typename T, int D>
__device__ void place_any_values(const OrderedDecode &params, const core::ResidualRecord &record,
                                 const OrderedPayload &payload, U64 block, U32 n, OtherMemory &memory) {
  typename AnyStore<T>::Shared unused;
  AnyStore<T> store(params.field, block, unused);
  const auto position = [&](int d, int row) {
    return memory.position[d][row * warp_size + static_cast<int>(this_lane())];
  };
  place_values<T, AnyStore<T>, D>(params.field, *params.layout, record, payload, block, n, position, memory.block,
                                  store);
}

// Returns the status for all lanes.
template <typename T>
__device__ U32 decode_block(const OrderedDecode &params, U64 block, OtherMemory &memory) {
  const OrderedLayout &layout = *params.layout;
  const int components = params.field.components;
  const U32 n = rows_of(layout, block);
  const core::OrderedRecord &record = params.records[block];
  const core::ResidualRecord residuals = record.residuals;
  const U32 *words = payload_of(params, block);
  // decode.cu has already checked the payload of this block.
  if (words == nullptr || !read_any_residuals(components, residuals, words, n, memory.block)) return section_damaged;
  const OrderedPayload payload(residuals, words, components, n);
  const std::int64_t *ids = params.ids == nullptr ? nullptr : params.ids + block * difference_block;
  ids = useful_ids(ids, n);
  const auto d = static_cast<int>(this_lane());
  if (d < components) follow(layout, ids, record.first[d], d, n, payload, memory);
  __syncwarp();
  const auto position = [&](int axis, int row) {
    return memory.position[axis][row * warp_size + static_cast<int>(this_lane())];
  };
  if (!read_flags(layout, residuals, payload.flags, components, n, position, memory.block)) return section_damaged;
  if (components == 1)
    place_any_values<T, 1>(params, residuals, payload, block, n, memory);
  else if (components == 2)
    place_any_values<T, 2>(params, residuals, payload, block, n, memory);
  else
    place_any_values<T, 3>(params, residuals, payload, block, n, memory);
  return 0;
}

template <typename T>
__global__ void __launch_bounds__(warp_size) decode_others(const __grid_constant__ OrderedDecode params, bool runs) {
  __shared__ OtherMemory memory;
  if (*static_cast<volatile U32 *>(params.status) != 0 || params.layout->runs != runs) return;
  const U32 count = *params.other_count;
  for (U32 slot = blockIdx.x; slot < count; slot += gridDim.x) {
    const U32 status = decode_block<T>(params, params.others[slot], memory);
    if (status != 0) atomicOr(params.status, status);
    __syncwarp();
  }
}

template <typename T>
void launch(const OrderedDecode &params, bool runs, cudaStream_t stream) {
  const auto ctas = static_cast<unsigned>(std::min<U64>(params.blocks, most_ctas));
  decode_others<T><<<ctas, warp_size, 0, stream>>>(params, runs);
  check(cudaGetLastError(), "decoding of an ordered section");
}

}  // namespace

void launch_decode_other_ordered(const OrderedDecode &params, bool runs, cudaStream_t stream) {
  switch (params.field.value) {
    case core::Value::integer:
      return launch<std::int64_t>(params, runs, stream);
    case core::Value::float32:
      return launch<float>(params, runs, stream);
    case core::Value::float64:
      return launch<double>(params, runs, stream);
  }
}

}  // namespace gpz::cuda
