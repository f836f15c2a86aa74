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

#ifdef COMMAND_CLASS
// clang-format off
// LAMMPS sorts the headers of its commands by name, so these come after rerun.h and read_dump.h and replace their entries.
CommandStyle(rerun,RerunGPZ);
CommandStyle(read_dump,ReadDumpGPZ);
// clang-format on
#else

#ifndef LMP_RERUN_GPZ_H
#define LMP_RERUN_GPZ_H

#include "read_dump.h"
#include "rerun.h"

namespace LAMMPS_NS {

// rerun and read_dump of LAMMPS, which take files with names in .gpz for files of format gpz.
class RerunGPZ : public Rerun {
 public:
  using Rerun::Rerun;
  void command(int, char **) override;
};

class ReadDumpGPZ : public ReadDump {
 public:
  using ReadDump::ReadDump;
  void command(int, char **) override;
};

// Are these the arguments of a rerun or read_dump with format gpz? Without a format, the name of the first file says
// so.
bool gpz_reads(int narg, char **arg);

}  // namespace LAMMPS_NS

#endif
#endif
