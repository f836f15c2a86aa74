// SPDX-License-Identifier: BSD-3-Clause
// A pair force as straight lines over the squared distance (docs/format.md, section 10d).
#pragma once

#include <cstdint>

#include "gpz/core/config.hpp"

namespace gpz::core {

struct PairLine {
  std::int32_t value = 0;
  std::int32_t rise = 0;  // up to the next bin
};

// Line b of bins 0, 1, ..., `bins` of a curve gives the force at a squared distance r in bin b = r >> shift: value +
// (rise (r mod 2^shift) >> shift). The last line is 0: there is no force beyond.
struct PairLines {
  const PairLine *line = nullptr;
  std::uint32_t bins = 0;
  int shift = 0;  // from squared distances to bins; at most 25

  std::uint64_t end() const { return std::uint64_t{bins} << shift; }  // no force from this squared distance on
};

}  // namespace gpz::core
