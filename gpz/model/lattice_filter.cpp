// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/lattice_filter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "gpz/crystal/least_squares.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::model {

using format::corrupt;

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

LatticeFilter LatticeFilter::rounded(const std::vector<double> &x, int degree) {
  LatticeFilter filter;
  filter.degree = degree;
  double sum = 0;
  for (const double c : x) sum += std::fabs(c);
  // The sum exceeds its limit only in data that is not a crystal.
  const double most = static_cast<double>(max_sum - 2 * static_cast<std::int64_t>(x.size()));
  const double scale = std::min(std::ldexp(1.0, bits), most / std::max(sum, 1e-9));
  const auto round = [&](double c) { return crystal::rounded_coefficient(scale * c); };
  filter.mean = round(x[0]);
  for (std::size_t k = 0; k <= static_cast<std::size_t>(degree); ++k) {
    filter.last[k] = round(x[2 * k + 1]);
    filter.before[k] = round(x[2 * k + 2]);
  }
  return filter;
}

std::vector<double> LatticeFilter::values(std::size_t count) const {
  std::vector<double> x(count, 0);
  const double unit = std::ldexp(1.0, -bits);
  x[0] = unit * mean;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(degree); ++k) {
    x[2 * k + 1] = unit * last[k];
    x[2 * k + 2] = unit * before[k];
  }
  return x;
}

}  // namespace gpz::model
