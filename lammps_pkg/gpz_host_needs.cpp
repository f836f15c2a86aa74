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

#include "gpz_host_needs.h"

#include <algorithm>
#include <cstring>
#include <gpz/positions.hpp>

#include "arg_info.h"
#include "atom_masks.h"
#include "compute.h"
#include "domain.h"
#include "fix.h"
#include "gpz_formula.h"
#include "lammps.h"
#include "modify.h"
#include "region.h"
#include "utils.h"

using namespace LAMMPS_NS;

namespace {

// Vectors and arrays of fix property/atom. KOKKOS keeps all of them in versions later than 4 Feb 2025.
#ifdef IVECTOR_MASK
constexpr std::uint64_t custom_reals = DVECTOR_MASK | DARRAY_MASK, custom_integers = IVECTOR_MASK | IARRAY_MASK;
#else
constexpr std::uint64_t custom_reals = DVECTOR_MASK, custom_integers = 0;
#endif

constexpr std::uint64_t everything = ALL_MASK, neighbours = ALL_MASK & ~static_cast<std::uint64_t>(V_MASK | F_MASK);

struct Named {
  std::uint64_t mask;
  const char *name;
};

const Named arrays[] = {
    {X_MASK, "x"},
    {V_MASK, "v"},
    {F_MASK, "f"},
    {TAG_MASK, "id"},
    {TYPE_MASK, "type"},
    {Q_MASK, "q"},
    {MOLECULE_MASK, "mol"},
    {RMASS_MASK, "mass"},
    {MU_MASK, "mu"},
    {RADIUS_MASK, "radius"},
    {OMEGA_MASK, "omega"},
    {ANGMOM_MASK, "angmom"},
    {TORQUE_MASK, "torque"},
    {MASK_MASK, "group masks"},
    {IMAGE_MASK, "image flags"},
    {custom_reals | custom_integers, "custom properties"},
    {BOND_MASK, "bonds"},
    {ANGLE_MASK, "angles"},
    {DIHEDRAL_MASK, "dihedrals"},
    {IMPROPER_MASK, "impropers"},
};

// The arrays that DumpCustom reads for its attributes. A name stands for all that begin with it.
const Named attributes[] = {
    {TAG_MASK, "id"},
    {MOLECULE_MASK, "mol"},
    {0, "proc"},
    {TYPE_MASK, "typelabel"},
    {TYPE_MASK, "type"},
    {TYPE_MASK, "element"},
    {TYPE_MASK | RMASS_MASK, "mass"},
    {IMAGE_MASK, "ix"},
    {IMAGE_MASK, "iy"},
    {IMAGE_MASK, "iz"},
    {V_MASK, "vx"},
    {V_MASK, "vy"},
    {V_MASK, "vz"},
    {F_MASK, "fx"},
    {F_MASK, "fy"},
    {F_MASK, "fz"},
    {Q_MASK, "q"},
    {MU_MASK, "mu"},
    {RADIUS_MASK, "radius"},
    {RADIUS_MASK, "diameter"},
    {OMEGA_MASK, "omega"},
    {ANGMOM_MASK, "angmom"},
    {TORQUE_MASK, "tq"},
};

// The arrays that LAMMPS's computes per atom read, and KOKKOS does not know of. Energies and virials per atom are on
// the host already; with a list of neighbours anything but velocities and forces may be read.
const Named computes[] = {
    {MASK_MASK, "pe/atom"},
    {V_MASK | TYPE_MASK | RMASS_MASK | MASK_MASK, "ke/atom"},
    {V_MASK | TYPE_MASK | RMASS_MASK | MASK_MASK, "stress/atom"},
    {V_MASK | TYPE_MASK | RMASS_MASK | MASK_MASK, "centroid/stress/atom"},
    {X_MASK | IMAGE_MASK | MASK_MASK, "displace/atom"},
    {neighbours, "ackland/atom"},
    {neighbours, "centro/atom"},
    {neighbours, "cluster/atom"},
    {neighbours, "cna/atom"},
    {neighbours, "coord/atom"},
    {neighbours, "hexorder/atom"},
    {neighbours, "orientorder/atom"},
};

// Words of formulas that read no atoms.
const char *const harmless_words[] = {
    "sqrt(",    "exp(",     "ln(",       "log(",      "abs(",    "sign(",    "sin(",   "cos(",     "tan(",
    "asin(",    "acos(",    "atan(",     "atan2(",    "ceil(",   "floor(",   "round(", "ternary(", "ramp(",
    "stagger(", "logfreq(", "logfreq2(", "logfreq3(", "stride(", "stride2(", "PI",     "step",     "elapsed",
    "elaplong", "dt",       "time",      "vol",       "lx",      "ly",       "lz",     "xlo",      "xhi",
    "ylo",      "yhi",      "zlo",       "zhi",       "xy",      "xz",       "yz",
};

constexpr int max_depth = 20;  // of variables in formulas of variables

std::string without_bracket(const std::string &word) {
  return !word.empty() && word.back() == '[' ? word.substr(0, word.size() - 1) : word;
}

std::string names_of(std::uint64_t mask) {
  if (mask == everything) return "all arrays";
  if (mask == neighbours) return "all arrays but v and f";
  std::string names;
  for (const Named &array : arrays)
    if (mask & array.mask) names += (names.empty() ? "" : ", ") + std::string(array.name);
  return names;
}

// The mask of a column of positions; 0 if the column has no positions.
std::uint64_t of_position(const std::string &name) {
  const auto form = gpz::position_form(name);
  return !form ? 0 : gpz::is_wrapped(*form) ? X_MASK : X_MASK | IMAGE_MASK;
}

}  // namespace

