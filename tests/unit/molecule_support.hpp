// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of sections of molecules: boxes, molecules that move in them, and both sides of a chunk.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "damage_support.hpp"
#include "difference_support.hpp"
#include "gpz/lanes/section.hpp"
#include "gpz/molecule/cell.hpp"

namespace gpz::molecule {

using codec::columns;
using codec::empty_frame;
using codec::Frame;
using lanes::Edges;
using test::Random;
using Bytes = std::vector<std::uint8_t>;
using Lags = format::Column<std::uint8_t>;

// ---- boxes

inline Edges box_of(std::int64_t lo, const GridVector &periods) {
  Edges edges;
  for (std::size_t d = 0; d < 3; ++d) edges.axes[d] = {lo, periods[d]};
  return edges;
}
inline Edges tilted_box(std::int64_t lo, const GridVector &periods, const Cell::Tilts &tilts) {
  Edges edges;
  format::TiltedEdges &tilted = edges.tilted.emplace();
  for (std::size_t d = 0; d < 3; ++d) tilted.axes[d] = {lo, periods[d]};
  tilted.tilts = tilts;
  edges.axes[2] = tilted.axes[2];  // the only edge that changes no other component when it is crossed upwards
  return edges;
}

// As programs bring particles back, by any number of edges: to the cell, or to the brick as wide as it.
inline GridVector inside(GridVector position, const Edges &edges, bool to_brick = false) {
  const core::GridBox &axes = edges.tilted ? edges.tilted->axes : edges.axes;
  const Cell::Tilts t = edges.tilted ? edges.tilted->tilts : Cell::Tilts{};
  const std::array<GridVector, 3> edge{
      {{axes[0].period, 0, 0}, {t[0], axes[1].period, 0}, {t[1], t[2], axes[2].period}}};
  std::array<double, 3> part{};
  for (std::size_t d = 3; d-- > 0;) {
    if (axes[d].period == 0) continue;
    const auto period = static_cast<double>(axes[d].period);
    double lo = static_cast<double>(axes[d].lo);
    for (std::size_t e = d + 1; e < 3 && !to_brick; ++e) lo += std::trunc(static_cast<double>(edge[e][d]) * part[e]);
    const auto count = static_cast<std::int64_t>(std::floor((static_cast<double>(position[d]) - lo) / period));
    for (std::size_t c = 0; c < 3; ++c) position[c] -= count * edge[d][c];
    part[d] = (static_cast<double>(position[d]) - lo) / period;
  }
  return position;
}

// ---- molecules

// For each particle of a molecule, the slots back to the one that it hangs on; 0 for the first one.
using Shape = std::vector<std::size_t>;

inline Shape chain(std::size_t length) {
  Shape shape(length, 1);
  shape[0] = 0;
  return shape;
}
// Carbons in a row with two hydrogens each, three at the ends.
inline Shape alkane(std::size_t carbons) {
  Shape shape;
  for (std::size_t c = 0; c < carbons; ++c) {
    const std::size_t back = c == 0 ? 0 : c == 1 ? 4 : 3;
    shape.push_back(back);
    const std::size_t hydrogens = c == 0 || c + 1 == carbons ? 3 : 2;
    for (std::size_t h = 1; h <= hydrogens; ++h) shape.push_back(h);
  }
  return shape;
}

// Molecules of one shape, in grid steps, that drift, turn and bend at random. Places are not brought back.
class Molecules {
 public:
  using Vector = std::array<double, 3>;
  std::vector<Vector> position;

  Molecules(const Shape &shape, std::size_t count, double bond, double size, std::uint64_t seed)
      : random(seed), shape_(shape), bond_(bond) {
    for (std::size_t i = 0; i < count * shape.size(); ++i) {
      position.emplace_back();
      // Others keep their distance, as in liquids.
      for (int turn = 0; turn < 100; ++turn) {
        position[i] = {size * random.uniform(), size * random.uniform(), size * random.uniform()};
        if (shape[i % shape.size()] != 0)
          hang(i, {codec::normal(random), codec::normal(random), codec::normal(random)});
        if (!is_near_others(i)) break;
      }
    }
  }

