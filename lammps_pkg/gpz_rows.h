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

#ifndef LMP_GPZ_ROWS_H
#define LMP_GPZ_ROWS_H

#include <cstdint>
#include <gpz/frame.hpp>
#include <vector>

namespace LAMMPS_NS {

// The atoms of a rank that go into a chunk: rows[0 .. particles) of the arrays, which have `nrows` rows, or all rows if
// `rows` is nullptr.
struct GPZRows {
  std::vector<gpz::FieldInput> fields;
  std::uint64_t nrows = 0, particles = 0;
  const int *rows = nullptr;
  bool is_copy = false;  // of a buffer of GPZRowCopies: the arrays stay when LAMMPS goes on
};

}  // namespace LAMMPS_NS

#endif
