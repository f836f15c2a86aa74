// SPDX-License-Identifier: BSD-3-Clause
// Memory for reading frames, kept between frames: new pages cost as much time as decoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "gpz/format/budget.hpp"
#include "gpz/trajectory/frame_history.hpp"

namespace gpz::api {

struct FrameMemory {
  std::unique_ptr<std::uint8_t[]>
      bytes;  // of chunks; limited by the size of the file, because their records are complete
  std::size_t size = 0;
  format::Charge charge;           // for `bytes`
  trajectory::FrameHistory frame;  // of key frames, whose chunks are in `bytes`

  void reserve(std::size_t wanted) {
    if (wanted <= size) return;
    wanted += wanted / 8;  // reserve: the next frame may be slightly larger
    bytes.reset();
    size = 0;
    charge = {};
    charge = format::Charge(wanted);
    bytes.reset(new std::uint8_t[wanted]);  // not a vector, which would be zeroed first
    size = wanted;
  }
};

// Spare memory, as many pieces as threads have read at the same time.
class SpareMemory {
 public:
  FrameMemory take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (spare_.empty()) return {};
    FrameMemory memory = std::move(spare_.back());
    spare_.pop_back();
    return memory;
  }
  void give_back(FrameMemory memory) {
    const std::lock_guard<std::mutex> lock(mutex_);
    spare_.push_back(std::move(memory));
  }

 private:
  std::mutex mutex_;
  std::vector<FrameMemory> spare_;
};

}  // namespace gpz::api
