// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/kernels/motion_kernels.hpp"

#include "gpz/core/config.hpp"
#include "gpz/core/machine.hpp"
#include "gpz/kernels/integer_lanes.hpp"
#include "gpz/kernels/pair_motion.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

WideVector load_separations(const PairsOfParticles &pairs, std::uint32_t pair) {
  const auto fine = [&](int d) { return shift_up<PairsOfParticles::fine_bits>(load_wide(pairs.separation[d] + pair)); };
  return {fine(0), fine(1), fine(2)};
}

// A curve in registers.
struct Curve {
  explicit Curve(const core::PairLines &lines)
      : line(lines.line), bins(all(lines.bins)), mask(all((std::int64_t{1} << lines.shift) - 1)), shift(lines.shift) {}

  // Forces of the first `count` lanes, in the lower halves; 0 in other lanes.
  Wide at(Wide squared, std::uint32_t count) const {
    const Wide ends = gather(line, least(shift_down(squared, shift), bins, count));
    // Bits above the lower halves may be wrong: neither sums nor product() use them.
    return add(ends, shift_down(product(shift_down(ends, 32), both(squared, mask)), shift));
  }

  const core::PairLine *line;
  Wide bins, mask;
  int shift;
};

template <bool moved, bool shared>
void sum_all(const PairsOfParticles &pairs, const std::int32_t *fine, const core::PairLines &lines,
             std::uint64_t *sums) {
  const Curve curve(lines);
  for (std::size_t own = pairs.begin; own < pairs.end; ++own) {
    const std::uint32_t first = pairs.first[own - pairs.begin];
    const std::uint32_t end = pairs.last[own - pairs.begin];
    if (first == end) continue;
    const std::size_t at = Motion::stride * own;
    WideVector from{};
    if constexpr (moved) from = {all(fine[at]), all(fine[at + 1]), all(fine[at + 2])};
    WideVector sum{all(0), all(0), all(0)};
    for (std::uint32_t pair = first; pair < end; pair += wide_lanes) {
      WideVector separation = load_separations(pairs, pair);
      const std::uint32_t *partner = pairs.partner + pair;
      std::uint32_t last_partners[wide_lanes];
      if constexpr (shared && wide_lanes > 1)
        if (end - pair < wide_lanes) {
          // Lanes beyond the last pair change a sum by 0: here that of the particle itself.
          for (std::uint32_t k = 0; k < wide_lanes; ++k)
            last_partners[k] = k < end - pair ? partner[k] : static_cast<std::uint32_t>(own);
          partner = last_partners;
        }
      if constexpr (moved) {
        const WideVector other = load_vectors(fine, partner);
        separation = {add(separation.x, subtract(from.x, other.x)), add(separation.y, subtract(from.y, other.y)),
                      add(separation.z, subtract(from.z, other.z))};
      }
      const Wide squared = add(add(product(separation.x, separation.x), product(separation.y, separation.y)),
                               product(separation.z, separation.z));
      const Wide value = curve.at(squared, end - pair);
      const WideVector force{product(value, separation.x), product(value, separation.y), product(value, separation.z)};
      sum = {add(sum.x, force.x), add(sum.y, force.y), add(sum.z, force.z)};
      subtract_at(sums, partner, force);
    }
    add_lanes(sums + at, sum);
  }
}

void sum_forces(const PairsOfParticles &pairs, const std::int32_t *fine, const core::PairLines &lines,
                std::uint64_t *sums) {
  if (pairs.shares_sums)
    fine == nullptr ? sum_all<false, true>(pairs, fine, lines, sums) : sum_all<true, true>(pairs, fine, lines, sums);
  else
    fine == nullptr ? sum_all<false, false>(pairs, fine, lines, sums) : sum_all<true, false>(pairs, fine, lines, sums);
}

std::size_t take_close(const PairsOfParticles &pairs, std::uint64_t end, std::uint32_t *first, const PairList &to) {
  constexpr int bits = 2 * PairsOfParticles::fine_bits;
  // Squared distances are below 2^30.
  const auto limit =
      static_cast<std::uint32_t>(core::min_of((end + (std::uint64_t{1} << bits) - 1) >> bits, std::uint64_t{1} << 30));
  std::uint32_t found = 0;
  first[0] = 0;
  for (std::size_t k = 0; k < pairs.end - pairs.begin; ++k) {
    const std::uint32_t stop = pairs.last[k];
    for (std::uint32_t pair = pairs.first[k]; pair < stop; pair += narrow_lanes) {
      Narrow separation[core::max_components];
      for (int d = 0; d < core::max_components; ++d) separation[d] = load_narrow(pairs.separation[d] + pair);
      const auto squared = core::bit_cast<Unsigned>(separation[0] * separation[0] + separation[1] * separation[1] +
                                                    separation[2] * separation[2]);
      const Selection selection(among(below(squared, limit), stop - pair));
      selection.store(to.partner + found, pairs.partner + pair);
      for (int d = 0; d < core::max_components; ++d) selection.store(to.separation[d] + found, separation[d]);
      found += selection.count();
    }
    first[k + 1] = found;
  }
  for (std::uint32_t i = 0; i < PairKernels::padding; ++i) to.partner[found + i] = 0;
  return found;
}

