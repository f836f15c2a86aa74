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

#ifndef LMP_GPZ_LOG_H
#define LMP_GPZ_LOG_H

#include <string>

namespace LAMMPS_NS {
class LAMMPS;

// Messages of a dump, with its name in front: "Dump ID gpz: ...".
class GPZLog {
 public:
  GPZLog(LAMMPS *lmp, const std::string &dump_id) : lmp_(lmp), name_("Dump " + dump_id + " gpz: ") {}

  std::string with_name(const std::string &text) const { return name_ + text; }
  // Stops LAMMPS: on all ranks, which have the same problem; or if only some may have it.
  [[noreturn]] void fail(const std::string &problem) const;
  [[noreturn]] void fail_alone(const std::string &problem) const;
  // A destructor cannot stop LAMMPS: prints the error, and changes the exit code.
  void fail_in_destructor(const std::string &problem) const;
  // Once, whatever the number of ranks.
  void warn(const std::string &text) const;
  void say(const std::string &text) const;
  // Unless it is what was said last, which is kept in `last`.
  void say_if_new(const std::string &text, std::string &last) const;

 private:
  LAMMPS *lmp_;
  std::string name_;
};

}  // namespace LAMMPS_NS

#endif
