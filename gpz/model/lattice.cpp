// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "gpz/cpu/parallel.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/model/lattice_search.hpp"
#include "gpz/model/least_squares.hpp"

namespace gpz::model {

using core::difference_of;
using format::corrupt;

namespace {

// What the parameters of a frame have.
enum Parts : std::uint8_t { has_lattice = 1, has_filter = 2, has_drift = 4, all_parts = 7 };

constexpr std::int32_t largest_drift = 1 << 28;
constexpr std::size_t sampled_particles = 4096;
constexpr std::size_t particles_of_thread = 4096;

std::size_t axes_of(const cpu::DifferenceState &state) { return static_cast<std::size_t>(state.components); }

std::int32_t scaled(std::int32_t x, int shift) { return shift == 0 ? x : (x + (1 << (shift - 1))) >> shift; }

// The mean position, as fields have displacements: `own` is that of the last frame.
std::int32_t way_of_mean(std::int32_t deviation, std::int32_t reciprocal, std::int32_t own, int shift) {
  if (reciprocal == 0) return 0;
  return std::clamp(scaled(8 * core::way_to_mean(deviation, reciprocal), shift) + own, -field_limit, field_limit);
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
  const auto round = [&](double c) {
    return static_cast<std::int16_t>(std::lround(std::clamp(scale * c, -32767.0, 32767.0)));
  };
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
  const auto count = static_cast<std::size_t>(degree) + 1;
  for (const auto *coefficients : {&last, &before})
    for (std::size_t k = 0; k < count; ++k) writer.u16(static_cast<std::uint16_t>((*coefficients)[k]));
  writer.u16(static_cast<std::uint16_t>(mean));
}

void LatticeFilter::read(format::ByteReader &reader) {
  degree = reader.u8();
  if (degree > max_degree) corrupt("degree of a lattice", reader.position());
  last = before = {};
  std::int64_t sum = 0;
  const auto take = [&] {
    const auto coefficient = static_cast<std::int16_t>(reader.u16());
    sum += std::abs(std::int32_t{coefficient});
    return coefficient;
  };
  for (auto *coefficients : {&last, &before})
    for (std::size_t k = 0; k <= static_cast<std::size_t>(degree); ++k) (*coefficients)[k] = take();
  mean = take();
  if (sum > max_sum) corrupt("coefficients of a lattice", reader.position());
}

void LatticeModel::find_displacements(const LatticeNetwork &network, const cpu::DifferenceState &state,
                                      const core::GridBox &box, bool before, Waves &out) const {
  const std::size_t n = state.particles;
  const int shift = network.lattice().shift;
  out.fields.resize(1);
  LatticeField &field = out.fields[0];
  field.assign(n * field_stride, 0);
  std::array<std::int64_t, core::max_components> sum{};
  std::int64_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!network.is_placed(i)) continue;
    std::array<std::int32_t, core::max_components> u{};
    bool fits = true;
    for (std::size_t d = 0; d < axes_of(state); ++d) {
      const cpu::DifferenceState::Axis &axis = state.axes[d];
      const std::int64_t q = before ? difference_of(axis.last[i], axis.velocity[i]) : axis.last[i];
      u[d] = scaled(network.from_place(i, d, q, core::checked_axis(box[d])), shift);
      fits = fits && u[d] >= -field_limit && u[d] <= field_limit;
    }
    if (!fits) continue;
    ++count;
    for (std::size_t d = 0; d < axes_of(state); ++d) {
      sum[d] += u[d];
      field[i * field_stride + d] = static_cast<std::int16_t>(u[d]);
    }
    field[i * field_stride + 3] = 1;  // until the mean is known
  }
  for (std::size_t d = 0; d < axes_of(state); ++d)
    out.mean[d] = count == 0 ? 0 : static_cast<std::int32_t>(sum[d] / count);
  for (std::size_t i = 0; i < n; ++i) {
    if (field[i * field_stride + 3] == 0) continue;
    for (std::size_t d = 0; d < axes_of(state); ++d) {
      const std::int32_t u = field[i * field_stride + d] - out.mean[d];
      field[i * field_stride + d] = static_cast<std::int16_t>(std::clamp(u, -field_limit, field_limit));
    }
    field[i * field_stride + 3] = 0;
  }
}

