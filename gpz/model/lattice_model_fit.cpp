// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "gpz/crystal/least_squares.hpp"
#include "gpz/crystal/spring_search.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/model/lattice_model.hpp"
#include "gpz/model/lattice_parts.hpp"

namespace gpz::model {

using crystal::field_limit;
using crystal::field_stride;
using crystal::rounded_shift;
using crystal::SpringNetwork;
using crystal::to_field;

namespace {

constexpr std::size_t sampled_particles = 4096;
constexpr int explored_degree = 8;

std::size_t axes_of(const codec::DifferenceState &state) { return static_cast<std::size_t>(state.components); }

}  // namespace

int LatticeModel::best_gain(const SpringNetwork &network, const codec::DifferenceState &state,
                            const codec::IndexColumns &q, const core::GridBox &box, int threads) {
  // Fits the gain only at frames 2^k and 3 * 2^k of the history.
  const std::uint64_t t = state.frames;
  const bool looks = (t & (t - 1)) == 0 || (t % 3 == 0 && (t / 3 & (t / 3 - 1)) == 0);
  if (!frame_.continues() || t < 3 || !looks || filter_.degree == 0) return filter_.gain;
  const crystal::LatticeField &displaced = frame_.displaced();
  const LatticeWaves &before = frame_.before();
  LatticeWaves expected;
  expected.grow(state.particles) = predicted_.field;
  LatticeWaves surprise;
  crystal::LatticeField &left_over = surprise.grow(state.particles);
  for (std::size_t i = 0; i < displaced.size(); ++i)
    left_over[i] = frame_.is_known(i / field_stride) ? to_field(displaced[i] - predicted_.field[i]) : 0;
  for (LatticeWaves *waves : {&expected, &surprise, &frame_.before()}) waves->raise(network, filter_.degree, threads);
  const int shift = network.lattice().shift;
  const std::int32_t reciprocal = core::reciprocal_of(state.frames);
  double products = 0;
  double squares = 0;
  const std::size_t stride = crystal::sample_stride(state.particles, sampled_particles);
  for (std::size_t d = 0; d < axes_of(state); ++d) {
    const core::GridAxis axis = core::checked_axis(box[d]);
    for (std::size_t i = 0; i < state.particles; i += stride) {
      const std::size_t at = i * field_stride + d;
      if (!frame_.is_known(i)) continue;
      const std::int32_t now = rounded_shift(network.offset_from_ideal(i, d, q[d][i], axis), shift) - frame_.mean(d);
      if (now < -field_limit || now > field_limit) continue;
      std::int64_t without =
          std::int64_t{filter_.mean} * offset_of_mean(state.axes[d].deviation[i], reciprocal, displaced[at], shift);
      std::int64_t with = 0;
      for (std::size_t k = 0; k <= static_cast<std::size_t>(filter_.degree); ++k) {
        without += filter_.last[k] * expected[k][at] + filter_.before[k] * before[k][at];
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

NetworkPointer LatticeModel::find_network(const codec::DifferenceState &state, const core::GridBox &box, int threads,
                                          Search &search, Update &update) const {
  const auto rebuilt = [&](const SpringNetwork &network) {
    auto now = std::make_shared<SpringNetwork>();
    return now->build(network.lattice(), state, box, threads) ? NetworkPointer(std::move(now)) : nullptr;
  };
  // Arriving particles have no site until the network is rebuilt. Rebuild it once enough have arrived.
  if (network_ != nullptr) {
    if (state.frames < built_at_ + 8 || state.particles - network_->placed() <= unplaced_ + state.particles / 64)
      return network_;
    NetworkPointer now = rebuilt(*network_);
    if (now == nullptr) update.unplaced = state.particles;
    return now == nullptr ? network_ : now;
  }
  // A lattice that was found but did not help is tried again at frames 2^k.
  if (!search.searched) {
    auto network = std::make_shared<SpringNetwork>();
    if (crystal::find_springs(state, box, *network, threads)) search.found = std::move(network);
    search.searched = true;
  } else if (search.found != nullptr && search.found_at != state.frames) {
    if ((state.frames & (state.frames - 1)) != 0) return nullptr;
    search.found = rebuilt(*search.found);
  }
  search.found_at = state.frames;
  return search.found;
}

bool LatticeModel::fit(const codec::DifferenceState &state, const codec::IndexColumns &q, const core::GridBox &box,
                       Search &search, Update &update, std::vector<std::uint8_t> &bytes, int threads) {
  if (state.plain || state.frames == 0 || state.particles == 0) return false;
  update = begin_update();
  const NetworkPointer network = find_network(state, box, threads, search, update);
  if (network == nullptr) return false;
  const bool is_new = network != network_;

  frame_.begin(network, state, box, predicted_, threads);
  const bool explores = is_new || state.frames < 4;
  const int gain = is_new ? LatticeFilter::whole_gain : best_gain(*network, state, q, box, threads);
  // The degree is chosen for a new network or a short history, and kept afterwards.
  const int degree = explores ? explored_degree : filter_.degree;
  frame_.take_gain(gain, predicted_, threads);
  for (LatticeWaves *waves : {&frame_.last(), &frame_.before()}) waves->raise(*network, degree, threads);
  const crystal::LatticeField &displaced = frame_.displaced();
  const LatticeWaves &last = frame_.last();
  const LatticeWaves &before = frame_.before();
  const std::size_t features = LatticeFilter::coefficients(degree);
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
  const std::size_t stride = crystal::sample_stride(state.particles, sampled_particles);
  for (std::size_t d = 0; d < axes_of(state); ++d) {
    sums[d].features.assign(features, 0);
    const core::GridAxis axis = core::checked_axis(box[d]);
    for (std::size_t i = 0; i < state.particles; i += stride) {
      if (!frame_.is_known(i)) continue;
      const std::int32_t now = rounded_shift(network->offset_from_ideal(i, d, q[d][i], axis), shift) - frame_.mean(d);
      if (now < -field_limit || now > field_limit) continue;
      row[0] = offset_of_mean(state.axes[d].deviation[i], reciprocal, displaced[i * field_stride + d], shift);
      for (std::size_t k = 0; k <= static_cast<std::size_t>(degree); ++k) {
        row[2 * k + 1] = last[k][i * field_stride + d];
        row[2 * k + 2] = before[k][i * field_stride + d];
      }
      equations.add(row.data(), now);
      sums[d].target += now;
      for (std::size_t f = 0; f < features; ++f) sums[d].features[f] += row[f];
      ++sums[d].count;
    }
  }

  // Choose the lowest degree that is nearly as good as the highest.
  constexpr double nearly = 1.007;  // ratio of squares, 0.005 bits per value
  constexpr double ridge = 1e-7;
  LatticeFilter fitted;
  double left = 0;
  const double best = equations.squares_left(equations.solve(ridge));
  for (int k = explores ? 0 : degree; k <= degree; ++k) {
    fitted = LatticeFilter::rounded(equations.solve(ridge, LatticeFilter::coefficients(k)), k);
    fitted.gain = gain;
    left = equations.squares_left(fitted.values(features));
    if (left <= nearly * best) break;
  }
  bool use_fitted = true;
  std::vector<std::uint8_t> filter_bytes;
  fitted.write(filter_bytes);
  if (!is_new && filter_.degree <= degree && filter_.gain == gain) {
    const double values = static_cast<double>(state.particles) * state.components;
    const double price = crystal::factor_for(8 * static_cast<double>(filter_bytes.size()), values);
    use_fitted = equations.squares_left(filter_.values(features)) > price * left;
  }
  if (use_fitted) update.filter = fitted;
  const std::vector<double> coefficients = update.filter.values(features);
  std::array<std::int32_t, core::max_components> drift{};
  for (std::size_t d = 0; d < axes_of(state); ++d) {
    if (sums[d].count == 0) continue;
    double sum = sums[d].target;
    for (std::size_t f = 0; f < features; ++f) sum -= coefficients[f] * sums[d].features[f];
    const double mean_drift =
        std::clamp(std::ldexp(sum / sums[d].count, shift), -1.0 * largest_drift, 1.0 * largest_drift);
    drift[d] = static_cast<std::int32_t>(std::lround(mean_drift));
  }
  // A smaller drift saves less than its bytes cost.
  const double negligible = std::ldexp(std::sqrt(left / static_cast<double>(equations.count() + 1)), shift) / 32;
  const bool drifts = std::any_of(drift.begin(), drift.end(), [&](std::int32_t x) { return std::abs(x) > negligible; });

  format::ByteWriter writer(bytes);
  writer.u8(
      static_cast<std::uint8_t>((is_new ? has_lattice : 0) | (use_fitted ? has_filter : 0) | (drifts ? has_drift : 0)));
  if (is_new) network->lattice().write(bytes);
  if (use_fitted) bytes.insert(bytes.end(), filter_bytes.begin(), filter_bytes.end());
  if (drifts) {
    for (const std::int32_t x : drift) writer.u32(static_cast<std::uint32_t>(x));
    update.drift = drift;
  }
  if (is_new) {
    update.network = network;
    update.built_at = state.frames;
    update.unplaced = state.particles - network->placed();
  }
  return true;
}

}  // namespace gpz::model
