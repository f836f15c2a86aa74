// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/lattice_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "gpz/codec/parallel.hpp"
#include "gpz/crystal/least_squares.hpp"
#include "gpz/crystal/spring_search.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::model {

using core::difference_of;
using crystal::field_limit;
using crystal::field_stride;
using crystal::rounded_shift;
using crystal::SpringLattice;
using crystal::SpringNetwork;
using crystal::to_field;
using format::corrupt;

namespace {

// What the parameters of a frame have.
enum Parts : std::uint8_t { has_lattice = 1, has_filter = 2, has_drift = 4, all_parts = 7 };

constexpr std::int32_t largest_drift = 1 << 28;
constexpr std::size_t sampled_particles = 4096;
constexpr std::size_t particles_of_thread = 4096;
constexpr int explored_degree = 8;

std::size_t axes_of(const cpu::DifferenceState &state) { return static_cast<std::size_t>(state.components); }

// The mean position, as fields have displacements: `own` is that of the last frame.
std::int32_t way_of_mean(std::int32_t deviation, std::int32_t reciprocal, std::int32_t own, int shift) {
  if (reciprocal == 0) return 0;
  return std::clamp(rounded_shift(8 * core::way_to_mean(deviation, reciprocal), shift) + own, -field_limit,
                    field_limit);
}

// Features of a prediction: the mean position, then polynomials of the displacements in the last frame and in the one
// before, in turn.
std::size_t features_of(int degree) { return 2 * static_cast<std::size_t>(degree + 1) + 1; }

LatticeFilter rounded_filter(const std::vector<double> &x, int degree) {
  LatticeFilter filter;
  filter.degree = degree;
  double sum = 0;
  for (const double c : x) sum += std::fabs(c);
  // Never so in a crystal.
  const double most = static_cast<double>(LatticeFilter::max_sum - 2 * static_cast<std::int64_t>(x.size()));
  const double scale = std::min(std::ldexp(1.0, LatticeFilter::bits), most / std::max(sum, 1e-9));
  const auto round = [&](double c) { return crystal::rounded_coefficient(scale * c); };
  filter.mean = round(x[0]);
  for (std::size_t k = 0; k <= static_cast<std::size_t>(degree); ++k) {
    filter.last[k] = round(x[2 * k + 1]);
    filter.before[k] = round(x[2 * k + 2]);
  }
  return filter;
}

std::vector<double> coefficients_of(const LatticeFilter &filter, std::size_t features) {
  std::vector<double> x(features, 0);
  const double unit = std::ldexp(1.0, -LatticeFilter::bits);
  x[0] = unit * filter.mean;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(filter.degree); ++k) {
    x[2 * k + 1] = unit * filter.last[k];
    x[2 * k + 2] = unit * filter.before[k];
  }
  return x;
}

}  // namespace

void LatticeFilter::write(std::vector<std::uint8_t> &bytes) const {
  format::ByteWriter writer(bytes);
  writer.u8(static_cast<std::uint8_t>(degree));
  writer.u8(static_cast<std::uint8_t>(gain));
  writer.u16(static_cast<std::uint16_t>(mean));
  for (const auto *coefficients : {&last, &before})
    for (std::size_t k = 0; k <= static_cast<std::size_t>(degree); ++k)
      writer.u16(static_cast<std::uint16_t>((*coefficients)[k]));
}

void LatticeFilter::read(format::ByteReader &reader) {
  degree = reader.u8();
  if (degree > max_degree) corrupt("degree of a lattice", reader.position());
  gain = reader.u8();
  if (gain < 1 || gain > whole_gain) corrupt("gain of a lattice", reader.position());
  std::int64_t sum = 0;
  const auto take = [&] {
    const auto coefficient = static_cast<std::int16_t>(reader.u16());
    sum += std::abs(std::int32_t{coefficient});
    return coefficient;
  };
  mean = take();
  last = before = {};
  for (auto *coefficients : {&last, &before})
    for (std::size_t k = 0; k <= static_cast<std::size_t>(degree); ++k) (*coefficients)[k] = take();
  if (sum > max_sum) corrupt("coefficients of a lattice", reader.position());
}

