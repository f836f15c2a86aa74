// SPDX-License-Identifier: BSD-3-Clause
// Repeats a piece of work and says how long it took.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace gpz::bench {

struct Repeats {
  int warm_up = 5;
  int runs = 20;
};

// Times of the runs, in seconds.
struct Timing {
  int runs = 0;
  double median = 0;
  double quartile_1 = 0;
  double quartile_3 = 0;
  double fastest = 0;
  double slowest = 0;
};

// Needs at least one sample; quantiles between two samples are interpolated.
Timing timing_of(std::vector<double> seconds);

// Seconds that `work` takes by the clock of the host. What it returns is destroyed after the clock was read: giving
// memory back is not counted.
template <typename Work>
double seconds_of(const Work &work) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  [[maybe_unused]] const auto kept = work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <typename Work>
Timing measure(const Repeats &repeats, const Work &work) {
  std::vector<double> seconds;
  for (int k = -repeats.warm_up; k < repeats.runs; ++k) {
    const double took = seconds_of(work);
    if (k >= 0) seconds.push_back(took);
  }
  return timing_of(std::move(seconds));
}

// The bandwidth of a large copy, bytes read plus bytes written.
struct CopySpeed {
  std::uint64_t bytes = 0;  // of one array
  int threads = 0;          // 0: a GPU
  Timing timing;

  double bytes_per_second() const { return 2 * static_cast<double>(bytes) / timing.median; }
};

}  // namespace gpz::bench
