// SPDX-License-Identifier: GPL-2.0-only
/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   Copyright (2003) Sandia Corporation.  Under the terms of Contract
   DE-AC04-94AL85000 with Sandia Corporation, the U.S. Government retains
   certain rights in this software.  This software is distributed under
   the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// For a gpz that was built without CUDA.

#include <gpz/error.hpp>

#include "gpz_gpu.h"

using namespace LAMMPS_NS;

int gpz_gpu::count() { return 0; }

std::string gpz_gpu::code_text(int) { return {}; }

const char *gpz_gpu::why_none() { return "gpz was built without CUDA"; }

std::unique_ptr<GPZCompressor> gpz_gpu::make_compressor(int) { throw gpz::Error(gpz::Status::not_found, why_none()); }

std::unique_ptr<GPZRowEncoder> gpz_gpu::make_encoder(int, int) { throw gpz::Error(gpz::Status::not_found, why_none()); }

std::unique_ptr<GPZDeviceAtoms> gpz_gpu::make_atoms(LAMMPS *, GPZAtoms &) { return nullptr; }

std::unique_ptr<GPZRowCopies> gpz_gpu::make_row_copies(int, bool) {
  throw gpz::Error(gpz::Status::not_found, why_none());
}
