// SPDX-License-Identifier: BSD-3-Clause
// Where the bytes of frames land on their way to the device: pinned host memory, and from there the device's own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/api/read_ahead.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::cuda {

class Landing final : public api::Landing {
 public:
  // Of the current device. `longest`: bytes of the longest frame, for memory that need not grow again.
  Landing(int device, std::size_t slots, std::uint64_t longest);
  // Nothing may be read any more. Waits for copies.
  ~Landing() override;
  Landing(const Landing &) = delete;
  Landing &operator=(const Landing &) = delete;

  // Waits for copies from the slot; the caller has waited for all that used its bytes on the device. Charged to the
  // current budget. Throws limit_exceeded, out_of_memory.
  std::uint8_t *reserve(std::size_t slot, std::size_t size) override;
  void begin_thread() override;
  void arrived(std::size_t slot, std::size_t from, std::size_t size) override;
  void complete(std::size_t slot) override;

  // The bytes of a slot that is complete, in device memory, for work on a stream that follow() was called for.
  const std::uint8_t *on_device(std::size_t slot) const;
  // What is queued on `stream` from now on waits until the slot has been copied.
  void follow(std::size_t slot, Stream stream) const;

  // Frees all memory. Nothing may be under way.
  void release();
  MemoryUse memory() const;

 private:
  struct Slot {
    PinnedBuffer host;
    DeviceBuffer device;
    format::Charge charge;
    Event copied;
    std::atomic<bool> copying{false};  // copies were queued that no event stands for yet
  };

  void wait(Slot &slot);

  int device_;
  std::uint64_t longest_;
  std::uint64_t allocations_ = 0;
  OwnStream stream_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace gpz::cuda
