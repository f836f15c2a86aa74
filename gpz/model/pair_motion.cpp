// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/pair_motion.hpp"

#include <algorithm>
#include <cstdlib>

#include "gpz/crystal/integers.hpp"

namespace gpz::model {

namespace {

constexpr std::size_t axes = core::max_components;
// Errors of an expectation below 16 grid steps never reset the velocity.
constexpr std::int64_t small_error = std::int64_t{16} << PairMotion::speed_bits;

std::int32_t limited(std::int64_t x) { return core::limited(x, PairMotion::limit); }

// Fractions of the change between two frames. `part` is in units of 2^-16.
std::int64_t part_of(std::int64_t x, std::int64_t part) { return crystal::rounded_shift(x * part, 16); }
std::int64_t half_part_of(std::int64_t x, std::int64_t part) { return crystal::rounded_shift(x * part, 17); }
std::int64_t part_for(int steps) { return (65536 + steps / 2) / steps; }

}  // namespace

void MotionHistory::keep(const std::uint32_t *kept, std::size_t count) {
  if (frames == 0) return;
  for (Axis &axis : axes)
    for (auto *column : {&axis.speed, &axis.moved, &axis.slow}) {
      for (std::size_t i = 0; i < count; ++i) (*column)[i] = (*column)[kept[i]];
      column->resize(count);
    }
}

void MotionHistory::add(std::size_t count) {
  if (frames == 0) return;
  for (Axis &axis : axes)
    for (auto *column : {&axis.speed, &axis.moved, &axis.slow}) column->resize(column->size() + count, 0);
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

std::int64_t PairMotion::scaled(std::uint64_t sum) const {
  const int shift = value_bits + fine_bits - speed_bits - list_.shift();
  const auto force = static_cast<std::int64_t>(sum);
  if (shift >= 0) return limited(force >> shift);
  const std::int64_t most = limit >> std::min(-shift, 31);
  return std::clamp(force, -most, most) * (std::int64_t{1} << std::min(-shift, 31));
}

void PairMotion::sum_all(const PairTable &table) {
  const std::size_t n = list_.particles();
  total_.assign(axes * n, 0);
  near_.assign(axes * n, 0);
  close_.resize(std::max(close_.size(), list_.pairs() / 2));
  close_count_ = 0;
  const std::uint32_t *const partner = list_.partner().data();
  const std::int16_t *const x = list_.way(0).data();
  const std::int16_t *const y = list_.way(1).data();
  const std::int16_t *const z = list_.way(2).data();
  const PairTable::Lookup total = table.total();
  const PairTable::Lookup close = table.close();
  std::uint64_t *const total_sums = total_.data();
  std::uint64_t *const near_sums = near_.data();
  for (std::uint32_t own = 0; own < n; ++own) {
    std::uint64_t sum[axes] = {};
    std::uint64_t near[axes] = {};
    for (std::uint32_t pair = list_.first()[own]; pair < list_.first()[own + 1]; ++pair) {
      const std::uint64_t squared = std::uint64_t{list_.squared(pair)} << (2 * fine_bits);
      if (squared >= total.end()) continue;
      const std::int64_t value = total.at(squared);
      const std::int32_t way[axes] = {x[pair] * (1 << fine_bits), y[pair] * (1 << fine_bits),
                                      z[pair] * (1 << fine_bits)};
      std::uint64_t *const other = total_sums + axes * partner[pair];
      for (std::size_t d = 0; d < axes; ++d) {
        const auto force = static_cast<std::uint64_t>(value * way[d]);
        sum[d] += force;
        other[d] -= force;
      }
      if (squared >= close.end()) continue;
      if (close_count_ == close_.size()) close_.resize(list_.pairs());
      close_[close_count_++] = {own, partner[pair], {way[0], way[1], way[2]}};
      const std::int64_t close_value = close.at(squared);
      for (std::size_t d = 0; d < axes; ++d) {
        const auto force = static_cast<std::uint64_t>(close_value * way[d]);
        near[d] += force;
        near_sums[axes * partner[pair] + d] -= force;
      }
    }
    for (std::size_t d = 0; d < axes; ++d) {
      total_sums[axes * own + d] += sum[d];
      near_sums[axes * own + d] += near[d];
    }
  }
}

void PairMotion::sum_close(const PairTable &table) {
  std::fill(near_.begin(), near_.end(), 0);
  const PairTable::Lookup close = table.close();
  std::uint64_t *const sums = near_.data();
  const std::int32_t *const fine = fine_.data();
  const ClosePair *const pairs = close_.data();
  for (std::size_t i = 0; i < close_count_; ++i) {
    const ClosePair &pair = pairs[i];
    std::int64_t way[axes];
    std::uint64_t squared = 0;
    for (std::size_t d = 0; d < axes; ++d) {
      way[d] = std::int64_t{pair.way[d]} + fine[axes * pair.own + d] - fine[axes * pair.partner + d];
      squared += static_cast<std::uint64_t>(way[d] * way[d]);
    }
    if (squared >= close.end()) continue;
    const std::int64_t value = close.at(squared);
    for (std::size_t d = 0; d < axes; ++d) {
      const auto force = static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(way[d]);
      sums[axes * pair.own + d] += force;
      sums[axes * pair.partner + d] -= force;
    }
  }
}

void PairMotion::begin(const codec::DifferenceState &state, const PairSettings &settings,
                       const MotionHistory &history) {
  const std::size_t n = list_.particles();
  const bool goes_on = history.frames != 0 && history.frames + 1 == state.frames && history.size() == n;
  const std::int64_t part = part_for(settings.steps);
  const auto components = static_cast<std::size_t>(state.components);
  for (auto *column : {&speed_, &moved_, &slow_, &slow_change_, &fine_}) column->assign(axes * n, 0);
  for (std::size_t place = 0; place < n; ++place) {
    const std::uint32_t slot = list_.order()[place];
    std::int64_t wrong = 0;
    std::int64_t way = 0;
    for (std::size_t d = 0; d < components && goes_on; ++d) {
      const std::int64_t moved = std::int64_t{state.axes[d].velocity[slot]} * (1 << speed_bits);
      way += std::abs(moved);
      wrong += std::abs(moved - history.axes[d].moved[slot]);
    }
    const bool afresh = !goes_on || (wrong >= way && wrong >= small_error);
    for (std::size_t d = 0; d < components; ++d) {
      const std::size_t at = axes * place + d;
      const std::int64_t force = scaled(total_[at]);
      const std::int64_t moved = std::int64_t{state.axes[d].velocity[slot]} * (1 << speed_bits);
      slow_[at] = limited(force - scaled(near_[at]));
      if (afresh) {
        speed_[at] = limited(moved + (force >> 1) - half_part_of(force, part));
      } else {
        const std::int64_t error = moved - history.axes[d].moved[slot];
        speed_[at] = limited(history.axes[d].speed[slot] + (error * settings.gain >> 6));
        // The last index is rounded: the particle may be nearer to its expected position.
        moved_[at] = limited(-(error * (PairSettings::most_trust - settings.trust) >> 6));
        slow_change_[at] = limited(std::int64_t{slow_[at]} - history.axes[d].slow[slot]);
      }
    }
  }
}

void PairMotion::note_positions() {
  const int shift = speed_bits - fine_bits + list_.shift();
  const std::int64_t half = std::int64_t{1} << (shift - 1);
  for (std::size_t at = 0; at < fine_.size(); ++at) fine_[at] = static_cast<std::int32_t>((moved_[at] + half) >> shift);
  if (record_) recorded_.push_back(fine_);
}

void PairMotion::move(const codec::DifferenceState &state, const PairSettings &settings, const PairTable &table,
                      const MotionHistory &history, MotionHistory &after) {
  recorded_.clear();
  const std::size_t n = list_.particles();
  fine_.assign(axes * n, 0);
  if (record_) recorded_.push_back(fine_);
  sum_all(table);
  begin(state, settings, history);
  const int steps = settings.steps;
  const std::int64_t part = part_for(steps);
  for (int step = 0; step < steps; ++step) {
    if (step > 0) {
      note_positions();
      sum_close(table);
    }
    for (std::size_t at = 0; at < speed_.size(); ++at) {
      const std::int64_t slow = slow_[at] + part_of(slow_change_[at], part * step);
      const std::int64_t force = scaled(near_[at]) + slow;
      // The second half kick of the previous step and the first one of this step are rounded together.
      speed_[at] = limited(speed_[at] + part_of(force, part));
      moved_[at] = limited(moved_[at] + part_of(speed_[at], part));
    }
  }
  for (std::size_t d = 0; d < axes; ++d) {
    MotionHistory::Axis &axis = after.axes[d];
    for (auto *column : {&axis.speed, &axis.moved, &axis.slow}) column->resize(n);
    for (std::size_t place = 0; place < n; ++place) {
      const std::uint32_t slot = list_.order()[place];
      axis.speed[slot] = speed_[axes * place + d];
      axis.moved[slot] = moved_[axes * place + d];
      axis.slow[slot] = slow_[axes * place + d];
    }
  }
  after.frames = state.frames;
}

}  // namespace gpz::model
