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

// Particles are sorted by cells, so that neighbours are near each other in memory; their index after sorting is called
// the index here. Each pair occurs once, in the list of the particle with the larger index, even in boxes smaller than
// two cutoffs. On a periodic axis the vector is the shorter one; positions beyond an edge are wrapped.
class NeighbourList {
 public:
  // Limit of vectors and cutoff, in units.
  static constexpr std::uint32_t max_reach = 32767;
  // Limits of the number of pairs, and of the distances that are computed to find them.
  static constexpr std::uint64_t max_pairs_of_particle = 256;
  static constexpr std::uint64_t max_distances_of_particle = 2048;

  // Finds the pairs of n < 2^32 particles with 1 to 3 components that are closer than `cutoff` grid steps. The list
  // does not depend on the number of threads. Returns false if there are too many pairs; the list is unspecified then.
  // Throws std::bad_alloc, and limit_exceeded of the reader's budget.
  bool build(const codec::IndexColumns &q, std::size_t n, int components, const core::GridBox &box,
             std::uint64_t cutoff, int threads = 1, const codec::Kernels &kernels = codec::kernels());
  // As above, for the last indices of a state.
  bool build(const codec::DifferenceState &state, const core::GridBox &box, std::uint64_t cutoff, int threads = 1);

  std::size_t particles() const { return order_.size(); }
  // Lengths below are in units of 2^shift grid steps. The shift is 0 unless the cutoff or the box is very large.
  int shift() const { return shift_; }
  std::uint32_t reach() const { return reach_; }  // the cutoff

  // Slot of the particle with each index.
  const format::Column<std::uint32_t> &order() const { return order_; }
  std::size_t pairs() const { return first_.back(); }
  // Pairs first()[i] to first()[i + 1] - 1 join the particle with index i with particles of smaller indices.
  // partner()[pair] is the index of the partner, in ascending order. Columns of pairs have at least
  // PairKernels::padding extra elements; their partners are 0.
  const format::Column<std::uint32_t> &first() const { return first_; }
  const format::Column<std::uint32_t> &partner() const { return found_.partner; }
  // Vector from the partner to the particle, in units. Missing components are 0.
  const format::Column<std::int16_t> &separation(std::size_t component) const { return found_.separation[component]; }
  // Squared distance, in units; below reach()^2 < 2^30.
  std::uint32_t squared(std::size_t pair) const {
    std::int32_t sum = 0;
    for (const auto &separation : found_.separation) sum += std::int32_t{separation[pair]} * separation[pair];
    return static_cast<std::uint32_t>(sum);
  }

  std::size_t memory_usage() const;

 private:
  struct Cells;
  // Pairs in the order of the list.
  struct Pairs {
    format::Column<std::uint32_t> partner;
    std::array<format::Column<std::int16_t>, core::max_components> separation;

    void make_room(std::uint64_t pairs);
  };
  // Working memory of a thread.
  struct Search {
    // Candidates for the pairs of a cell.
    std::array<format::Column<std::int32_t>, core::max_components> near;
    format::Column<std::uint32_t> index;
    format::Column<std::uint32_t> distance;
    std::vector<codec::CandidateRun> runs;
    Pairs found;  // empty for the first thread, which adds to the list itself
    std::uint64_t pairs = 0;

    codec::PairCandidates room_for_candidates(std::uint64_t count);
  };
  struct Progress;

  void assign_cells(const codec::IndexColumns &q, std::size_t n, int components, const core::GridBox &box,
                    std::uint64_t cutoff, int threads, Cells &cells);
  void sort(Cells &cells, int threads);
  void find_runs(const Cells &cells, const std::array<std::int64_t, core::max_components> &cell, std::int64_t width,
                 std::uint32_t cell_end, std::vector<codec::CandidateRun> &runs) const;
  bool find_pairs(const Cells &cells, std::int64_t width, const codec::PairKernels &kernels, int threads);
  void find_pairs_of_rows(const Cells &cells, std::int64_t width, const codec::PairKernels &kernels,
                          std::size_t first_row, std::size_t last_row, Progress &progress, Search &search,
                          Pairs &found);
  void join(const std::vector<std::size_t> &rows, std::size_t cells_of_row, int threads);

  int shift_ = 0;
  std::uint32_t reach_ = 0;
  std::array<format::Column<std::int32_t>, core::max_components> at_;  // by index, in units from the lower edge
  format::Column<std::uint32_t> order_;
  format::Column<std::uint32_t> first_ = {0};
  Pairs found_;
  // Working memory, kept for the next frame.
  std::array<format::Column<std::int32_t>, core::max_components> at_slot_;
  format::Column<std::uint32_t> cell_of_slot_;
  format::Column<std::uint32_t> cell_begin_;
  std::vector<Search> searches_;  // one for each thread
};

}  // namespace gpz::crystal
