// SPDX-License-Identifier: BSD-3-Clause
// A data set of the evaluation (evaluation/results.md): NAME.f32, and NAME.json that describes it.
#pragma once

#include <string>
#include <vector>

namespace gpz::bench::data {

struct About {
  std::string description;  // what the particles are, and in which units
  std::string source;       // what made them: program, version, seed, arguments
  std::string order;        // in which order they lie in memory
};

// Writes the coordinates as f32 in little-endian order, all of the first axis, then all of the next, and next to them
// name, particles, components and `about` as JSON. `path` ends in .f32; its last part without that is the name. All
// axes have one length. Throws std::runtime_error if a file cannot be written, or the path or the lengths are wrong.
void write_particles(const std::string &path, const std::vector<std::vector<float>> &axes, const About &about);

}  // namespace gpz::bench::data