void LatticeModel::raise(const LatticeNetwork &network, Waves &waves, int degree, int threads) const {
  const std::size_t n = network.particles();
  threads = cpu::thread_count(threads, n / particles_of_thread + 1);
  while (waves.fields.size() < static_cast<std::size_t>(degree) + 1) {
    waves.fields.emplace_back(n * field_stride);
    const std::size_t k = waves.fields.size() - 1;
    cpu::parallel_ranges(threads, n, [&](int, std::uint64_t first, std::uint64_t last) {
      network.step(waves.fields[k - 1], k < 2 ? nullptr : &waves.fields[k - 2], waves.fields[k], first, last);
    });
  }
}

void LatticeModel::drop_waves() {
  last_ = {};
  before_ = {};
  waves_of_.reset();
}

void LatticeModel::find_waves(const std::shared_ptr<const LatticeNetwork> &network, const cpu::DifferenceState &state,
                              const core::GridBox &box, int degree_of_last, int degree_before, int threads) {
  if (waves_of_ != network) drop_waves();
  waves_of_ = network;
  if (last_.frames != state.frames) {
    Waves now;
    find_displacements(*network, state, box, true, now);
    // Mostly this was the last frame of the history before.
    if (last_.frames != 0 && last_.frames + 1 == state.frames && last_.mean == now.mean &&
        last_.fields[0] == now.fields[0])
      before_ = std::move(last_);
    else
      before_ = std::move(now);
    last_ = {};
    find_displacements(*network, state, box, false, last_);
    last_.frames = state.frames;
  }
  raise(*network, last_, degree_of_last, threads);
  raise(*network, before_, degree_before, threads);
}

std::shared_ptr<const LatticeNetwork> LatticeModel::find_network(const cpu::DifferenceState &state,
                                                                 const core::GridBox &box) {
  if (network_ != nullptr) return network_;
  // A lattice that is there but was not of use is tried again now and then.
  if (!searched_) {
    auto network = std::make_shared<LatticeNetwork>();
    if (find_lattice(state, box, *network)) found_ = std::move(network);
    searched_ = true;
  } else if (found_ != nullptr && found_at_ != state.frames) {
    if ((state.frames & (state.frames - 1)) != 0) return nullptr;
    auto network = std::make_shared<LatticeNetwork>();
    found_ = network->build(found_->lattice(), state, box) ? std::move(network) : nullptr;
  }
  found_at_ = state.frames;
  return found_;
}

