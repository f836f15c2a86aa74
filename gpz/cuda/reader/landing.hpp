// SPDX-License-Identifier: BSD-3-Clause
// Receives the bytes of frames in device memory. Bytes pass through a few pieces of pinned memory, which are reused so
// soon that they stay in the CPU's cache.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/cuda/common/device_object.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/reader/read_ahead.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::cuda {

class Landing final : public ByteLanding, private DeviceObject {
 public:
  // Pieces of pinned memory per lane, used in turn.
  static constexpr std::size_t rooms_a_lane = 3;

  // For the current device. `longest` is the size of the longest frame in bytes, so that memory need not grow again.
  Landing(int on, const ReadAhead::Settings &settings, std::uint64_t longest);
  // Waits for copies. No thread may still read.
  ~Landing() override;

  // Waits for copies to the slot. The caller must have waited for all work that uses its bytes. Charged to the current
  // budget, together with the pinned memory of all lanes, which the first call allocates. Throws limit_exceeded,
  // out_of_memory.
  void reserve(std::size_t slot, std::size_t size) override;
  std::unique_ptr<Lane> lane() override;
  void complete(std::size_t slot) override;

  // Bytes of a complete slot, for a stream after follow().
  const std::uint8_t *on_device(std::size_t slot) const;
  // Later work on `stream` waits until the slot has been copied.
  void follow(std::size_t slot, Stream stream) const;

  // Frees all memory. All lanes must have been destroyed.
  void release();
  MemoryUse memory() const;

 private:
  class PinnedLane;
  struct Slot {
    DeviceBuffer bytes;
    format::Charge charge;
    Event copied;
    std::atomic<bool> copying{false};  // copies are queued for which no event is recorded yet
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
