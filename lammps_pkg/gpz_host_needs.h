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

#ifndef LMP_GPZ_HOST_NEEDS_H
#define LMP_GPZ_HOST_NEEDS_H

#include <cstdint>
#include <string>
#include <vector>

namespace LAMMPS_NS {
class Compute;
class LAMMPS;

// The arrays of atoms in host memory that are read, as masks of KOKKOS (atom_masks.h), and their readers. Unknown
// readers count as reading everything.
class GPZHostNeeds {
 public:
  explicit GPZHostNeeds(LAMMPS *lmp) : lmp_(lmp) {}

  void add(std::uint64_t mask, const std::string &reader);
  // Adds the arrays that dump style custom reads for a column or a threshold with this name: "xu", "c_ID[2]", "v_name".
  void add_attribute(const std::string &name);
  void add_region(const std::string &id);
  // A variable that is evaluated for the dump, of style equal or atom.
  void add_variable(const std::string &name, const std::string &reader);
  // Adds all arrays stored per atom, for dump_modify pbc.
  void add_wrapping();
  void add_group();
  // dump_modify refresh, which evaluates a variable.
  void add_refresh();

  std::uint64_t mask() const { return mask_; }
  // "x, image flags (for xu yu zu); v, type, mass, group masks (for c_ke)"; empty if nothing is read.
  std::string text() const;

 private:
  struct Reader {
    std::uint64_t mask;
    std::string names;
  };

  LAMMPS *lmp_;
  std::uint64_t mask_ = 0;
  std::vector<Reader> readers_;

  std::uint64_t of_compute(const std::string &id) const;
  std::uint64_t of_fix(const std::string &id) const;
  std::uint64_t of_variable(const std::string &name, int depth = 0) const;
};

}  // namespace LAMMPS_NS

#endif
