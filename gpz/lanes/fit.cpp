// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/fit.hpp"

#include <algorithm>
#include <cmath>

#include "gpz/codec/parallel.hpp"
#include "gpz/crystal/least_squares.hpp"
#include "gpz/kernels/kernels.hpp"

namespace gpz::lanes {

using codec::FitSums;

namespace {

// Equations that lean towards the last value and, less, that of the class: few numbers tell little.
void lean(double *equations) {
  constexpr double doubt = 1.5;  // squared grid steps
  for (const std::size_t diagonal : {0, 3, 5}) equations[diagonal] = doubt;
  equations[6] = 0.5 * doubt;
}

std::array<double, codec::fit_weights> solved(const double *equations) {
  crystal::LeastSquares squares(codec::fit_weights);
  squares.add_sums(equations, equations + 6);
  const std::vector<double> x = squares.solve(0.002);
  return {x[0], x[1], x[2]};
}

}  // namespace

void Fit::start(std::size_t classes) {
  sums_.assign(classes, {});
  for (FitSums &sums : sums_) {
    lean(&sums[codec::fit_of_length]);
    lean(&sums[codec::fit_of_along]);
  }
}

void Fit::add(const Layout &layout, const Frame &frame, int threads) {
  if (frame.key != nullptr) {
    // Lengths are those of the class.
    values_.assign(sums_.size(), {});
    pass(layout, frame, codec::fit_means, threads);
    settle(values_);
    for (Values &values : values_) {
      values.of_length = values.of_along = {1, 0, 0};
      values.carried = values.headed = values.turned = 0;
    }
    pass(layout, frame, codec::fit_deviations, threads);
  } else if (values_.size() != sums_.size()) {
    values_.assign(sums_.size(), {});
    pass(layout, frame, codec::fit_means, threads);
    settle(values_);
    pass(layout, frame, codec::fit_all_weights, threads);
    settle(values_);
    pass(layout, frame, codec::fit_deviations, threads);
  } else {
    pass(layout, frame, codec::fit_everything, threads);
  }
  settle(values_);
}

void Fit::pass(const Layout &layout, const Frame &frame, codec::FitRange range, int threads) {
  std::vector<codec::FitValues> values(values_.size());
  for (std::size_t c = 0; c < values.size(); ++c) {
    const Values &of = values_[c];
    const auto set = [&](codec::FitValue which, double x) { values[c][which] = static_cast<float>(x); };
    set(codec::value_carried, of.carried);
    set(codec::value_length, of.length);
    set(codec::value_along, of.along);
    set(codec::value_headed, of.headed);
    set(codec::value_turned, of.turned);
    for (unsigned k = 0; k < codec::fit_weights; ++k) {
      values[c][codec::value_of_length + k] = static_cast<float>(of.of_length[k]);
      values[c][codec::value_of_along + k] = static_cast<float>(of.of_along[k]);
    }
    if (frame.key == nullptr) continue;
    values[c][codec::value_towards] = frame.key->heading[c].towards;
    values[c][codec::value_aside] = frame.key->heading[c].aside;
  }
  codec::StepTable table = layout.table(nullptr);
  if (frame.key != nullptr) table.key_root = frame.key->root.data();
  const std::vector<std::uint32_t> &steps = layout.sampled_steps();
  const std::size_t blocks = frame.blocks.size();
  std::vector<std::vector<FitSums>> of_block(blocks, std::vector<FitSums>(sums_.size()));
  codec::parallel_ranges(codec::thread_count(threads, blocks), blocks, [&](int, std::uint64_t from, std::uint64_t to) {
    for (auto b = static_cast<std::size_t>(from); b < to; ++b) {
      const SampledBlock &block = frame.blocks[b];
      const Layout::Block &of = layout.blocks()[block.number];
      const auto first = std::lower_bound(steps.begin(), steps.end(), of.first);
      const auto end = std::lower_bound(first, steps.end(), of.end);
      codec::kernels().fit.add(table, layout.columns().data(),
                               {block.rows, block.means, frame.now, frame.gain, of.first * core::step_lanes},
                               steps.data() + (first - steps.begin()), static_cast<std::size_t>(end - first),
                               values.data(), range, of_block[b].data());
    }
  });
  for (const std::vector<FitSums> &sums : of_block)
    for (std::size_t c = 0; c < sums.size(); ++c)
      for (std::size_t k = 0; k < codec::fit_sums; ++k) sums_[c][k] += sums[c][k];
}

void Fit::settle(std::vector<Values> &values) const {
  // Classes of few particles lean on the mean of all.
  constexpr double doubt = 8, doubt_of_bends = 2;
  FitSums all{};
  for (const FitSums &s : sums_)
    for (std::size_t k = 0; k < codec::fit_sums; ++k) all[k] += s[k];
  const auto mean = [](double sum, double count) { return count > 0 ? sum / count : 0; };
  for (std::size_t c = 0; c < sums_.size(); ++c) {
    const FitSums &s = sums_[c];
    const auto leaning = [&](codec::FitSum sum, codec::FitSum count, double by) {
      return (s[sum] + by * mean(all[sum], all[count])) / (s[count] + by);
    };
    Values &f = values[c];
    f.displaced = mean(s[codec::fit_displaced], s[codec::fit_count]);
    f.carried = s[codec::fit_carried] / (s[codec::fit_moved] + 1);
    f.length = mean(s[codec::fit_length], s[codec::fit_count]);
    f.along = mean(s[codec::fit_along], s[codec::fit_count]);
    f.of_length = solved(&s[codec::fit_of_length]);
    f.of_along = solved(&s[codec::fit_of_along]);
    f.headed = s[codec::fit_headed] / (s[codec::fit_heading] + 1e-3);
    f.turned = (s[codec::fit_turned] + 0.3) / (s[codec::fit_turn] + 1);
    f.off_length = leaning(codec::fit_off_length, codec::fit_measured, doubt);
    f.off_along = leaning(codec::fit_off_along, codec::fit_measured, doubt);
    f.bend = leaning(codec::fit_bend, codec::fit_bends, doubt_of_bends);
    f.bend2 = leaning(codec::fit_bend2, codec::fit_bends, doubt_of_bends);
  }
}

std::vector<ClassConstants> Fit::constants() const {
  constexpr double least_variance = 0.17, least_of_root = 0.3, least_bend = 1e-5;
  std::vector<ClassConstants> constants(values_.size());
  const auto square = [](double x) { return x * x; };
  for (std::size_t c = 0; c < constants.size(); ++c) {
    using C = ClassConstants;
    const Values &f = values_[c];
    const auto weight = [](double w) {
      return static_cast<std::int16_t>(std::lround(std::clamp(std::isfinite(w) ? 16 * w : 0.0, -128.0, 127.0)));
    };
    const auto sixteenths = [](double x) {
      const double most = most_steps;
      return static_cast<std::int32_t>(std::lround(std::clamp(std::isfinite(x) ? 16 * x : 0.0, -most, most)));
    };
    C &k = constants[c];
    k.weight[C::carried] = weight(f.carried);
    k.weight[C::length_to_class] = weight(f.of_length[0]);
    k.weight[C::length_to_carried] = weight(f.of_length[1]);
    k.weight[C::length_to_mean] = weight(f.of_length[2]);
    k.weight[C::along_to_class] = weight(f.of_along[0]);
    k.weight[C::along_to_carried] = weight(f.of_along[1]);
    k.weight[C::along_to_mean] = weight(f.of_along[2]);
    k.weight[C::heading_to_mean] = weight(f.headed);
    k.weight[C::turned] = weight(f.turned);
    k.length = sixteenths(f.length);
    k.along = sixteenths(f.along);
    const bool is_root = sums_[c][codec::fit_displaced] > 0 || f.length == 0;
    const auto variance = [&](double off, double least) {
      return static_cast<std::uint16_t>(
          eighths_of(std::max(square(deviation_of_magnitude * off), least), least_variance_exponent));
    };
    k.length_variance = is_root ? variance(f.displaced, least_of_root) : variance(f.off_length, least_variance);
    k.along_variance = variance(f.off_along, least_variance);
    k.bend = static_cast<std::uint16_t>(eighths_of(std::max(f.bend, least_bend), least_bend_exponent));
    k.bend2 = static_cast<std::uint16_t>(eighths_of(std::max(f.bend2, least_bend), least_bend_exponent));
  }
  return constants;
}

}  // namespace gpz::lanes
