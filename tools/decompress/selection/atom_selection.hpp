// SPDX-License-Identifier: BSD-3-Clause
// Which atoms of a frame are taken: by id, type and place. An atom is taken if everything that is asked for holds.
#pragma once

#include <string>
#include <vector>

#include "gpz/frame.hpp"
#include "gpz/selection.hpp"
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
  bool all() const { return selection_.all(); }
  // The ids that are taken in every frame; nullptr: all.
  const NumberRanges *ids() const { return selection_.ids ? &*selection_.ids : nullptr; }
  // Marks the fields that the selection looks at.
  void want(const FrameInfo &info, std::vector<bool> &wanted) const { want_fields_of(selection_, info, wanted); }
  // Takes the other atoms out of the frame. Throws Failure (usage) naming `file` if the frame has no such column.
  void apply(Frame &frame, const std::string &file) const;

 private:
  Selection selection_;
};

}  // namespace gpz::tool