// Errors of an expectation below 16 grid steps never reset the speed.
constexpr std::int64_t small_error = 16 << core::motion_bits;

// True if expecting no motion would have been at least as good.
bool was_wrong(const std::int32_t *velocity, const std::int32_t *expected) {
  std::int64_t wrong = 0;
  std::int64_t distance = 0;
  for (int d = 0; d < core::max_components; ++d) {
    const std::int64_t moved = std::int64_t{velocity[d]} * (1 << core::motion_bits);
    const std::int64_t error = moved - expected[d];
    distance += moved < 0 ? -moved : moved;
    wrong += error < 0 ? -error : error;
  }
  return wrong >= distance && wrong >= small_error;
}

template <bool to_left>
void make_start(const Motion &motion, std::size_t particles, const MotionStart &start) {
  constexpr std::size_t block = 256;
  const int shift = to_left ? core::min_of(start.force_shift, -1) : core::max_of(start.force_shift, 0);
  const MotionStart with = start;
  for (std::size_t first = 0; first < particles; first += block) {
    const std::size_t count = core::min_of(block, particles - first);
    const std::size_t at = Motion::stride * first;
    const std::uint64_t *__restrict const total = with.total + at;
    const std::uint64_t *__restrict const near = motion.near + at;
    std::int32_t *__restrict const speed = motion.speed + at;
    std::int32_t *__restrict const moved = motion.moved + at;
    std::int32_t *__restrict const slow = motion.slow + at;
    std::int32_t *__restrict const slow_change = motion.slow_change + at;
    std::int32_t *__restrict const fine = motion.fine + at;
    std::int32_t afresh[Motion::stride * block];
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t k = Motion::stride * i;
      const std::int32_t is_afresh = !with.goes_on || was_wrong(fine + k, moved + k) ? 1 : 0;
      for (std::size_t d = 0; d < Motion::stride; ++d) afresh[k + d] = is_afresh;
    }
    for (std::size_t i = 0; i < Motion::stride * count; ++i) {
      const std::int64_t force = core::scaled_force(total[i], shift);
      const std::int64_t displacement = std::int64_t{fine[i]} * (1 << core::motion_bits);
      const std::int64_t error = displacement - moved[i];
      const std::int32_t far = core::limit_motion(force - core::scaled_force(near[i], shift));
      const std::int32_t new_speed =
          core::limit_motion(displacement + (force >> 1) - core::half_part_of(force, with.part));
      const std::int32_t same_speed = core::limit_motion(speed[i] + (error * with.gain >> 6));
      // The last index is rounded: the particle may be nearer to its expected position.
      const std::int32_t correction = core::limit_motion(-(error * with.distrust >> 6));
      const std::int32_t change = core::limit_motion(std::int64_t{far} - slow_change[i]);
      speed[i] = afresh[i] != 0 ? new_speed : same_speed;
      moved[i] = afresh[i] != 0 ? 0 : correction;
      slow_change[i] = afresh[i] != 0 ? 0 : change;
      slow[i] = far;
      fine[i] = 0;
    }
  }
}

void make_any_start(const Motion &motion, std::size_t particles, const MotionStart &start) {
  start.force_shift < 0 ? make_start<true>(motion, particles, start) : make_start<false>(motion, particles, start);
}

template <bool to_left>
void make_step(const Motion &motion, std::size_t count, const MotionStep &step) {
  const std::uint64_t *__restrict const near = motion.near;
  const std::int32_t *__restrict const slow = motion.slow;
  const std::int32_t *__restrict const slow_change = motion.slow_change;
  std::int32_t *__restrict const speed = motion.speed;
  std::int32_t *__restrict const moved = motion.moved;
  std::int32_t *__restrict const fine = motion.fine;
  const std::int64_t part = step.part;
  const std::int64_t slow_part = step.slow_part;
  const int shift = to_left ? core::min_of(step.force_shift, -1) : core::max_of(step.force_shift, 0);
  const int fine_shift = step.fine_shift;
  const std::int64_t half = std::int64_t{1} << (fine_shift - 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t force = core::scaled_force(near[i], shift) + slow[i] + core::part_of(slow_change[i], slow_part);
    // The second half kick of the previous step and the first one of this step are rounded together.
    speed[i] = core::limit_motion(speed[i] + core::part_of(force, part));
    moved[i] = core::limit_motion(moved[i] + core::part_of(speed[i], part));
    fine[i] = static_cast<std::int32_t>((moved[i] + half) >> fine_shift);
  }
}

void make_any_step(const Motion &motion, std::size_t particles, const MotionStep &step) {
  const std::size_t count = Motion::stride * particles;
  step.force_shift < 0 ? make_step<true>(motion, count, step) : make_step<false>(motion, count, step);
}

}  // namespace

constexpr MotionKernels motion_kernels{sum_forces, take_close, make_any_start, make_any_step};

}  // namespace GPZ_ISA
}  // namespace gpz::codec
