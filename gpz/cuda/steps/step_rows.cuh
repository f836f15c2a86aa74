// SPDX-License-Identifier: BSD-3-Clause
// Rows of the particles of a step, in the lanes of a warp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/core/steps.hpp"
#include "gpz/cuda/common/warp.cuh"
#include "gpz/cuda/steps/params.hpp"

namespace gpz::cuda {

using StepRow = core::Vector<std::int32_t>;

// Modulo 2^32.
__device__ __forceinline__ std::int32_t wrapped_sum(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
__device__ __forceinline__ std::int32_t wrapped_difference(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}
__device__ __forceinline__ StepRow row_sum(const StepRow &a, const StepRow &b) {
  return {wrapped_sum(a.x, b.x), wrapped_sum(a.y, b.y), wrapped_sum(a.z, b.z)};
}
__device__ __forceinline__ StepRow row_difference(const StepRow &a, const StepRow &b) {
  return {wrapped_difference(a.x, b.x), wrapped_difference(a.y, b.y), wrapped_difference(a.z, b.z)};
}

struct FullRow {
  StepRow row;
  std::int32_t image;
};
template <typename T>
__device__ __forceinline__ T *row_of_slot(T *rows, std::size_t slot) {
  return rows + row_integers * slot;
}
// `reference`: of StepLayout.
template <typename T>
__device__ __forceinline__ T *referred_row(T *rows, std::uint32_t reference) {
  return rows + reference / (8 / row_integers);
}
__device__ __forceinline__ FullRow full_row(const std::int32_t *at) {
  const int4 row = *reinterpret_cast<const int4 *>(at);
  return {{row.x, row.y, row.z}, row.w};
}
__device__ __forceinline__ void store_row(std::int32_t *at, const StepRow &row, std::int32_t image) {
  *reinterpret_cast<int4 *>(at) = make_int4(row.x, row.y, row.z, image);
}

// The slot of this lane.
__device__ __forceinline__ std::size_t slot_of(std::uint32_t step) {
  return std::size_t{step} * core::step_lanes + this_lane();
}

// Brings what a later step needs into the L2 cache. Each lane has a line of memory, and the distance to that of the
// next step.
class StepPrefetch {
 public:
  static constexpr std::uint32_t ahead = 4;  // steps

  __device__ explicit StepPrefetch(std::uint32_t end) : last_(end - 1) {}
  // Lines of an array that has `bytes` for a step. All lanes call this.
  template <typename T>
  __device__ __forceinline__ void add(const T *array, std::uint32_t bytes) {
    constexpr std::uint32_t line = 128;
    const std::uint32_t lines = (bytes + line - 1) / line, own = this_lane() - lanes_;
    if (own < lines) {
      line_ = reinterpret_cast<const char *>(array) + own * line;
      stride_ = bytes;
    }
    lanes_ += lines;
  }
  __device__ __forceinline__ void before(std::uint32_t step) const {
    if (line_ == nullptr) return;
    const char *const at = line_ + std::size_t{min(step + ahead, last_)} * stride_;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
  }

 private:
  std::uint32_t last_;
  std::uint32_t lanes_ = 0;  // that have one
  const char *line_ = nullptr;
  std::uint32_t stride_ = 0;
};

// Contexts of the displacement of a particle that is a root. They do not depend on each other.
struct DisplacementContexts {
  core::StepContext<core::OneLane> x, y, z;

  __device__ DisplacementContexts(const core::Vector<float> &expected, const core::Vector<float> &variance)
      : x(of(expected.x, variance.x)), y(of(expected.y, variance.y)), z(of(expected.z, variance.z)) {}
  // `moved`: a decoder sets it.
  template <typename Coder>
  __device__ __forceinline__ void code(Coder &coder, bool is_active, StepRow &moved) const {
    coder.number(x, is_active, moved.x);
    coder.number(y, is_active, moved.y);
    coder.number(z, is_active, moved.z);
  }

 private:
  static __device__ __forceinline__ core::StepContext<core::OneLane> of(float expected, float variance) {
    return core::step_context<core::OneLane, core::StepNumber::of_root>(expected, variance);
  }
};

}  // namespace gpz::cuda
