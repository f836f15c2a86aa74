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

#ifndef LMP_GPZ_OBSERVABLES_H
#define LMP_GPZ_OBSERVABLES_H

#include <gpz/tables.hpp>
#include <string>
#include <vector>

#include "pointers.h"

namespace LAMMPS_NS {
class GPZHostNeeds;
class GPZLog;

// The numbers of a whole frame that dump_modify thermo and dump_modify observables ask for.
class GPZObservables : protected Pointers {
 public:
  GPZObservables(LAMMPS *lammps, const GPZLog &log) : Pointers(lammps), log_(log) {}

  // At the beginning of a run. `thermo`: the columns of the thermo style; `list`: "v_name", "c_ID[1]", "f_ID[1][2]".
  // `every`: the dump has frames at multiples of this number of steps; 0: at others. Fails if one of them is not there.
  // `is_part`: frames may have some of the atoms, so the number of all atoms becomes an observable as well.
  void init(bool thermo, const std::vector<std::string> &list, bigint every, bool is_part);
  bool empty() const { return values_.empty(); }
  // Computes the values of this step. Collective.
  void evaluate();
  const std::vector<gpz::Observable> &values() const { return values_; }
  // Adds the arrays of atoms in host memory that evaluate() reads.
  void add_needs(GPZHostNeeds &needs) const;

 private:
  struct Source {
    std::string keyword;      // of thermo_style; empty: a reference
    bool is_energy = false;   // of those that thermodynamic output may divide by the number of atoms
    std::string name;         // of the reference, such as c_ID[1]
    bool normalized = false;  // as in thermodynamic output: extensive values may be divided by the number of atoms
    std::string unit;         // of a value that is not divided
    int type = 0;             // ArgInfo
    std::string id;
    int index1 = 0, index2 = 0;  // 0: none
  };

  const GPZLog &log_;
  std::vector<Source> sources_;
  std::vector<gpz::Observable> values_;

  void add_thermo();
  void add_reference(const std::string &name, bool normalized);
  void add(Source source, const std::string &name, const std::string &unit);
  void require(const Source &source, bigint every) const;
  struct Value {
    double value = 0.0;
    bool is_per_atom = false;
  };
  Value value(const Source &source) const;
  Value of_compute(const Source &source) const;
  Value of_fix(const Source &source) const;
  double of_variable(const Source &source) const;
  Value normalized(const Source &source, double value, bool extensive) const;
};

}  // namespace LAMMPS_NS

#endif
