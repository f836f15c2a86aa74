// SPDX-License-Identifier: BSD-3-Clause
// Tables and observables of frames that keep some of their particles (docs/format.md, sections 11a and 11b).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpz/selection.hpp"
#include "gpz/tables.hpp"

namespace gpz::tool {

// Energies are those of all particles: the observable Atoms, which says how many these are, is added where it is
// missing. Takes the records of a file in their order.
class RecordsOfPart {
 public:
  // `ids`: of the particles that are kept; nullptr: they are chosen otherwise. It has to outlive this object.
  RecordsOfPart(const NumberRanges *ids, const Limits &limits) : ids_(ids), limits_(limits) {}

  // The record that replaces another one. The frame after it had `particles` of them. Tables lose particles of other
  // ids, and bonds, angles, dihedrals and impropers that have such particles. A damaged record stays as it is, for
  // readers to refuse. Throws gpz::Error: limit_exceeded.
  StoredRecord changed(const StoredRecord &record, std::uint64_t particles);
  // The last records in front of a frame of so many particles: the table `thermo`, where it was written for another
  // number of them.
  std::optional<StoredRecord> before_frame(std::uint64_t particles);

 private:
  StoredRecord with_count(const StoredRecord &record, std::uint64_t particles) const;
  bool add_counts(std::vector<Table> &tables, std::uint64_t particles);

  const NumberRanges *ids_;
  Limits limits_;
  std::vector<Observable> names_;  // of the observables of the file, without Atoms; empty: it has that, or none
  std::optional<Table> thermo_;    // of the file, without Atoms
  std::uint64_t written_for_ = 0;  // particles in the column Atoms of that table
};

}  // namespace gpz::tool
