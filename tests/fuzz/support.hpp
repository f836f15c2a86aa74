// SPDX-License-Identifier: BSD-3-Clause
// What the fuzz targets share: what they accept of the library, and how they compare what it gives.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "gpz/chunk.hpp"
#include "gpz/error.hpp"
#include "gpz/frame.hpp"
#include "gpz/limits.hpp"

namespace gpz::fuzz {

// A finding, unless `holds`.
inline void require(bool holds, const char *what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

// What a reader may take: inputs that honestly stand for more are not worth the time.
constexpr Limits limits{std::uint64_t{16} << 20};
// For what knows no limits.
constexpr std::uint64_t most_particles = std::uint64_t{1} << 17;

// Calls f(). It may throw gpz::Error, except for a reason that would be a mistake in gpz. Every other exception is a
// finding.
template <typename F>
Status status_of(F &&f) {
  try {
    f();
    return Status::ok;
  } catch (const Error &error) {
    require(error.status() != Status::internal && error.status() != Status::ok, "an error of a kind that cannot be");
    require(*error.what() != '\0', "an error without a reason");
    return error.status();
  }
}

// Of all values, bit by bit, and of what the head says.
inline std::uint64_t digest(const gpz::Frame &frame) {
  std::uint64_t sum = frame.info.particles;
  const auto add = [&](const void *data, std::size_t size) {
    const std::uint64_t both[2] = {sum, size == 0 ? 0 : chunk_checksum(data, size)};
    sum = chunk_checksum(both, sizeof both);
  };
  add(&frame.info.timestep, sizeof frame.info.timestep);
  add(&frame.info.time, sizeof frame.info.time);
  for (const gpz::Frame::Column &column : frame.columns) {
    add(column.floats.data(), column.floats.size() * sizeof(double));
    add(column.integers.data(), column.integers.size() * sizeof(std::int64_t));
  }
  return sum;
}

// What reading a frame came to.
struct Outcome {
  Status status = Status::ok;
  std::uint64_t digest = 0;

  // A limit may be met on one way and not on the other. Of two kinds of damage each way finds the one that it meets
  // first.
  bool agrees(const Outcome &other) const {
    if (status == Status::limit_exceeded || other.status == Status::limit_exceeded) return true;
    if (is_unreadable() && other.is_unreadable()) return true;
    return status == other.status && digest == other.digest;
  }
  bool is_unreadable() const {
    return status == Status::corrupt || status == Status::truncated || status == Status::unsupported_version;
  }
};

// `read` returns a frame.
template <typename F>
Outcome outcome_of(F &&read) {
  Outcome outcome;
  outcome.status = status_of([&] { outcome.digest = digest(std::forward<F>(read)()); });
  return outcome;
}

}  // namespace gpz::fuzz
