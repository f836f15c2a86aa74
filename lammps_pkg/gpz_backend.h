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

#ifndef LMP_GPZ_BACKEND_H
#define LMP_GPZ_BACKEND_H

#include <memory>
#include <string>
#include <vector>

#include "gpz_atoms.h"
#include "gpz_compressor.h"
#include "gpz_gpu.h"

namespace LAMMPS_NS {
class LAMMPS;

// Compresses the atoms of a rank, wherever these are.
class GPZBackend {
 public:
  enum class Device { AUTO, GPU, CPU };

  explicit GPZBackend(LAMMPS *lmp);

  // Decides, as asked for; AUTO: a GPU if there is one. `only_on_cpu`: a setting that GPUs do not have, which goes
  // before; empty: there is none. `threads`: of a CPU; 0: as many as LAMMPS has, or where KOKKOS keeps the atoms on a
  // GPU, those that the cores of this rank have room for. `shares`: a GPU encodes some frames of what is only on the
  // CPU otherwise. Collective. Throws gpz::Error if there is no GPU and Device::GPU was asked for, or no memory.
  void init(Device device, const std::string &only_on_cpu, bool shares, int threads);
  bool is_on_gpu() const { return gpu_ >= 0; }
  // Whether the atoms of KOKKOS stay on a GPU until they are compressed.
  bool keeps_on_gpu() const { return kokkos_atoms_ && (is_on_gpu() || shared_gpu_ >= 0); }
  // Finds out whether KOKKOS keeps the atoms on a GPU, before init(). Throws gpz::Error.
  bool finds_kokkos_atoms();
  // Describes the decision on this rank, for the log.
  std::string text() const;

  GPZCompressor &compressor() { return *compressor_; }
  GPZHostAtoms &host_atoms() { return host_atoms_; }
  // The atoms that KOKKOS keeps on a GPU; nullptr if it does not.
  GPZDeviceAtoms *kokkos_atoms() const { return kokkos_atoms_.get(); }
  // Copies atoms that are there into the buffer of that number, unless the GPU alone compresses them. Throws
  // gpz::Error.
  void fetch(GPZRows &atoms, int buffer);

  double memory_usage() const;

 private:
  LAMMPS *lmp_;
  Device device_ = Device::AUTO;  // that was asked for
  std::string only_on_cpu_;       // why there is no GPU where one could be
  int gpu_ = -1, threads_ = 1;
  int shared_gpu_ = -1;  // encodes some of the frames
  GPZHostAtoms host_atoms_;
  std::unique_ptr<GPZDeviceAtoms> kokkos_atoms_;
  std::unique_ptr<GPZRowCopies> copies_;  // if the CPU compresses those
  std::unique_ptr<GPZCompressor> compressor_;

  int default_threads(int ranks) const;
};

}  // namespace LAMMPS_NS

#endif
