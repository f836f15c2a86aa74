// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/crystal/spring_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

#include "gpz/crystal/least_squares.hpp"
#include "gpz/crystal/neighbour_list.hpp"
#include "gpz/crystal/spacing.hpp"
#include "gpz/crystal/vector3.hpp"

namespace gpz::crystal {

namespace {

constexpr std::size_t fewest_particles = 64;
constexpr std::size_t sampled_particles = 4096;
// In units of the distance to the nearest neighbour.
constexpr double shells[] = {1.3, 1.75};  // limit of neighbours; the second one if the first finds few
constexpr double few_neighbours = 8;
constexpr double spread = 0.2;            // of the vectors to the same neighbour
constexpr double tolerance_of_end = 0.4;  // for the end of a neighbour vector in the network
// A vector between neighbours belongs to the lattice if at least this fraction of the sampled particles has it.
constexpr double least_vector_share = 0.12;
constexpr double least_neighbours = 3;
constexpr double least_covered = 0.7;

Vector3 separation_of(const NeighbourList &list, std::size_t pair) {
  const double unit = std::ldexp(1.0, list.shift());
  Vector3 separation;
  for (std::size_t d = 0; d < separation.size(); ++d) separation[d] = unit * list.separation(d)[pair];
  return separation;
}

// Median distance to the nearest particle, over a sample. 0 if most have none.
double nearest_distance(const NeighbourList &list) {
  constexpr std::uint32_t none = UINT32_MAX;
  std::vector<std::uint32_t> nearest(list.particles(), none);
  for (std::size_t index = 0; index < list.particles(); ++index)
    for (std::size_t pair = list.first()[index]; pair < list.first()[index + 1]; ++pair) {
      const std::uint32_t squared = list.squared(pair);
      nearest[index] = std::min(nearest[index], squared);
      std::uint32_t &other = nearest[list.partner()[pair]];
      other = std::min(other, squared);
    }
  const std::uint32_t middle = median(nearest);
  return middle == none ? 0 : std::sqrt(static_cast<double>(middle)) * std::ldexp(1.0, list.shift());
}

// Vectors, in both directions, between particles that are closer than the cutoff, for a sample of particles.
NeighbourVectors sample_vectors(const NeighbourList &list, double cutoff) {
  NeighbourVectors vectors;
  const std::size_t stride = sample_stride(list.particles(), sampled_particles);
  for (std::size_t index = 0; index < list.particles(); index += stride) {
    ++vectors.particles;
    for (std::size_t pair = list.first()[index]; pair < list.first()[index + 1]; ++pair) {
      const Vector3 separation = separation_of(list, pair);
      if (squared(separation) > cutoff * cutoff) continue;
      vectors.all.push_back(separation);
      vectors.all.push_back({-separation[0], -separation[1], -separation[2]});
    }
  }
  return vectors;
}

// Histogram of vectors in a cube around 0.
class Histogram {
 public:
  Histogram(double reach, double width) : width_(width), half_(static_cast<std::int64_t>(reach / width) + 1) {
    side_ = static_cast<std::size_t>(2 * half_ + 1);
    counts_.assign(side_ * side_ * side_, 0);
  }
  void count(const Vector3 &v, int by) { counts_[index(v)] += static_cast<std::uint32_t>(by); }
  // Middle of the bin with the most vectors.
  Vector3 fullest() const {
    const auto most = static_cast<std::size_t>(std::max_element(counts_.begin(), counts_.end()) - counts_.begin());
    return {middle(most % side_), middle(most / side_ % side_), middle(most / side_ / side_)};
  }

 private:
  std::size_t bin(double x) const {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(std::lround(x / width_), -half_, half_) + half_);
  }
  std::size_t index(const Vector3 &v) const { return bin(v[0]) + side_ * (bin(v[1]) + side_ * bin(v[2])); }
  double middle(std::size_t i) const { return width_ * static_cast<double>(static_cast<std::int64_t>(i) - half_); }

