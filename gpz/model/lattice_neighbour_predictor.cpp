// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/lattice_neighbour_predictor.hpp"

#include <algorithm>
#include <cmath>

#include "gpz/codec/parallel.hpp"
#include "gpz/crystal/least_squares.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::model {

using crystal::field_limit;
using crystal::field_stride;
using crystal::LatticeField;
using crystal::Spring;
using crystal::SpringLattice;
using crystal::SpringMatrices;
using crystal::SpringNetwork;
using crystal::SpringVector;
using format::corrupt;

namespace {

constexpr std::size_t predictor_sample_size = 4096;
// Ratio by which the squares of remainders must shrink: 0.01 bits per value.
constexpr double least_ratio = 1.014;
constexpr int direction_bits = 15;

// The vector, shifted right until all components are in [-2^15, 2^15).
std::array<std::int64_t, core::max_components> direction_of(const SpringVector &vector) {
  std::array<std::int64_t, core::max_components> direction = vector.separation;
  const auto is_long = [](std::int64_t x) { return x >= 1 << direction_bits || x < -(1 << direction_bits); };
  while (std::any_of(direction.begin(), direction.end(), is_long))
    for (std::int64_t &x : direction) x >>= 1;
  return direction;
}

}  // namespace

std::vector<Spring> LatticeNeighbourPredictor::matrices_of(const SpringLattice &lattice,
                                                           const std::vector<Weight> &weights) {
  std::vector<Spring> matrices(weights.size());
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const auto direction = direction_of(lattice.vectors[k]);
    const std::int64_t square = std::max<std::int64_t>(
        direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2], 1);
    for (std::size_t e = 0; e < matrices[k].size(); ++e) {
      const std::int64_t all = crystal::symmetric_row[e] == crystal::symmetric_column[e] ? weights[k].all : 0;
      const std::int64_t x = all + weights[k].along * direction[crystal::symmetric_row[e]] *
                                       direction[crystal::symmetric_column[e]] / square;
      if (x < -field_limit || x > field_limit) return {};
      matrices[k][e] = static_cast<std::int16_t>(x);
    }
  }
  return SpringMatrices::fit(matrices) ? matrices : std::vector<Spring>{};
}

bool LatticeNeighbourPredictor::fit(const SpringNetwork &network, const codec::DifferenceState &state,
                                    const codec::IndexColumns &q, const core::GridBox &box, const Expectation &expected,
                                    std::vector<std::uint8_t> &bytes, int threads) {
  const std::size_t n = state.particles;
  const std::size_t vectors = network.lattice().vectors.size();
  const auto axes = static_cast<std::size_t>(state.components);
  LatticeField &remainders = remainders_;
  remainders.resize((n + 1) * field_stride);
  std::fill_n(&remainders[n * field_stride], field_stride, std::int16_t{0});
  codec::parallel_particles(threads, n, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Remainder exact{};
      for (std::size_t d = 0; d < axes; ++d) {
        const std::int64_t moved = core::displacement(q[d][i], state.axes[d].last[i], core::checked_axis(box[d]));
        exact[d] = core::difference_of(core::product_of(moved, 64), expected[d][i]);
      }
      remainders[i * field_stride + 3] = 0;
      update(network, i, exact);
    }
  });
  std::vector<std::array<double, core::max_components>> unit(vectors);
  for (std::size_t k = 0; k < vectors; ++k) {
    const auto direction = direction_of(network.lattice().vectors[k]);
    const auto square =
        static_cast<double>(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
    for (std::size_t d = 0; d < unit[k].size(); ++d) unit[k][d] = static_cast<double>(direction[d]) / std::sqrt(square);
  }
  crystal::LeastSquares equations(2 * vectors);
  std::vector<double> row(2 * vectors * core::max_components);
  const std::size_t stride = crystal::sample_stride(n, predictor_sample_size);
  for (std::size_t i = 0; i < n; i += stride) {
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t k = 0; k < network.degree(); ++k) {
      const std::size_t j = network.neighbours(i)[k];
      if (j >= i) continue;
      double along = 0;
      for (std::size_t d = 0; d < axes; ++d) along += unit[k / 2][d] * remainders[j * field_stride + d];
      for (std::size_t d = 0; d < axes; ++d) {
        double *const feature = &row[(d * vectors + k / 2) * 2];
        feature[0] += remainders[j * field_stride + d];
        feature[1] += along * unit[k / 2][d];
      }
    }
    for (std::size_t d = 0; d < axes; ++d) equations.add(&row[d * vectors * 2], remainders[i * field_stride + d]);
  }

  const auto squares_with = [&](const std::vector<Weight> &weights) {
    std::vector<double> x(2 * vectors, 0);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      x[2 * k] = std::ldexp(weights[k].all, -weight_bits);
      x[2 * k + 1] = std::ldexp(weights[k].along, -weight_bits);
    }
    return equations.squares_left(x);
  };
  const std::vector<double> solution = equations.solve(1e-4);
  std::vector<Weight> fitted(vectors);
  const auto rounded = [](double x) { return crystal::rounded_coefficient(std::ldexp(x, weight_bits)); };
  for (std::size_t k = 0; k < vectors; ++k) fitted[k] = {rounded(solution[2 * k]), rounded(solution[2 * k + 1])};
  const double with = squares_with(fitted);
  if (matrices_of(network.lattice(), fitted).empty() || squares_with({}) <= least_ratio * with) return false;
  const double values = static_cast<double>(n) * state.components;
  const double price = crystal::factor_for(32 * static_cast<double>(vectors), values);
  const bool as_before = weights_.size() == vectors && squares_with(weights_) <= price * with;
  format::ByteWriter writer(bytes);
  writer.u8(as_before ? 0 : 1);
  if (!as_before)
    for (const Weight &weight : fitted) {
      writer.u16(static_cast<std::uint16_t>(weight.all));
      writer.u16(static_cast<std::uint16_t>(weight.along));
    }
  return true;
}

std::size_t LatticeNeighbourPredictor::read(const SpringNetwork &network, const std::uint8_t *bytes, std::size_t size,
                                            Update &update) {
  update.weights = weights_;
  format::ByteReader reader(bytes, size);
  const std::uint8_t parts = reader.u8();
  if (parts > 1) corrupt("parameters of neighbours in a lattice", 0);
  const std::size_t vectors = network.lattice().vectors.size();
  if (parts == 1) {
    update.weights.assign(vectors, {});
    for (Weight &weight : update.weights) {
      weight.all = static_cast<std::int16_t>(reader.u16());
      weight.along = static_cast<std::int16_t>(reader.u16());
    }
  }
  if (update.weights.size() != vectors) corrupt("weights of neighbours that were not stored", 0);
  const auto matrices = matrices_of(network.lattice(), update.weights);
  if (matrices.empty()) corrupt("weights of neighbours in a lattice", reader.position());
  matrices_.set(matrices);
  return reader.position();
}

}  // namespace gpz::model
