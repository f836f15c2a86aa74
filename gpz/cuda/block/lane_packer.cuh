// SPDX-License-Identifier: BSD-3-Clause
// core::pack for full blocks: each lane of a warp packs its own values.
#pragma once

#include <cstdint>

#include "gpz/cuda/common/warp.cuh"

namespace gpz::cuda {

class LanePacker {
 public:
  __device__ explicit LanePacker(std::uint32_t *words) : out_(words + this_lane()) {}

  // Requires 0 < width <= 32, with one width for all values and lanes.
  __device__ __forceinline__ void put(std::uint32_t value, int width) {
    word_ |= value << have_;
    have_ += width;
    if (have_ >= 32) flush(__funnelshift_rc(value, 0, static_cast<unsigned>(width + 32 - have_)));
  }

 private:
  __device__ __forceinline__ void flush(std::uint32_t rest) {
    *out_ = word_;
    out_ += warp_size;
    have_ -= 32;
    word_ = rest;
  }

  std::uint32_t *out_;
  std::uint32_t word_ = 0;
  int have_ = 0;  // valid bits of word_
};

}  // namespace gpz::cuda
