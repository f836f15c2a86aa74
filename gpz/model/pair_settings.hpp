// SPDX-License-Identifier: BSD-3-Clause
// Settings of pair forces, as stored in the file (docs/format.md, section 10d).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/model/pair_table.hpp"

namespace gpz::model {

struct PairSettings {
  static constexpr std::uint8_t most_steps = 16;
  static constexpr std::uint8_t most_gain = 128;
  static constexpr std::uint8_t most_trust = 64;
  static constexpr std::uint64_t most_cutoff = std::uint64_t{1} << 48;

  std::uint8_t steps = 0;  // between two frames; 0: no settings yet
  // Fractions of the error of an expectation that correct the speed (gain) and the position (trust), in 1/64.
  std::uint8_t gain = 0;
  std::uint8_t trust = 0;
  std::uint64_t cutoff = 0;  // in grid steps
  PairCurve curve;
};

void append_settings(const PairSettings &settings, std::vector<std::uint8_t> &bytes);
// Returns the number of bytes read, at most `size`. Throws gpz::Error (corrupt).
std::size_t read_settings(const std::uint8_t *bytes, std::size_t size, PairSettings &settings);

}  // namespace gpz::model
