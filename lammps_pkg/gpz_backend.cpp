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

#include "gpz_backend.h"

#include <gpz/error.hpp>

#include "comm.h"
#include "fmt/format.h"
#include "lammps.h"

using namespace LAMMPS_NS;

GPZBackend::GPZBackend(LAMMPS *lmp) : lmp_(lmp), host_atoms_(lmp) {}

void GPZBackend::init(Device device, const std::string &only_on_cpu) {
  const bool has_gpus = device != Device::CPU && gpz_gpu::count() > 0;
  const std::string obstacle = has_gpus ? only_on_cpu : std::string();
  if (compressor_ && device_ == device && only_on_cpu_ == obstacle) return;
  only_on_cpu_ = obstacle;
  compressor_.reset();
  device_atoms_.reset();
  gpu_ = -1;
  const int rank = rank_on_node(), gpus = has_gpus && obstacle.empty() ? gpz_gpu::count() : 0;
  if (gpus > 0) {
    device_atoms_ = gpz_gpu::make_atoms(lmp_, host_atoms_);
    gpu_ = device_atoms_ ? device_atoms_->gpu() : rank % gpus;
    compressor_ = gpz_gpu::make_compressor(gpu_);
  } else if (device == Device::GPU && obstacle.empty()) {
    throw gpz::Error(gpz::Status::not_found, gpz_gpu::why_none());
  } else {
    compressor_ = make_cpu_compressor(lmp_->comm->nthreads);
  }
  device_ = device;
}

// LAMMPS gives the GPUs of a node to its ranks in turn, too.
int GPZBackend::rank_on_node() const {
#ifdef MPI_STUBS
  return 0;
#else
  MPI_Comm node;
  int rank = 0;
  MPI_Comm_split_type(lmp_->world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &rank);
  MPI_Comm_free(&node);
  return rank;
#endif
}

std::string GPZBackend::text() const {
  if (gpu_ < 0) {
    const int threads = lmp_->comm->nthreads;
    std::string text = fmt::format("compressed on the CPU, {} thread{} a rank", threads, threads == 1 ? "" : "s");
    if (!only_on_cpu_.empty()) text += ", because GPUs do not have " + only_on_cpu_;
    return text;
  }
  return fmt::format("compressed on GPU {}, {}{}", gpu_,
                     device_atoms_ ? "where KOKKOS keeps the atoms" : "atoms copied there from host memory",
                     gpz_gpu::code_text(gpu_));
}

double GPZBackend::memory_usage() const {
  return host_atoms_.memory_usage() + (compressor_ ? compressor_->memory_usage() : 0.0);
}
