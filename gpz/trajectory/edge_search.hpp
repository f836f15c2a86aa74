// SPDX-License-Identifier: BSD-3-Clause
// The edges of a periodic cell that no box names, as an encoder finds them: by the particles that have gone through
// them since the last frame (docs/decisions/0048).
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/crystal/vector3.hpp"
#include "gpz/format/grid_box.hpp"
#include "gpz/molecule/cell.hpp"

namespace gpz::trajectory {

class EdgeSearch {
 public:
  // Looks at the particles that jump from `last` to q, of `components` columns each. What was found before stays unless
  // they say otherwise. Particles of neighbouring slots that are bound to each other tell the edges exactly.
  void update(const cpu::IndexColumns &q, const cpu::IndexColumns &last, std::size_t components, std::size_t n);

  // With lo = 0; an axis is open where no particle was seen to go through its edge.
  const format::TiltedEdges &edges() const { return edges_; }
  bool is_tilted() const { return edges_.tilts != molecule::Cell::Tilts{}; }

 private:
  using Way = molecule::Way;
  using Vector = crystal::Vector3;
  struct Jump {
    std::size_t slot;
    Way way;
  };
  // Two particles, one of which has gone through an edge: the way between them when they are on both sides of the cell,
  // and when they are on the same. They differ by the edge, and by how the bond has changed.
  struct Pair {
    Way across;
    Way direct;
  };
  struct Estimate {
    Vector edge{};
    Vector error{};     // of each component
    double change = 0;  // of bonds that hardly change
  };

  void find_jumps(const cpu::IndexColumns &q, const cpu::IndexColumns &last, std::size_t components, std::size_t n);
  bool explains_jumps() const;
  void guess(std::size_t axis);
  void find_pairs(const cpu::IndexColumns &q, const cpu::IndexColumns &last, std::size_t components, std::size_t n);
  static Estimate fit(const std::vector<Pair> &pairs, std::size_t axis, const Vector &start);
  void refine(std::size_t axis);
  void take(std::size_t axis);
  void straighten();

  format::TiltedEdges edges_;
  std::array<Estimate, core::max_components> known_{};
  Way range_{};  // of the coordinates
  std::vector<Jump> jumps_;
  std::array<std::vector<Pair>, core::max_components> pairs_;
};

}  // namespace gpz::trajectory