crystal::LatticeField &LatticeModel::Waves::grow(std::size_t particles) {
  if (fields.size() == count) fields.emplace_back();
  fields[count].resize(particles * field_stride);
  return fields[count++];
}

void LatticeModel::begin_frame(const Network &network, const cpu::DifferenceState &state, const core::GridBox &box) {
  if (frame_ == state.frames && network_of_frame_ == network) return;
  const std::size_t n = state.particles;
  const int shift = network->lattice().shift;
  continues_ = network_of_frame_ == network && predicted_at_ != 0 && predicted_at_ == frame_ &&
               predicted_at_ + 1 == state.frames;
  if (continues_) std::swap(before_, last_);
  last_.count = 0;
  gain_ = 0;
  frame_ = state.frames;
  network_of_frame_ = network;

  // Displacements less their mean. Those that are too large are not known.
  const auto displacements = [&](crystal::LatticeField &out, std::array<std::int32_t, core::max_components> &mean,
                                 const auto &index) {
    out.assign(n * field_stride, 0);
    for (std::size_t i = 0; i < n; ++i) out[i * field_stride + 3] = network->is_placed(i) ? 1 : 0;
    for (std::size_t d = 0; d < axes_of(state); ++d) {
      const core::GridAxis axis = core::checked_axis(box[d]);
      away_[d].resize(n);
      for (std::size_t i = 0; i < n; ++i) {
        if (!network->is_placed(i)) continue;
        away_[d][i] = network->from_place(i, d, index(d, i), axis);
        const std::int32_t u = rounded_shift(away_[d][i], shift);
        if (u < -field_limit || u > field_limit) out[i * field_stride + 3] = 0;
      }
    }
    std::int64_t count = 0;
    for (std::size_t i = 0; i < n; ++i) count += out[i * field_stride + 3];
    for (std::size_t d = 0; d < axes_of(state); ++d) {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < n; ++i)
        if (out[i * field_stride + 3] != 0) sum += rounded_shift(away_[d][i], shift);
      mean[d] = count == 0 ? 0 : static_cast<std::int32_t>(sum / count);
      for (std::size_t i = 0; i < n; ++i)
        if (out[i * field_stride + 3] != 0)
          out[i * field_stride + d] = to_field(rounded_shift(away_[d][i], shift) - mean[d]);
    }
  };
  if (!continues_) before_.count = 0;
  if (!continues_)
    displacements(before_.grow(n), mean_, [&](std::size_t d, std::size_t i) {
      return difference_of(state.axes[d].last[i], state.axes[d].velocity[i]);
    });
  displacements(displaced_, mean_, [&](std::size_t d, std::size_t i) { return state.axes[d].last[i]; });
}

void LatticeModel::take_gain(int gain) {
  if (!continues_) gain = LatticeFilter::whole_gain;
  if (gain == gain_) return;
  gain_ = gain;
  last_.count = 0;
  crystal::LatticeField &field = last_.grow(displaced_.size() / field_stride);
  field = displaced_;
  if (gain == LatticeFilter::whole_gain) return;
  for (std::size_t i = 0; i < field.size(); i += field_stride) {
    if (field[i + 3] == 0) continue;
    for (std::size_t d = 0; d < core::max_components; ++d) {
      const std::int32_t expected = predicted_[i + d];
      field[i + d] = to_field(expected + ((gain * (field[i + d] - expected) + 32) >> 6));
    }
  }
}

void LatticeModel::raise(const SpringNetwork &network, Waves &waves, int degree, int threads) const {
  const std::size_t n = network.particles();
  threads = cpu::thread_count(threads, n / particles_of_thread + 1);
  while (waves.count < static_cast<std::size_t>(degree) + 1) {
    const std::size_t k = waves.count;
    crystal::LatticeField &next = waves.grow(n);
    cpu::parallel_ranges(threads, n, [&](int, std::uint64_t first, std::uint64_t last) {
      network.step(waves[k - 1], k < 2 ? nullptr : &waves[k - 2], next, first, last);
    });
  }
}

