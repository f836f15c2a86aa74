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

#ifdef READER_CLASS
// clang-format off
ReaderStyle(gpz,ReaderGPZ);
// clang-format on
#else

#ifndef LMP_READER_GPZ_H
#define LMP_READER_GPZ_H

#include <cstddef>
#include <exception>
#include <gpz/frame.hpp>
#include <gpz/reader.hpp>
#include <memory>
#include <string>
#include <vector>

#include "reader.h"

namespace LAMMPS_NS {

// Format gpz of rerun and read_dump. The index of a file says which timesteps it has, so skipping a frame reads
// nothing.
class ReaderGPZ : public Reader {
 public:
  explicit ReaderGPZ(class LAMMPS *);

  void settings(int, char **) override;
  void open_file(const std::string &) override;
  void close_file() override;
  int read_time(bigint &) override;
  void skip() override;
  bigint read_header(double[3][3], int &, int &, int, int, int *, char **, int, int, int &, int &, int &,
                     int &) override;
  void read_atoms(int, int, double **) override;

 private:
  std::unique_ptr<gpz::Reader> file_;
  std::string path_;
  bool used_ = false;               // a frame of the file was read
  std::size_t next_ = 0;            // frame that read_time looks at
  std::size_t current_ = 0;         // frame that read_header has read
  gpz::FrameInfo info_;             // of the current frame
  std::vector<std::string> names_;  // the column of each field of LAMMPS
  bool scaled_ = false;             // positions are fractions of the box
  std::vector<std::string> position_columns_;

  // The current frame, decoded when its first atoms are asked for: columns_ values of 8 bytes for each atom.
  struct ColumnRef {
    std::size_t column;
    bool integer;
  };
  std::vector<ColumnRef> refs_;  // per field
  std::size_t columns_ = 0;
  std::vector<double> values_;  // integers as their bits
  std::size_t row_ = 0;         // the next atom
  bool decoded_ = false;

  void choose_columns(int nfield, const int *fieldtype, char **fieldlabel, int given, int *flags);
  void tell_origin();
  void decode();
  std::string at_frame() const;
  std::string reason(const std::exception &) const;
  [[noreturn]] void fail(const std::string &) const;
};

}  // namespace LAMMPS_NS

#endif
#endif
