// SPDX-License-Identifier: BSD-3-Clause
// Where the bytes of frames land: device memory. On their way there they are in a few pieces of pinned memory, which
// are used again so soon that they stay in the cache of the processor.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/api/read_ahead.hpp"
#include "gpz/cuda/common/device_object.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::cuda {

class Landing final : public api::Landing, private DeviceObject {
 public:
  // Rooms of pinned memory that each thread goes round.
  static constexpr std::size_t rooms_a_lane = 3;

  // Of the current device. `longest`: bytes of the longest frame, for memory that need not grow again.
  Landing(int on, const api::ReadAhead::Settings &settings, std::uint64_t longest);
  // Nothing may be read any more. Waits for copies.
  ~Landing() override;

  // Waits for copies to the slot; the caller has waited for all that used its bytes. Charged to the current budget, as
  // is the pinned memory of all lanes, which the first call takes. Throws limit_exceeded, out_of_memory.
  void reserve(std::size_t slot, std::size_t size) override;
  std::unique_ptr<Lane> lane() override;
  void complete(std::size_t slot) override;

  // The bytes of a slot that is complete, for work on a stream that follow() was called for.
  const std::uint8_t *on_device(std::size_t slot) const;
  // What is queued on `stream` from now on waits until the slot has been copied.
  void follow(std::size_t slot, Stream stream) const;

  // Frees all memory. No lane may be left.
  void release();
  MemoryUse memory() const;

 private:
  class PinnedLane;
  struct Slot {
    DeviceBuffer bytes;
    format::Charge charge;
    Event copied;
    std::atomic<bool> copying{false};  // copies were queued that no event stands for yet
  };

  void reserve_lanes();
  void wait(Slot &slot);

  std::size_t room_;
  std::size_t lanes_;
  std::uint64_t longest_;
  std::uint64_t allocations_ = 0;
  OwnStream stream_;
  PinnedBuffer pinned_;  // of all lanes
  format::Charge charge_;
  std::atomic<std::size_t> lanes_used_{0};
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace gpz::cuda
