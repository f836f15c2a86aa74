// SPDX-License-Identifier: BSD-3-Clause
// Pairs of particles within a cutoff, compiled once for each instruction set (gpz/cpu/kernels.hpp).
#pragma once

#include <cstdint>

#include "gpz/core/types.hpp"

namespace gpz::cpu {

// Particles [begin, end), whose positions are shifted by `shift`.
struct PairRun {
  std::uint32_t begin;
  std::uint32_t end;
  std::int32_t shift[core::max_components];
};

struct PairList {
  std::uint32_t *partner;
  std::int16_t *way[core::max_components];  // from the partner
};

struct PairKernels {
  static constexpr std::uint32_t padding = 16;

  // The particles of a run that are closer to particle `own` than the square root of `limit`, which is below 2^30, are
  // put into the list, which has room for all of the run. Positions differ by less than 2^30. Where `period` is not 0,
  // ways are the shorter ones. Returns how many there are. `distance` is working memory for as many as the run has, and
  // `padding` more; so many positions behind the last one can be read.
  std::uint32_t (*find_near)(const std::int32_t *const position[core::max_components], std::uint32_t own,
                             const PairRun &run, const std::int32_t period[core::max_components], std::uint32_t limit,
                             std::uint32_t *distance, const PairList &list);
};

namespace GPZ_ISA {
extern const PairKernels pair_kernels;
}

}  // namespace gpz::cpu
