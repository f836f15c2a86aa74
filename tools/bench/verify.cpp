// SPDX-License-Identifier: BSD-3-Clause
#include "bench/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace gpz::bench {
namespace {

constexpr std::uint64_t blocks_in_stretch = 64;

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// docs/format.md, section 4: what a chunk begins with.
std::uint64_t block_size_of(const std::vector<std::uint8_t> &chunk) {
  return std::uint64_t{chunk[0]} | std::uint64_t{chunk[1]} << 8 | std::uint64_t{chunk[2]} << 16 |
         std::uint64_t{chunk[3]} << 24;
}

// For each particle of the part, in the order of the chunk, its number in the snapshot; empty if the numbers that came
// back are none.
std::vector<std::size_t> original_numbers(const std::vector<std::int32_t> &ids, const std::vector<Range> &ranges) {
  std::vector<std::size_t> number_in_snapshot;
  number_in_snapshot.reserve(ids.size());
  for (const auto &[first, end] : ranges)
    for (std::size_t i = first; i < end; ++i) number_in_snapshot.push_back(i);
  std::vector<bool> seen(ids.size());
  std::vector<std::size_t> numbers;
  numbers.reserve(ids.size());
  for (const std::int32_t id : ids) {
    const auto at = static_cast<std::size_t>(id);
    if (id < 0 || at >= ids.size() || seen[at]) return {};
    seen[at] = true;
    numbers.push_back(number_in_snapshot[at]);
  }
  return numbers;
}

}  // namespace

void Errors::add(double value, double decoded) {
  ++values;
  if (!std::isfinite(value) || !std::isfinite(decoded)) {
    const bool same = (std::isnan(value) && std::isnan(decoded)) || value == decoded;
    wrong_bits += same ? 0 : 1;
    return;
  }
  const double error = std::fabs(value - decoded);
  largest = std::max(largest, error);
  square_sum += error * error;
}

double Errors::psnr(double range) const {
  if (square_sum == 0) return std::numeric_limits<double>::infinity();
  return 20 * std::log10(range / std::sqrt(square_sum / static_cast<double>(values)));
}

std::vector<Range> stretches(std::uint64_t particles, std::uint64_t block_size, std::uint64_t wanted) {
  const std::uint64_t length = blocks_in_stretch * block_size;
  const std::uint64_t count = wanted / length;
  if (particles <= wanted || count < 2) return {{0, particles}};
  // The last one ends with the last block, which may be shorter.
  const std::uint64_t blocks = (particles + block_size - 1) / block_size;
  std::vector<Range> ranges;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t first = (blocks - blocks_in_stretch) * k / (count - 1);
    ranges.emplace_back(first * block_size, std::min(particles, first * block_size + length));
  }
  return ranges;
}

Verification verify(Device &device, const Snapshot &snapshot, double bound, const Outcome &outcome,
                    std::uint64_t wanted) {
  const Snapshot &decoded = outcome.decoded;
  Verification result;
  const auto ranges = stretches(snapshot.particles(), block_size_of(outcome.chunk), wanted);
  const Snapshot again = device.run(numbered_part(snapshot, ranges), bound, {0, 0}).decoded;
  const std::vector<std::size_t> numbers = original_numbers(again.ids, ranges);
  result.particles = again.particles();
  result.all = result.particles == snapshot.particles();
  if (numbers.size() != again.particles()) {
    result.problem = "the numbers of particles came back changed";
    return result;
  }

  std::uint64_t other_order = 0;
  std::uint64_t other_integers = 0;
  std::size_t p = 0;  // in the part
  for (const auto &[first, end] : ranges) {
    for (std::size_t at = first; at < end; ++at, ++p) {
      const std::size_t from = numbers[p];
      for (int d = 0; d < decoded.cloud.components(); ++d) {
        const double value = decoded.cloud.get(at, d);
        other_order += same_bits(value, again.cloud.get(p, d)) ? 0 : 1;
        result.errors.add(snapshot.cloud.get(from, d), value);
      }
      if (!snapshot.ids.empty()) other_integers += snapshot.ids[from] == decoded.ids[at] ? 0 : 1;
      if (!snapshot.types.empty()) other_integers += snapshot.types[from] == decoded.types[at] ? 0 : 1;
    }
  }
  if (other_order > 0)
    result.problem = fmt::format("{} values differ between two compressions of the same particles", other_order);
  else if (result.errors.wrong_bits > 0)
    result.problem = fmt::format("{} values that are not finite came back changed", result.errors.wrong_bits);
  else if (!(result.errors.largest <= bound))
    result.problem = fmt::format("the largest error is {}, above the bound {}", result.errors.largest, bound);
  else if (other_integers > 0)
    result.problem = fmt::format("{} ids and types came back changed", other_integers);
  return result;
}

}  // namespace gpz::bench
