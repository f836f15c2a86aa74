// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace gpz::tool {
namespace {

// Short work shows nothing; long work is redrawn a few times a second.
constexpr auto delay = std::chrono::milliseconds(500);
constexpr auto interval = std::chrono::milliseconds(100);
constexpr std::size_t bar_width = 30;

}  // namespace

bool is_watched() { return ::isatty(STDERR_FILENO) == 1; }

Progress::Progress(std::string label, std::uint64_t total, std::string unit)
    : label_(std::move(label)),
      total_(total),
      unit_(std::move(unit)),
      terminal_(is_watched()),
      next_(Clock::now() + delay) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void Progress::update(std::uint64_t done) {
  if (!terminal_ || Clock::now() < next_) return;
  next_ = Clock::now() + interval;
  shown_ = true;
  std::string line;
  if (total_ == 0) {
    line = fmt::format("\r{} {} {}\x1b[K", label_, done, unit_);
  } else {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(bar_width));
    line = fmt::format("\r{} [{:#<{}}{:.<{}}] {:3.0f}% of {} {}\x1b[K", label_, "", filled, "", bar_width - filled,
                       share * 100, total_, unit_);
  }
  // A terminal that is gone is no reason to stop.
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace gpz::tool