  double width_;
  std::int64_t half_;
  std::size_t side_;
  std::vector<std::uint32_t> counts_;
};

// Cluster centres of the vectors, one of each pair of opposites. Empty if there are none, or if most vectors are in no
// cluster.
std::vector<Vector3> find_vectors(NeighbourVectors vectors, double nearest, double cutoff, double fewest) {
  const double near = spread * nearest;
  Histogram histogram(cutoff, near);
  for (const Vector3 &vector : vectors.all) histogram.count(vector, 1);
  const auto all = static_cast<double>(vectors.all.size());
  const auto particles = static_cast<double>(vectors.particles);
  std::vector<Vector3> found;
  std::size_t covered = 0;
  while (found.size() <= 2 * SpringLattice::max_vectors) {
    Vector3 centre = histogram.fullest();
    std::size_t count = 0;
    for (int pass = 0; pass < 3; ++pass) {
      const double reach = pass == 0 ? 2 * near : near;
      const NeighbourVectors::Cluster cluster = vectors.around(centre, reach * reach);
      count = cluster.count;
      if (count == 0) break;
      for (std::size_t d = 0; d < centre.size(); ++d) centre[d] = cluster.sum[d] / static_cast<double>(count);
    }
    // A particle lists half of its pairs, each in both directions: on average one vector per neighbour.
    if (static_cast<double>(count) < least_vector_share * particles) break;
    covered += count;
    const double remove = 1.5 * near;
    std::size_t kept = 0;
    for (const Vector3 &vector : vectors.all) {
      if (squared(vector - centre) <= remove * remove)
        histogram.count(vector, -1);
      else
        vectors.all[kept++] = vector;
    }
    vectors.all.resize(kept);
    found.push_back(centre);
  }
  if (static_cast<double>(covered) / particles < fewest || static_cast<double>(covered) < least_covered * all)
    return {};
  std::vector<Vector3> half;
  for (const Vector3 &vector : found) {
    const bool has_opposite = std::any_of(half.begin(), half.end(),
                                          [&](const Vector3 &other) { return squared(vector + other) < near * near; });
    if (!has_opposite) half.push_back(vector);
  }
  if (half.size() > SpringLattice::max_vectors) return {};
  return half;
}

// Mean vector between neighbours of the network, for each vector of the lattice, in the lattice's units.
void refine_vectors(const codec::DifferenceState &state, const core::GridBox &box, const SpringNetwork &network,
                    SpringLattice &lattice) {
  for (std::size_t k = 0; k < lattice.vectors.size(); ++k)
    for (std::size_t d = 0; d < static_cast<std::size_t>(state.components); ++d) {
      const core::GridAxis axis = core::checked_axis(box[d]);
      const auto &last = state.axes[d].last;
      std::int64_t sum = 0;
      std::int64_t count = 0;
      for (std::size_t i = 0; i < state.particles; ++i) {
        const std::uint32_t j = network.neighbours(i)[2 * k];
        if (j == i) continue;
        sum += core::displacement(last[j], last[i], axis);
        ++count;
      }
      if (count == 0) continue;
      const double mean = static_cast<double>(sum) / static_cast<double>(count);
      lattice.vectors[k].separation[d] = std::llround(std::ldexp(mean, SpringLattice::separation_bits));
    }
}

using Field = std::vector<Vector3>;

// Displacements from the ideal positions, minus their mean.
Field displacements(const codec::DifferenceState &state, const core::GridBox &box, const SpringNetwork &network) {
  Field u(state.particles, Vector3{});
  for (std::size_t d = 0; d < static_cast<std::size_t>(state.components); ++d) {
    const core::GridAxis axis = core::checked_axis(box[d]);
    double sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      if (network.is_placed(i)) u[i][d] = network.offset_from_ideal(i, d, state.axes[d].last[i], axis);
      sum += u[i][d];
    }
    for (auto &v : u) v[d] -= sum / static_cast<double>(u.size());
  }
  return u;
}

// Numbers the kinds of vectors; vectors of nearly equal length are of one kind.
std::vector<std::size_t> kinds_of(const std::vector<Vector3> &vectors) {
  constexpr double alike = 1.08 * 1.08;  // ratio of squared lengths
  std::vector<std::size_t> order(vectors.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return squared(vectors[a]) != squared(vectors[b]) ? squared(vectors[a]) < squared(vectors[b]) : a < b;
  });
  std::vector<std::size_t> kind(vectors.size());
  std::size_t last = 0;
  for (std::size_t k = 1; k < order.size(); ++k) {
    if (squared(vectors[order[k]]) > alike * squared(vectors[order[k - 1]])) ++last;
    kind[order[k]] = last;
  }
  return kind;
}

