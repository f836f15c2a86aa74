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

#include "gpz_share.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <numeric>

#include "domain.h"
#include "fmt/format.h"
#include "gpz_partition.h"
#include "lammps.h"

using namespace LAMMPS_NS;

GPZShare::~GPZShare() {
  int finalized = 0;  // if LAMMPS is a library, MPI may have ended before it
  MPI_Finalized(&finalized);
  if (!finalized) leave();
}

void GPZShare::set_target(int atoms) {
  target_ = atoms;
  restart();
}

// --- which ranks ---

void GPZShare::prepare(MPI_Comm group, bool key, std::uint64_t particles, bool in_host) {
  int size = 1;
  MPI_Comm_size(group, &size);
  const auto own = static_cast<double>(particles);
  if (size_ == 1) particles_ = own;
  if (target_ == 0 || size == 1) {
    leave();
  } else {
    // In every frame, whatever this rank thinks of it: ranks that disagree would wait for each other for ever.
    int mine[3] = {key || !chosen_, !chosen_ || is_due() || !keeps(in_host), !in_host}, all[3] = {1, 1, 0};
    MPI_Allreduce(mine, all, 3, MPI_INT, MPI_MAX, group);
    if (all[0] && all[1]) {
      leave();
      shares_ = !all[2];
      if (shares_) choose(group, own);
      chosen_particles_ = size_ == 1 ? own : unknown;
    }
  }
  chosen_ = true;
}

// Is a chunk much larger or smaller than it was chosen to be, or a rank that makes its own?
bool GPZShare::is_due() const {
  const double least = 0.5 * target_;  // what is smaller has the ranks near it
  const double then = std::max(chosen_particles_, least), now = std::max(particles_, least);
  return now > 2 * then || then > 2 * now;
}

// Each rank gets the number of its chunk from the first one, so that all have the same opinion of what is near.
void GPZShare::choose(MPI_Comm group, double particles) {
  int me = 0, size = 1;
  MPI_Comm_rank(group, &me);
  MPI_Comm_size(group, &size);
  GPZRankPart mine{particles, {}, {}};
  const Domain *domain = lmp_->domain;
  for (int axis = 0; axis < 3; ++axis) {
    // in a triclinic box fractions of the edges
    const double unit = domain->triclinic ? domain->prd[axis] : 1.0;
    mine.lo[axis] = unit * (domain->triclinic ? domain->sublo_lamda : domain->sublo)[axis];
    mine.hi[axis] = unit * (domain->triclinic ? domain->subhi_lamda : domain->subhi)[axis];
  }

  std::vector<GPZRankPart> parts(me == 0 ? static_cast<std::size_t>(size) : 0);
  MPI_Gather(&mine, sizeof(mine), MPI_BYTE, parts.data(), sizeof(mine), MPI_BYTE, 0, group);
  std::vector<int> chunks;
  if (me == 0) {
    chunks = gpz_partition(parts, target_);
    chunks_ = 1 + *std::max_element(chunks.begin(), chunks.end());
    writers_ = size;
  }
  int chunk = 0;
  MPI_Scatter(chunks.data(), 1, MPI_INT, &chunk, 1, MPI_INT, 0, group);
  MPI_Comm_split(group, chunk, me, &ranks_);
  MPI_Comm_rank(ranks_, &me_);
  MPI_Comm_size(ranks_, &size_);
  if (size_ == 1) MPI_Comm_free(&ranks_);

  counts_.assign(static_cast<std::size_t>(size_), 0);
  sizes_ = displacements_ = counts_;
  room_ = 0;
}

void GPZShare::leave() {
  if (size_ > 1) MPI_Comm_free(&ranks_);
  me_ = 0;
  size_ = 1;
  chunks_ = writers_ = 0;
  shares_ = false;
}

std::string GPZShare::text() const {
  if (chunks_ == writers_) return {};
  return fmt::format("{} ranks make {} chunk{} of a frame", writers_, chunks_, chunks_ == 1 ? "" : "s");
}

// --- their atoms ---

bool GPZShare::gather(GPZRows &atoms, std::string &problem) {
  if (size_ == 1) return problem.empty();
  try {
    if (problem.empty()) pack(atoms);
  } catch (const std::exception &e) {
    problem = e.what();
  }
  int mine = problem.empty() ? static_cast<int>(atoms.particles) : -1;
  MPI_Allgather(&mine, 1, MPI_INT, counts_.data(), 1, MPI_INT, ranks_);
  if (*std::min_element(counts_.begin(), counts_.end()) < 0) return false;

  const std::uint64_t particles = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  if (!make_room(particles * layout_.words(), problem)) return false;
  particles_ = static_cast<double>(particles);
  if (chosen_particles_ == unknown) chosen_particles_ = particles_;
  int displacement = 0;
  for (int rank = 0; rank < size_; ++rank) {
    displacements_[rank] = displacement;
    sizes_[rank] = counts_[rank] * static_cast<int>(layout_.words());
    displacement += sizes_[rank];
  }
  MPI_Gatherv(mine_.data(), sizes_[me_], MPI_LONG_LONG, all_.data(), sizes_.data(), displacements_.data(),
              MPI_LONG_LONG, 0, ranks_);
  if (me_ != 0) return false;

  layout_.refer(atoms.fields, all_.data());
  atoms.nrows = atoms.particles = particles;
  atoms.rows = nullptr;
  atoms.is_copy = false;
  return true;
}

void GPZShare::pack(const GPZRows &atoms) {
  layout_ = GPZRowLayout(atoms.fields);
  mine_.resize(static_cast<std::size_t>(atoms.particles) * layout_.words());
  layout_.copy(atoms, mine_.data());
}

// On the leader, with its problem if there is no room. All know how much there was, so they wait for its answer only
// when it needs more.
bool GPZShare::make_room(std::size_t words, std::string &problem) {
  if (words > std::numeric_limits<int>::max()) {
    if (me_ == 0) problem = fmt::format("{} ranks have too many atoms for one chunk", size_);
    return false;
  }
  if (words <= room_) return true;
  const std::size_t wanted = words + words / 8;
  int good = 1;
  try {
    if (me_ == 0) all_.resize(wanted);
  } catch (const std::exception &e) {
    problem = e.what();
    good = 0;
  }
  MPI_Bcast(&good, 1, MPI_INT, 0, ranks_);
  if (good) room_ = wanted;
  return good;
}

double GPZShare::memory_usage() const {
  return static_cast<double>((mine_.capacity() + all_.capacity()) * sizeof(mine_[0]));
}
