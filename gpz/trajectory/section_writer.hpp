// SPDX-License-Identifier: BSD-3-Clause
// Sections as they are written, whatever the kind of chunk: the smallest of the candidates.
#pragma once

#include <cstdint>
#include <vector>

#include "gpz/trajectory/candidates.hpp"
#include "gpz/trajectory/section_choice.hpp"

namespace gpz::trajectory {

struct WrittenSection {
  bool costly = false;               // the coding that was taken is one of When::costly
  bool has_axes = false;             // readers know the edges of the box on the grid
  std::vector<std::uint32_t> order;  // EncodedSection::order
  double largest_error = 0;          // EncodedSection::largest_error
};

// Appends the section that a source makes of one of these candidates, of which one serves it. `turn` says whether
// costly ones are tried, and others beside them. Throws std::bad_alloc.
WrittenSection append_section(const std::vector<SectionCandidate> &candidates, const SectionSource &source,
                              SectionChoice::Try turn, const format::Crossed &crossed,
                              std::vector<std::uint8_t> &bytes);

}  // namespace gpz::trajectory