// A spring: its stiffness across the vector, and the additional stiffness along it.
struct Stiffness {
  double across = 0;
  double along = 0;
};

// In thermal equilibrium, the mean displacement of a particle is where its neighbours pull it. A regression on the
// neighbours' displacements therefore gives the springs, up to a factor.
std::vector<Stiffness> fit_springs(const Field &u, const SpringNetwork &network, const std::vector<Vector3> &vectors,
                                   const std::vector<std::size_t> &kind) {
  const std::size_t kinds = *std::max_element(kind.begin(), kind.end()) + 1;
  const std::size_t degree = network.degree();
  const auto neighbours = [&](std::size_t i) {
    const std::uint32_t *const near = network.neighbours(i);
    return static_cast<std::size_t>(std::count_if(near, near + degree, [&](std::uint32_t j) { return j != i; }));
  };
  const std::size_t stride = sample_stride(u.size(), 4 * sampled_particles);
  std::vector<std::size_t> number(degree + 1, 0);
  for (std::size_t i = 0; i < u.size(); i += stride) ++number[neighbours(i)];
  const auto usual = static_cast<std::size_t>(std::max_element(number.begin() + 1, number.end()) - number.begin());

  LeastSquares equations(2 * kinds);
  std::vector<Vector3> features(2 * kinds);
  std::vector<double> row(2 * kinds);
  for (std::size_t i = 0; i < u.size(); i += stride) {
    if (neighbours(i) != usual) continue;
    std::fill(features.begin(), features.end(), Vector3{});
    for (std::size_t k = 0; k < degree; ++k) {
      const std::uint32_t j = network.neighbours(i)[k];
      if (j == i) continue;
      const Vector3 &r = vectors[k / 2];
      const double along = dot(r, u[j]) / squared(r);
      for (std::size_t d = 0; d < core::max_components; ++d) {
        features[2 * kind[k / 2]][d] += u[j][d];
        features[2 * kind[k / 2] + 1][d] += along * r[d];
      }
    }
    for (std::size_t d = 0; d < core::max_components; ++d) {
      for (std::size_t f = 0; f < row.size(); ++f) row[f] = features[f][d];
      equations.add(row.data(), u[i][d]);
    }
  }
  const std::vector<double> solution = equations.solve(1e-6);
  std::vector<Stiffness> springs(kinds);
  for (std::size_t f = 0; f < kinds; ++f) springs[f] = {solution[2 * f], solution[2 * f + 1]};
  return springs;
}

// Pull of the network on the displacement of each particle.
void pull(const SpringNetwork &network, const std::vector<Vector3> &vectors, const std::vector<std::size_t> &kind,
          const std::vector<Stiffness> &springs, const Field &in, Field &out) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    out[i] = {};
    for (std::size_t k = 0; k < network.degree(); ++k) {
      const std::uint32_t j = network.neighbours(i)[k];
      if (j >= in.size()) continue;
      const Vector3 &r = vectors[k / 2];
      const Stiffness &spring = springs[kind[k / 2]];
      const Vector3 separation = in[i] - in[j];
      const double along = spring.along * dot(r, separation) / squared(r);
      for (std::size_t d = 0; d < core::max_components; ++d) out[i][d] += spring.across * separation[d] + along * r[d];
    }
  }
}

// Stiffness of the stiffest wave of the network, from a sample of particles. 0 if there is none.
double stiffest(const SpringNetwork &network, const std::vector<Vector3> &vectors, const std::vector<std::size_t> &kind,
                const std::vector<Stiffness> &springs, int components) {
  constexpr std::size_t enough = 16384;
  Field v(std::min(network.particles(), enough), Vector3{});
  Field pulled(v.size());
  std::uint32_t random = 1;
  for (auto &x : v)
    for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
      random = random * 1664525u + 1013904223u;
      x[d] = static_cast<double>(random >> 8) - 0x1p23;
    }
  double value = 0;
  for (int pass = 0; pass < 24; ++pass) {
    pull(network, vectors, kind, springs, v, pulled);
    double before = 0;
    double after = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      before += squared(v[i]);
      after += squared(pulled[i]);
    }
    if (!(before > 0) || !(after > 0)) return 0;
    value = std::sqrt(after / before);
    const double scale = 0x1p20 / std::sqrt(after / static_cast<double>(v.size()));
    for (std::size_t i = 0; i < v.size(); ++i)
      for (std::size_t d = 0; d < v[i].size(); ++d) v[i][d] = pulled[i][d] * scale;
  }
  return value;
}

