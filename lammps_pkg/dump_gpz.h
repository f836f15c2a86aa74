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

#include <gpz/chunk.hpp>
#include <gpz/frame.hpp>
#include <memory>
#include <string>
#include <vector>

#include "dump_custom.h"
#include "gpz_columns.h"
#include "gpz_output.h"
#include "gpz_summary.h"

namespace LAMMPS_NS {

class DumpGPZ : public DumpCustom {
 public:
  DumpGPZ(class LAMMPS *, int, char **);
  ~DumpGPZ() override;

  void write() override;
  double memory_usage() override;
  void end_of_run();  // called by fix GPZ/SUMMARY on all ranks

 protected:
  void init_style() override;
  void openfile() override;
  void pack(tagint *) override;
  int modify_param(int, char **) override;

 private:
  // The error bound of positions as the user gave it.
  struct PositionBound {
    enum { DEFAULT, ABSOLUTE, RELATIVE } kind;
    double value;  // distance units, or a fraction of the longest box edge at the first frame
  };

  std::string command_, fix_id_;
  std::unique_ptr<GPZColumns> columns_;
  GPZOutput output_;
  GPZSummary summary_;
  gpz::ChunkEncoder encoder_;
  std::vector<gpz::EncodedChunk> chunks_;  // this rank's one
  gpz::FrameInfo info_;

  PositionBound bound_;
  bool bound_printed_ = false;
  double first_edge_ = 0;        // longest box edge at the first frame, distance units; 0: no frame yet
  bool elements_given_ = false;  // by dump_modify element
  gpz::Metadata metadata_;       // of the file that is open
  enum { UNDECIDED, SKIP_OLD, ADD_ALL } append_mode_ = UNDECIDED;

  std::vector<GPZColumns::Column> column_list() const;
  void refuse_keywords() const;
  int modify_eb(int, char **);
  int modify_bound(int, char **);
  void print_bound();

  MPI_Comm group() const;
  std::string current_path();
  std::string in_use(const std::string &path) const;
  gpz::Metadata metadata() const;
  bool in_file_already();
  void close(bool fatal);

  void wrap();
  void describe_frame();
  void write_frame();
  void set_bounds();
  gpz::Box box() const;
  [[noreturn]] void fail(const std::string &) const;
};

}  // namespace LAMMPS_NS

#endif
#endif
