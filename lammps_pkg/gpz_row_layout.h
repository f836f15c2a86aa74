// SPDX-License-Identifier: GPL-2.0-only
/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   Copyright (2003) Sandia Corporation.  Under the terms of Contract
   DE-AC04-94AL85000 with Sandia Corporation, the U.S. Government retains
   certain rights in this software.  This software is distributed under
   the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_GPZ_ROW_LAYOUT_H
#define LMP_GPZ_ROW_LAYOUT_H

#include <cstddef>
#include <gpz/frame.hpp>
#include <vector>

#include "gpz_rows.h"

namespace LAMMPS_NS {

// How rows of atoms are copied: all components of an atom side by side. Those of 8 bytes come first, so that every
// component is aligned.
class GPZRowLayout {
 public:
  using Word = long long;

  GPZRowLayout() = default;
  explicit GPZRowLayout(const std::vector<gpz::FieldInput> &fields);

  // Words of a row.
  std::size_t words() const { return words_; }
  // Copies the rows: `to` has atoms.particles * words() words. `threads`: at most so many copy.
  void copy(const GPZRows &atoms, Word *to, int threads = 1) const;
  // Lets the fields, which have the components that the layout was made for, refer to such a copy.
  void refer(std::vector<gpz::FieldInput> &fields, const Word *copy) const;

 private:
  struct Column {
    std::size_t offset, size;  // in a row, bytes
  };
  std::vector<Column> columns_;  // of each component, in the order of fields
  std::size_t words_ = 0;

  void copy_range(const GPZRows &atoms, Word *to, std::size_t begin, std::size_t end) const;
};

}  // namespace LAMMPS_NS

#endif