void GPZHostNeeds::add(std::uint64_t mask, const std::string &reader) {
  if (mask == 0) return;
  mask_ |= mask;
  const auto same = std::find_if(readers_.begin(), readers_.end(), [&](const Reader &r) { return r.mask == mask; });
  if (same == readers_.end())
    readers_.push_back({mask, reader});
  else
    same->names += " " + reader;
}

std::string GPZHostNeeds::text() const {
  std::string text;
  for (const Reader &reader : readers_) {
    if (!text.empty()) text += "; ";
    text += names_of(reader.mask) + " (for " + reader.names + ")";
  }
  return text;
}

void GPZHostNeeds::add_attribute(const std::string &name) {
  const ArgInfo argument(name, ArgInfo::COMPUTE | ArgInfo::FIX | ArgInfo::VARIABLE | ArgInfo::DNAME | ArgInfo::INAME);
  switch (argument.get_type()) {
    case ArgInfo::COMPUTE:
      return add(of_compute(argument.get_name()), name);
    case ArgInfo::FIX:
      return add(of_fix(argument.get_name()), name);
    case ArgInfo::VARIABLE:
      return add(of_variable(argument.get_name()), name);
    case ArgInfo::DNAME:
      return add(custom_reals, name);
    case ArgInfo::INAME:
      return add(custom_integers, name);
    default:
      break;
  }
  if (const std::uint64_t position = of_position(name)) return add(position, name);
  for (const Named &attribute : attributes)
    if (strncmp(name.c_str(), attribute.name, strlen(attribute.name)) == 0) return add(attribute.mask, name);
  add(everything, name);
}

// A region that moves or changes is where variables say.
void GPZHostNeeds::add_region(const std::string &id) {
  const Region *region = lmp_->domain->get_region_by_id(id);
  add(region && !region->dynamic && !region->varshape ? X_MASK : everything, "region " + id);
}

void GPZHostNeeds::add_variable(const std::string &name, const std::string &reader) { add(of_variable(name), reader); }

// Domain::pbc may change the velocities of a group.
void GPZHostNeeds::add_wrapping() { add(X_MASK | V_MASK | IMAGE_MASK | MASK_MASK, "dump_modify pbc"); }

void GPZHostNeeds::add_refresh() { add(everything, "dump_modify refresh"); }

void GPZHostNeeds::add_group() { add(MASK_MASK, "the group"); }

std::uint64_t GPZHostNeeds::of_compute(const std::string &id) const {
  const Compute *compute = lmp_->modify->get_compute_by_id(id);
  if (!compute) return everything;
  if (compute->kokkosable) return 0;  // it asks for what it reads
  const auto &list = lmp_->modify->get_compute_list();
  const bool biased = std::any_of(list.begin(), list.end(), [](const Compute *c) { return c->tempbias != 0; });
  for (const Named &known : computes) {
    if (strcmp(compute->style, known.name) != 0) continue;
    // a stress may be that of velocities less a bias, which may depend on anything
    return biased && utils::strmatch(known.name, "stress/atom$") ? everything : known.mask;
  }
  return everything;
}

// Fixes have their values ready. Those of others may be arrays of class Atom.
std::uint64_t GPZHostNeeds::of_fix(const std::string &id) const {
  const Fix *fix = lmp_->modify->get_fix_by_id(id);
  return fix && (strcmp(fix->style, "ave/atom") == 0 || strcmp(fix->style, "store/state") == 0) ? 0 : everything;
}

// The arrays that evaluating a variable reads, itself or through others.
std::uint64_t GPZHostNeeds::of_variable(const std::string &name, int depth) const {
  const GPZFormula formula(lmp_, name);
  if (!formula.known || depth > max_depth) return everything;
  std::uint64_t mask = formula.per_atom ? MASK_MASK : 0;  // of the group
  for (const std::string &word : formula.words) {
    const std::string kind = word.substr(0, 2), id = word.substr(std::min<std::size_t>(2, word.size()));
    const Named *stored = std::find_if(std::begin(attributes), std::end(attributes),
                                       [&](const Named &attribute) { return word == attribute.name; });
    if (std::find(std::begin(harmless_words), std::end(harmless_words), word) != std::end(harmless_words))
      continue;
    else if (kind == "v_")
      mask |= of_variable(id, depth + 1);
    else if (kind == "c_")
      mask |= formula.per_atom ? of_compute(without_bracket(id)) : everything;
    else if (kind == "f_")
      mask |= formula.per_atom ? of_fix(without_bracket(id)) : everything;
    else if (const std::uint64_t position = word.size() == 1 ? of_position(word) : 0)
      mask |= position;
    else if (stored != std::end(attributes))
      mask |= stored->mask;
    else
      return everything;
  }
  return mask;
}
