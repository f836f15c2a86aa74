// SPDX-License-Identifier: BSD-3-Clause
// Divides the pairs of a neighbour list among threads, to sum their forces
// (docs/decisions/0069-threads-within-dense-frames.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/memory.hpp"
#include "gpz/codec/parallel.hpp"
#include "gpz/core/types.hpp"
#include "gpz/crystal/neighbour_list.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/kernels/motion_kernels.hpp"
#include "gpz/kernels/pair_lines.hpp"

namespace gpz::model {

// A part is a range of particles in the list, and has their pairs. A pair adds to the sums of two particles. Both are
// in the part for *inner* pairs, which add to the sums of all parts. The partners of *border* pairs are in earlier
// parts: a part adds these pairs to sums of its own, for the few blocks of particles that they touch. Sums are integers
// modulo 2^64, so their order does not matter. Holds working memory only, reused from frame to frame.
class PairShares {
 public:
  enum class Which : std::uint8_t { all, close };
  static constexpr std::size_t stride = codec::Motion::stride;

  // Makes one part for each thread. The list must not change before the next call.
  void divide(const crystal::NeighbourList &list, int threads);
  // Chooses the pairs with squared distances below `end`, in fine units, as the close ones.
  void take_close(std::uint64_t end);

  // Calls work(part, begin, end) for each part and its range, on a thread for each part.
  template <typename Work>
  void for_each_part(const Work &work) const;

  // For one part: sets `sums` of its particles to the forces of inner pairs, and sums the border pairs. Arguments as in
  // MotionKernels::sum_forces.
  void sum(std::size_t part, Which which, const std::int32_t *fine, const core::PairLines &lines, std::uint64_t *sums);
  // Adds the border pairs of all parts to the sums of this part's particles. Call after all parts were summed.
  void add_borders(std::size_t part, Which which, std::uint64_t *sums) const;

  std::size_t memory_usage() const;

 private:
  struct Pairs {
    format::Column<std::uint32_t> first;
    format::Column<std::uint32_t> partner;
    std::array<format::Column<std::int16_t>, core::max_components> separation;

    void make_room(std::size_t pairs);
    codec::PairsOfParticles view(std::size_t begin, std::size_t end) const;
    std::size_t memory_usage() const { return codec::memory_of(first, partner, separation); }
  };
  // Particles of the border are those of its blocks, block after block.
  struct Border {
    std::vector<std::uint32_t> blocks;  // ascending
    std::array<Pairs, 2> pairs;         // all and close ones
    std::array<format::Column<std::uint64_t>, 2> sums;
    format::Column<std::int32_t> fine;
  };
  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
    Pairs close;  // inner pairs
    Border border;
    std::vector<std::uint32_t> number;  // working memory: of each block in the border
  };

  std::size_t particles_of(const Border &border) const { return border.blocks.size() * block; }
  codec::PairsOfParticles inner(const Part &part) const;
  void find_border(Part &part);

  static constexpr std::size_t block = 64;  // particles; parts begin at multiples

  const crystal::NeighbourList *list_ = nullptr;
  std::size_t parts_count_ = 0;
  std::vector<Part> parts_;                    // the first `parts_count_` are used
  format::Column<std::uint32_t> inner_first_;  // first inner pair of each particle, if there are several parts
  std::uint64_t close_end_ = 0;                // of the close pairs; 0: not chosen yet
};

template <typename Work>
void PairShares::for_each_part(const Work &work) const {
  codec::parallel_ranges(static_cast<int>(parts_count_), parts_count_,
                         [&](int, std::uint64_t first, std::uint64_t last) {
                           for (std::uint64_t part = first; part < last; ++part)
                             work(part, parts_[part].begin, parts_[part].end);
                         });
}

}  // namespace gpz::model
