// SPDX-License-Identifier: BSD-3-Clause
// Threads that begin their work together.
#pragma once

#include <future>
#include <vector>

namespace gpz::test {

// Calls work(t) in a thread of its own for each t of [0, count). None begins before all are there, and the first error
// of any leaves here.
template <typename Work>
void together(int count, const Work &work) {
  std::promise<void> all_there;
  const std::shared_future<void> begin = all_there.get_future().share();
  std::vector<std::future<void>> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int t = 0; t < count; ++t)
    threads.push_back(std::async(std::launch::async, [&work, begin, t] {
      begin.wait();
      work(t);
    }));
  all_there.set_value();
  for (std::future<void> &thread : threads) thread.get();
}

}  // namespace gpz::test
