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

#ifndef LMP_GPZ_GPU_H
#define LMP_GPZ_GPU_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpz_atoms.h"
#include "gpz_compressor.h"
#include "gpz_rows.h"

namespace LAMMPS_NS {
class LAMMPS;

// Atoms that KOKKOS keeps on a GPU; what it does not keep there is found in host memory. Throws gpz::Error.
class GPZDeviceAtoms : public GPZAtoms {
 public:
  struct Rows {
    const int *data;  // in memory of the GPU
    std::uint64_t count;
  };

  virtual int gpu() const = 0;
  // Is it on the GPU?
  virtual bool has(GPZProperty property) const = 0;
  // The copy on the GPU of a custom vector per atom in host memory; data nullptr if there is none.
  virtual gpz::ConstArray find_custom(const void *host) const = 0;
  // To be called at the step of a frame, before what find(), find_custom() (with `custom`) and select() show is used.
  virtual void sync(const std::vector<GPZProperty> &properties, bool custom) = 0;
  // KOKKOS copies these arrays (atom_masks.h) to host memory, where they are older. Returns the seconds that it takes.
  virtual double sync_host(std::uint64_t mask) = 0;
  // Waits until the GPU has done all that KOKKOS has queued.
  virtual void wait() = 0;
  // Is KOKKOS in the loop of a run, where host memory has only what was asked for?
  virtual bool in_loop() const = 0;
  // The local atoms with a bit of `group` in their mask, ascending; valid until the next call.
  virtual Rows select(int group) = 0;
};

// Copies of atoms on a GPU in host memory, for the CPU to compress. Throws gpz::Error.
class GPZRowCopies {
 public:
  virtual ~GPZRowCopies() = default;
  // The atoms are in buffer number `buffer` afterwards, of GPZBackground::nbuffers, until that is used again.
  virtual void copy(GPZRows &atoms, int buffer) = 0;
  // Bytes of host memory.
  virtual double memory_usage() const = 0;
};

// All that needs CUDA. In a gpz without it there are no GPUs (gpz_no_gpu.cpp).
namespace gpz_gpu {

int count();
// For the log: who compiled the kernels for this GPU, if it is the driver, else nothing.
std::string code_text(int gpu);
// If there are none.
const char *why_none();
// Arrays and rows may be in host memory or in that of the GPU. Throws gpz::Error.
std::unique_ptr<GPZCompressor> make_compressor(int gpu);
// nullptr if KOKKOS does not keep atoms on a GPU, or this was built without KOKKOS. Throws gpz::Error.
std::unique_ptr<GPZDeviceAtoms> make_atoms(LAMMPS *lmp, GPZAtoms &host);
// Effort standard in the order of ids: the CPU encodes some of the frames on these threads, the GPU the others. Throws
// gpz::Error.
std::unique_ptr<GPZRowEncoder> make_encoder(int gpu, int threads);
// Arrays and rows may be in host memory or in that of the GPU. Throws gpz::Error.
// `on_device`: copies stay in the memory of the GPU, as long as there is enough.
std::unique_ptr<GPZRowCopies> make_row_copies(int gpu, bool on_device);

}  // namespace gpz_gpu
}  // namespace LAMMPS_NS

#endif
