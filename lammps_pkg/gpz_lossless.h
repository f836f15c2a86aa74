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

#ifndef LMP_GPZ_LOSSLESS_H
#define LMP_GPZ_LOSSLESS_H

#include <mpi.h>

#include <cstdint>
#include <gpz/frame.hpp>
#include <gpz/lossless.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gpz_chunk.h"
#include "gpz_rows.h"

namespace LAMMPS_NS {

// The share of a dump that floating-point columns without a bound take, and gpz::LosslessAdvice over all ranks.
class GPZLossless {
 public:
  // Looks at the values of some frames whose arrays are in host memory.
  void see(const GPZRows &atoms, bool in_host);
  // The chunk, whose bytes are counted when they are asked for, in whatever thread that is.
  GPZChunk counted(GPZChunk chunk, std::size_t fields);
  // The advice about what was counted since the last call, for the log. `fields` are those of the dump `id`.
  // Collective.
  std::string report(MPI_Comm world, const std::vector<gpz::FieldInput> &fields, const std::string &id);

 private:
  using Squares = gpz::LosslessAdvice::Squares;
  struct Bytes {
    std::mutex mutex;
    std::vector<std::uint64_t> of_fields;
    std::uint64_t all = 0;
  };

  std::shared_ptr<Bytes> bytes_ = std::make_shared<Bytes>();
  std::uint64_t frames_ = 0;
  std::vector<std::vector<Squares>> samples_;  // per field
};

}  // namespace LAMMPS_NS

#endif
