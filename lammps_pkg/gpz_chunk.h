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

#ifndef LMP_GPZ_CHUNK_H
#define LMP_GPZ_CHUNK_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace LAMMPS_NS {

// A frame's chunk of this rank on its way to the file.
struct GPZChunk {
  std::uint64_t particles = 0;
  std::size_t size = 0;               // bytes; 0: this rank has none
  std::vector<double> largest_error;  // per field
  // The bytes, once they are in host memory: waits if a copy from a GPU is under way. Called once, in whatever thread
  // writes.
  std::function<const std::uint8_t *()> bytes;
  // If the chunk is compressed behind the simulation: compresses it and sets the members above. Called once, in the
  // thread that compresses, in the order of frames. Empty: they are set.
  std::function<void(GPZChunk &)> compress;
};

}  // namespace LAMMPS_NS

#endif
