// SPDX-License-Identifier: BSD-3-Clause
// One program on one set of particles with one bound.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data.hpp"
#include "program.hpp"

namespace evaluation {

struct Times {
  double first = 0;           // seconds, as `fresh`, of the first call of the process; 0: not measured
  std::vector<double> fresh;  // seconds, all memory allocated and freed
  std::vector<double> warm;   // seconds, memory kept; empty if the program cannot
};

struct Measurement {
  std::size_t bytes = 0;
  std::string layout;  // "particles", "joined" or "separate"
  Times compress;
  Times decompress;
  double error_over_bound = 0;
  double psnr = 0;  // decibels
  std::uint64_t lost = 0;
};

struct Settings {
  int runs = 7;
  double patience = 4;  // seconds for the runs of a kind; where they take longer, there are fewer of them, at least 2
  unsigned threads = 1;
  bool first_calls = false;  // the process has made no call before
  std::string decoded;       // a file for the decoded values, or none
};

// Throws std::exception where the program fails. Broken bounds and lost values are results.
Measurement measure(Program &program, const Data &data, double longest_edge, double relative_bound,
                    const Settings &settings);

}  // namespace evaluation
