// SPDX-License-Identifier: BSD-3-Clause
// Encoder: finds the edges of a periodic cell without a box in the file, from particles that crossed them since the
// last frame (docs/decisions/0048).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/format/grid_box.hpp"
#include "gpz/molecule/cell.hpp"
#include "gpz/trajectory/edge_fit.hpp"

namespace gpz::trajectory {

class EdgeSearch {
 public:
  // Finds edges from particles that jump between `last` and q, which have `components` columns each. Keeps edges that
  // explain the jumps. A thorough search also uses bonds of these particles to neighbouring slots, which give exact
  // edges, and follows edges that change from frame to frame.
  void update(const codec::IndexColumns &q, const codec::IndexColumns &last, std::size_t components, std::size_t n,
              bool is_thorough);

  // Finds the periods of straight edges in a first frame, from bonds of particles in neighbouring slots. Does nothing
  // if an edge is known.
  void look_at(const codec::IndexColumns &q, std::size_t components, std::size_t n);

  // Found axes, with lo = 0. An axis is open if no particle was seen to cross its edge.
  const format::TiltedEdges &edges() const { return edges_; }
  bool is_tilted() const { return edges_.tilts != molecule::Cell::Tilts{}; }

 private:
  using GridVector = molecule::GridVector;
  struct Jump {
    std::size_t slot;
    GridVector vector;
  };
  // Vectors across edges. Jumping particles of neighbouring slots belong to one molecule and move alike.
  struct JumpVectors {
    std::vector<GridVector> all;
    std::size_t molecules = 0;
    std::size_t last_slot = 0;

    void add(std::size_t slot, const GridVector &vector, std::size_t gap) {
      if (all.empty() || slot - last_slot > gap) ++molecules;
      last_slot = slot;
      all.push_back(vector);
    }
  };

  void find_range(const codec::IndexColumns &q, std::size_t components, std::size_t n);
  void find_jumps(const codec::IndexColumns &q, const codec::IndexColumns &last, std::size_t components, std::size_t n);
  bool explains_jumps() const;
  JumpVectors most_frequent(std::size_t axis) const;
  JumpVectors jumps_through(std::size_t axis) const;
  EdgeEstimate mean_of(const JumpVectors &vectors, std::size_t axis) const;
  double usual_move(const std::int64_t *q, const std::int64_t *last, std::size_t n, std::size_t axis) const;
  void find_bonds(const codec::IndexColumns &q, const codec::IndexColumns &last, std::size_t components, std::size_t n);
  std::optional<EdgeEstimate> refined(std::size_t axis) const;
  void take(std::size_t axis);
  void straighten();

  format::TiltedEdges edges_;
  std::array<EdgeEstimate, core::max_components> known_{};
  GridVector range_{};  // of the coordinates
  std::vector<Jump> jumps_;
  // slots between sampled particles, or the largest number of slots between particles of a molecule
  std::size_t gap_ = 1;
  std::array<std::vector<BondAcross>, core::max_components> bonds_;  // across each edge
};

}  // namespace gpz::trajectory
