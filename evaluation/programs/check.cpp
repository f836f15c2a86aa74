// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "matching.hpp"

namespace evaluation {

namespace {

// Calls work(first, end) for pieces of 0 .. n - 1, whose sizes are multiples of `grain`, on several threads.
template <typename Work>
void in_pieces(std::uint64_t n, std::uint64_t grain, unsigned threads, const Work &work) {
  const std::uint64_t piece = std::max<std::uint64_t>(1, (std::uint64_t{1} << 16) / grain) * grain;
  std::atomic<std::uint64_t> next{0};
  const auto run = [&] {
    for (;;) {
      const std::uint64_t first = next.fetch_add(piece);
      if (first >= n) return;
      work(first, std::min(first + piece, n));
    }
  };
  std::vector<std::thread> others;
  for (unsigned t = 1; t < threads; ++t) others.emplace_back(run);
  run();
  for (std::thread &thread : others) thread.join();
}

void note(Errors &errors, float original, float decoded) {
  ++errors.values;
  if (!std::isfinite(decoded)) {
    ++errors.lost;
    return;
  }
  const double error = std::fabs(static_cast<double>(decoded) - static_cast<double>(original));
  errors.largest = std::max(errors.largest, error);
  errors.sum_of_squares += error * error;
}

// The errors of all pieces together.
template <typename Part>
Errors sum_of(std::uint64_t particles, std::uint64_t grain, unsigned threads, const Part &part) {
  Errors all;
  std::mutex lock;
  in_pieces(particles, grain, threads, [&](std::uint64_t first, std::uint64_t end) {
    const Errors errors = part(first, end);
    const std::lock_guard<std::mutex> guard(lock);
    all.add(errors);
  });
  return all;
}

}  // namespace

void Errors::add(const Errors &other) {
  largest = std::max(largest, other.largest);
  sum_of_squares += other.sum_of_squares;
  lost += other.lost;
  values += other.values;
}

Errors errors_in_order(const float *original, const float *decoded, std::uint64_t particles, int components,
                       unsigned threads) {
  const std::uint64_t values = particles * static_cast<std::uint64_t>(components);
  return sum_of(values, 1, threads, [&](std::uint64_t first, std::uint64_t end) {
    Errors errors;
    for (std::uint64_t i = first; i < end; ++i) note(errors, original[i], decoded[i]);
    return errors;
  });
}

Errors errors_by_origin(const float *original, const float *decoded, const std::vector<std::uint32_t> &origin,
                        std::uint64_t particles, int components, unsigned threads) {
  if (origin.size() != particles) throw std::runtime_error("another number of ids than of particles");
  std::vector<bool> seen(particles);
  for (const std::uint32_t i : origin) {
    if (i >= particles || seen[i]) throw std::runtime_error("the ids are not those of the particles, each once");
    seen[i] = true;
  }
  return sum_of(particles, 1, threads, [&](std::uint64_t first, std::uint64_t end) {
    Errors errors;
    for (int d = 0; d < components; ++d) {
      const std::uint64_t at = static_cast<std::uint64_t>(d) * particles;
      for (std::uint64_t i = first; i < end; ++i) note(errors, original[at + origin[i]], decoded[at + i]);
    }
    return errors;
  });
}

Errors errors_in_blocks(const float *original, const float *decoded, std::uint64_t particles, int components,
                        std::uint64_t block, double bound, unsigned threads) {
  return sum_of(particles, block, threads, [&](std::uint64_t first, std::uint64_t end) {
    Errors errors;
    Matching matching(components, {bound, 1.0001 * bound, 1.001 * bound, 1.01 * bound, 1.1 * bound});
    for (std::uint64_t at = first; at < end; at += block) {
      const std::uint64_t n = std::min(block, end - at);
      const std::vector<std::uint32_t> &partner = matching.match(original + at, decoded + at, particles, n);
      for (int d = 0; d < components; ++d) {
        const std::uint64_t column = static_cast<std::uint64_t>(d) * particles + at;
        for (std::uint64_t i = 0; i < n; ++i) note(errors, original[column + i], decoded[column + partner[i]]);
      }
    }
    return errors;
  });
}

double longest_edge(const float *values, std::uint64_t particles, int components, unsigned threads) {
  double longest = 0;
  std::mutex lock;
  for (int d = 0; d < components; ++d) {
    const float *const column = values + static_cast<std::uint64_t>(d) * particles;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    in_pieces(particles, 1, threads, [&](std::uint64_t first, std::uint64_t end) {
      const auto [least, most] = std::minmax_element(column + first, column + end);
      const std::lock_guard<std::mutex> guard(lock);
      low = std::min(low, static_cast<double>(*least));
      high = std::max(high, static_cast<double>(*most));
    });
    longest = std::max(longest, high - low);
  }
  return longest;
}

double psnr(const Errors &errors, double longest_edge) {
  const double mean_square = errors.sum_of_squares / static_cast<double>(errors.values - errors.lost);
  return 20 * std::log10(longest_edge / std::sqrt(mean_square));
}

}  // namespace evaluation
