// SPDX-License-Identifier: BSD-3-Clause
// The bounds that gpz encode gives to the fields of frames.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpz/frame.hpp"

namespace gpz::tool {

// As they are typed. A bound is a finite number; 0 keeps every bit.
struct BoundOptions {
  std::optional<std::string> absolute;  // of the positions, distance units
  std::optional<std::string> relative;  // of the positions, to the longest box edge of the first frame; below 1
  bool lossless = false;                // every bit of the positions is kept
  std::vector<std::string> columns;     // COLUMN=V, or COLUMN=thermal; a * at the end of COLUMN is for any text
};

// Whether it is a field of positions in any form, which all have one bound.
bool takes_position_bound(const Field &field);

// A field that has a bound already, because the frame comes from a .gpz file, keeps it where none is asked for. It
// takes a larger one as that of the sum: of the error that its values have and of the one that is added. So the bound
// in the new file is about the original values as well.
class Bounds {
 public:
  // Throws Failure (usage).
  explicit Bounds(const BoundOptions &options);

  // Whether the positions keep every bit.
  bool lossless() const { return lossless_; }
  // The bound of positions for which none is asked, distance units.
  void use_default(double bound) { absolute_ = bound; }
  bool has_positions() const { return absolute_.has_value(); }

  // Positions of all forms get the bound of positions; scaled positions get it in fractions of the box. Notes a bound
  // on standard error that is as large as half of the box, or as the values of its column. Throws Failure (usage)
  // naming `file`, also for a bound that is smaller than that of the field.
  void apply(const std::string &file, Frame &frame);
  // Says once of a frame that was written if a field has kept a smaller bound than the one that it was given.
  void note_kept(const std::string &file, const FrameInfo &given, const FrameInfo &written);

 private:
  void resolve_columns(const std::string &file, const Frame &frame);
  void apply_to_positions(const std::string &file, Frame &frame);
  double absolute_of(const std::string &file, const Frame &frame);
  void note_large(const std::string &file, const Frame &frame) const;
  void give(const std::string &file, Frame &frame, std::size_t field, double bound);

  std::optional<double> absolute_;
  std::optional<double> relative_;  // to the first frame
  bool lossless_;
  // As they are asked for, until the first frame says which columns there are.
  struct Asked {
    std::string pattern;
    std::optional<double> bound;  // without one: thermal
  };
  std::vector<Asked> asked_;
  std::map<std::string, double> columns_;
  bool noted_ = false;      // that there is no room for a coarser grid
  bool looked_at_ = false;  // the first frame, for bounds that are large
};

}  // namespace gpz::tool