int LatticeModel::best_gain(const SpringNetwork &network, const cpu::DifferenceState &state, const cpu::IndexColumns &q,
                            const core::GridBox &box, int threads) {
  // Now and then, less often as time goes on.
  const std::uint64_t t = state.frames;
  const bool looks = (t & (t - 1)) == 0 || (t % 3 == 0 && (t / 3 & (t / 3 - 1)) == 0);
  if (!continues_ || t < 3 || !looks || filter_.degree == 0) return filter_.gain;
  Waves expected;
  expected.grow(state.particles) = predicted_;
  Waves surprise;
  crystal::LatticeField &left_over = surprise.grow(state.particles);
  for (std::size_t i = 0; i < predicted_.size(); ++i)
    left_over[i] = displaced_[i / field_stride * field_stride + 3] == 0 ? 0 : to_field(displaced_[i] - predicted_[i]);
  raise(network, expected, filter_.degree, threads);
  raise(network, surprise, filter_.degree, threads);
  raise(network, before_, filter_.degree, threads);
  const int shift = network.lattice().shift;
  const std::int32_t reciprocal = core::reciprocal_of(state.frames);
  double products = 0;
  double squares = 0;
  const std::size_t stride = (state.particles - 1) / sampled_particles + 1;
  for (std::size_t d = 0; d < axes_of(state); ++d) {
    const core::GridAxis axis = core::checked_axis(box[d]);
    for (std::size_t i = 0; i < state.particles; i += stride) {
      const std::size_t at = i * field_stride + d;
      if (displaced_[i * field_stride + 3] == 0) continue;
      const std::int32_t now = rounded_shift(network.from_place(i, d, q[d][i], axis), shift) - mean_[d];
      if (now < -field_limit || now > field_limit) continue;
      std::int64_t without =
          std::int64_t{filter_.mean} * way_of_mean(state.axes[d].deviation[i], reciprocal, displaced_[at], shift);
      std::int64_t with = 0;
      for (std::size_t k = 0; k <= static_cast<std::size_t>(filter_.degree); ++k) {
        without += filter_.last[k] * expected[k][at] + filter_.before[k] * before_[k][at];
        with += filter_.last[k] * surprise[k][at];
      }
      const double left = std::ldexp(now, LatticeFilter::bits) - static_cast<double>(without);
      products += left * static_cast<double>(with);
      squares += static_cast<double>(with) * static_cast<double>(with);
    }
  }
  if (!(squares > 0)) return filter_.gain;
  const double gain = std::clamp(products / squares * LatticeFilter::whole_gain, 4.0, 64.0);
  const auto rounded = static_cast<int>(std::lround(gain));
  return std::abs(rounded - filter_.gain) <= 2 ? filter_.gain : rounded >= 62 ? LatticeFilter::whole_gain : rounded;
}

LatticeModel::Network LatticeModel::find_network(const cpu::DifferenceState &state, const core::GridBox &box) {
  const auto rebuilt = [&](const SpringNetwork &network) {
    auto now = std::make_shared<SpringNetwork>();
    return now->build(network.lattice(), state, box) ? Network(std::move(now)) : nullptr;
  };
  // Particles that arrive have no places in the network, until it is built again.
  if (network_ != nullptr) {
    if (state.frames < built_at_ + 8 || state.particles - network_->placed() <= placeless_ + state.particles / 64)
      return network_;
    found_ = rebuilt(*network_);
    found_at_ = state.frames;
    if (found_ == nullptr) placeless_ = state.particles;
    return found_ == nullptr ? network_ : found_;
  }
  // A lattice that is there but was not of use is tried again now and then.
  if (!searched_) {
    auto network = std::make_shared<SpringNetwork>();
    if (crystal::find_springs(state, box, *network)) found_ = std::move(network);
    searched_ = true;
  } else if (found_ != nullptr && found_at_ != state.frames) {
    if ((state.frames & (state.frames - 1)) != 0) return nullptr;
    found_ = rebuilt(*found_);
  }
  found_at_ = state.frames;
  return found_;
}

