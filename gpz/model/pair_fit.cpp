// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/pair_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gpz/codec/functions.hpp"
#include "gpz/codec/parallel_parts.hpp"
#include "gpz/crystal/least_squares.hpp"
#include "gpz/crystal/spacing.hpp"
#include "gpz/crystal/vector3.hpp"
#include "gpz/format/arithmetic.hpp"

namespace gpz::model {

namespace {

constexpr std::size_t axes = core::max_components;
constexpr std::size_t pair_sample_size = 2048;
constexpr std::size_t fewest_particles = 256;
constexpr int knots = 14;
constexpr double value_unit = 1 << PairMotion::value_bits;
constexpr double speed_unit = 1 << PairMotion::speed_bits;
constexpr double fine_unit = 1 << PairMotion::fine_bits;
constexpr std::uint64_t last_frame_of_curve = 8;
constexpr std::uint8_t first_steps = 3;
constexpr std::uint8_t most_steps = 6;  // more are too slow
constexpr std::uint8_t usual_gain = 40;
// In units of the mean distance between neighbours.
constexpr double cutoff_distance = 2.0;
constexpr double fewest_steps_of_cutoff = 16;
constexpr double close_distance = 1.6;
// Bits saved per particle that justify the time.
constexpr double least_pair_gain = 0.75;
constexpr double gain_of_step = 0.15;
constexpr double frames_of_settings = 4;  // number of frames that settings are expected to last

// Estimated bits of residuals, up to a constant.
double bits_of(const std::vector<double> &errors) {
  double sum = 0;
  for (const double error : errors) sum += codec::log2_of(std::fabs(error) + 0.5);
  return sum / static_cast<double>(errors.size());
}

// Weights that reduce the influence of rows with large errors.
std::vector<double> weights_of(const std::vector<double> &errors) {
  std::vector<double> size(errors.size());
  for (std::size_t i = 0; i < errors.size(); ++i) size[i] = std::fabs(errors[i]);
  std::vector<double> sorted = size;
  const double far = 4 * crystal::median(sorted) + 1;
  for (double &x : size) x = 1 / std::sqrt(1 + (x / far) * (x / far));
  return size;
}

std::int32_t rounded(double x) {
  const auto most = static_cast<double>(PairCurve::value_limit);
  return static_cast<std::int32_t>(std::lround(std::clamp(x, -most, most)));
}

}  // namespace

// A sample of particles at equal distances in slots, with their actual displacements.
struct PairFit::Sample {
  const codec::DifferenceState &state;
  const core::GridBox &box;
  std::size_t components;
  std::size_t stride;
  std::size_t count;
  std::vector<double> moved;                      // count x components, in grid steps
  std::vector<std::array<double, 3>> by_history;  // velocity, previous velocity, difference to the mean

  Sample(const codec::DifferenceState &from, const codec::IndexColumns &q, const core::GridBox &in)
      : state(from),
        box(in),
        components(static_cast<std::size_t>(from.components)),
        stride(crystal::sample_stride(from.particles, pair_sample_size)),
        count((from.particles - 1) / stride + 1) {
    const std::int32_t reciprocal = core::reciprocal_of(state.frames);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t d = 0; d < components; ++d) {
        const codec::DifferenceState::Axis &axis = state.axes[d];
        const std::size_t slot = i * stride;
        moved.push_back(
            static_cast<double>(core::displacement(q[d][slot], axis.last[slot], core::checked_axis(box[d]))));
        by_history.push_back({static_cast<double>(axis.velocity[slot]), static_cast<double>(axis.previous[slot]),
                              core::offset_to_mean(axis.deviation[slot], reciprocal) / 8.0});
      }
  }

  // Bits per particle without forces.
  double bits_by_history() const {
    crystal::LeastSquares sums(3);
    for (std::size_t row = 0; row < moved.size(); ++row) sums.add(by_history[row].data(), moved[row]);
    const std::vector<double> best = sums.solve(1e-9);
    std::vector<double> errors = moved;
    for (std::size_t row = 0; row < moved.size(); ++row)
      for (std::size_t k = 0; k < 3; ++k) errors[row] -= best[k] * by_history[row][k];
    return bits_of(errors) * static_cast<double>(components);
  }
};

struct PairFit::Trial {
  double bits = 0;  // per particle
  std::vector<double> errors;
};

PairFit::Trial PairFit::run(const Sample &sample, const PairSettings &settings, const MotionHistory &history) {
  PairTable table;
  table.fill(settings.curve, motion_->end());
  MotionHistory &after = motion_->trial();
  motion_->record(true);
  motion_->move(sample.state, settings, table, history, after);
  motion_->record(false);
  Trial trial;
  trial.errors = sample.moved;
  for (std::size_t i = 0; i < sample.count; ++i)
    for (std::size_t d = 0; d < sample.components; ++d)
      trial.errors[sample.components * i + d] -= after.particles[i * sample.stride].moved[d] / speed_unit;
  trial.bits = bits_of(trial.errors) * static_cast<double>(sample.components);
  return trial;
}

