// SPDX-License-Identifier: BSD-3-Clause
// Some of the particles of a frame: by id, type and position.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpz/container.hpp"
#include "gpz/export.h"
#include "gpz/frame.hpp"
#include "gpz/tables.hpp"

namespace gpz {

// A set of integers.
class GPZ_API NumberRanges {
 public:
  using Range = std::pair<std::int64_t, std::int64_t>;  // first and last number

  NumberRanges() = default;
  // These numbers, in any order.
  explicit NumberRanges(std::vector<std::int64_t> numbers);

  // Adds the numbers from `from` to `to`, both included: none if `from` is the larger one.
  void add(std::int64_t from, std::int64_t to);
  // Adds a number, or a range A:B with both ends as in LAMMPS; without A or B the range has no end there. Returns false
  // if the text is neither.
  bool add(const std::string &text);

  bool has(std::int64_t number) const;
  // Ascending, apart from each other.
  const std::vector<Range> &ranges() const { return ranges_; }

 private:
  std::vector<Range> ranges_;
};

// Adds every type that has this element or type label; several types may be one element. Returns false if there is
// none.
GPZ_API bool add_named_types(const std::string &name, const std::vector<std::string> &elements,
                             const std::vector<std::string> &labels, NumberRanges &types);

struct Interval {  // both ends included
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();
};
// Intervals of x, y and z, in distance units. Fractions of the box are converted to coordinates first; a frame without
// z is at 0.
using Region = std::array<Interval, 3>;

// A particle is selected if everything holds that is set here.
struct Selection {
  std::optional<NumberRanges> ids;
  std::optional<NumberRanges> types;  // of the column type, else element, else typelabel
  std::optional<Region> region;

  // Whether all particles of every frame are selected.
  bool all() const { return !ids && !types && !region; }
};

// Marks the fields that have the columns of the selection. Columns that are missing are no error here.
GPZ_API void want_fields_of(const Selection &selection, const FrameInfo &info, std::vector<bool> &wanted);
// Leaves the selected particles of the frame, in their order. Throws not_found if the frame lacks a column or the box.
GPZ_API void keep_particles(Frame &frame, const Selection &selection);
// Leaves the rows of particles with these ids in the table `atoms`, and in `bonds`, `angles`, `dihedrals` and
// `impropers` the rows that name no other particle.
GPZ_API void keep_particles(std::vector<Table> &tables, const NumberRanges &ids);

}  // namespace gpz