bool LatticeModel::fit(const cpu::DifferenceState &state, const cpu::IndexColumns &q, const core::GridBox &box,
                       std::vector<std::uint8_t> &bytes, int threads) {
  if (state.plain || state.frames == 0 || state.particles == 0) return false;
  const Network network = find_network(state, box);
  if (network == nullptr) return false;
  const bool is_new = network != network_;

  begin_frame(network, state, box);
  const bool explores = is_new || state.frames < 4;
  const int gain = is_new ? LatticeFilter::whole_gain : best_gain(*network, state, q, box, threads);
  // With a history of three frames, the degree is looked for; it stays as it is then.
  const int degree = explores ? explored_degree : filter_.degree;
  take_gain(gain);
  raise(*network, last_, degree, threads);
  raise(*network, before_, degree, threads);
  const std::size_t features = features_of(degree);
  crystal::LeastSquares equations(features);
  struct Sums {
    double target = 0;
    std::vector<double> features;
    double count = 0;
  };
  std::array<Sums, core::max_components> sums;
  std::vector<double> row(features);
  const int shift = network->lattice().shift;
  const std::int32_t reciprocal = core::reciprocal_of(state.frames);
  const std::size_t stride = (state.particles - 1) / sampled_particles + 1;
  for (std::size_t d = 0; d < axes_of(state); ++d) {
    sums[d].features.assign(features, 0);
    const core::GridAxis axis = core::checked_axis(box[d]);
    for (std::size_t i = 0; i < state.particles; i += stride) {
      if (displaced_[i * field_stride + 3] == 0) continue;
      const std::int32_t now = rounded_shift(network->from_place(i, d, q[d][i], axis), shift) - mean_[d];
      if (now < -field_limit || now > field_limit) continue;
      row[0] = way_of_mean(state.axes[d].deviation[i], reciprocal, displaced_[i * field_stride + d], shift);
      for (std::size_t k = 0; k <= static_cast<std::size_t>(degree); ++k) {
        row[2 * k + 1] = last_[k][i * field_stride + d];
        row[2 * k + 2] = before_[k][i * field_stride + d];
      }
      equations.add(row.data(), now);
      sums[d].target += now;
      for (std::size_t f = 0; f < features; ++f) sums[d].features[f] += row[f];
      ++sums[d].count;
    }
  }

  // The lowest degree that is nearly as good as the highest.
  constexpr double nearly = 1.007;  // of squares: 0.005 bits a value
  constexpr double ridge = 1e-7;
  LatticeFilter fitted;
  double left = 0;
  const double best = equations.squares_left(equations.solve(ridge));
  for (int k = explores ? 0 : degree; k <= degree; ++k) {
    fitted = rounded_filter(equations.solve(ridge, features_of(k)), k);
    fitted.gain = gain;
    left = equations.squares_left(coefficients_of(fitted, features));
    if (left <= nearly * best) break;
  }
  bool use_fitted = true;
  std::vector<std::uint8_t> filter_bytes;
  fitted.write(filter_bytes);
  if (!is_new && filter_.degree <= degree && filter_.gain == gain) {
    const double values = static_cast<double>(state.particles) * state.components;
    const double price = crystal::factor_for(8 * static_cast<double>(filter_bytes.size()), values);
    use_fitted = equations.squares_left(coefficients_of(filter_, features)) > price * left;
  }
  const std::vector<double> coefficients = coefficients_of(use_fitted ? fitted : filter_, features);
  std::array<std::int32_t, core::max_components> drift{};
  for (std::size_t d = 0; d < axes_of(state); ++d) {
    if (sums[d].count == 0) continue;
    double sum = sums[d].target;
    for (std::size_t f = 0; f < features; ++f) sum -= coefficients[f] * sums[d].features[f];
    const double way = std::clamp(std::ldexp(sum / sums[d].count, shift), -1.0 * largest_drift, 1.0 * largest_drift);
    drift[d] = static_cast<std::int32_t>(std::lround(way));
  }
  // Less than that costs less than its bytes.
  const double negligible = std::ldexp(std::sqrt(left / static_cast<double>(equations.count() + 1)), shift) / 32;
  const bool drifts = std::any_of(drift.begin(), drift.end(), [&](std::int32_t x) { return std::abs(x) > negligible; });

  format::ByteWriter writer(bytes);
  writer.u8(
      static_cast<std::uint8_t>((is_new ? has_lattice : 0) | (use_fitted ? has_filter : 0) | (drifts ? has_drift : 0)));
  if (is_new) network->lattice().write(bytes);
  if (use_fitted) bytes.insert(bytes.end(), filter_bytes.begin(), filter_bytes.end());
  if (drifts)
    for (const std::int32_t x : drift) writer.u32(static_cast<std::uint32_t>(x));
  return true;
}

