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

#include "gpz_rerun_origin.h"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <gpz/container.hpp>
#include <gpz/continuation.hpp>
#include <utility>

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "gpz_atoms.h"
#include "gpz_box.h"

using namespace LAMMPS_NS;

namespace {

// LAMMPS calls readers and dumps from within the command.
thread_local GPZRerunOrigin *current = nullptr;

// The power of two above x, which is the same in most frames.
double power_above(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1.0, exponent);
}

double distance_of(double error, const GPZRerunOrigin::Frame &frame) {
  return frame.are_fractions ? error * frame.box.largest_edge_sum() : error;
}

// The largest error of a fraction of the box edges, if each coordinate has an error of 1. In 2d, of x and y.
double fraction_of_distance(const Domain &domain) {
  const double *h = domain.h_inv;
  const double x = std::fabs(h[0]) + std::fabs(h[5]) + std::fabs(h[4]), y = std::fabs(h[1]) + std::fabs(h[3]);
  return std::max({x, y, domain.dimension == 3 ? std::fabs(h[2]) : 0.0});
}

// The largest that one of the ranks has.
template <std::size_t size>
void take_maximum(MPI_Comm world, double (&values)[size]) {
  double mine[size];
  std::copy(values, values + size, mine);
  MPI_Allreduce(mine, values, static_cast<int>(size), MPI_DOUBLE, MPI_MAX, world);
}

void share_text(MPI_Comm world, int me, int rank, std::string &text) {
  int length = me == rank ? static_cast<int>(text.size()) : 0;
  MPI_Bcast(&length, 1, MPI_INT, rank, world);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(&text[0], length, MPI_CHAR, rank, world);
}

}  // namespace

GPZRerunOrigin::GPZRerunOrigin(LAMMPS *lammps, std::string path) : Pointers(lammps), before_(current) {
  if (comm->me == 0) {
    const std::size_t part = path.find('%');
    if (part != std::string::npos) path.replace(part, 1, "0");
    try {
      first_ = gpz::scan_file(path).metadata;
    } catch (const std::exception &) {
      // An error of the reader, which names the file.
    }
  }
  share_text(world, comm->me, 0, first_.reference);
  MPI_Bcast(&first_.reference_grid, 1, MPI_DOUBLE, 0, world);
  current = this;
}

GPZRerunOrigin::~GPZRerunOrigin() { current = before_; }

GPZRerunOrigin *GPZRerunOrigin::active(const LAMMPS *lmp) { return current && current->lmp == lmp ? current : nullptr; }

void GPZRerunOrigin::describe(gpz::Metadata &metadata) const {
  metadata.reference = first_.reference;
  metadata.reference_grid = first_.reference_grid;
}

// The path of the frame on the lowest rank whose frame has this bound.
std::string GPZRerunOrigin::path_of(double bound) const {
  std::string path;
  for (const auto &[reader, frame] : frames_)
    if (distance_of(frame.bound, frame) == bound) path = frame.path;
  int mine = path.empty() ? comm->nprocs : comm->me, rank = comm->nprocs;
  MPI_Allreduce(&mine, &rank, 1, MPI_INT, MPI_MIN, world);
  if (rank < comm->nprocs) share_text(world, comm->me, rank, path);
  return path;
}

GPZPositionOrigin GPZRerunOrigin::positions(bool general, bool fractions) const {
  const gpz::Box box = gpz_box(*domain, false);
  const double to_fraction = fraction_of_distance(*domain);
  double values[7] = {};
  auto &[bound, largest_error, fraction_bound, fraction_error, largest, images, reads_fractions] = values;
  const auto raise = [](double &most, double value) { most = std::max(most, value); };
  for (const auto &[reader, frame] : frames_) {
    // In the same box, fractions are those of the file.
    const bool stay = frame.are_fractions && frame.box.values == box.values;
    raise(reads_fractions, frame.are_fractions);
    raise(bound, distance_of(frame.bound, frame));
    raise(largest_error, distance_of(frame.largest_error, frame));
    raise(fraction_bound, stay ? frame.bound : distance_of(frame.bound, frame) * to_fraction);
    raise(fraction_error, stay ? frame.largest_error : distance_of(frame.largest_error, frame) * to_fraction);
  }
  for (int i = 0; i < atom->nlocal; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      if (std::isfinite(atom->x[i][axis])) raise(largest, std::fabs(atom->x[i][axis]));
      const imageint image = (atom->image[i] >> gpz_image_shift(axis)) & IMGMASK;
      raise(images, std::fabs(static_cast<double>(image) - IMGMAX));
    }
  }
  take_maximum(world, values);

  GPZPositionOrigin origin;
  if (bound == 0) return origin;
  // LAMMPS adds box edges one by one, and changes to fractions and back a few times, each time with a rounding of
  // values up to the largest.
  images = power_above(images);
  const double edges = box.largest_edge_sum();
  for (const double side : box.bounding()) raise(largest, std::fabs(side));
  largest = power_above(largest + (images + 1) * edges);
  // Coordinates that are rotated have something of all three errors.
  const double rotation = general ? 1.7320508075688774 : 1.0;
  origin.bound = bound;
  origin.path = path_of(bound);
  origin.rounding = std::ldexp(largest * (64 + images), -53);
  // For unwrapped fractions it adds IMGMAX, and subtracts it again.
  if (reads_fractions > 0 || fractions) origin.rounding += std::ldexp(IMGMAX * edges, -52);
  origin.least = bound * rotation;
  if (fractions) origin.least = std::max(origin.least, fraction_bound * gpz_box(*domain, general).largest_edge_sum());
  if (gpz::same_bound(origin.least, bound)) origin.least = bound;
  const double rounding = origin.rounding;
  origin.distance = {bound * rotation + rounding, largest_error * rotation + rounding, 2 * largest};
  origin.fraction = {fraction_bound + rounding * to_fraction, fraction_error + rounding * to_fraction, 2 + 2 * images};
  return origin;
}
