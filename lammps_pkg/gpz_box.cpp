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

#include "gpz_box.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "domain.h"

using namespace LAMMPS_NS;

gpz::Box LAMMPS_NS::gpz_box(const Domain &domain, bool general) {
  gpz::Box box;
  box.dimension = static_cast<std::uint8_t>(domain.dimension);
  for (int side = 0; side < 6; ++side) box.boundary[side] = "pfsm"[domain.boundary[side / 2][side % 2]];
  const double *lo = domain.boxlo, *hi = domain.boxhi;
  if (general) {
    const double *a = domain.avec, *b = domain.bvec, *c = domain.cvec;
    box.kind = gpz::Box::Kind::general_triclinic;
    box.values = {a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], lo[0], lo[1], lo[2]};
  } else {
    box.kind = domain.triclinic ? gpz::Box::Kind::triclinic : gpz::Box::Kind::orthogonal;
    box.values = {lo[0], hi[0], lo[1], hi[1], lo[2], hi[2], 0, 0, 0, 0, 0, 0};
    if (domain.triclinic) {
      box.values[6] = domain.xy;
      box.values[7] = domain.xz;
      box.values[8] = domain.yz;
    }
  }
  return box;
}

double LAMMPS_NS::gpz_largest_coordinate(const Domain &domain) {
  const double *const lo = domain.triclinic ? domain.boxlo_bound : domain.boxlo;
  const double *const hi = domain.triclinic ? domain.boxhi_bound : domain.boxhi;
  double largest = 0;
  for (int d = 0; d < 3; ++d) largest = std::max({largest, std::fabs(lo[d]), std::fabs(hi[d])});
  return largest > 0 ? std::exp2(std::ceil(std::log2(largest))) : 0;
}

double LAMMPS_NS::gpz_longest_edge(const gpz::Box &box) {
  const auto edges = box.edges();
  return *std::max_element(edges.begin(), edges.begin() + box.dimension);
}
