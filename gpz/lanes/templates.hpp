// SPDX-License-Identifier: BSD-3-Clause
// The rows that a key frame is expected from: molecules that have the shape of their classes (docs/format.md,
// section 9d).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/lanes/constants.hpp"
#include "gpz/lanes/layout.hpp"
#include "gpz/lanes/rows.hpp"

namespace gpz::lanes {

// What the constants of classes do not tell.
struct Templates {
  // Of a class: mean heading of its particles around the axis, towards the second reference and aside, in 64ths.
  struct Heading {
    std::int8_t towards = 0, aside = 0;
  };
  std::vector<Heading> heading;
  std::array<std::int32_t, core::max_components> root{};  // row of all roots

  void append(std::vector<std::uint8_t> &bytes) const;
  // Of as many classes as `heading` has. Throws corrupt.
  std::size_t read(const std::uint8_t *bytes, std::size_t size);

  // Encoder: from the rows of a frame; sets lengths of the classes and components along the axis as well.
  void fit(const Molecules &molecules, const Layout &layout, const std::int32_t *rows,
           std::vector<ClassConstants> &classes);

  // Rows of the steps of a block, whose images are 0. `rows` has 8 integers for each slot.
  void place(const Molecules &molecules, const Layout &layout, const Layout::Block &block,
             const std::vector<ClassConstants> &classes, std::int32_t *rows) const;
};

}  // namespace gpz::lanes
