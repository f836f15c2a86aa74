// SPDX-License-Identifier: BSD-3-Clause
// Which atoms of a frame are taken: by id, type and place. An atom is taken if everything that is asked for holds.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gpz/frame.hpp"
#include "selection/number_ranges.hpp"
#include "type_names.hpp"

namespace gpz::tool {

// As the options of the command line have them.
struct AtomOptions {
  std::vector<std::string> ids;    // numbers and ranges
  std::vector<std::string> types;  // numbers, ranges, elements and type labels
  std::string region;              // xlo:xhi,ylo:yhi,zlo:zhi
};

class AtomSelection {
 public:
  // Throws Failure (usage), also for a name that is none of `names`.
  AtomSelection(const AtomOptions &options, const TypeNames &names);

  // Whether all atoms of every frame are taken.
  bool all() const { return !ids_ && !types_ && !region_; }
  // The ids that are taken in every frame; nullptr: all.
  const NumberRanges *ids() const { return ids_ ? &*ids_ : nullptr; }
  // Marks the fields that the selection looks at.
  void want(const FrameInfo &info, std::vector<bool> &wanted) const;
  // Takes the other atoms out of the frame. Throws Failure (usage) naming `file` if the frame has no such column.
  void apply(Frame &frame, const std::string &file) const;

 private:
  struct Interval {
    double from = -std::numeric_limits<double>::infinity();
    double to = std::numeric_limits<double>::infinity();
  };
  using Region = std::array<Interval, 3>;

  static Region parse_region(const std::string &text);
  void drop_outside(const Frame &frame, const std::string &file, std::vector<char> &taken) const;

  std::optional<NumberRanges> ids_;
  std::optional<NumberRanges> types_;
  std::optional<Region> region_;
};

}  // namespace gpz::tool
