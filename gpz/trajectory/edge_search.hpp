// SPDX-License-Identifier: BSD-3-Clause
// The edges of a periodic cell that no box names, as an encoder finds them: by the particles that have gone through
// them since the last frame (docs/decisions/0048).
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
  // Looks at the particles that jump from `last` to q, of `components` columns each. What was found before stays unless
  // they say otherwise. Thorough: particles of neighbouring slots that are bound to each other tell the edges exactly,
  // and edges that change from frame to frame are followed.
  void update(const cpu::IndexColumns &q, const cpu::IndexColumns &last, std::size_t components, std::size_t n,
              bool is_thorough);

  // The same of a frame without one before, as long as nothing is known: bonds of particles in neighbouring slots tell
  // the periods of straight edges.
  void look_at(const cpu::IndexColumns &q, std::size_t components, std::size_t n);

  // With lo = 0; an axis is open where no particle was seen to go through its edge.
  const format::TiltedEdges &edges() const { return edges_; }
  bool is_tilted() const { return edges_.tilts != molecule::Cell::Tilts{}; }

 private:
  using Way = molecule::Way;
  struct Jump {
    std::size_t slot;
    Way way;
  };

  void find_range(const cpu::IndexColumns &q, std::size_t components, std::size_t n);
  void find_jumps(const cpu::IndexColumns &q, const cpu::IndexColumns &last, std::size_t components, std::size_t n);
  bool explains_jumps() const;
  std::vector<Way> most_frequent(std::size_t axis) const;
  std::vector<Way> jumps_through(std::size_t axis) const;
  EdgeEstimate mean_of(const std::vector<Way> &ways, std::size_t axis) const;
  double usual_move(const std::int64_t *q, const std::int64_t *last, std::size_t n, std::size_t axis) const;
  void find_bonds(const cpu::IndexColumns &q, const cpu::IndexColumns &last, std::size_t components, std::size_t n);
  std::optional<EdgeEstimate> refined(std::size_t axis) const;
  void take(std::size_t axis);
  void straighten();

  format::TiltedEdges edges_;
  std::array<EdgeEstimate, core::max_components> known_{};
  Way range_{};  // of the coordinates
  std::vector<Jump> jumps_;
  std::array<std::vector<BondAcross>, core::max_components> bonds_;  // across each edge
};

}  // namespace gpz::trajectory
