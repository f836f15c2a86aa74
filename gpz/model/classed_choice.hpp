// SPDX-License-Identifier: BSD-3-Clause
// Encoder: chooses sources, rules and contexts of a classed section (docs/format.md, section 10i).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/model/classed_section.hpp"

namespace gpz::model {

// Possible inputs of the prediction: fields of classes, and fields with a history.
struct ClassedCandidates {
  struct Classes {
    std::size_t field;
    const std::int64_t *of_particle;
  };
  struct Numbers {
    std::size_t field;
    const codec::DifferenceState *state;
    bool are_positions;  // predict from displacements, not from the positions themselves
  };

  std::size_t own = 0;  // number of the section's field
  std::vector<Classes> classes;
  std::vector<Numbers> fields;  // without the section's own field
};

struct ClassedChoice {
  ClassedHead head;
  ClassedRules rules;
  ClassedSources sources;
  ClassedSearch search;
};

// Depends on the indices only: all machines make the same choice.
ClassedChoice choose_classed(const ClassedShape &shape, const ClassedCandidates &candidates,
                             const codec::IndexColumns &q);

}  // namespace gpz::model
