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

#include <mpi.h>
#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <gpz/error.hpp>
#include <thread>

#include "comm.h"
#include "fmt/format.h"
#include "lammps.h"

using namespace LAMMPS_NS;

namespace {

struct Node {
  int rank = 0, ranks = 1;  // of those on this node
};

// LAMMPS gives the GPUs of a node to its ranks in turn, too.
Node place_on_node(MPI_Comm world) {
  Node found;
#ifndef MPI_STUBS
  MPI_Comm node;
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &found.rank);
  MPI_Comm_size(node, &found.ranks);
  MPI_Comm_free(&node);
#else
  (void)world;
#endif
  return found;
}

// Those that the process may run on.
int usable_cores() {
#ifdef __linux__
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0) return CPU_COUNT(&cores);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

GPZBackend::GPZBackend(LAMMPS *lmp) : lmp_(lmp), host_atoms_(lmp) {}

bool GPZBackend::finds_kokkos_atoms() {
  if (!kokkos_atoms_) kokkos_atoms_ = gpz_gpu::make_atoms(lmp_, host_atoms_);
  return kokkos_atoms_ != nullptr;
}

void GPZBackend::init(Device device, const std::string &only_on_cpu, bool shares, int threads) {
  const bool has_gpus = device != Device::CPU && gpz_gpu::count() > 0;
  const std::string obstacle = has_gpus ? only_on_cpu : std::string();
  const Node node = place_on_node(lmp_->world);
  finds_kokkos_atoms();
  if (threads == 0) threads = default_threads(node.ranks);
  shares = shares && has_gpus;
  const int gpu = !has_gpus ? -1 : kokkos_atoms_ ? kokkos_atoms_->gpu() : node.rank % gpz_gpu::count();
  if (compressor_ && device_ == device && only_on_cpu_ == obstacle && (shared_gpu_ >= 0) == shares &&
      threads_ == threads)
    return;
  only_on_cpu_ = obstacle;
  compressor_.reset();
  copies_.reset();
  gpu_ = shared_gpu_ = -1;
  threads_ = threads;
  if (has_gpus && obstacle.empty()) {
    gpu_ = gpu;
    compressor_ = gpz_gpu::make_compressor(gpu_);
  } else if (device == Device::GPU && obstacle.empty()) {
    throw gpz::Error(gpz::Status::not_found, gpz_gpu::why_none());
  } else {
    if (shares) shared_gpu_ = gpu;
    compressor_ =
        make_cpu_compressor(threads_, shares ? gpz_gpu::make_encoder(gpu, threads_) : make_cpu_encoder(threads_));
    if (kokkos_atoms_) copies_ = gpz_gpu::make_row_copies(kokkos_atoms_->gpu(), shares);
  }
  device_ = device;
}

// With the atoms on a GPU, the cores of this rank are idle but for one.
int GPZBackend::default_threads(int ranks) const {
  constexpr int most = 8;
  const int threads = lmp_->comm->nthreads;
  if (!kokkos_atoms_) return threads;
  const int idle = std::min(usable_cores(), static_cast<int>(std::thread::hardware_concurrency()) / ranks) - 1;
  return std::max(threads, std::min(idle, most));
}

void GPZBackend::fetch(GPZRows &atoms, int buffer) {
  if (copies_) copies_->copy(atoms, buffer);
}

std::string GPZBackend::text() const {
  if (gpu_ < 0) {
    std::string text = fmt::format("compressed on the CPU, {} thread{} a rank", threads_, threads_ == 1 ? "" : "s");
    if (shared_gpu_ >= 0)
      text += fmt::format(", and on GPU {} where possible{}", shared_gpu_, gpz_gpu::code_text(shared_gpu_));
    else if (!only_on_cpu_.empty())
      text += ", because GPUs do not have " + only_on_cpu_;
    if (kokkos_atoms_) text += fmt::format(", from copies of the atoms on GPU {}", kokkos_atoms_->gpu());
    return text;
  }
  return fmt::format("compressed on GPU {}, {}{}", gpu_,
                     kokkos_atoms_ ? "where KOKKOS keeps the atoms" : "atoms copied there from host memory",
                     gpz_gpu::code_text(gpu_));
}

double GPZBackend::memory_usage() const {
  return host_atoms_.memory_usage() + (compressor_ ? compressor_->memory_usage() : 0.0) +
         (copies_ ? copies_->memory_usage() : 0.0);
}
