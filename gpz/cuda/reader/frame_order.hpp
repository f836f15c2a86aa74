// SPDX-License-Identifier: BSD-3-Clause
// The order of ids over all chunks of a frame, in device memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/trajectory/id_ranks.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::cuda {

// Keeps the order while the ids do not change. Of the device that is current in each call.
class FrameOrder {
 public:
  // Room for the ids of n particles, as they are stored, to be filled by work on the stream of rows(). Charged to the
  // current budget. Throws limit_exceeded (also beyond 2^32 - 1 particles), out_of_memory.
  std::int64_t *ids(std::uint64_t n);
  // The ids are in the last array that ids() returned: the row of each particle when they are sorted by id; equal ids
  // keep their order. Waits for the stream. Valid until the next call of it.
  const std::uint32_t *rows(std::uint64_t n, Stream stream);

  void release();
  MemoryUse memory() const;

 private:
  bool are_known(std::uint64_t n, Stream stream);

  struct Answer {
    std::uint64_t bits;
    std::uint32_t differs;
  };

  DeviceBuffer ids_[2];  // in turn: those whose order is known, those that were filled last
  DeviceBuffer differs_;
  PinnedReport<Answer> answer_;
  IdRanks ranks_;
  format::Charge charge_;
  std::uint64_t capacity_ = 0;  // particles
  std::uint64_t known_ = 0;     // particles whose order is known
  int filled_ = 0;
  std::uint64_t allocations_ = 0;
};

}  // namespace gpz::cuda