void LatticeModel::remember_search(const LatticeModel &tried) {
  searched_ = tried.searched_;
  if (network_ != nullptr) return;
  found_ = tried.network_ != nullptr ? tried.network_ : tried.found_;
  found_at_ = tried.network_ != nullptr ? tried.built_at_ : tried.found_at_;
}

std::size_t LatticeModel::read(const cpu::DifferenceState &state, const std::uint8_t *bytes, std::size_t size,
                               const core::GridBox &box) {
  format::ByteReader reader(bytes, size);
  const std::uint8_t parts = reader.u8();
  if (parts > all_parts) corrupt("parameters of a lattice", 0);
  if ((parts & has_lattice) != 0) {
    SpringLattice lattice;
    lattice.read(reader);
    if (found_ != nullptr && found_at_ == state.frames && found_->lattice() == lattice) {
      network_ = found_;
    } else {
      auto network = std::make_shared<SpringNetwork>();
      if (!network->build(lattice, state, box)) corrupt("a lattice with too many neighbours", 0);
      network_ = std::move(network);
    }
    found_ = nullptr;
    filter_ = {};
    built_at_ = state.frames;
    placeless_ = state.particles - network_->placed();
  }
  if (network_ == nullptr || network_->particles() != state.particles) corrupt("a lattice that was not stored", 0);
  if ((parts & has_filter) != 0) filter_.read(reader);
  drift_ = {};
  if ((parts & has_drift) != 0)
    for (std::int32_t &x : drift_) {
      x = static_cast<std::int32_t>(reader.u32());
      if (x < -largest_drift || x > largest_drift) corrupt("drift of a lattice", reader.position());
    }
  return reader.position();
}

void LatticeModel::expect(const cpu::DifferenceState &state, const core::GridBox &box, Expectation &out, int threads) {
  const SpringNetwork &network = *network_;
  const std::size_t n = state.particles;
  const auto highest = [&](const auto &coefficients) {
    int degree = filter_.degree;
    while (degree > 0 && coefficients[static_cast<std::size_t>(degree)] == 0) --degree;
    return degree;
  };
  begin_frame(network_, state, box);
  take_gain(filter_.gain);
  raise(network, last_, highest(filter_.last), threads);
  raise(network, before_, highest(filter_.before), threads);
  for (std::size_t d = 0; d < out.size(); ++d) out[d].resize(d < axes_of(state) ? n : 0);
  predicted_.resize(n * field_stride);
  predicted_at_ = state.frames;
  const std::int32_t reciprocal = core::reciprocal_of(state.frames);
  cpu::parallel_ranges(cpu::thread_count(threads, n / particles_of_thread + 1), n,
                       [&](int, std::uint64_t first, std::uint64_t last) {
                         constexpr std::size_t block = 1024;
                         for (std::size_t from = first; from < last; from += block)
                           expect_range(state, from, std::min<std::size_t>(block, last - from), reciprocal, out);
                       });
}

