// SPDX-License-Identifier: BSD-3-Clause
// Computes the values of a block of a difference section from its residuals, and its new history.
#pragma once

#include <type_traits>

#include "gpz/cuda/block/block_store.cuh"
#include "gpz/cuda/block/decode.cuh"
#include "gpz/cuda/difference/rank_tables.cuh"
#include "gpz/cuda/difference/steps.cuh"

namespace gpz::cuda {

// Memory of a warp.
struct DecodeMemory {
  static constexpr std::uint32_t bitmap_room = 640;  // words: 6.7 bits a value; longer ones are read in place
  __align__(16) std::uint32_t bitmap[bitmap_room];   // then values to be written to memory
  std::uint32_t u[core::max_components][padded_block];
  std::uint32_t exception[core::max_components][difference_rows];  // one word per row, as in elsewhere
  std::uint32_t elsewhere[core::max_components][difference_rows];  // the value is at its other image
};

// core::expect.
__device__ __forceinline__ std::int32_t expect_at(const DifferenceHistory &history, core::Predictor predictor,
                                                  bool predict, int d, std::uint64_t slot) {
  if (!predict) return nothing_expected;
  return core::expect(predictor, history.velocity[d][slot], history.previous[d][slot],
                      core::offset_to_mean(history.deviation[d][slot], history.reciprocal));
}

// Replaces a particle's rank, which is stored as the first component, by the numbers of its residuals.
__device__ __forceinline__ void separate_triple(const std::int32_t (&expected)[core::max_components],
                                                std::uint32_t (&u)[core::max_components]) {
  const std::uint32_t triple = triple_ranks.triple[core::between_mask(expected[0], expected[1], expected[2])][u[0]];
#pragma unroll
  for (int d = 0; d < core::max_components; ++d) u[d] = core::number_of(triple, d);
}

// separate_triple for all particles of a block, needed if flags are read before values are known.
inline __device__ __noinline__ void separate_triples(const DifferenceHistory &history, core::Predictor predictor,
                                                     bool predict, std::uint64_t first, std::uint32_t n,
                                                     DecodeMemory &memory) {
  for (std::uint32_t i = this_lane(); i < n; i += warp_size) {
    const auto at = static_cast<int>(i / warp_size * padded_row + i % warp_size);
    std::int32_t expected[core::max_components];
    for (int d = 0; d < core::max_components; ++d) expected[d] = expect_at(history, predictor, predict, d, first + i);
    std::uint32_t u[core::max_components] = {memory.u[0][at]};
    separate_triple(expected, u);
    for (int d = 0; d < core::max_components; ++d) memory.u[d][at] = u[d];
  }
  __syncwarp();
}

inline __device__ __noinline__ bool are_ranks(std::uint32_t n, const std::uint32_t *u) {
  std::uint32_t largest = 0;
  for (std::uint32_t i = this_lane(); i < n; i += warp_size)
    largest = max(largest, u[i / warp_size * padded_row + i % warp_size]);
  return warp_max(largest) < core::triples;
}

// Computes values from residuals, and the new history. `Full`: the block is full.
template <typename T, typename Store, int D, bool Predict, bool Full>
class ValuePass {
 public:
  __device__ __forceinline__ ValuePass(const DifferenceDecode &params, std::uint64_t block, std::uint32_t n,
                                       core::Predictor predictor, const core::ResidualRecord &record, bool ranks,
                                       const DecodeMemory &memory, Store &store)
      : params_(params),
        memory_(memory),
        store_(store),
        first_(block * difference_block),
        n_(n),
        margin_(record.margin),
        unusual_(record.exceptions != 0 || record.margin != 0),
        ranks_(ranks),
        predictor_(predictor) {}

  // Returns bits of the status for this lane.
  __device__ __forceinline__ std::uint32_t run() {
    // Load the next rows while these are decoded.
    Batch next;
    fetch(0, next);
#pragma unroll 1
    for (int start = 0; start < difference_rows; start += batch_rows) {
      const Batch batch = next;
      if (start + batch_rows < difference_rows) fetch(start + batch_rows, next);
#pragma unroll
      for (int k = 0; k < batch_rows; ++k) decode(start + k, k, batch);
    }
    return wide_ ? section_wide : 0;
  }

 private:
  static constexpr int batch_rows = 2;
  static constexpr bool packs = std::is_same_v<T, std::int32_t>;  // stores indices, not values
  using Batch = HistoryRows<D, batch_rows, true, Predict>;

