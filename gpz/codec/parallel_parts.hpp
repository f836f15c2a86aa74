// SPDX-License-Identifier: BSD-3-Clause
// Results of ranges of particles, each computed on a thread of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "gpz/codec/parallel.hpp"

namespace gpz::codec {

// As parallel_particles. Returns the results of work(first, last) in the order of ranges; there is at least one.
template <typename Part, typename Work>
std::vector<Part> parallel_parts(int threads, std::uint64_t n, const Work &work) {
  constexpr std::uint64_t unit = 1024;
  const int used = threads_for_particles(threads, n);
  std::vector<Part> parts(static_cast<std::size_t>(used));
  parallel_ranges(used, (n + unit - 1) / unit, [&](int t, std::uint64_t first, std::uint64_t last) {
    const std::uint64_t begin = first * unit;
    parts[static_cast<std::size_t>(t)] =
        work(static_cast<std::size_t>(begin), static_cast<std::size_t>(std::min(last * unit, n)));
  });
  return parts;
}

// The sum of integers that work(first, last) returns for ranges of n particles.
template <typename Work>
auto parallel_sum(int threads, std::uint64_t n, const Work &work) {
  using Sum = decltype(work(std::size_t{}, std::size_t{}));
  static_assert(std::is_integral_v<Sum>, "floating-point sums depend on their order");
  Sum sum = 0;
  for (const Sum part : parallel_parts<Sum>(threads, n, work)) sum += part;
  return sum;
}

}  // namespace gpz::codec