  // All molecules get one shape, in bonds, turned at random, where their first particles are.
  void take_shape(const std::vector<Vector> &shape) {
    for (std::size_t i = 0; i < position.size(); i += shape.size()) {
      std::array<Vector, 3> axis;
      for (std::size_t a = 0; a < 3; ++a) {
        axis[a] = {codec::normal(random), codec::normal(random), codec::normal(random)};
        for (std::size_t b = 0; b < a; ++b) {
          const double part = dot(axis[a], axis[b]);
          for (std::size_t d = 0; d < 3; ++d) axis[a][d] -= part * axis[b][d];
        }
        const double length = std::sqrt(dot(axis[a], axis[a]));
        for (double &x : axis[a]) x /= length;
      }
      // No mirror images.
      for (std::size_t d = 0; d < 3; ++d)
        axis[2][d] = axis[0][(d + 1) % 3] * axis[1][(d + 2) % 3] - axis[0][(d + 2) % 3] * axis[1][(d + 1) % 3];
      for (std::size_t k = 0; k < shape.size(); ++k)
        for (std::size_t d = 0; d < 3; ++d) {
          position[i + k][d] = position[i][d];
          for (std::size_t a = 0; a < 3; ++a) position[i + k][d] += bond_ * (shape[k][a] - shape[0][a]) * axis[a][d];
        }
    }
  }

  // One frame on. Roots drift by 2 sigma a component, bond vectors change by sigma and keep their length to two in a
  // thousand.
  void move(double sigma) {
    const std::vector<Vector> before = position;
    for (std::size_t i = 0; i < position.size(); ++i) {
      const std::size_t lag = shape_[i % shape_.size()];
      Vector vector;
      for (std::size_t d = 0; d < 3; ++d) {
        vector[d] = (lag == 0 ? 2 : 1) * sigma * codec::normal(random);
        if (lag != 0) vector[d] += before[i][d] - before[i - lag][d];
      }
      if (lag != 0)
        hang(i, vector);
      else
        for (std::size_t d = 0; d < 3; ++d) position[i][d] += vector[d];
    }
  }

  GridVector at(std::size_t i) const {
    return {std::llround(position[i][0]), std::llround(position[i][1]), std::llround(position[i][2])};
  }
  Frame open() const {
    Frame q = empty_frame(position.size());
    for (std::size_t i = 0; i < position.size(); ++i)
      for (std::size_t d = 0; d < 3; ++d) q[d][i] = at(i)[d];
    return q;
  }
  Frame in(const Edges &edges, bool to_brick = false) const {
    Frame q = empty_frame(position.size());
    for (std::size_t i = 0; i < position.size(); ++i) {
      const GridVector x = inside(at(i), edges, to_brick);
      for (std::size_t d = 0; d < 3; ++d) q[d][i] = x[d];
    }
    return q;
  }

  Random random;

 private:
  static constexpr double stretch = 0.002;

  static double dot(const Vector &a, const Vector &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

  // Looks at the particles in the 130 slots before, without the parent of particle i.
  bool is_near_others(std::size_t i) const {
    const std::size_t parent = i - shape_[i % shape_.size()];
    for (std::size_t j = i < 130 ? 0 : i - 130; j < i; ++j) {
      double squared = 0;
      for (std::size_t d = 0; d < 3; ++d)
        squared += (position[i][d] - position[j][d]) * (position[i][d] - position[j][d]);
      if (j != parent && squared < 2 * bond_ * bond_) return true;
    }
    return false;
  }
  void hang(std::size_t i, const Vector &vector) {
    const std::size_t parent = i - shape_[i % shape_.size()];
    const double length = std::sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
    const double scale = bond_ * (1 + stretch * codec::normal(random)) / (length > 0 ? length : 1);
    for (std::size_t d = 0; d < 3; ++d) position[i][d] = position[parent][d] + scale * vector[d];
  }

  Shape shape_;
  double bond_;
};

// Chains with angles and torsions, in bonds: a turn of 1.7 radians from bond to bond.
inline std::vector<Molecules::Vector> helix(std::size_t length) {
  constexpr double turn = 1.7, rise = 0.4;
  const double radius = std::sqrt(1 - rise * rise) / (2 * std::sin(turn / 2));
  std::vector<Molecules::Vector> shape;
  for (std::size_t k = 0; k < length; ++k) {
    const auto x = static_cast<double>(k);
    shape.push_back({radius * std::cos(turn * x), radius * std::sin(turn * x), rise * x});
  }
  return shape;
}

// ---- both sides

// An encoder and a decoder of the frames of a chunk.
class Followed {
 public:
  explicit Followed(const Frame &first) { state.start(columns(first), first[0].size(), 3); }

