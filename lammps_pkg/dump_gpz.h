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

#include <cstdint>
#include <functional>
#include <gpz/frame.hpp>
#include <string>

#include "gpz_backend.h"
#include "gpz_context.h"
#include "gpz_direct.h"
#include "gpz_frame_maker.h"
#include "gpz_output.h"
#include "gpz_repeated_steps.h"
#include "gpz_rerun_origin.h"
#include "gpz_settings.h"
#include "gpz_source.h"
#include "gpz_step_observer.h"
#include "gpz_summary.h"

namespace LAMMPS_NS {

// The interface of LAMMPS: each function asks the parts in their order.
class DumpGPZ : public GPZSource, public GPZStepObserver {
 public:
  DumpGPZ(class LAMMPS *, int, char **);
  ~DumpGPZ() override;

  void write() override;
  double memory_usage() override;
  void poll() override;
  void step_is_over() override { direct_.step_is_over(backend_.kokkos_atoms()); }
  void end_of_run() override;

 protected:
  void init_style() override;
  void openfile() override;
  int modify_param(int, char **) override;

 private:
  std::string command_, fix_id_;
  GPZSettings settings_;
  GPZSummary summary_;
  GPZBackend backend_;  // has the buffers of output_, so it outlives it
  GPZFrameMaker frames_;
  GPZOutput output_;
  GPZRepeatedSteps repeated_;
  GPZDirect direct_;
  GPZContext context_;
  gpz::Metadata metadata_;       // of the file that is open
  double first_edge_ = 0;        // longest box edge at the first frame, distance units; 0: no frame yet
  bool effort_limited_ = false;  // which was said
  bool at_times_ = false;        // frames are at multiples of simulation time
  bool bound_checked_ = false;   // against the box, by warn_of_large_bound
  std::string said_bound_, said_device_, said_sets_;

  void refuse_keywords() const;
  void say_bound();
  void init_output();
  void init_backend();
  void init_context();
  void init_direct();
  std::string device_text() const;
  GPZHostNeeds needs() const;
  gpz::Order order() const { return settings_.order_on(backend_.is_on_gpu()); }
  gpz::Effort effort() const { return settings_.effort_on(backend_.is_on_gpu()); }

  MPI_Comm group() const { return multiproc ? clustercomm : world; }
  std::string current_path() const;
  std::string in_use(const std::string &path) const;
  void replace_oldest(const std::string &path);
  std::uint32_t wanted_features() const;
  gpz::Metadata metadata() const;
  GPZAppend append();
  void set_effort();
  void close(bool can_throw);

  void copy_to_host();
  void set_bounds(double bound);
  double set_bounds_of_frame();
  void say_bound_beside(const GPZPositionOrigin &origin);
  void warn_of_large_bound(double bound);
  double thermal_bound();
  void set_thermal_bound();
  GPZRecords make_records(std::string &problem);
  void write_frame();
  void drain();
  void count_placed();
  void stop_if_it_fails(const std::function<void()> &use_output) const;
};

}  // namespace LAMMPS_NS

#endif
#endif
