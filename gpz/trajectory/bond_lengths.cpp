// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/bond_lengths.hpp"

#include <algorithm>
#include <cmath>

#include "gpz/codec/functions.hpp"

namespace gpz::trajectory {

using crystal::Vector3;

namespace {

constexpr std::size_t parts = 512;
constexpr std::size_t smooth = 2;         // parts
constexpr std::size_t part_of_bonds = 8;  // at least one of this many vectors is a bond
constexpr double longest_of_bonds = 3;    // in units of the 1 / part_of_bonds quantile of the lengths
constexpr std::size_t most_across = 256;
constexpr double least_likelihood = 16;  // bits
constexpr double least_of_usual = 2;     // least ratio of the best period's likelihood to others

}  // namespace

BondLengths::BondLengths(std::vector<double> lengths) : likelihood_(parts) {
  const auto bond = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / part_of_bonds);
  std::nth_element(lengths.begin(), bond, lengths.end());
  longest_ = std::max(longest_of_bonds * *bond, 1.0);
  std::vector<double> count(parts);
  for (const double length : lengths)
    if (length < longest_) count[part_of(length)] += 1;
  // Density per volume: without this, unbound particles would dominate large distances.
  for (std::size_t k = 0; k < parts; ++k) count[k] /= (static_cast<double>(k) + 0.5) * (static_cast<double>(k) + 0.5);
  double mean = 0;
  for (const double x : count) mean += x / parts;
  for (std::size_t k = 0; k < parts; ++k) {
    double sum = 0;
    for (std::size_t other = k < smooth ? 0 : k - smooth; other <= std::min(k + smooth, parts - 1); ++other)
      sum += count[other];
    likelihood_[k] = std::max(codec::log2_of(sum / (2 * smooth + 1) / mean + 1e-9), 0.0);
  }
}

std::size_t BondLengths::part_of(double length) const {
  return std::min(static_cast<std::size_t>(length / longest_ * parts), parts - 1);
}

double BondLengths::likelihood(const std::vector<Vector3> &across, std::size_t axis, double period) const {
  double sum = 0;
  for (Vector3 vector : across) {
    vector[axis] -= period;
    const double length = crystal::length(vector);
    if (length < longest_) sum += likelihood_[part_of(length)];
  }
  return sum;
}

double BondLengths::period(const std::vector<Vector3> &across, std::size_t axis, double range) const {
  const std::vector<Vector3> some(across.begin(),
                                  across.begin() + static_cast<std::ptrdiff_t>(std::min(across.size(), most_across)));
  const double step = std::max(longest_ / parts, 1.0);
  double best = 0;
  double most = 0;
  double sum = 0;
  double count = 0;
  const auto search = [&](double from, double to, double by) {
    for (double period = from; period <= to; period += by) {
      const double found = likelihood(some, axis, period);
      sum += found;
      count += 1;
      if (found <= most) continue;
      most = found;
      best = period;
    }
  };
  search(range - longest_, range + longest_, smooth * step);
  const double usual = sum / count;
  search(best - smooth * step, best + smooth * step, step);
  return most >= least_likelihood && most >= least_of_usual * usual ? best : 0;
}

}  // namespace gpz::trajectory