// Sets the springs of the lattice in units of the format, scaled so that the stiffest wave has stiffness 2. Returns
// false if they do not fit.
bool set_springs(const std::vector<Vector3> &vectors, const std::vector<std::size_t> &kind,
                 const std::vector<Stiffness> &springs, double stiffness, SpringLattice &lattice) {
  constexpr double margin = 1.03;  // power iterations end slightly below
  const double scale = std::ldexp(2 / (margin * stiffness), SpringLattice::spring_bits);
  std::array<double, core::max_components> sum{};
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    const Stiffness &spring = springs[kind[k]];
    for (std::size_t e = 0; e < 6; ++e) {
      const std::size_t r = symmetric_row[e];
      const std::size_t c = symmetric_column[e];
      const double isotropic = r == c ? spring.across : 0;
      const double value = scale * (isotropic + spring.along * vectors[k][r] * vectors[k][c] / squared(vectors[k]));
      if (!(std::fabs(value) < 16384)) return false;
      lattice.vectors[k].spring[e] = static_cast<std::int16_t>(std::lround(value));
      sum[r] += 2 * std::fabs(value) + 1;
      if (r != c) sum[c] += 2 * std::fabs(value) + 1;
    }
  }
  return std::all_of(sum.begin(), sum.end(), [](double row) { return row < 32700; });
}

// Chosen so that displacements of a crystal are far below the limit of fields.
int unit_for(const Field &u) {
  double sum = 0;
  for (const Vector3 &v : u) sum += squared(v);
  const double typical = std::sqrt(sum / static_cast<double>(3 * u.size()));
  int shift = 0;
  while (shift < SpringLattice::max_shift && std::ldexp(20 * typical, -shift) > field_limit) ++shift;
  return shift;
}

}  // namespace

bool find_springs(const codec::DifferenceState &state, const core::GridBox &box, SpringNetwork &network, int threads) {
  if (state.particles < fewest_particles) return false;
  NeighbourList list;
  // Includes the nearest neighbours in all common lattices.
  const double reach = 1.6 * mean_distance(state, box);
  if (!(reach >= 4 && reach < 0x1p27) || !list.build(state, box, static_cast<std::uint64_t>(reach), threads))
    return false;
  const double nearest = nearest_distance(list);
  if (nearest < 4) return false;
  std::vector<Vector3> found;
  for (const double shell : shells) {
    const double cutoff = std::min(reach, shell * nearest);
    const bool is_last = shell == *std::rbegin(shells);
    found = find_vectors(sample_vectors(list, cutoff), nearest, cutoff, is_last ? least_neighbours : few_neighbours);
    if (!found.empty()) break;
  }
  if (found.empty()) return false;

  SpringLattice lattice;
  lattice.tolerance = std::max<std::int64_t>(std::llround(tolerance_of_end * nearest), 1);
  for (const Vector3 &vector : found) {
    SpringVector &to = lattice.vectors.emplace_back();
    for (std::size_t d = 0; d < vector.size(); ++d)
      to.separation[d] = std::llround(std::ldexp(vector[d], SpringLattice::separation_bits));
  }
  if (!network.build(lattice, state, box, threads)) return false;
  refine_vectors(state, box, network, lattice);
  if (!network.build(lattice, state, box, threads)) return false;

  std::vector<Vector3> vectors(found.size());
  for (std::size_t k = 0; k < vectors.size(); ++k)
    for (std::size_t d = 0; d < vectors[k].size(); ++d)
      vectors[k][d] = static_cast<double>(lattice.vectors[k].separation[d]);
  const std::vector<std::size_t> kind = kinds_of(vectors);
  const Field u = displacements(state, box, network);
  const std::vector<Stiffness> springs = fit_springs(u, network, vectors, kind);
  const double stiffness = stiffest(network, vectors, kind, springs, state.components);
  if (!(stiffness > 0) || !set_springs(vectors, kind, springs, stiffness, lattice)) return false;
  lattice.shift = unit_for(u);
  network.use_springs(lattice);
  return true;
}

}  // namespace gpz::crystal