void PairFit::find_sampled_pairs(const Sample &sample) {
  const crystal::NeighbourList &list = motion_->list();
  const std::size_t n = list.particles();
  format::Column<std::uint32_t> row(n);
  const int used = codec::threads_for_particles(threads_, n);
  codec::parallel_ranges(used, n, [&](int, std::uint64_t first, std::uint64_t last) {
    for (std::size_t index = first; index < last; ++index) {
      const std::uint32_t slot = list.order()[index];
      row[index] = slot % sample.stride == 0 ? static_cast<std::uint32_t>(slot / sample.stride) : not_sampled;
    }
  });
  std::vector<std::vector<SampledPair>> found(static_cast<std::size_t>(used));
  codec::parallel_ranges(used, n, [&](int t, std::uint64_t first, std::uint64_t last) {
    std::vector<SampledPair> &pairs = found[static_cast<std::size_t>(t)];
    for (auto own = static_cast<std::uint32_t>(first); own < last; ++own)
      for (std::uint32_t pair = list.first()[own]; pair < list.first()[own + 1]; ++pair) {
        const std::uint32_t partner_row = row[list.partner()[pair]];
        if (row[own] != not_sampled || partner_row != not_sampled) pairs.push_back({pair, own, row[own], partner_row});
      }
  });
  sampled_pairs_ = std::move(found[0]);
  for (std::size_t t = 1; t < found.size(); ++t)
    sampled_pairs_.insert(sampled_pairs_.end(), found[t].begin(), found[t].end());
}

// Derivatives of the sample's displacements with respect to the values and slopes of the knots, two columns for each
// knot. Uses the positions of the last run. Each row belongs to one thread, so that its sums have a fixed order.
std::vector<double> PairFit::features(const Sample &sample, const PairSettings &settings) {
  if (sampled_pairs_.empty()) find_sampled_pairs(sample);
  std::vector<double> rows(sample.moved.size() * 2 * settings.curve.knots.size());
  constexpr std::size_t pairs_of_thread = 4096;
  const int used = codec::thread_count(threads_, sampled_pairs_.size() / pairs_of_thread + 1);
  codec::parallel_ranges(used, sample.count, [&](int, std::uint64_t first, std::uint64_t last) {
    add_features(sample, settings, first, last, rows);
  });
  return rows;
}

void PairFit::add_features(const Sample &sample, const PairSettings &settings, std::size_t first, std::size_t last,
                           std::vector<double> &rows) const {
  const crystal::NeighbourList &list = motion_->list();
  const std::vector<PairCurve::Knot> &knot = settings.curve.knots;
  const std::size_t width = 2 * knot.size();
  const double bin_size = std::ldexp(1.0, PairTable::bin_shift_for(motion_->end()));
  const double unit = std::ldexp(1 / fine_unit, list.shift());
  std::vector<std::size_t> segment_of_bin(knot.back().bin + 1, 0);
  for (std::size_t k = 1; k + 1 < knot.size(); ++k)
    std::fill(segment_of_bin.begin() + knot[k].bin, segment_of_bin.end(), k);
  const auto steps = static_cast<int>(motion_->recorded_steps());
  const auto is_here = [&](std::uint32_t row) { return row >= first && row < last; };
  for (const SampledPair &sampled : sampled_pairs_) {
    const bool takes_own = is_here(sampled.own_row);
    const bool takes_other = is_here(sampled.partner_row);
    if (!takes_own && !takes_other) continue;
    const std::uint32_t pair = sampled.pair;
    const std::uint32_t own = sampled.own;
    const std::uint32_t partner = list.partner()[pair];
    for (int step = 0; step < steps; ++step) {
      const auto &fine = motion_->recorded(static_cast<std::size_t>(step));
      double separation[axes];
      double squared = 0;
      for (std::size_t d = 0; d < axes; ++d) {
        separation[d] = list.separation(d)[pair] * fine_unit + fine[PairMotion::stride * own + d] -
                        fine[PairMotion::stride * partner + d];
        squared += separation[d] * separation[d];
      }
      const double bin = squared / bin_size;
      if (!(bin < knot.back().bin)) continue;
      const std::size_t k = segment_of_bin[static_cast<std::size_t>(bin)];
      const double length = knot[k + 1].bin - knot[k].bin;
      const double t = std::max(0.0, (bin - knot[k].bin) / length);
      // Fraction of the time between the frames during which a force of this step acts.
      const double share = step == 0 ? 1.0 / steps : static_cast<double>(steps - step) / steps / steps;
      const double rise = t * t * (3 - 2 * t);
      const double bend = length / (1 << PairCurve::slope_shift);
      const double weight[4] = {1 - rise, bend * (t - 2 * t * t + t * t * t), rise, bend * (t * t * t - t * t)};
      for (std::size_t d = 0; d < sample.components; ++d) {
        const double force = share * separation[d] * unit;
        for (std::size_t j = 0; j < 4; ++j) {
          if (takes_own) rows[(sampled.own_row * sample.components + d) * width + 2 * k + j] += weight[j] * force;
          if (takes_other) rows[(sampled.partner_row * sample.components + d) * width + 2 * k + j] -= weight[j] * force;
        }
      }
    }
  }
}

