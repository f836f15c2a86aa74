// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/pair_motion.hpp"

#include <algorithm>
#include <cstdlib>

#include "gpz/core/pair_motion.hpp"
#include "gpz/crystal/integers.hpp"
#include "gpz/kernels/kernels.hpp"

namespace gpz::model {

namespace {

using core::limit_motion;

constexpr std::size_t axes = core::max_components;
constexpr std::size_t stride = PairMotion::stride;
// Errors of an expectation below 16 grid steps never reset the velocity.
constexpr std::int64_t small_error = std::int64_t{16} << PairMotion::speed_bits;

// Fractions of what happens between two frames. `part` is in units of 2^-16.
std::int64_t half_part_of(std::int64_t x, std::int64_t part) { return crystal::rounded_shift(x * part, 17); }
std::int64_t part_for(int steps) { return (65536 + steps / 2) / steps; }

// From sums of forces to forces, for a shift of the list.
int force_shift_for(int shift) {
  return PairMotion::value_bits + PairMotion::fine_bits - PairMotion::speed_bits - shift;
}

}  // namespace

void MotionHistory::keep(const std::uint32_t *kept, std::size_t count) {
  if (frames == 0) return;
  for (std::size_t i = 0; i < count; ++i) particles[i] = particles[kept[i]];
  particles.resize(count);
}

void MotionHistory::add(std::size_t count) {
  if (frames == 0) return;
  particles.resize(particles.size() + count);
}

bool PairMotion::find(const codec::DifferenceState &state, const core::GridBox &box, std::uint64_t cutoff) {
  const bool same_particles = state.particles != 0 && list_.particles() == state.particles;
  if (same_particles && found_frames_ == state.frames && found_cutoff_ == cutoff) return true;
  found_frames_ = 0;
  if (!list_.build(state, box, cutoff)) return false;
  found_frames_ = state.frames;
  found_cutoff_ = cutoff;
  return true;
}

void PairMotion::take_close(const codec::PairsOfParticles &pairs, std::uint64_t end) {
  const std::size_t room = list_.pairs() + codec::PairKernels::padding;
  close_first_.resize(pairs.particles + 1);
  if (close_partner_.size() < room) {
    close_partner_.resize(room);
    for (auto &way : close_way_) way.resize(room);
  }
  codec::kernels().motion.take_close(
      pairs, end, close_first_.data(),
      {close_partner_.data(), {close_way_[0].data(), close_way_[1].data(), close_way_[2].data()}});
}

void PairMotion::begin(const codec::DifferenceState &state, const PairSettings &settings,
                       const MotionHistory &history) {
  const std::size_t n = list_.particles();
  const bool goes_on = history.frames != 0 && history.frames + 1 == state.frames && history.particles.size() == n;
  const std::int64_t part = part_for(settings.steps);
  const int shift = force_shift_for(list_.shift());
  const auto components = static_cast<std::size_t>(state.components);
  for (auto *column : {&speed_, &moved_, &slow_, &slow_change_}) column->assign(stride * n, 0);
  for (std::size_t place = 0; place < n; ++place) {
    const std::uint32_t slot = list_.order()[place];
    const MotionHistory::Particle before = goes_on ? history.particles[slot] : MotionHistory::Particle{};
    std::int64_t moved[axes] = {};
    std::int64_t wrong = 0;
    std::int64_t way = 0;
    for (std::size_t d = 0; d < components; ++d) {
      moved[d] = std::int64_t{state.axes[d].velocity[slot]} * (1 << speed_bits);
      way += std::abs(moved[d]);
      wrong += std::abs(moved[d] - before.moved[d]);
    }
    const bool afresh = !goes_on || (wrong >= way && wrong >= small_error);
    for (std::size_t d = 0; d < components; ++d) {
      const std::size_t at = stride * place + d;
      const std::int64_t force = core::scaled_force(total_[at], shift);
      slow_[at] = limit_motion(force - core::scaled_force(near_[at], shift));
      if (afresh) {
        speed_[at] = limit_motion(moved[d] + (force >> 1) - half_part_of(force, part));
      } else {
        const std::int64_t error = moved[d] - before.moved[d];
        speed_[at] = limit_motion(before.speed[d] + (error * settings.gain >> 6));
        // The last index is rounded: the particle may be nearer to its expected position.
        moved_[at] = limit_motion(-(error * (PairSettings::most_trust - settings.trust) >> 6));
        slow_change_[at] = limit_motion(std::int64_t{slow_[at]} - before.slow[d]);
      }
    }
  }
}

void PairMotion::move(const codec::DifferenceState &state, const PairSettings &settings, const PairTable &table,
                      const MotionHistory &history, MotionHistory &after) {
  const codec::MotionKernels &kernels = codec::kernels().motion;
  recorded_.clear();
  const std::size_t n = list_.particles();
  fine_.assign(stride * n, 0);
  total_.assign(stride * n, 0);
  near_.assign(stride * n, 0);
  const codec::PairsOfParticles all{
      n, list_.first().data(), list_.partner().data(), {list_.way(0).data(), list_.way(1).data(), list_.way(2).data()}};
  kernels.sum_forces(all, nullptr, table.total(), total_.data());
  take_close(all, table.close().end());
  const codec::PairsOfParticles close{n,
                                      close_first_.data(),
                                      close_partner_.data(),
                                      {close_way_[0].data(), close_way_[1].data(), close_way_[2].data()}};
  kernels.sum_forces(close, nullptr, table.close(), near_.data());
  begin(state, settings, history);
  const std::int64_t part = part_for(settings.steps);
  const codec::Motion motion{near_.data(), speed_.data(),       moved_.data(),
                             slow_.data(), slow_change_.data(), fine_.data()};
  for (int step = 0; step < settings.steps; ++step) {
    if (record_) recorded_.push_back(fine_);
    if (step > 0) {
      std::fill(near_.begin(), near_.end(), 0);
      kernels.sum_forces(close, fine_.data(), table.close(), near_.data());
    }
    kernels.step(motion, n,
                 {part, part * step, force_shift_for(list_.shift()), speed_bits - fine_bits + list_.shift()});
  }
  after.particles.resize(n);
  for (std::size_t place = 0; place < n; ++place) {
    MotionHistory::Particle &particle = after.particles[list_.order()[place]];
    for (std::size_t d = 0; d < axes; ++d) {
      particle.speed[d] = speed_[stride * place + d];
      particle.moved[d] = moved_[stride * place + d];
      particle.slow[d] = slow_[stride * place + d];
    }
  }
  after.frames = state.frames;
}

}  // namespace gpz::model
