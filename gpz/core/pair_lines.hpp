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

// Lines of the bins 0, 1, ..., `bins` of a curve. The force at a squared distance r in bin b = r >> shift is
// value + (rise (r mod 2^shift) >> shift). The last one is 0: there is no force from there on.
struct PairLines {
  const PairLine *line = nullptr;
  std::uint32_t bins = 0;
  int shift = 0;  // at most 25: from a squared distance to its bin

  std::uint64_t end() const { return std::uint64_t{bins} << shift; }  // no force from this squared distance on
};

}  // namespace gpz::core
