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

#ifdef DUMP_CLASS
// clang-format off
DumpStyle(gpz,DumpGPZ);
// clang-format on
#else

#ifndef LMP_DUMP_GPZ_H
#define LMP_DUMP_GPZ_H

#include <gpz/frame.hpp>
#include <gpz/trajectory.hpp>
#include <memory>
#include <string>
#include <vector>

#include "dump_custom.h"
#include "gpz_backend.h"
#include "gpz_columns.h"
#include "gpz_host_needs.h"
#include "gpz_output.h"
#include "gpz_position_bound.h"
#include "gpz_share.h"
#include "gpz_summary.h"

namespace LAMMPS_NS {

class DumpGPZ : public DumpCustom {
 public:
  DumpGPZ(class LAMMPS *, int, char **);
  ~DumpGPZ() override;

  void write() override;
  double memory_usage() override;
  // called by fix GPZ/STEP on all ranks
  void poll();
  void step_is_over();
  void end_of_run();

 protected:
  void init_style() override;
  void openfile() override;
  int count() override;
  void pack(tagint *) override;
  int modify_param(int, char **) override;

 private:
  std::string command_, fix_id_;
  std::unique_ptr<GPZColumns> columns_;
  GPZSummary summary_;
  GPZBackend backend_;  // has the buffers of output_, so it outlives it
  std::string backend_printed_;
  GPZShare share_;
  GPZOutput output_;
  bool async_ = true, direct_wanted_ = true;
  bool early_ = false;                        // KOKKOS has not copied anything to the host for this frame
  double step_over_ = 0;                      // MPI_Wtime() when KOKKOS began to copy for this frame alone; or 0
  std::vector<std::string> thresh_names_;     // dump_modify thresh
  gpz::KeySchedule schedule_;                 // dump_modify key
  gpz::Order order_ = gpz::Order::place;      // dump_modify order
  gpz::Effort effort_ = gpz::default_effort;  // dump_modify effort
  bool effort_limited_ = false;               // which was said
  const int *rows_ = nullptr;                 // the atoms of this frame; nullptr: all local ones
  gpz::FrameInfo info_;

  GPZPositionBound bound_;
  bool bound_printed_ = false;
  double first_edge_ = 0;        // longest box edge at the first frame, distance units; 0: no frame yet
  bool elements_given_ = false;  // by dump_modify element
  gpz::Metadata metadata_;       // of the file that is open
  enum { UNDECIDED, SKIP_OLD, ADD_ALL } append_mode_ = UNDECIDED;

  std::vector<GPZColumns::Column> column_list() const;
  void refuse_keywords() const;
  int modify_eb(int, char **);
  int modify_bound(int, char **);
  int modify_switch(int, char **, bool &);
  int modify_device(int, char **);
  int modify_key(int, char **);
  int modify_order(int, char **);
  int modify_effort(int, char **);
  int modify_share(int, char **);
  void print_bound();
  bool chosen_by_custom() const;
  GPZDeviceAtoms *device_atoms();
  int place_in_output() const;
  void print_device();
  std::string why_not_early() const;
  bool reads_stored_arrays_only() const;
  GPZHostNeeds host_needs();
  bool nothing_else_is_due() const;
  void output_of_this_dump(int place);
  void copy_to_host();
  gpz::ConstArray array_of(int column) const;
  gpz::ConstArray custom_on_device(int column);
  std::vector<gpz::ConstArray> find_arrays();

  MPI_Comm group() const;
  std::string current_path();
  std::string in_use(const std::string &path) const;
  std::uint32_t wanted_features() const;
  void set_effort();
  gpz::Metadata metadata() const;
  bool in_file_already();
  void close(bool can_throw);

  void wrap();
  void describe_frame();
  void write_frame();
  GPZChunk make_chunk(std::string &problem);
  void drain();
  void set_bounds();
  gpz::Box box() const;
  [[noreturn]] void fail(const std::string &) const;
};

}  // namespace LAMMPS_NS

#endif
#endif
