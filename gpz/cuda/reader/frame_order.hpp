// SPDX-License-Identifier: BSD-3-Clause
// Order of ids over all chunks of a frame, in device memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/trajectory/id_ranks.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::cuda {

// Keeps the order while the ids do not change. Uses the device that is current in each call.
class FrameOrder {
 public:
  // Returns room for the ids of n particles in stored order, which work on the stream of rows() has to fill. Charged to
  // the current budget. Throws limit_exceeded (also for more than 2^32 - 1 particles), out_of_memory.
  std::int64_t *ids(std::uint64_t n);
  // Returns the row of each particle after sorting by id. The ids are in the array that ids() returned last. Equal ids
  // keep their order. Waits for the stream. Valid until the next call.
  const std::uint32_t *rows(std::uint64_t n, Stream stream);

  void release();
  MemoryUse memory() const;

 private:
  bool are_known(std::uint64_t n, Stream stream);

  struct Answer {
    std::uint64_t bits;
    std::uint32_t differs;
  };

  DeviceBuffer ids_[2];  // in turn: ids with known order, ids that were filled last
  DeviceBuffer differs_;
  PinnedReport<Answer> answer_;
  IdRanks ranks_;
  format::Charge charge_;
  std::uint64_t capacity_ = 0;  // in particles
  std::uint64_t known_ = 0;     // number of particles with known order
  int filled_ = 0;
  std::uint64_t allocations_ = 0;
};

}  // namespace gpz::cuda
