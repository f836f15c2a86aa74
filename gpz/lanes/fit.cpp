// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/fit.hpp"

#include <algorithm>
#include <cmath>

#include "gpz/codec/parallel.hpp"
#include "gpz/lanes/vectors.hpp"

namespace gpz::lanes {

namespace {

using V = Vector;

// As the formulas of steps have it.
V nearest_axis_across(const V &axis) {
  const core::Vector<float> given{static_cast<float>(axis.x), static_cast<float>(axis.y), static_cast<float>(axis.z)};
  const core::Vector<float> unit = core::least_first<bool>(given).unit(1.0F);
  return {unit.x, unit.y, unit.z};
}

}  // namespace

void Fit::Weights::lean() {
  constexpr double doubt = 1.2247448713915890;  // grid steps
  for (std::size_t k = 0; k < 3; ++k) {
    std::array<double, 3> feature{};
    feature[k] = doubt;
    add(feature.data(), k == 0 ? 0.5 * doubt : 0);
  }
}

void Fit::Weights::add(double last, double of_class, double carried, double mean, double now) {
  const std::array<double, 3> feature{of_class - last, carried - last, mean - last};
  LeastSquares::add(feature.data(), now - last);
}

std::array<double, 3> Fit::Weights::solve() const {
  const std::vector<double> x = LeastSquares::solve(0.002);
  return {x[0], x[1], x[2]};
}

void Fit::Sums::add(const Sums &other) {
  for (double Sums::*const number :
       {&Sums::count, &Sums::carried, &Sums::moved, &Sums::length, &Sums::along, &Sums::displaced, &Sums::headed,
        &Sums::heading, &Sums::turned, &Sums::turn, &Sums::measured, &Sums::off_length, &Sums::off_along, &Sums::bends,
        &Sums::bend, &Sums::bend2})
    this->*number += other.*number;
  of_length.add(other.of_length);
  of_along.add(other.of_along);
}

void Fit::start(std::size_t classes) {
  sums_.assign(classes, {});
  for (Sums &sums : sums_) {
    sums.of_length.lean();
    sums.of_along.lean();
  }
}

void Fit::add(const Molecules &molecules, const Layout &layout, const Frame &frame, int threads) {
  if (frame.key != nullptr) {
    // Lengths are those of the class.
    values_.assign(sums_.size(), {});
    pass(molecules, layout, frame, {true, false, false}, threads);
    settle(values_);
    for (Values &values : values_) {
      values.of_length = values.of_along = {1, 0, 0};
      values.carried = values.headed = values.turned = 0;
    }
    pass(molecules, layout, frame, {false, false, true}, threads);
  } else if (values_.size() != sums_.size()) {
    values_.assign(sums_.size(), {});
    pass(molecules, layout, frame, {true, false, false}, threads);
    settle(values_);
    pass(molecules, layout, frame, {false, true, false}, threads);
    settle(values_);
    pass(molecules, layout, frame, {false, false, true}, threads);
  } else {
    pass(molecules, layout, frame, {true, true, true}, threads);
  }
  settle(values_);
}

void Fit::pass(const Molecules &molecules, const Layout &layout, const Frame &frame, Parts parts, int threads) {
  const std::size_t blocks = frame.blocks.size();
  if (blocks == 1) return pass(molecules, layout, frame, frame.blocks[0], parts, sums_);
  std::vector<std::vector<Sums>> of_block(blocks);
  codec::parallel_ranges(codec::thread_count(threads, blocks), blocks, [&](int, std::uint64_t from, std::uint64_t to) {
    for (auto b = static_cast<std::size_t>(from); b < to; ++b) {
      of_block[b].resize(sums_.size());
      pass(molecules, layout, frame, frame.blocks[b], parts, of_block[b]);
    }
  });
  for (const std::vector<Sums> &sums : of_block)
    for (std::size_t c = 0; c < sums.size(); ++c) sums_[c].add(sums[c]);
}

void Fit::pass(const Molecules &molecules, const Layout &layout, const Frame &frame, const Frame::Block &block,
               Parts parts, std::vector<Sums> &sums) const {
  const codec::StepTable table = layout.table(nullptr);
  const Layout::Block range = layout.blocks()[block.number];
  const std::size_t first = range.first * core::step_lanes;
  const std::int32_t *const rows = block.rows + frame.now, *const before = block.rows + 4 - frame.now;
  for (std::size_t slot = first; slot < range.end * core::step_lanes; ++slot) {
    const std::uint32_t particle = layout.particle_at()[slot];
    if (particle == Layout::nobody) continue;
    Sums &s = sums[molecules.of_class[particle]];
    const Values &f = values_[molecules.of_class[particle]];
    const core::StepKind kind = table.steps[slot / core::step_lanes].kind;
    const std::int32_t *const here = rows + 8 * (slot - first), *const here_before = before + 8 * (slot - first);
    if (kind == core::StepKind::root) {
      if (!parts.means) continue;
      const V moved = vector_between(here, frame.key != nullptr ? frame.key->root.data() : here_before);
      s.displaced += (std::fabs(moved.x) + std::fabs(moved.y) + std::fabs(moved.z)) / 3;
      ++s.count;
      continue;
    }
    const auto of_block = [&](const std::uint32_t *of) { return of[slot] - 8 * first; };
    const std::int32_t *const parent = rows + of_block(table.parent), *const parent_before =
                                                                          before + of_block(table.parent);
    const std::int32_t *const axis = rows + of_block(table.axis), *const axis_before = before + of_block(table.axis);
    const bool has_axis = kind != core::StepKind::sphere;
    core::BondVectors<double> v{};
    if (frame.key != nullptr) {
      const Heading &heading = frame.key->heading[molecules.of_class[particle]];
      const auto of_class = [&](core::StepConstant c) -> double {
        return c == core::class_towards ? heading.towards : heading.aside;
      };
      if (has_axis)
        core::start_from_class<true>(v, of_class);
      else
        core::start_from_class<false>(v, of_class);
    } else {
      v.last = vector_between(here_before, parent_before);
      v.moved = vector_between(parent, parent_before);
      v.last_axis = vector_between(axis_before, parent_before);
      v.last_second = vector_between(before + of_block(table.second), parent_before);
    }
    const V &w0 = v.last, &y = v.moved, &s0 = v.last_second;
    const V w = vector_between(here, parent);
    if (parts.means) {
      s.carried += core::dot(y, w - w0);
      s.moved += core::dot(y, y);
      s.length += length_of(w);
      if (has_axis) {
        const V a = vector_between(axis, parent);
        s.along += core::dot(w, a) / std::max(length_of(a), 1.0);
      }
      ++s.count;
    }
    if (!parts.weights && !parts.deviations) continue;
    const V carried = w0 + core::times(f.carried, y);
    const double l0 = length_of(w0), lc = length_of(carried), l = length_of(w);
    const auto mean_of = [&](core::StepMean m, double last) {
      if (frame.key != nullptr) return last;
      double mean = block.means[core::index_of_mean(slot - first, m)];
      core::take<double>(mean, last, frame.gain);
      return mean;
    };
    const auto expected_of = [](const std::array<double, 3> &weight, double last, double of_class, double carried_one,
                                double mean) {
      return last + weight[0] * (of_class - last) + weight[1] * (carried_one - last) + weight[2] * (mean - last);
    };
    const double mean_length = mean_of(core::mean_length, l0);
    if (parts.weights) s.of_length.add(l0, f.length, lc, mean_length, l);
    const double expected = expected_of(f.of_length, l0, f.length, lc, mean_length);
    if (parts.deviations) {
      s.off_length += std::fabs(l - expected);
      ++s.measured;
    }
    const auto add_bend = [&](double cosine) {
      s.bend += 1 - cosine;
      s.bend2 += 1 - cosine * cosine;
      ++s.bends;
    };
    if (!has_axis) {
      if (parts.deviations) add_bend(core::dot(w, carried) / std::max(l, 1e-3) / std::max(lc, 1.0));
      continue;
    }
    const V a0 = core::times(1 / std::max(length_of(v.last_axis), 1.0), v.last_axis);
    V a1 = vector_between(axis, parent);
    a1 = core::times(1 / std::max(length_of(a1), 1.0), a1);
    const double along0 = core::dot(w0, a0), along_c = core::dot(carried, a1), along = core::dot(w, a1);
    const double mean_along = mean_of(core::mean_along, along0);
    if (parts.weights) s.of_along.add(along0, f.along, along_c, mean_along, along);
    const double m = expected_of(f.of_along, along0, f.along, along_c, mean_along);
    if (parts.deviations) s.off_along += std::fabs(along - m);
    const V t = core::cross(a1, v.is_key ? nearest_axis_across(a1) : carried);
    V sideways = core::times(1 / std::max(length_of(t), 0.5), t), heading = core::cross(sideways, a1);
    double turn = 0;
    const V s1 = vector_between(rows + of_block(table.second), parent);
    const V t0 = core::cross(a0, s0), t1 = core::cross(a1, s1);
    const double across0 = core::dot(t0, t0), across1 = core::dot(t1, t1);
    if (across0 > 1 && across1 > 1 && across0 > 0.01 * core::dot(s0, s0) && across1 > 0.01 * core::dot(s1, s1)) {
      const V c0 = core::times(1 / std::sqrt(across0), t0), c1 = core::times(1 / std::sqrt(across1), t1);
      const V b0 = core::cross(c0, a0), b1 = core::cross(c1, a1);
      double p = core::dot(w0, b0), q = core::dot(w0, c0);
      const double scale = std::sqrt(across0);
      const double mean_p = mean_of(core::mean_towards, scale * p) / scale;
      const double mean_q = mean_of(core::mean_aside, scale * q) / scale;
      if (parts.weights) {
        // Sines of the angles from the last heading to the mean one, and to that of this frame.
        const double p1 = core::dot(w, b1), q1 = core::dot(w, c1);
        const auto radius = [](double a, double b) { return std::max(std::sqrt(a * a + b * b), 0.5); };
        const double to_mean = (p * mean_q - q * mean_p) / (radius(p, q) * radius(mean_p, mean_q));
        const double to_now = (p * q1 - q * p1) / (radius(p, q) * radius(p1, q1));
        s.heading += to_mean * to_mean;
        s.headed += to_mean * to_now;
      }
      p += f.headed * (mean_p - p);
      q += f.headed * (mean_q - q);
      const double r = std::sqrt(p * p + q * q);
      if (r > 0.5) {
        heading = core::times(1 / r, core::times(p, b1) + core::times(q, c1));
        sideways = core::times(1 / r, core::times(p, c1) - core::times(q, b1));
        turn = core::dot(carried, sideways);
      }
    }
    if (parts.weights) {
      s.turn += turn * turn;
      s.turned += turn * core::dot(w, sideways);
    }
    if (parts.deviations) {
      const double r = std::sqrt(std::max(expected * expected - m * m, 1.0));
      const double by = std::clamp(f.turned * turn, -0.98 * r, 0.98 * r);
      const V direction =
          core::times(1 / r, core::times(by, sideways) + core::times(std::sqrt(r * r - by * by), heading));
      const V flat = w - core::times(along, a1);
      add_bend(core::dot(flat, direction) / std::max(length_of(flat), 1e-3));
    }
  }
}

void Fit::settle(std::vector<Values> &values) const {
  // Classes of few particles lean on the mean of all.
  constexpr double doubt = 8, doubt_of_bends = 2;
  Sums all;
  for (const Sums &s : sums_) all.add(s);
  const auto mean = [](double sum, double count) { return count > 0 ? sum / count : 0; };
  const double off_length = mean(all.off_length, all.measured), off_along = mean(all.off_along, all.measured);
  const double bend = mean(all.bend, all.bends), bend2 = mean(all.bend2, all.bends);
  for (std::size_t c = 0; c < sums_.size(); ++c) {
    const Sums &s = sums_[c];
    Values &f = values[c];
    f.displaced = mean(s.displaced, s.count);
    f.carried = s.carried / (s.moved + 1);
    f.length = mean(s.length, s.count);
    f.along = mean(s.along, s.count);
    f.of_length = s.of_length.solve();
    f.of_along = s.of_along.solve();
    f.headed = s.headed / (s.heading + 1e-3);
    f.turned = (s.turned + 0.3) / (s.turn + 1);
    f.off_length = (s.off_length + doubt * off_length) / (s.measured + doubt);
    f.off_along = (s.off_along + doubt * off_along) / (s.measured + doubt);
    f.bend = (s.bend + doubt_of_bends * bend) / (s.bends + doubt_of_bends);
    f.bend2 = (s.bend2 + doubt_of_bends * bend2) / (s.bends + doubt_of_bends);
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
    const bool is_root = sums_[c].displaced > 0 || f.length == 0;
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