bool LatticeModel::fit(const cpu::DifferenceState &state, const cpu::IndexColumns &q, const core::GridBox &box,
                       std::vector<std::uint8_t> &bytes, int threads) {
  if (state.plain || state.frames == 0 || state.particles == 0) return false;
  const std::shared_ptr<const LatticeNetwork> network = find_network(state, box);
  if (network == nullptr) return false;
  const bool is_new = network_ == nullptr;

  // With a history of three frames, the degree is looked for; it stays as it is then.
  constexpr int explored = 8;
  const int degree = is_new || state.frames < 4 ? explored : filter_.degree;
  find_waves(network, state, box, degree, degree, threads);
  const std::size_t features = features_of(degree);
  LeastSquares equations(features);
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
      if (!network->is_placed(i)) continue;
      const std::int32_t now = scaled(network->from_place(i, d, q[d][i], axis), shift) - last_.mean[d];
      if (now < -field_limit || now > field_limit) continue;
      row[0] = way_of_mean(state.axes[d].deviation[i], reciprocal, last_.fields[0][i * field_stride + d], shift);
      for (std::size_t k = 0; k <= static_cast<std::size_t>(degree); ++k) {
        row[2 * k + 1] = last_.fields[k][i * field_stride + d];
        row[2 * k + 2] = before_.fields[k][i * field_stride + d];
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
  for (int k = is_new || state.frames < 4 ? 0 : degree; k <= degree; ++k) {
    fitted = rounded_filter(equations.solve(ridge, features_of(k)), k);
    left = equations.squares_left(coefficients_of(fitted, features));
    if (left <= nearly * best) break;
  }
  bool use_fitted = true;
  std::vector<std::uint8_t> filter_bytes;
  fitted.write(filter_bytes);
  if (!is_new && filter_.degree <= degree) {
    const double values = static_cast<double>(state.particles) * state.components;
    const double price = 1 + 2 * 0.6931471805599453 * 8 * static_cast<double>(filter_bytes.size()) / values;
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

std::size_t LatticeModel::read(const cpu::DifferenceState &state, const std::uint8_t *bytes, std::size_t size,
                               const core::GridBox &box) {
  format::ByteReader reader(bytes, size);
  const std::uint8_t parts = reader.u8();
  if (parts > all_parts) corrupt("parameters of a lattice", 0);
  if ((parts & has_lattice) != 0) {
    Lattice lattice;
    lattice.read(reader);
    if (found_ != nullptr && found_at_ == state.frames && found_->lattice() == lattice) {
      network_ = found_;
    } else {
      auto network = std::make_shared<LatticeNetwork>();
      if (!network->build(lattice, state, box)) corrupt("a lattice with too many neighbours", 0);
      network_ = std::move(network);
    }
    found_ = nullptr;
    filter_ = {};
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
  const LatticeNetwork &network = *network_;
  const std::size_t n = state.particles;
  const auto highest = [&](const auto &coefficients) {
    int degree = filter_.degree;
    while (degree > 0 && coefficients[static_cast<std::size_t>(degree)] == 0) --degree;
    return degree;
  };
  find_waves(network_, state, box, highest(filter_.last), highest(filter_.before), threads);
  for (std::size_t d = 0; d < axes_of(state); ++d) out[d].resize(n);
  const int shift = network.lattice().shift;
  const std::int32_t reciprocal = core::reciprocal_of(state.frames);
  cpu::parallel_ranges(
      cpu::thread_count(threads, n / particles_of_thread + 1), n, [&](int, std::uint64_t first, std::uint64_t last) {
        constexpr std::size_t block = 1024;
        std::int32_t sum[block * field_stride];
        for (std::size_t from = first; from < last; from += block) {
          const std::size_t count = std::min<std::size_t>(block, last - from);
          std::fill_n(sum, count * field_stride, 1 << (LatticeFilter::bits - 1));
          const auto add = [&](const LatticeField &field, std::int16_t coefficient) {
            if (coefficient == 0) return;
            const std::int16_t *const x = &field[from * field_stride];
            for (std::size_t j = 0; j < count * field_stride; ++j) sum[j] += coefficient * x[j];
          };
          for (std::size_t k = 0; k < last_.fields.size() && k <= static_cast<std::size_t>(filter_.degree); ++k)
            add(last_.fields[k], filter_.last[k]);
          for (std::size_t k = 0; k < before_.fields.size() && k <= static_cast<std::size_t>(filter_.degree); ++k)
            add(before_.fields[k], filter_.before[k]);
          for (std::size_t d = 0; d < axes_of(state); ++d) {
            const core::GridAxis axis = core::checked_axis(box[d]);
            const cpu::DifferenceState::Axis &history = state.axes[d];
            for (std::size_t j = 0; j < count; ++j) {
              const std::size_t i = from + j;
              out[d][i] = 0;
              if (!network.is_placed(i)) continue;
              const std::int32_t away = network.from_place(i, d, history.last[i], axis);
              const std::int32_t u = scaled(away, shift);
              if (u < -field_limit || u > field_limit) continue;
              const std::int32_t own = last_.fields[0][i * field_stride + d];
              const std::int32_t filtered =
                  (sum[j * field_stride + d] +
                   filter_.mean * way_of_mean(history.deviation[i], reciprocal, own, shift)) >>
                  LatticeFilter::bits;
              const std::int64_t place = (std::int64_t{filtered} + last_.mean[d]) * (std::int64_t{1} << shift);
              out[d][i] = static_cast<std::int32_t>(
                  std::clamp<std::int64_t>(place + drift_[d] - away, -expectation_limit, expectation_limit));
            }
          }
        }
      });
}

void LatticeModel::keep(const std::uint32_t *kept, std::size_t count) {
  drop_waves();
  found_ = nullptr;
  if (network_ == nullptr) return;
  auto network = std::make_shared<LatticeNetwork>(*network_);
  network->keep(kept, count);
  network_ = std::move(network);
}

void LatticeModel::add(std::size_t count) {
  drop_waves();
  found_ = nullptr;
  if (network_ == nullptr) return;
  auto network = std::make_shared<LatticeNetwork>(*network_);
  network->add(count);
  network_ = std::move(network);
}

void LatticeModel::forget() { *this = LatticeModel(); }

}  // namespace gpz::model
