// SPDX-License-Identifier: BSD-3-Clause
// The shapes from which a key frame is predicted, besides the constants of classes (docs/format.md, section 9d).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/lanes/constants.hpp"
#include "gpz/lanes/layout.hpp"
#include "gpz/lanes/rows.hpp"

namespace gpz::lanes {

// Rows and means of a block of Layout::sample(), from its first slot on.
struct SampledBlock {
  std::uint32_t number;
  const std::int32_t *rows;  // rows at `now` (0 or 4) follow the others
  const float *means;
};

struct Templates {
  std::vector<Heading> heading;                           // of each class
  std::array<std::int32_t, core::max_components> root{};  // row of all roots

  void append(std::vector<std::uint8_t> &bytes) const;
  // Reads as many classes as `heading` has. Throws corrupt.
  std::size_t read(const std::uint8_t *bytes, std::size_t size);

  // Encoder: from the rows of a frame, at `now`.
  void fit(const Molecules &molecules, const Layout &layout, const std::vector<SampledBlock> &blocks, unsigned now);
};

}  // namespace gpz::lanes