namespace {

// Corrects the curve by least squares of the errors. Errors of a curve add up over frames, and more so the less each
// error corrects the position. Therefore only a part of the correction is applied.
PairCurve refitted(const PairSettings &settings, const std::vector<double> &rows, const std::vector<double> &errors,
                   std::vector<double> &left) {
  const PairCurve &curve = settings.curve;
  const std::size_t width = 2 * curve.knots.size();
  const double trust = static_cast<double>(settings.trust) / PairSettings::most_trust;
  const double taken = std::clamp(2.5 * (trust - 0.6), 0.25, 1.0) * value_unit;
  crystal::LeastSquares sums(width);
  const std::vector<double> weights = weights_of(errors);
  const bool is_new =
      std::all_of(curve.knots.begin(), curve.knots.end(), [](const auto &knot) { return knot.value == 0; });
  std::vector<double> scaled(width);
  for (std::size_t row = 0; row < errors.size(); ++row) {
    for (std::size_t k = 0; k < width; ++k) scaled[k] = weights[row] * rows[row * width + k];
    sums.add(scaled.data(), weights[row] * errors[row]);
  }
  const std::vector<double> change = sums.solve(is_new ? 1e-7 : 1e-3);
  left = errors;
  for (std::size_t row = 0; row < errors.size(); ++row)
    for (std::size_t k = 0; k < width; ++k) left[row] -= change[k] * rows[row * width + k];
  PairCurve better = curve;
  for (std::size_t k = 0; k < curve.knots.size(); ++k) {
    better.knots[k].value = rounded(curve.knots[k].value + change[2 * k] * taken);
    better.knots[k].slope = rounded(curve.knots[k].slope + change[2 * k + 1] * taken);
  }
  return better;
}

}  // namespace

// Settings with zero force over all distances that occur between particles in this frame.
bool PairFit::prepare(const Sample &sample, PairSettings &settings) {
  const double cutoff = cutoff_distance * crystal::mean_distance(sample.state, sample.box);
  if (!(cutoff >= fewest_steps_of_cutoff && cutoff < static_cast<double>(PairSettings::most_cutoff))) return false;
  settings.steps = first_steps;
  settings.gain = usual_gain;
  settings.trust = PairSettings::most_trust;
  settings.cutoff = static_cast<std::uint64_t>(cutoff);
  if (!motion_->find(sample.state, sample.box, settings.cutoff, threads_) || motion_->list().pairs() == 0) return false;
  const crystal::NeighbourList &list = motion_->list();
  const auto parts =
      codec::parallel_parts<std::uint32_t>(threads_, list.pairs(), [&](std::size_t first, std::size_t last) {
        std::uint32_t part = list.reach() * list.reach();
        for (std::size_t pair = first; pair < last; ++pair) part = std::min(part, list.squared(pair));
        return part;
      });
  const std::uint32_t least = *std::min_element(parts.begin(), parts.end());
  const int shift = PairTable::bin_shift_for(motion_->end());
  const auto end = static_cast<double>((motion_->end() - 1) >> shift) + 1;
  const auto start = static_cast<double>((std::uint64_t{least} << 2 * PairMotion::fine_bits) >> shift);
  settings.curve.close =
      static_cast<std::uint32_t>(end * (close_distance / cutoff_distance) * (close_distance / cutoff_distance));
  // Knots are spaced by a factor, because forces change by a factor with the distance.
  double at = std::max(start, end / 64);
  const double factor = codec::root_of(end / at, knots - 1);
  for (int k = 0; k < knots; ++k, at *= factor) {
    const auto bin = static_cast<std::uint32_t>(std::lround(at));
    if (settings.curve.knots.empty() || bin > settings.curve.knots.back().bin)
      settings.curve.knots.push_back({bin, 0, 0});
  }
  return settings.curve.close >= 4 && settings.curve.knots.size() >= 2;
}

