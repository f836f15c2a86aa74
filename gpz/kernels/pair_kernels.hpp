// SPDX-License-Identifier: BSD-3-Clause
// Pairs of particles within a cutoff, compiled once for each instruction set (gpz/kernels/kernels.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"

namespace gpz::codec {

// A range of particles in a sorted list. `shift` is added to their positions.
struct CandidateRun {
  std::uint32_t begin;
  std::uint32_t end;
  std::int32_t shift[core::max_components];
};

// Candidates for neighbours of one particle. All arrays have PairKernels::padding extra elements.
struct PairCandidates {
  std::int32_t *position[core::max_components];
  std::uint32_t *index;
  std::uint32_t *distance;  // working memory
};

struct PairList {
  std::uint32_t *partner;
  std::int16_t *separation[core::max_components];  // vector from the partner to the particle
};

// Direction of a pair, in units of 2^-direction_bits, and the shell of its distance.
struct PairDirection {
  std::int16_t along[core::max_components];
  std::int16_t shell;
};

struct PairKernels {
  static constexpr int direction_bits = 10;
  static constexpr std::uint32_t padding = 16;

  // Copies the positions of the runs to the candidates. `at` has `padding` extra elements.
  void (*take_candidates)(const std::int32_t *const at[core::max_components], const CandidateRun *runs,
                          std::size_t count, const PairCandidates &candidates);
  // Lists the first `count` candidates that are closer to `own` than the square root of `limit` (below 2^30). The list
  // must have room for all candidates and `padding` more, which may be overwritten. Positions differ by less than 2^31.
  // Axes with a period use the minimum image. Returns the number of pairs.
  std::uint32_t (*find_near)(const std::int32_t own[core::max_components], const PairCandidates &candidates,
                             std::uint32_t count, const std::int32_t period[core::max_components], std::uint32_t limit,
                             const PairList &list);
  // Finds the directions and shells of `count` pairs with squared distances below 2^30. Shells are given by squared
  // outer radii in ascending order; the last shell has none, and takes all other pairs.
  void (*find_directions)(const std::int16_t *const separation[core::max_components], std::size_t count,
                          const std::int32_t *radii, std::size_t shells, PairDirection *directions);
};

namespace GPZ_ISA {
extern const PairKernels pair_kernels;
}

}  // namespace gpz::codec
