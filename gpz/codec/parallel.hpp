// SPDX-License-Identifier: BSD-3-Clause
// Runs work on contiguous ranges in several threads. Exceptions of any thread reach the caller.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

#include "gpz/codec/wanted_blocks.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::codec {

// Number of threads for `items` units of work if the user asked for `threads` (0: all cores).
inline int thread_count(int threads, std::uint64_t items) {
  const std::uint64_t wanted =
      threads > 0 ? static_cast<unsigned>(threads) : std::max(1u, std::thread::hardware_concurrency());
  return static_cast<int>(std::max<std::uint64_t>(1, std::min(wanted, items)));
}

// Number of threads for work on this many particles. Starting a thread costs as much as decoding 16,384 particles.
inline int threads_for_particles(int threads, std::uint64_t particles) {
  constexpr std::uint64_t particles_of_thread = 16384;
  return thread_count(threads, particles / particles_of_thread + 1);
}

// Calls work(t, first, last) for thread t of `threads`, ranges covering [0, items) in order. Columns are charged to the
// budget of the caller. If several calls throw, the caller gets the exception of the first range: of errors in the
// data, the one that a single thread would meet. Memory may end earlier, because all threads take theirs at the same
// time.
template <typename Work>
void parallel_ranges(int threads, std::uint64_t items, const Work &work) {
  const auto n = static_cast<std::uint64_t>(threads);
  const auto bound = [&](std::uint64_t t) { return items / n * t + std::min(items % n, t); };
  if (threads == 1) {
    work(0, std::uint64_t{0}, items);
    return;
  }
  std::vector<std::exception_ptr> errors(n);
  std::vector<std::thread> pool;
  format::Budget *const budget = format::Budget::current();
  const auto run = [&](int t) {
    try {
      std::optional<format::Budget::Scope> scope;
      if (budget != nullptr) scope.emplace(*budget);
      work(t, bound(static_cast<unsigned>(t)), bound(static_cast<unsigned>(t) + 1));
    } catch (...) {
      errors[static_cast<std::size_t>(t)] = std::current_exception();
    }
  };
  try {
    for (int t = 1; t < threads; ++t) pool.emplace_back(run, t);
  } catch (...) {
    // The system has no more threads; the calling thread does the rest.
  }
  const int started = static_cast<int>(pool.size());
  run(0);
  for (int t = started + 1; t < threads; ++t) run(t);
  for (auto &thread : pool) thread.join();
  for (const auto &error : errors)
    if (error) std::rethrow_exception(error);
}

// Calls work(first, last) for ranges of n particles, each of which begins at a multiple of 1,024, on at most `threads`
// threads. Otherwise as parallel_ranges.
template <typename Work>
void parallel_particles(int threads, std::uint64_t n, const Work &work) {
  constexpr std::uint64_t unit = 1024;
  parallel_ranges(threads_for_particles(threads, n), (n + unit - 1) / unit,
                  [&](int, std::uint64_t first, std::uint64_t last) {
                    const std::uint64_t begin = first * unit;
                    work(static_cast<std::size_t>(begin), static_cast<std::size_t>(std::min(last * unit, n)));
                  });
}

// The same for the particles of wanted blocks of 1,024.
template <typename Work>
void parallel_wanted(int threads, std::uint64_t n, const WantedBlocks &wanted, const Work &work) {
  if (wanted.all()) return parallel_particles(threads, n, work);
  constexpr std::size_t unit = core::default_block_size;
  const format::Column<std::uint32_t> &blocks = wanted.numbers();
  parallel_ranges(threads_for_particles(threads, blocks.size() * unit), blocks.size(),
                  [&](int, std::uint64_t first, std::uint64_t last) {
                    for (auto b = static_cast<std::size_t>(first); b < last; ++b)
                      work(blocks[b] * unit,
                           std::min<std::size_t>((blocks[b] + 1) * unit, static_cast<std::size_t>(n)));
                  });
}

// Resizes a vector of elements that can be copied as bytes. If it takes new memory, its contents are lost. Several
// threads then write the memory first: the system provides memory when it is written, which takes longer than to fill
// it.
template <typename Vector>
void resize(Vector &vector, std::size_t size, int threads) {
  using T = typename Vector::value_type;
  static_assert(std::is_trivially_copyable_v<T>);
  if (size > vector.capacity()) {
    vector.clear();
    vector.reserve(size);
    auto *const memory = reinterpret_cast<char *>(vector.data());
    if (threads_for_particles(threads, size) > 1)
      parallel_particles(threads, size, [&](std::size_t first, std::size_t last) {
        std::memset(memory + first * sizeof(T), 0, (last - first) * sizeof(T));
      });
  }
  vector.resize(size);
}

}  // namespace gpz::codec
