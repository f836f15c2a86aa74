// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/edge_fit.hpp"

#include <algorithm>
#include <cmath>

#include "gpz/crystal/least_squares.hpp"

namespace gpz::trajectory {

using crystal::Vector3;

namespace {

constexpr int fit_turns = 6;
constexpr double frames_of_mean = 9;
constexpr double much_less_certain = 4;
constexpr std::size_t bonds_of_unknown = 4;  // minimum
constexpr double most_of_length = 1.0 / 8;   // largest change of a stiff bond, relative to its length
constexpr double least_change = 0.5;         // steps
constexpr double longest_used = 2;           // in units of the lower quartile; longer vectors are no bonds

// Lower quartile of the values, ignoring the `least` smallest ones.
double lower_quartile(std::vector<double> values, std::size_t least = 0) {
  const auto quarter = values.begin() + static_cast<std::ptrdiff_t>(least + (values.size() - least) / 4);
  std::nth_element(values.begin(), quarter, values.end());
  return *quarter;
}

class EdgeFit {
 public:
  EdgeFit(const std::vector<BondAcross> &bonds, std::size_t axis) : bonds_(bonds), axis_(axis), off_(bonds.size()) {}

  double change = 0;  // change of length of stiff bonds

  // Scales fall with each iteration, because bonds perpendicular to the edge keep their length with any edge.
  EdgeEstimate run(const Vector3 &start) {
    EdgeEstimate found{start, {}, true};
    measure(start);
    std::vector<double> sizes = off_;
    double scale = std::max(4 * crystal::median(sizes), least_change);
    for (int turn = 0; turn < fit_turns; ++turn, scale /= 3) {
      measure(found.edge);
      // As many bonds as unknowns can always be fitted exactly.
      change = std::max(2 * lower_quartile(off_, axis_ + 1), least_change);
      step(std::max(scale, change), found);
    }
    measure(found.edge);
    return found;
  }
  // Approximate number of bonds that change by more than `usual`.
  double cost(double usual) const {
    double sum = 0;
    for (const double off : off_) sum += off * off / (off * off + usual * usual);
    return sum;
  }

 private:
  double longer(const BondAcross &bond, const Vector3 &edge) const {
    return crystal::length(bond.across - edge) - crystal::length(bond.direct);
  }
  void measure(const Vector3 &edge) {
    std::transform(bonds_.begin(), bonds_.end(), off_.begin(),
                   [&](const BondAcross &bond) { return std::fabs(longer(bond, edge)); });
  }
  void step(double scale, EdgeEstimate &found) const {
    crystal::LeastSquares equations(axis_ + 1);
    Vector3 weights{};
    for (const BondAcross &bond : bonds_) {
      const Vector3 vector = bond.across - found.edge;
      const double length = crystal::length(vector);
      if (length < 1) continue;
      const double off = longer(bond, found.edge);
      const double root = std::sqrt(1 / (1 + off / scale * (off / scale)));
      const Vector3 direction = root / length * vector;
      equations.add(direction.data(), root * off);
      for (std::size_t d = 0; d <= axis_; ++d) weights[d] += direction[d] * direction[d];
    }
    const std::vector<double> moved = equations.solve(0);
    for (std::size_t d = 0; d <= axis_; ++d) {
      found.edge[d] += moved[d];
      found.error[d] = 1.5 * scale / std::sqrt(std::max(weights[d], 1e-6));
    }
  }

  const std::vector<BondAcross> &bonds_;
  std::size_t axis_;
  std::vector<double> off_;
};

}  // namespace

void EdgeEstimate::update(const EdgeEstimate &found, std::size_t axis) {
  bool agrees = edge[axis] != 0 && found.is_exact == is_exact;
  for (std::size_t d = 0; d <= axis; ++d) {
    const double variance = error[d] * error[d] + found.error[d] * found.error[d];
    agrees = agrees && std::fabs(found.edge[d] - edge[d]) <= std::max(3 * std::sqrt(variance), 1.0);
  }
  if (!agrees) {
    *this = found;
    return;
  }
  if (found.error[axis] > much_less_certain * error[axis]) return;
  for (std::size_t d = 0; d <= axis; ++d) {
    const double known = error[d] * error[d];
    const double part = std::max(known / (known + found.error[d] * found.error[d]), 1 / frames_of_mean);
    edge[d] += part * (found.edge[d] - edge[d]);
    error[d] = found.error[d] * std::sqrt(part);
  }
}

std::optional<EdgeEstimate> fit_edge(const std::vector<BondAcross> &bonds, std::size_t axis, const Vector3 &known) {
  if (bonds.size() < bonds_of_unknown) return {};
  std::vector<double> lengths(bonds.size());
  std::transform(bonds.begin(), bonds.end(), lengths.begin(),
                 [](const BondAcross &bond) { return crystal::length(bond.direct); });
  const double short_one = lower_quartile(lengths);
  std::vector<BondAcross> used;
  Vector3 middle{};
  for (std::size_t k = 0; k < bonds.size(); ++k)
    if (lengths[k] <= longest_used * short_one) used.push_back(bonds[k]);
  if (used.size() < bonds_of_unknown * (axis + 1)) return {};
  for (std::size_t d = 0; d <= axis; ++d) {
    std::vector<double> values(used.size());
    std::transform(used.begin(), used.end(), values.begin(),
                   [&](const BondAcross &bond) { return bond.across[d] - bond.direct[d]; });
    middle[d] = crystal::median(values);
  }
  EdgeFit from_middle(used, axis);
  EdgeFit from_known(used, axis);
  const EdgeEstimate one = from_middle.run(middle);
  const EdgeEstimate other = from_known.run(known);
  const double usual = std::min(from_middle.change, from_known.change);
  if (usual > most_of_length * short_one) return {};  // particles are not bound
  return from_middle.cost(usual) < from_known.cost(usual) ? one : other;
}

}  // namespace gpz::trajectory
