// SPDX-License-Identifier: BSD-3-Clause
// Sets of integers as users write them: 1:100,205.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gpz::tool {

// A:B has both ends, as in LAMMPS; without A or B it has no end there.
class NumberRanges {
 public:
  void add(std::int64_t from, std::int64_t to);
  // Takes one number or range; false if the text is none.
  bool add(const std::string &text);

  bool has(std::int64_t number) const;

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges_;  // ascending, apart from each other
};

}  // namespace gpz::tool
