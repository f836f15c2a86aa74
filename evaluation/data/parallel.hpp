// SPDX-License-Identifier: BSD-3-Clause
// Loops in threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <vector>

namespace gpz::bench::data {

// Calls work(begin, end) for pieces of 0 .. count of `grain` indices each (the last may be shorter), in `threads`
// threads and no particular order. The pieces do not depend on the number of threads: what is computed for each piece
// does not either. An exception of `work` is thrown again here, after all threads have ended.
template <typename Work>
void in_pieces(unsigned threads, std::size_t count, std::size_t grain, const Work &work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t begin; (begin = next.fetch_add(grain)) < count;) work(begin, std::min(count, begin + grain));
  };
  const std::size_t pieces = (count + grain - 1) / grain;
  std::vector<std::future<void>> others;
  for (std::size_t t = 1; t < std::min<std::size_t>(threads, pieces); ++t)
    others.push_back(std::async(std::launch::async, take));
  take();
  for (std::future<void> &other : others) other.get();
}

}  // namespace gpz::bench::data
