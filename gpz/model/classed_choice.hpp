// SPDX-License-Identifier: BSD-3-Clause
// How an encoder chooses what a classed section is predicted from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/model/classed_section.hpp"

namespace gpz::model {

// What a section may be predicted from: fields of classes, and fields with a history.
struct ClassedCandidates {
  struct Classes {
    std::size_t field;
    const std::int64_t *of_particle;
  };
  struct Numbers {
    std::size_t field;
    const cpu::DifferenceState *state;
    bool are_positions;  // their displacements count, not where they are
  };

  std::size_t own = 0;  // number of the section's field
  std::vector<Classes> classes;
  std::vector<Numbers> fields;  // without its own
};

struct ClassedChoice {
  ClassedHead head;
  ClassedRules rules;
  ClassedSources sources;
  ClassedSearch search;
};

// For these indices; the same on every machine.
ClassedChoice choose_classed(const ClassedShape &shape, const ClassedCandidates &candidates,
                             const cpu::IndexColumns &q);

}  // namespace gpz::model
