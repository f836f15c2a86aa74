// SPDX-License-Identifier: BSD-3-Clause
// Whether errors stay as small through many difference frames as they are in the first.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "edges.hpp"
#include "motion.hpp"

namespace gpz::values {

struct Drift {
  std::string name;
  std::string expected;  // the prediction for which the motion is made, as predictions_of has it
  Outcome outcome;
  double first = 0;                                  // largest error of the positions in the first frame, in bounds
  double last = 0;                                   // in the last frame
  std::map<std::string, std::uint64_t> frames_with;  // frames by prediction
};

// Files of `frames` frames: one for each motion, type of the positions and order, with one key frame, and two with key
// frames only.
std::vector<Drift> try_drift(std::size_t frames, std::size_t particles);

}  // namespace gpz::values
