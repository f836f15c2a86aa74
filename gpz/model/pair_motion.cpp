// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/pair_motion.hpp"

#include <algorithm>
#include <cstring>

#include "gpz/kernels/kernels.hpp"

namespace gpz::model {

namespace {

constexpr std::size_t stride = PairMotion::stride;

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

void PairMotion::take_history(const codec::DifferenceState &state, const MotionHistory &history, bool goes_on) {
  const std::size_t n = list_.particles();
  const std::uint32_t *const slots = list_.order().data();
  for (auto *column : {&speed_, &moved_, &slow_, &slow_change_, &fine_}) column->resize(stride * n);
  const auto components = static_cast<std::size_t>(state.components);
  const auto velocity = [&](std::size_t d) { return state.axes[d < components ? d : 0].velocity.data(); };
  const std::int32_t *const x = velocity(0);
  const std::int32_t *const y = velocity(1);
  const std::int32_t *const z = velocity(2);
  for (std::size_t place = 0; place < n; ++place) {
    const std::uint32_t slot = slots[place];
    const MotionHistory::Vector way{x[slot], components > 1 ? y[slot] : 0, components > 2 ? z[slot] : 0, 0};
    std::memcpy(&fine_[stride * place], way.data(), sizeof way);
  }
  const MotionHistory::Particle nothing{};
  for (std::size_t place = 0; place < n; ++place) {
    const MotionHistory::Particle &before = goes_on ? history.particles[slots[place]] : nothing;
    std::memcpy(&speed_[stride * place], before.speed.data(), sizeof before.speed);
    std::memcpy(&moved_[stride * place], before.moved.data(), sizeof before.moved);
    std::memcpy(&slow_change_[stride * place], before.slow.data(), sizeof before.slow);
  }
}

void PairMotion::move(const codec::DifferenceState &state, const PairSettings &settings, const PairTable &table,
                      const MotionHistory &history, MotionHistory &after) {
  const codec::MotionKernels &kernels = codec::kernels().motion;
  recorded_.clear();
  const std::size_t n = list_.particles();
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
  const bool goes_on = history.frames != 0 && history.frames + 1 == state.frames && history.particles.size() == n;
  take_history(state, history, goes_on);
  const codec::Motion motion{near_.data(), speed_.data(),       moved_.data(),
                             slow_.data(), slow_change_.data(), fine_.data()};
  const std::int64_t part = part_for(settings.steps);
  const int force_shift = force_shift_for(list_.shift());
  kernels.start(motion, n,
                {total_.data(), goes_on, part, settings.gain, PairSettings::most_trust - settings.trust, force_shift});
  for (int step = 0; step < settings.steps; ++step) {
    if (record_) recorded_.push_back(fine_);
    if (step > 0) {
      std::fill(near_.begin(), near_.end(), 0);
      kernels.sum_forces(close, fine_.data(), table.close(), near_.data());
    }
    kernels.step(motion, n, {part, part * step, force_shift, speed_bits - fine_bits + list_.shift()});
  }
  after.particles.resize(n);
  for (std::size_t place = 0; place < n; ++place) {
    MotionHistory::Particle &particle = after.particles[list_.order()[place]];
    std::memcpy(particle.speed.data(), &speed_[stride * place], sizeof particle.speed);
    std::memcpy(particle.moved.data(), &moved_[stride * place], sizeof particle.moved);
    std::memcpy(particle.slow.data(), &slow_[stride * place], sizeof particle.slow);
  }
  after.frames = state.frames;
}

}  // namespace gpz::model
