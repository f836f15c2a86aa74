// SPDX-License-Identifier: BSD-3-Clause
// Writes sections of any chunk kind: the smallest of the candidates.
#pragma once

#include <cstdint>
#include <vector>

#include "gpz/model/contest.hpp"
#include "gpz/trajectory/candidates.hpp"

namespace gpz::trajectory {

struct WrittenSection {
  bool costly = false;               // the chosen coding is When::costly
  bool was_clear = false;            // it won against the others, of costly and usual codings, by model::is_clear_win
  bool was_far = false;              // the same, by model::far_part
  bool has_axes = false;             // the section contains the edges of the box
  bool from_neighbours = false;      // coding 1 predicts from neighbours in the order of slots
  std::vector<std::uint32_t> order;  // EncodedSection::order
  double largest_error = 0;          // EncodedSection::largest_error
  std::size_t investment = 0;        // EncodedSection::investment
};

// Encodes the source with the candidates, at least one of which can code it, and appends the smallest section. `turn`:
// whether to try costly candidates, and whether to try others. Throws std::bad_alloc.
WrittenSection append_section(const std::vector<SectionCandidate> &candidates, const SectionSource &source,
                              model::Contest::Try turn, const format::Crossed &crossed,
                              std::vector<std::uint8_t> &bytes);

}  // namespace gpz::trajectory
