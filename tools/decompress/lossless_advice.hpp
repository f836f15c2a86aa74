// SPDX-License-Identifier: BSD-3-Clause
// What a bound for lossless columns would be, where they are much of a file.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "gpz/frame.hpp"
#include "gpz/limits.hpp"

namespace gpz::tool {

class LosslessAdvice {
 public:
  // Takes the size of the values of lossless float columns other than positions. `number`: of the frame, from 0.
  // Forces and velocities may be zero in the first frame, so some later ones count as well.
  void look_at(const Frame &frame, std::uint64_t number);

  // A line about the file at `path`, which is complete: the columns and their usual bounds (gpz/units.hpp). Empty where
  // they take no more than a quarter of it, or so few bytes that there is little to win. Never throws for a file that
  // cannot be read: the file is written, and the advice is not needed.
  std::string text(const std::string &path, const Limits &limits) const;

 private:
  std::map<std::string, double> rms_;  // of each column, the largest of the frames
};

}  // namespace gpz::tool
