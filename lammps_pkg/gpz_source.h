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

#ifndef LMP_GPZ_SOURCE_H
#define LMP_GPZ_SOURCE_H

#include <cstdint>
#include <gpz/frame.hpp>
#include <memory>
#include <string>
#include <vector>

#include "dump_custom.h"
#include "gpz_columns.h"
#include "gpz_host_needs.h"
#include "gpz_log.h"
#include "gpz_rows.h"

namespace LAMMPS_NS {
class GPZDeviceAtoms;
class GPZWrapped;

// The atoms that a dump has chosen for a frame, and the arrays in memory that hold their columns. It is a DumpCustom,
// because DumpCustom shows its choice to derived classes only.
class GPZSource : public DumpCustom {
 public:
  GPZSource(class LAMMPS *, int, char **);

  // Number of particles of this rank in the frame, as count() has chosen them.
  std::uint64_t particles() const { return static_cast<std::uint64_t>(nme); }
  // Where KOKKOS has the atoms, if the frame takes them there; nullptr: from host memory.
  GPZDeviceAtoms *device_atoms() const { return pbcflag ? nullptr : resident_; }
  // Step, time, box and fields of the frame.
  void describe(gpz::FrameInfo &info);
  // The arrays of the atoms, valid until LAMMPS goes on. `host`: those in host memory.
  GPZRows rows(GPZAtoms &host);

 protected:
  // To be called before the other functions, at each frame. `resident`: the atoms that KOKKOS keeps on a GPU; nullptr
  // if there are none.
  void choose_sources(GPZDeviceAtoms *resident);
  // The arrays in host memory that a frame reads. `step_variable`: the variable of dump_modify every, or nullptr.
  GPZHostNeeds host_needs(const char *step_variable) const;
  // If so, what fixes compute from atoms makes no difference to a frame.
  bool reads_stored_arrays_only(const char *step_variable) const;

  // Chooses the atoms.
  int count() override;
  // Fills the columns that are not read in place.
  void pack(tagint *) override;
  int modify_param(int, char **) override;
  // Local atoms of the frame, for what reads them in host memory.
  std::vector<int> chosen_atoms() const;
  // As long as the result lives, the atoms are wrapped, if dump_modify pbc says so; otherwise nullptr.
  std::unique_ptr<GPZWrapped> wrapped();

  const GPZLog &log() const { return log_; }
  GPZColumns &gpz_columns() { return *columns_; }
  const GPZColumns &gpz_columns() const { return *columns_; }
  gpz::Box box() const;
  bool has_column(const char *name) const;
  // Names of atom types that the dump shows, or was given.
  std::vector<std::string> elements() const;
  bool elements_given() const { return elements_given_; }

 private:
  GPZLog log_;
  std::unique_ptr<GPZColumns> columns_;
  GPZDeviceAtoms *resident_ = nullptr;
  const int *rows_ = nullptr;              // the atoms of this frame; nullptr: all local ones
  std::vector<std::string> thresh_names_;  // dump_modify thresh
  bool elements_given_ = false;            // by dump_modify element

  std::vector<GPZColumns::Column> column_list() const;
  bool chosen_by_custom() const;
  gpz::ConstArray array_of(int column) const;
  gpz::ConstArray custom_on_device(int column) const;
  std::vector<gpz::ConstArray> find_arrays() const;
};

}  // namespace LAMMPS_NS

#endif
