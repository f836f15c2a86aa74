// SPDX-License-Identifier: BSD-3-Clause
// Decoded frames against the frames of an uncompressed LAMMPS dump, particle by particle.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gpz/frame.hpp"
#include "type_names.hpp"

namespace gpz::tool {

struct ColumnDifference {
  std::string name;
  bool exact = false;   // no difference is allowed
  double bound = 0;     // largest of all frames
  double largest = 0;   // infinity if one value is NaN and the other is not, or words or integers differ
  std::int64_t id = 0;  // where it is
  std::int64_t timestep = 0;
  std::uint64_t above = 0;  // values that differ by more than their bound
  int digits = 0;           // the most that a value of the other file has; 0: not known
};

// Collects differences over frames; particles are matched by id.
class Comparison {
 public:
  // Names of files are for messages.
  Comparison(std::string file, TypeNames names, std::string reference)
      : file_(std::move(file)), reference_(std::move(reference)), names_(std::move(names)) {}

  // Compares the columns that both frames have; where their positions have no form in common, fractions of the box are
  // made Cartesian. Throws Failure: usage without ids or without positions to compare, different if the ids are not the
  // same.
  void add(Frame frame, Frame reference, const TypeNames &reference_names);

  // One of the same files, to which nothing was added.
  Comparison empty() const { return {file_, names_, reference_}; }
  // As if the frames of `later` were added.
  void merge(const Comparison &later);

  // Columns that one of the files lacks.
  const std::set<std::string> &only_in_file() const { return only_in_file_; }
  const std::set<std::string> &only_in_reference() const { return only_in_reference_; }

  const std::vector<ColumnDifference> &columns() const { return columns_; }
  std::uint64_t frames() const { return frames_; }
  std::uint64_t above() const;

 private:
  ColumnDifference &difference_of(const std::string &name);

  std::string file_;
  std::string reference_;
  TypeNames names_;
  std::vector<ColumnDifference> columns_;
  std::set<std::string> only_in_file_, only_in_reference_;
  std::uint64_t frames_ = 0;
};

}  // namespace gpz::tool
