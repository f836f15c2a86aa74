// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/pair_motion.hpp"

#include <algorithm>
#include <cstring>

#include "gpz/kernels/kernels.hpp"

namespace gpz::model {

namespace {

// The part of one of `steps` steps in the time between two frames, in units of 2^-16.
std::int64_t part_for(int steps) { return (65536 + steps / 2) / steps; }

// Shift from sums of forces to forces, for a list with this shift.
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

bool PairMotion::find(const codec::DifferenceState &state, const core::GridBox &box, std::uint64_t cutoff,
                      int threads) {
  const bool same_particles = state.particles != 0 && list_.particles() == state.particles;
  if (same_particles && found_frames_ == state.frames && found_cutoff_ == cutoff) return true;
  found_frames_ = 0;
  if (!list_.build(state, box, cutoff, threads)) return false;
  shares_.divide(list_, threads);
  found_frames_ = state.frames;
  found_cutoff_ = cutoff;
  return true;
}

void PairMotion::take_history(const codec::DifferenceState &state, const MotionHistory &history, bool goes_on,
                              std::size_t begin, std::size_t end) {
  const std::uint32_t *const slots = list_.order().data();
  const auto components = static_cast<std::size_t>(state.components);
  const auto velocity = [&](std::size_t d) { return state.axes[d < components ? d : 0].velocity.data(); };
  const std::int32_t *const x = velocity(0);
  const std::int32_t *const y = velocity(1);
  const std::int32_t *const z = velocity(2);
  for (std::size_t index = begin; index < end; ++index) {
    const std::uint32_t slot = slots[index];
    const MotionHistory::Vector displacement{x[slot], components > 1 ? y[slot] : 0, components > 2 ? z[slot] : 0, 0};
    std::memcpy(&fine_[stride * index], displacement.data(), sizeof displacement);
  }
  const MotionHistory::Particle nothing{};
  for (std::size_t index = begin; index < end; ++index) {
    const MotionHistory::Particle &before = goes_on ? history.particles[slots[index]] : nothing;
    std::memcpy(&speed_[stride * index], before.speed.data(), sizeof before.speed);
    std::memcpy(&moved_[stride * index], before.moved.data(), sizeof before.moved);
    std::memcpy(&slow_change_[stride * index], before.slow.data(), sizeof before.slow);
  }
}

codec::Motion PairMotion::motion_at(std::size_t index) {
  const std::size_t at = stride * index;
  return {near_.data() + at, speed_.data() + at,       moved_.data() + at,
          slow_.data() + at, slow_change_.data() + at, fine_.data() + at};
}

void PairMotion::move(const codec::DifferenceState &state, const PairSettings &settings, const PairTable &table,
                      const MotionHistory &history, MotionHistory &after) {
  using Which = PairShares::Which;
  const codec::MotionKernels &kernels = codec::kernels().motion;
  const std::size_t n = list_.particles();
  const bool goes_on = history.frames != 0 && history.frames + 1 == state.frames && history.particles.size() == n;
  const std::int64_t part = part_for(settings.steps);
  const int force_shift = force_shift_for(list_.shift());
  for (auto *column : {&total_, &near_}) column->resize(stride * n);
  for (auto *column : {&speed_, &moved_, &slow_, &slow_change_, &fine_}) column->resize(stride * n);
  after.particles.resize(n);
  recorded_steps_ = record_ ? settings.steps : 0;
  if (!record_) recorded_.clear();
  if (recorded_.size() < recorded_steps_) recorded_.resize(recorded_steps_);
  for (std::size_t step = 0; step < recorded_steps_; ++step) recorded_[step].resize(stride * n);

  shares_.take_close(table.close().end());
  shares_.for_each_part([&](std::size_t p, std::size_t begin, std::size_t end) {
    shares_.sum(p, Which::all, nullptr, table.total(), total_.data());
    shares_.sum(p, Which::close, nullptr, table.close(), near_.data());
    take_history(state, history, goes_on, begin, end);
  });
  for (int step = 0; step < settings.steps; ++step) {
    if (step > 0)
      shares_.for_each_part([&](std::size_t p, std::size_t, std::size_t) {
        shares_.sum(p, Which::close, fine_.data(), table.close(), near_.data());
      });
    shares_.for_each_part([&](std::size_t p, std::size_t begin, std::size_t end) {
      shares_.add_borders(p, Which::close, near_.data());
      const codec::Motion motion = motion_at(begin);
      if (step == 0) {
        shares_.add_borders(p, Which::all, total_.data());
        kernels.start(motion, end - begin,
                      {total_.data() + stride * begin, goes_on, part, settings.gain,
                       PairSettings::most_trust - settings.trust, force_shift});
      }
      if (record_)
        std::copy_n(motion.fine, stride * (end - begin),
                    recorded_[static_cast<std::size_t>(step)].data() + stride * begin);
      kernels.step(motion, end - begin, {part, part * step, force_shift, speed_bits - fine_bits + list_.shift()});
      if (step + 1 < settings.steps) return;
      for (std::size_t index = begin; index < end; ++index) {
        MotionHistory::Particle &particle = after.particles[list_.order()[index]];
        std::memcpy(particle.speed.data(), &speed_[stride * index], sizeof particle.speed);
        std::memcpy(particle.moved.data(), &moved_[stride * index], sizeof particle.moved);
        std::memcpy(particle.slow.data(), &slow_[stride * index], sizeof particle.slow);
      }
    });
  }
  after.frames = state.frames;
}

}  // namespace gpz::model
