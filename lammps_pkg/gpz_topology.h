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

#ifndef LMP_GPZ_TOPOLOGY_H
#define LMP_GPZ_TOPOLOGY_H

#include <array>
#include <cstdint>
#include <gpz/tables.hpp>
#include <string>
#include <vector>

#include "pointers.h"

namespace LAMMPS_NS {
class GPZHostNeeds;

// The tables of dump_modify topology: bonds, angles, dihedrals and impropers; types; and atoms, with what does not
// change with time. They list what the atoms of a group have, in an order that does not depend on the ranks.
class GPZTopology : protected Pointers {
 public:
  explicit GPZTopology(LAMMPS *lammps) : Pointers(lammps) {}

  // At the beginning of a run. `igroup`: the number of the group; `columns`: of the dump, which need no table.
  void init(int igroup, const std::vector<std::string> &columns);
  // All tables are to be written again.
  void begin_file();
  // The tables that are not those of the last call, on the first rank of `world`. Collective.
  std::vector<gpz::Table> changed();
  // Adds the arrays of atoms in host memory that changed() reads.
  void add_needs(GPZHostNeeds &needs) const;

 private:
  enum Kind { BONDS, ANGLES, DIHEDRALS, IMPROPERS, ATOMS, NKINDS };
  enum Property { TYPE, MOLECULE, CHARGE, MASS, RADIUS, NPROPERTIES };

  // The numbers of atoms and then the type; or an id and the bits of the properties.
  using Row = std::array<std::int64_t, 6>;

  int group_ = 0;
  bool lists_atoms_ = false;                      // in a table
  bool listed_atoms_ = false;                     // the file has that table
  std::array<bool, NKINDS> has_{};                // atoms: they are listed, or are a part of all
  std::array<bool, NPROPERTIES> has_property_{};  // of the table atoms
  bool first_ = true;                             // no table was written
  std::array<std::int64_t, NKINDS> seen_{};       // hashes over all ranks at the last call
  std::array<std::uint64_t, NKINDS> written_{};   // checksums of the tables, on the first rank
  gpz::Table types_;                              // on the first rank

  bool in_group(int i) const;
  bool is_constant_charge() const;
  std::size_t width(Kind kind) const;
  template <class Use>
  void for_each(Kind kind, Use &&use) const;
  template <class Use>
  void for_each_atom(Use &&use) const;
  template <class Use>
  void for_each_of_molecules(Kind kind, Use &&use) const;
  std::array<std::int64_t, NKINDS> hashes() const;
  std::vector<Row> gather(Kind kind) const;
  void keep_group(Kind kind, const std::vector<Row> &atoms, std::vector<Row> &rows) const;
  gpz::Table table(Kind kind, const std::vector<Row> &rows) const;
  gpz::Table types() const;
};

}  // namespace LAMMPS_NS

#endif
