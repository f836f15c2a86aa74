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

#ifndef LMP_GPZ_CONTEXT_H
#define LMP_GPZ_CONTEXT_H

#include <mpi.h>

#include <gpz/tables.hpp>
#include <vector>

#include "gpz_chunk.h"
#include "gpz_observables.h"
#include "gpz_topology.h"

namespace LAMMPS_NS {
class GPZHostNeeds;
class LAMMPS;
class GPZLog;
struct GPZSettings;

// The other records in front of a frame: tables, and the observables of the frame. Tables are valid until the next one
// of their name, so they are written when they change.
class GPZContext {
 public:
  GPZContext(LAMMPS *lammps, const GPZLog &log);

  // At the beginning of a run. `every` as in GPZObservables::init, `igroup` and `columns` as in GPZTopology::init.
  void init(const GPZSettings &settings, bigint every, bool is_part, int igroup,
            const std::vector<std::string> &columns);
  // The next frame is the first one of its file, or of the part that is added to it.
  void begin_file();
  // At each step that is due, also if no frame is written then: computes observables.
  void evaluate() { observables_.evaluate(); }
  bool has_observables() const { return !observables_.empty(); }
  // The records of this step on the first rank of each `group` (a part of `world` that shares a file). The tables of
  // topology are in the first file only, because the files are parts of one trajectory. To be called for each frame
  // that is written. Collective over `world`. Throws, perhaps on this rank only, when all ranks have communicated.
  GPZRecords records(MPI_Comm group);
  // Adds the arrays of atoms in host memory that are read.
  void add_needs(GPZHostNeeds &needs) const;

 private:
  LAMMPS *lmp_;
  GPZObservables observables_;
  std::vector<gpz::Observable> named_;  // by the table in the file
  bool has_provenance_ = false;
  bool provenance_written_ = false;  // in this file
  bool has_topology_ = false;
  GPZTopology topology_;

  std::vector<gpz::Observable> observables_of_first_rank(MPI_Comm group) const;
};

}  // namespace LAMMPS_NS

#endif