void LatticeModel::expect_range(const cpu::DifferenceState &state, std::size_t from, std::size_t count,
                                std::int32_t reciprocal, Expectation &out) {
  std::int32_t sum[1024 * field_stride];
  std::fill_n(sum, count * field_stride, 1 << (LatticeFilter::bits - 1));
  const auto add = [&](const Waves &waves, const auto &coefficients) {
    for (std::size_t k = 0; k <= static_cast<std::size_t>(filter_.degree) && k < waves.count; ++k) {
      const std::int16_t coefficient = coefficients[k];
      if (coefficient == 0) continue;
      const std::int16_t *const x = &waves[k][from * field_stride];
      for (std::size_t j = 0; j < count * field_stride; ++j) sum[j] += coefficient * x[j];
    }
  };
  add(last_, filter_.last);
  add(before_, filter_.before);
  const int shift = network_->lattice().shift;
  const std::int64_t unit = std::int64_t{1} << shift;
  for (std::size_t d = 0; d < axes_of(state); ++d)
    for (std::size_t j = 0; j < count; ++j) {
      const std::size_t i = from + j;
      const std::size_t at = i * field_stride;
      out[d][i] = 0;
      predicted_[at + d] = 0;
      if (displaced_[at + 3] == 0) continue;
      std::int32_t all = sum[j * field_stride + d];
      if (filter_.mean != 0)
        all += filter_.mean * way_of_mean(state.axes[d].deviation[i], reciprocal, displaced_[at + d], shift);
      const std::int32_t filtered = all >> LatticeFilter::bits;
      predicted_[at + d] = to_field(filtered);
      out[d][i] = static_cast<std::int32_t>(std::clamp<std::int64_t>(
          (std::int64_t{filtered} + mean_[d]) * unit + drift_[d] - away_[d][i], -expectation_limit, expectation_limit));
    }
}

void LatticeModel::keep(const std::uint32_t *kept, std::size_t count) {
  found_ = nullptr;
  if (network_ == nullptr) return;
  auto network = std::make_shared<SpringNetwork>(*network_);
  network->keep(kept, count);
  network_ = std::move(network);
  // What there is of the frame before stays.
  const auto keep_in = [&](crystal::LatticeField &field) {
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(&field[kept[i] * field_stride], field_stride, &field[i * field_stride]);
    field.resize(count * field_stride);
  };
  change_particles(keep_in);
}

void LatticeModel::add(std::size_t count) {
  found_ = nullptr;
  if (network_ == nullptr) return;
  auto network = std::make_shared<SpringNetwork>(*network_);
  network->add(count);
  network_ = std::move(network);
  change_particles([&](crystal::LatticeField &field) { field.resize(field.size() + count * field_stride, 0); });
}

template <typename Change>
void LatticeModel::change_particles(const Change &change) {
  const bool predicted = predicted_at_ != 0 && predicted_at_ == frame_ && last_.count != 0;
  before_.count = 0;
  if (!predicted) {
    predicted_at_ = 0;
    frame_ = 0;
    return;
  }
  last_.count = 1;
  change(last_.fields[0]);
  change(predicted_);
  network_of_frame_ = network_;
}

std::size_t LatticeModel::memory_usage() const {
  std::size_t bytes = cpu::memory_of(predicted_, away_, displaced_, last_.fields, before_.fields);
  // The three may be the same one.
  if (network_ != nullptr) bytes += network_->memory_usage();
  if (network_of_frame_ != nullptr && network_of_frame_ != network_) bytes += network_of_frame_->memory_usage();
  if (found_ != nullptr && found_ != network_ && found_ != network_of_frame_) bytes += found_->memory_usage();
  return bytes;
}

void LatticeModel::forget() { *this = LatticeModel(); }

}  // namespace gpz::model