bool PairFit::search(const Sample &sample, PairSettings &fitted) {
  PairSettings settings;
  if (!prepare(sample, settings)) return false;
  // One step from the last positions, with the last velocities.
  PairSettings still = settings;
  still.steps = 1;
  const Trial trial = run(sample, still, {});
  std::vector<double> left;
  settings.curve = refitted(settings, features(sample, settings), trial.errors, left);
  if (bits_of(left) * static_cast<double>(sample.components) > sample.bits_by_history() - least_pair_gain) return false;
  fitted = settings;
  return true;
}

namespace {

// Sets the gains of a filter that tracks particles with rounded positions, given the usual size of errors.
void set_gains(const std::vector<double> &errors, PairSettings &settings) {
  double square = 0;
  double weights = 0;
  const std::vector<double> weight = weights_of(errors);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    square += weight[i] * errors[i] * errors[i];
    weights += weight[i];
  }
  constexpr double rounding = 0.05;  // somewhat less than the variance of a rounded index
  const double trust = std::clamp(1 - rounding * weights / square, 0.5, 1.0);
  const double gain = usual_gain * (2 * (2 - trust) - 4 * std::sqrt(1 - trust));
  settings.trust = static_cast<std::uint8_t>(std::lround(trust * PairSettings::most_trust));
  settings.gain = static_cast<std::uint8_t>(std::lround(std::clamp(gain, 12.0, 96.0)));
}

}  // namespace

PairFit::Choice PairFit::improve(const Sample &sample, const PairSettings &now, const MotionHistory &history,
                                 PairSettings &fitted) {
  const Trial with_now = run(sample, now, history);
  std::swap(motion_->trial(), motion_->best_trial());
  has_moved_ = true;
  std::vector<std::uint8_t> bytes;
  append_settings(now, bytes);
  const double cost = 8 * static_cast<double>(bytes.size()) / static_cast<double>(sample.state.particles);
  PairSettings best = now;
  double least = with_now.bits;
  double asked = least - cost / frames_of_settings;
  // Refits the curve to the errors of the last run, but later only if the bits have grown: late errors accumulate over
  // all earlier frames, so a fit to one frame's errors would overshoot.
  const std::uint64_t frames = sample.state.frames;
  const bool with_curve = frames <= last_frame_of_curve || with_now.bits > bits_then_ + least_pair_gain;
  const auto consider = [&](PairSettings settings, const std::vector<double> &errors, double extra) {
    std::vector<double> left;
    if (with_curve) settings.curve = refitted(settings, features(sample, settings), errors, left);
    const Trial trial = run(sample, settings, history);
    if (!(trial.bits + extra < asked)) return false;
    best = settings;
    std::swap(motion_->trial(), motion_->best_trial());
    least = asked = trial.bits;
    return true;
  };
  PairSettings refit = now;
  set_gains(with_now.errors, refit);
  bool changed = consider(refit, with_now.errors, 0);
  if ((frames == 4 || frames == 6) && best.steps < most_steps) {
    PairSettings more = best;
    ++more.steps;
    if (consider(more, run(sample, more, history).errors, gain_of_step)) changed = true;
  }
  if (with_curve) bits_then_ = least;
  useful_ = least + least_pair_gain < sample.bits_by_history();
  if (!useful_) return Choice::none;
  if (!changed) return Choice::as_before;
  fitted = best;
  return Choice::fitted;
}

PairFit::Choice PairFit::choose(const codec::DifferenceState &state, const codec::IndexColumns &q,
                                const core::GridBox &box, const PairSettings &now, const MotionHistory &history,
                                int threads, PairMotion &motion, PairSettings &fitted) {
  motion_ = &motion;
  threads_ = threads;
  sampled_pairs_ = {};
  has_moved_ = false;
  const format::UsualArithmetic arithmetic;
  if (state.plain || state.particles < fewest_particles || state.frames < 2) return Choice::none;
  const bool known = now.steps != 0;
  const std::uint64_t frames = state.frames;
  const bool due = useful_ ? frames <= 6 || frames == 8 || frames % 16 == 0 : frames == 3 || frames % 32 == 0;
  if (!due) return useful_ && known ? Choice::as_before : Choice::none;
  const Sample sample(state, q, box);
  if (!known) {
    useful_ = search(sample, fitted);
    sampled_pairs_ = {};
    return useful_ ? Choice::fitted : Choice::none;
  }
  if (!motion_->find(state, box, now.cutoff, threads_)) return Choice::none;
  const Choice choice = improve(sample, now, history, fitted);
  sampled_pairs_ = {};
  return choice;
}

}  // namespace gpz::model
