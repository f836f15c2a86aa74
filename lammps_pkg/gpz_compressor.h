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

#ifndef LMP_GPZ_COMPRESSOR_H
#define LMP_GPZ_COMPRESSOR_H

#include <cstdint>
#include <gpz/frame.hpp>
#include <gpz/trajectory.hpp>
#include <memory>
#include <vector>

#include "gpz_background.h"

namespace LAMMPS_NS {

// Makes chunks of a rank's atoms, on a CPU or a GPU, the same bytes. Throws gpz::Error.
class GPZCompressor {
 public:
  virtual ~GPZCompressor() = default;

  // The chunk of `particles` particles: rows[0 .. particles) of the arrays, which have `nrows` rows, or all rows if
  // `rows` is nullptr. With `key` it is independent, otherwise it may be a difference chunk (gpz::TrajectoryEncoder).
  // It stays in buffer number `buffer`, of GPZBackground::nbuffers, until that is used again. Arrays and rows may
  // change when the call has returned.
  virtual GPZChunk compress(std::vector<gpz::FieldInput> fields, std::uint64_t nrows, std::uint64_t particles,
                            const int *rows, const gpz::Box &box, bool key, int buffer) = 0;

  // Sets order and effort from the next chunk on, for a file with these required features. GPUs have order place, and
  // no codings that need features (GPZSettings::only_on_cpu).
  virtual void set(gpz::Order /*order*/, gpz::Effort /*effort*/, std::uint32_t /*features*/) {}

  // Bytes of host memory.
  virtual double memory_usage() const = 0;
};

std::unique_ptr<GPZCompressor> make_cpu_compressor(int threads);

}  // namespace LAMMPS_NS

#endif
