// SPDX-License-Identifier: BSD-3-Clause
// Frames that are compared in the background, while the next ones are read.
#pragma once

#include <cstddef>
#include <deque>
#include <future>
#include <memory>
#include <thread>

#include "comparison.hpp"

namespace gpz::tool {

class ComparisonsAtOnce {
 public:
  // Adds all frames to `total`, in their order, on at most `threads` threads.
  ComparisonsAtOnce(Comparison &total, int threads) : total_(total), threads_(static_cast<std::size_t>(threads)) {}
  ~ComparisonsAtOnce() { forget(); }
  ComparisonsAtOnce(const ComparisonsAtOnce &) = delete;
  ComparisonsAtOnce &operator=(const ComparisonsAtOnce &) = delete;

  // As Comparison::add. Throws what the comparison of this frame or of an earlier one throws; frames that were not
  // added by then are forgotten.
  void add(Frame frame, Frame reference, const TypeNames &reference_names);
  // Returns when all frames are added. Throws as add().
  void finish();

 private:
  struct Work {
    std::packaged_task<Comparison()> task;
    std::thread thread;
  };

  void take_first();
  // Waits for what is under way, and adds nothing.
  void forget();

  Comparison &total_;
  std::size_t threads_;
  std::deque<std::unique_ptr<Work>> running_;
};

}  // namespace gpz::tool
