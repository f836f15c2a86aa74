// SPDX-License-Identifier: BSD-3-Clause
// Memory for reading a frame, kept for the next one: new pages cost as much time as decoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "gpz/format/budget.hpp"
#include "gpz/trajectory/open_frame.hpp"

namespace gpz::api {

struct FrameMemory {
  std::unique_ptr<std::uint8_t[]>
      bytes;  // of chunks: about as many as the file has, in whose complete records they are
  std::size_t size = 0;
  format::Charge charge;  // for them
  trajectory::KeyFrameMemory key;

  void reserve(std::size_t wanted) {
    if (wanted <= size) return;
    wanted += wanted / 8;  // the next frame may be a little larger
    bytes.reset();
    size = 0;
    charge = {};
    charge = format::Charge(wanted);
    bytes.reset(new std::uint8_t[wanted]);  // rather than a vector: no zeros first
    size = wanted;
  }
};

// Memory of as many threads as have read at the same time.
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