  // The section of a frame, which comes back bit for bit; empty if there are no molecules.
  Bytes next(const Frame &q, const Edges &edges, int threads = 1) {
    Bytes bytes;
    auto update = encode(ours, state, columns(q), edges, bytes, {threads, rests, use_bonds});
    if (!update) {
      EXPECT_TRUE(bytes.empty());
      skip(q, edges);
      return bytes;
    }
    EXPECT_EQ(bytes.size() % 8, 0U);
    ours.commit(std::move(*update));
    const test::Copy copy(bytes);
    Frame decoded = empty_frame(state.particles);
    decode(theirs, state, copy.data.get(), copy.size, edges.axes, threads, codec::output(decoded));
    for (std::size_t d = 0; d < 3; ++d) EXPECT_TRUE(decoded[d] == q[d]) << d;
    EXPECT_EQ(theirs.take_rest(), rests);
    if (ours.take_rest())
      state.rest(columns(q));
    else
      skip(q, edges);
    return bytes;
  }
  // A frame that was coded otherwise.
  void skip(const Frame &q, const Edges &edges) { state.advance(columns(q), edges.axes); }

  void keep(const std::vector<std::uint32_t> &kept) {
    ours.restart();
    theirs.restart();
    state.keep(kept.data(), kept.size());
  }
  void add(const Frame &added) {
    ours.restart();
    theirs.restart();
    state.add(columns(added), added[0].size());
  }

  codec::DifferenceState state;
  lanes::State ours;
  lanes::State theirs;
  bool use_bonds = true;  // in new sections
  bool rests = false;     // the history forgets motion in each section
};

// Bytes of the same frame in coding 1.
inline std::size_t size_as_differences(const codec::DifferenceState &state, const Frame &q, const Edges &edges) {
  Bytes bytes;
  codec::encode_difference(state, columns(q), edges.axes, bytes, codec::kernels(), true);
  return bytes.size();
}

// Frames of what `frame` gives, the first one as a key frame.
struct Sections {
  std::vector<Bytes> sections;
  std::size_t size = 0;
  std::size_t as_differences = 0;
  std::uint8_t flags = 0;

  bool are_all() const {
    for (const Bytes &bytes : sections)
      if (bytes.empty()) return false;
    return !sections.empty();
  }
};
template <typename Next>
Sections follow(const Edges &edges, int frames, Next frame, int threads = 1) {
  Sections run;
  Followed followed(frame(0));
  for (int f = 1; f < frames; ++f) {
    const Frame q = frame(f);
    run.as_differences += size_as_differences(followed.state, q, edges);
    run.sections.push_back(followed.next(q, edges, threads));
    if (!run.sections.back().empty()) run.flags |= run.sections.back()[0];
    run.size += run.sections.back().size();
    if (testing::Test::HasFailure()) break;
  }
  return run;
}

inline GridVector cube(double size) { return {std::llround(size), std::llround(size), std::llround(size)}; }
// Size of a box of molecules in a liquid, in which neighbours are farther apart than bonded particles.
inline double size_of(std::size_t particles, double bond) {
  return bond * std::cbrt(8.0 * static_cast<double>(particles));
}

}  // namespace gpz::molecule
