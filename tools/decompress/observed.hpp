// SPDX-License-Identifier: BSD-3-Clause
// The atoms that observables describe (docs/format.md, section 11b). python/gpz/_observed.py is the same for Python.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpz/tables.hpp"

namespace gpz::tool {

// The observables of a frame of a file as values of those of its atoms that are taken.
class ObservablesOfAtoms {
 public:
  // `in_file`: particles of the frame in its file, of which `taken` are left. Values per atom are multiplied by the
  // number of atoms of the system. If others than these are left, energy, stress and the like are left out, and the
  // observable Atoms is there.
  std::vector<Observable> of(const std::vector<Observable> &observables, std::uint64_t in_file, std::uint64_t taken);
  // The note on observables that were left out, the first time; empty if there are none.
  const std::string &note() const { return note_; }

 private:
  std::string note_;
};

}  // namespace gpz::tool
