// SPDX-License-Identifier: BSD-3-Clause
// Destinations of the values of difference sections: arrays of floats, or PackedIndices.
#pragma once

#include "gpz/cuda/block/store_choice.hpp"
#include "gpz/cuda/difference/steps.cuh"

namespace gpz::cuda {

// Stores indices, for output in the order of ids.
class PackedStore {
 public:
  struct Shared {};
  __device__ PackedStore(const DecodeField &field, std::uint64_t block, Shared &)
      : at_(reinterpret_cast<int4 *>(field.data[0]) + block * difference_block + this_lane()) {}
  __device__ __forceinline__ void put(int row, const std::int32_t (&q)[core::max_components]) const {
    at_[row * warp_size] = {q[0], q[1], q[2], 0};
  }

 private:
  int4 *at_;
};

// Chooses the kernel for a field: calls launch.template run<T, Store, D>(). A field of integers stands for
// PackedIndices.
template <typename Launch>
void launch_for_history(const DecodeField &field, const Launch &launch) {
  if (field.value == core::Value::integer) return launch.template run<std::int32_t, PackedStore, 3>();
  launch_for_floats(field, launch);
}

}  // namespace gpz::cuda
