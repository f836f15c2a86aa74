// SPDX-License-Identifier: BSD-3-Clause
// Which particles are close to each other: all pairs within a cutoff, with the way between them in integers, so that
// every machine finds the same pairs and the same ways.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/codec/memory.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::crystal {

// The particles stand in places: sorted by cells, so that neighbours are near each other in memory. Each pair occurs
// once, with the particle of the later place. On a periodic axis the way between two particles is the shorter one;
// positions beyond an edge are wrapped. A box that is smaller than two cutoffs has each pair once all the same.
class NeighbourList {
 public:
  // Ways and the cutoff are at most this, in units.
  static constexpr std::uint32_t max_reach = 32767;
  // A list of more pairs, and one that takes more distances, is not made.
  static constexpr std::uint64_t max_pairs_of_particle = 256;
  static constexpr std::uint64_t max_distances_of_particle = 2048;

  // The pairs of n < 2^32 particles with 1 to 3 components that are closer than `cutoff` grid steps. False if there are
  // too many: the list is of no use then. Throws std::bad_alloc, and limit_exceeded of the reader's budget.
  bool build(const codec::IndexColumns &q, std::size_t n, int components, const core::GridBox &box,
             std::uint64_t cutoff, const codec::Kernels &kernels = codec::kernels());
  // Those of the last indices of a state.
  bool build(const codec::DifferenceState &state, const core::GridBox &box, std::uint64_t cutoff);

  std::size_t particles() const { return order_.size(); }
  // Lengths below are in units of 2^shift grid steps: 0 unless the cutoff or the box is very large.
  int shift() const { return shift_; }
  std::uint32_t reach() const { return reach_; }  // the cutoff

  // The slot of the particle in each place.
  const format::Column<std::uint32_t> &order() const { return order_; }
  std::size_t pairs() const { return first_.back(); }
  // Columns of pairs may be longer than there are pairs. Pairs first()[place] to first()[place + 1] are those of the
  // particle in `place` with particles in earlier places, partner()[pair], in ascending order.
  const format::Column<std::uint32_t> &first() const { return first_; }
  const format::Column<std::uint32_t> &partner() const { return partner_; }
  // The way from the partner to the particle, in units. Components that there are not are 0.
  const format::Column<std::int16_t> &way(std::size_t component) const { return way_[component]; }
  // Of the distance, in units; below reach()^2 < 2^30.
  std::uint32_t squared(std::size_t pair) const {
    std::int32_t sum = 0;
    for (const auto &way : way_) sum += std::int32_t{way[pair]} * way[pair];
    return static_cast<std::uint32_t>(sum);
  }

  std::size_t memory_usage() const {
    return codec::memory_of(at_, order_, first_, partner_, way_, at_slot_, cell_of_slot_, cell_begin_, near_, place_,
                            distance_);
  }

 private:
  struct Cells;
  struct Run;

  void place(const codec::IndexColumns &q, std::size_t n, int components, const core::GridBox &box,
             std::uint64_t cutoff, Cells &cells);
  void sort(Cells &cells);
  bool find_pairs(const Cells &cells, const codec::Kernels &kernels);
  void take_candidates(const std::vector<Run> &runs, std::uint64_t count);
  void make_room(std::uint64_t pairs);

  int shift_ = 0;
  std::uint32_t reach_ = 0;
  std::array<format::Column<std::int32_t>, core::max_components> at_;  // by place, in units from the edge
  format::Column<std::uint32_t> order_;
  format::Column<std::uint32_t> first_ = {0};
  format::Column<std::uint32_t> partner_;
  std::array<format::Column<std::int16_t>, core::max_components> way_;
  // Working memory, kept for the next frame.
  std::array<format::Column<std::int32_t>, core::max_components> at_slot_;
  format::Column<std::uint32_t> cell_of_slot_;
  format::Column<std::uint32_t> cell_begin_;
  // Candidates of a cell.
  std::array<format::Column<std::int32_t>, core::max_components> near_;
  format::Column<std::uint32_t> place_;
  format::Column<std::uint32_t> distance_;
};

}  // namespace gpz::crystal
