// SPDX-License-Identifier: BSD-3-Clause
// A progress line on standard error, on a terminal only.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace gpz::tool {

// Whether standard error is a terminal: people read it.
bool is_watched();

class Progress {
 public:
  // `total` 0: unknown; shown as a count.
  Progress(std::string label, std::uint64_t total, std::string unit);
  // Wipes the line.
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void update(std::uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  std::uint64_t total_;
  std::string unit_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point next_;
};

}  // namespace gpz::tool