  __device__ __forceinline__ void fetch(int start, Batch &batch) const {
#pragma unroll
    for (int k = 0; k < batch_rows; ++k) {
      const std::uint32_t i = static_cast<std::uint32_t>(start + k) * warp_size + this_lane();
      batch.fetch(k, params_.history, first_, Full ? i : min(i, n_ - 1));
    }
  }

  __device__ __forceinline__ void decode(int row, int k, const Batch &batch) {
    const std::uint32_t i = static_cast<std::uint32_t>(row) * warp_size + this_lane();
    const bool active = Full || i < n_;
    T value[core::max_components] = {};
    std::int32_t expected[D];
    std::uint32_t u[D];
#pragma unroll
    for (int d = 0; d < D; ++d) {
      expected[d] = batch.expect(k, d, predictor_, params_.history.reciprocal);
      u[d] = memory_.u[d][row * padded_row + static_cast<int>(this_lane())];
    }
    if constexpr (D == core::max_components)
      if (ranks_) separate_triple(expected, u);
#pragma unroll
    for (int d = 0; d < D; ++d) {
      const std::int32_t q = index(row, d, batch.last[k][d], expected[d], u[d], active);
      if (active) remember(i, k, d, q, batch);
      if constexpr (packs)
        value[d] = q;
      else
        value[d] = core::grid_value<T>(static_cast<double>(q), params_.field.step);
    }
    if constexpr (Full) {
      store_.put(row, value);
    } else if constexpr (packs) {
      if (active) store_.put(row, value);
    } else if (active) {
#pragma unroll
      for (int d = 0; d < D; ++d)
        if (params_.field.data[d] != nullptr) gpz::cuda::store(params_.field, d, first_ + i, value[d]);
    }
  }

  __device__ __forceinline__ std::int32_t index(int row, int d, std::int32_t last, std::int32_t expected,
                                                std::uint32_t u, bool active) {
    const DeviceAxis &axis = params_.history.axis[d];
    const std::uint32_t lane = this_lane();
    const std::int32_t base = last + core::expected_step(expected);
    const std::int32_t r = numbered_residual32(u, core::is_above(expected));
    const auto sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(r));
    bool beyond = ((base ^ sum) & (r ^ sum)) < 0;  // more than 32 bits, which wrapping cannot correct
    std::int32_t q = device_wrap(sum, axis);
    if (unusual_) {
      if ((memory_.exception[d][row] >> lane & 1) != 0) {
        q = static_cast<std::int32_t>(u);
        beyond = false;
      } else if ((memory_.elsewhere[d][row] >> lane & 1) != 0) {
        q = static_cast<std::int32_t>(core::other_image(q, axis.grid, margin_));
      }
    }
    wide_ |= (beyond || q <= -device_index_end || q >= device_index_end) && active;
    return q;
  }

  __device__ __forceinline__ void remember(std::uint32_t i, int k, int d, std::int32_t q, const Batch &batch) {
    const DifferenceHistory &history = params_.history;
    element(history.last[d] + first_, i) = q;
    const auto direct =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(q) - static_cast<std::uint32_t>(batch.last[k][d]));
    const std::int32_t moved = device_displacement(direct, history.axis[d]);
    if (direct != moved && history.crossings[d] != nullptr)
      history.crossings[d][first_ + i] = static_cast<std::int8_t>(direct > moved ? -1 : 1);
    element(history.deviation[d] + first_, i) = device_next_deviation(batch.deviation[k][d], history.frames, moved);
    element(history.previous[d] + first_, i) = device_limit(moved);
  }

  const DifferenceDecode &params_;
  const DecodeMemory &memory_;
  Store &store_;
  std::uint64_t first_;
  std::uint32_t n_;
  std::uint32_t margin_;
  bool unusual_;
  bool ranks_;  // ranks replace the numbers of the first component
  core::Predictor predictor_;
  bool wide_ = false;
};

template <typename T, typename Store, int D, bool Predict>
__device__ __forceinline__ std::uint32_t place_values(const DifferenceDecode &params, std::uint64_t block,
                                                      std::uint32_t n, core::Predictor predictor,
                                                      const core::ResidualRecord &record, bool ranks,
                                                      const DecodeMemory &memory, Store &store) {
  if (n == difference_block)
    return ValuePass<T, Store, D, Predict, true>(params, block, n, predictor, record, ranks, memory, store).run();
  return ValuePass<T, Store, D, Predict, false>(params, block, n, predictor, record, ranks, memory, store).run();
}

}  // namespace gpz::cuda
