// SPDX-License-Identifier: BSD-3-Clause
// Neighbour list: all pairs of particles within a cutoff, and the vectors between them. Vectors are integers, so every
// machine finds the same pairs and vectors.
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
#include "gpz/kernels/pair_kernels.hpp"

namespace gpz::crystal {

// Particles are sorted by cells, so that neighbours are near each other in memory; the index after sorting is their
// place. Each pair occurs once, in the list of the particle with the later place, even in boxes smaller than two
// cutoffs. On a periodic axis the vector is the shorter one; positions beyond an edge are wrapped.
class NeighbourList {
 public:
  // Limit of vectors and cutoff, in units.
  static constexpr std::uint32_t max_reach = 32767;
  // Limits of the number of pairs, and of the distances that are computed to find them.
  static constexpr std::uint64_t max_pairs_of_particle = 256;
  static constexpr std::uint64_t max_distances_of_particle = 2048;

  // Finds the pairs of n < 2^32 particles with 1 to 3 components that are closer than `cutoff` grid steps. Returns
  // false if there are too many; the list is unspecified then. Throws std::bad_alloc, and limit_exceeded of the
  // reader's budget.
  bool build(const codec::IndexColumns &q, std::size_t n, int components, const core::GridBox &box,
             std::uint64_t cutoff, const codec::Kernels &kernels = codec::kernels());
  // As above, for the last indices of a state.
  bool build(const codec::DifferenceState &state, const core::GridBox &box, std::uint64_t cutoff);

  std::size_t particles() const { return order_.size(); }
  // Lengths below are in units of 2^shift grid steps. The shift is 0 unless the cutoff or the box is very large.
  int shift() const { return shift_; }
  std::uint32_t reach() const { return reach_; }  // the cutoff

  // Slot of the particle in each place.
  const format::Column<std::uint32_t> &order() const { return order_; }
  std::size_t pairs() const { return first_.back(); }
  // Pairs first()[place] to first()[place + 1] - 1 join the particle in `place` with particles in earlier places.
  // partner()[pair] is the place of the partner, in ascending order. Columns of pairs are longer than the number of
  // pairs, by PairKernels::padding at least. The partners behind the last pair are 0.
  const format::Column<std::uint32_t> &first() const { return first_; }
  const format::Column<std::uint32_t> &partner() const { return partner_; }
  // Vector from the partner to the particle, in units. Missing components are 0.
  const format::Column<std::int16_t> &way(std::size_t component) const { return way_[component]; }
  // Squared distance, in units; below reach()^2 < 2^30.
  std::uint32_t squared(std::size_t pair) const {
    std::int32_t sum = 0;
    for (const auto &way : way_) sum += std::int32_t{way[pair]} * way[pair];
    return static_cast<std::uint32_t>(sum);
  }

  std::size_t memory_usage() const {
    return codec::memory_of(at_, order_, first_, partner_, way_, at_slot_, cell_of_slot_, cell_begin_, near_, place_,
                            distance_, runs_);
  }

 private:
  struct Cells;

  void place(const codec::IndexColumns &q, std::size_t n, int components, const core::GridBox &box,
             std::uint64_t cutoff, Cells &cells);
  void sort(Cells &cells);
  void find_runs(const Cells &cells, const std::array<std::int64_t, core::max_components> &cell,
                 std::uint32_t cell_end);
  bool find_pairs(const Cells &cells, const codec::PairKernels &kernels);
  codec::PairCandidates room_for_candidates(std::uint64_t count);
  void make_room(std::uint64_t pairs);

  int shift_ = 0;
  std::uint32_t reach_ = 0;
  std::array<format::Column<std::int32_t>, core::max_components> at_;  // by place, in units from the lower edge
  format::Column<std::uint32_t> order_;
  format::Column<std::uint32_t> first_ = {0};
  format::Column<std::uint32_t> partner_;
  std::array<format::Column<std::int16_t>, core::max_components> way_;
  // Working memory, kept for the next frame.
  std::array<format::Column<std::int32_t>, core::max_components> at_slot_;
  format::Column<std::uint32_t> cell_of_slot_;
  format::Column<std::uint32_t> cell_begin_;
  // Candidates for the pairs of a cell.
  std::array<format::Column<std::int32_t>, core::max_components> near_;
  format::Column<std::uint32_t> place_;
  format::Column<std::uint32_t> distance_;
  std::vector<codec::CandidateRun> runs_;
};

}  // namespace gpz::crystal
