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

#include "gpz_observables.h"

#include <algorithm>
#include <cstring>
#include <gpz/units.hpp>
#include <iterator>

#include "arg_info.h"
#include "atom.h"
#include "atom_masks.h"
#include "compute.h"
#include "domain.h"
#include "fix.h"
#include "fmt/format.h"
#include "gpz_host_needs.h"
#include "gpz_log.h"
#include "input.h"
#include "modify.h"
#include "output.h"
#include "thermo.h"
#include "update.h"
#include "variable.h"

using namespace LAMMPS_NS;

namespace {

enum class Unit { none, time, temperature, pressure, energy, length, volume, density, angle, force };

// The name of a keyword of thermo_style custom in the log. `machine` keywords measure the computer; evaluating one
// would change the next line of the log.
enum class What { state, machine };
struct Keyword {
  const char *heading, *word;
  Unit unit;
  What what = What::state;
};
const Keyword keywords[] = {
    {"Step", "step", Unit::none},
    {"Elapsed", "elapsed", Unit::none},
    {"Elaplong", "elaplong", Unit::none},
    {"Dt", "dt", Unit::time},
    {"Time", "time", Unit::time},
    {"CPU", "cpu", Unit::none, What::machine},
    {"T/CPU", "tpcpu", Unit::none, What::machine},
    {"S/CPU", "spcpu", Unit::none, What::machine},
    {"%CPU", "cpuuse", Unit::none, What::machine},
    {"CPULeft", "cpuremain", Unit::none, What::machine},
    {"Part", "part", Unit::none},
    {"TimeoutLeft", "timeremain", Unit::none, What::machine},
    {"Atoms", "atoms", Unit::none},
    {"Temp", "temp", Unit::temperature},
    {"Press", "press", Unit::pressure},
    {"PotEng", "pe", Unit::energy},
    {"KinEng", "ke", Unit::energy},
    {"TotEng", "etotal", Unit::energy},
    {"E_vdwl", "evdwl", Unit::energy},
    {"E_coul", "ecoul", Unit::energy},
    {"E_pair", "epair", Unit::energy},
    {"E_bond", "ebond", Unit::energy},
    {"E_angle", "eangle", Unit::energy},
    {"E_dihed", "edihed", Unit::energy},
    {"E_impro", "eimp", Unit::energy},
    {"E_mol", "emol", Unit::energy},
    {"E_long", "elong", Unit::energy},
    {"E_tail", "etail", Unit::energy},
    {"Enthalpy", "enthalpy", Unit::energy},
    {"Ecouple", "ecouple", Unit::energy},
    {"Econserve", "econserve", Unit::energy},
    {"Volume", "vol", Unit::volume},
    {"Density", "density", Unit::density},
    {"Lx", "lx", Unit::length},
    {"Ly", "ly", Unit::length},
    {"Lz", "lz", Unit::length},
    {"Xlo", "xlo", Unit::length},
    {"Xhi", "xhi", Unit::length},
    {"Ylo", "ylo", Unit::length},
    {"Yhi", "yhi", Unit::length},
    {"Zlo", "zlo", Unit::length},
    {"Zhi", "zhi", Unit::length},
    {"Xy", "xy", Unit::length},
    {"Xz", "xz", Unit::length},
    {"Yz", "yz", Unit::length},
    {"Avecx", "avecx", Unit::length},
    {"Avecy", "avecy", Unit::length},
    {"Avecz", "avecz", Unit::length},
    {"Bvecx", "bvecx", Unit::length},
    {"Bvecy", "bvecy", Unit::length},
    {"Bvecz", "bvecz", Unit::length},
    {"Cvecx", "cvecx", Unit::length},
    {"Cvecy", "cvecy", Unit::length},
    {"Cvecz", "cvecz", Unit::length},
    {"Xlat", "xlat", Unit::length},
    {"Ylat", "ylat", Unit::length},
    {"Zlat", "zlat", Unit::length},
    {"Cella", "cella", Unit::length},
    {"Cellb", "cellb", Unit::length},
    {"Cellc", "cellc", Unit::length},
    {"CellAlpha", "cellalpha", Unit::angle},
    {"CellBeta", "cellbeta", Unit::angle},
    {"CellGamma", "cellgamma", Unit::angle},
    {"Pxx", "pxx", Unit::pressure},
    {"Pyy", "pyy", Unit::pressure},
    {"Pzz", "pzz", Unit::pressure},
    {"Pxy", "pxy", Unit::pressure},
    {"Pxz", "pxz", Unit::pressure},
    {"Pyz", "pyz", Unit::pressure},
    {"Bonds", "bonds", Unit::none},
    {"Angles", "angles", Unit::none},
    {"Diheds", "dihedrals", Unit::none},
    {"Impros", "impropers", Unit::none},
    {"Fmax", "fmax", Unit::force},
    {"Fnorm", "fnorm", Unit::force},
    {"Nbuild", "nbuild", Unit::none},
    {"Ndanger", "ndanger", Unit::none},
};

// "Angstroms^3" of "Angstroms"; empty of empty.
std::string power(const std::string &unit, int dimension) {
  return unit.empty() ? unit : unit + "^" + std::to_string(dimension);
}

std::string text_of(Unit unit, const gpz::QuantityUnits &units, int dimension) {
  switch (unit) {
    case Unit::time:
      return units.time;
    case Unit::temperature:
      return units.temperature;
    case Unit::pressure:
      return units.pressure;
    case Unit::energy:
      return units.energy;
    case Unit::length:
      return units.length;
    case Unit::volume:
      return power(units.length, dimension);
    case Unit::density:
      return power(units.density, dimension);
    case Unit::angle:
      return "degrees";
    case Unit::force:
      return units.force;
    case Unit::none:
      break;
  }
  return {};
}

bool is_one_of(const std::string &word, std::initializer_list<const char *> list) {
  return std::any_of(list.begin(), list.end(), [&](const char *other) { return word == other; });
}

}  // namespace

/* ----------------------------------------------------------------------
   the beginning of a run
------------------------------------------------------------------------- */

void GPZObservables::init(bool thermo, const std::vector<std::string> &list, bigint every, bool is_part) {
  sources_.clear();
  values_.clear();
  if (thermo) add_thermo();
  for (const std::string &name : list) add_reference(name, false);
  if (is_part && !sources_.empty()) {
    Source atoms;
    atoms.keyword = "atoms";
    add(atoms, gpz::observed_atoms, {});
  }
  for (const Source &source : sources_) require(source, every);
}

// Output::init has set up the thermo style before.
void GPZObservables::add_thermo() {
  const gpz::QuantityUnits &units = gpz::quantity_units(update->unit_style);
  const std::vector<std::string> &headings = output->thermo->get_keywords();
  for (int n = 0; n < *output->thermo->get_nfield(); ++n) {
    const std::string &heading = headings[n];
    const Keyword *const known = std::find_if(std::begin(keywords), std::end(keywords),
                                              [&](const Keyword &keyword) { return heading == keyword.heading; });
    if (known == std::end(keywords)) {
      add_reference(heading, true);
    } else if (known->what == What::state) {
      Source source;
      source.keyword = known->word;
      source.is_energy = std::find(std::begin(gpz::thermo_energies), std::end(gpz::thermo_energies), heading) !=
                         std::end(gpz::thermo_energies);
      add(source, heading, text_of(known->unit, units, domain->dimension));
    }
  }
}

void GPZObservables::add_reference(const std::string &name, bool normalized) {
  const ArgInfo argument(name);
  Source source;
  source.name = name;
  source.normalized = normalized;
  source.type = argument.get_type();
  if (source.type != ArgInfo::COMPUTE && source.type != ArgInfo::FIX && source.type != ArgInfo::VARIABLE)
    log_.fail("dump_modify " + std::string(normalized ? "thermo: the column " : "observables: ") + name +
              " is not known: c_ID, f_ID and v_name can follow, with one or two indices in brackets");
  source.id = argument.get_name();
  if (argument.get_dim() > 0) source.index1 = argument.get_index1();
  if (argument.get_dim() > 1) source.index2 = argument.get_index2();
  add(source, name, {});
}

// The first one of a name counts.
void GPZObservables::add(Source source, const std::string &name, const std::string &unit) {
  if (std::any_of(values_.begin(), values_.end(), [&](const gpz::Observable &other) { return other.name == name; }))
    return;
  source.unit = unit;
  sources_.push_back(std::move(source));
  values_.push_back({name, unit, 0.0});
}

// As Thermo does when a style is defined and at the beginning of a run.
void GPZObservables::require(const Source &source, bigint every) const {
  const auto refuse = [&](const std::string &why) { log_.fail("observable " + source.name + ": " + why); };
  // The values of a compute or a fix, and whether they include the wanted one.
  const auto require_value = [&](bool scalar, bool vector, int size, bool varies, bool array, int rows, bool rows_vary,
                                 int columns) {
    const char *const what = source.index2 ? "array" : source.index1 ? "vector" : "scalar";
    if (!(source.index2 ? array : source.index1 ? vector : scalar)) refuse(std::string("there is no global ") + what);
    const bool inside = source.index2   ? (rows_vary || source.index1 <= rows) && source.index2 <= columns
                        : source.index1 ? varies || source.index1 <= size
                                        : true;
    if (!inside) refuse(std::string("the ") + what + " is smaller");
  };
  if (source.type == ArgInfo::COMPUTE) {
    const Compute *const compute = modify->get_compute_by_id(source.id);
    if (!compute) refuse("there is no such compute");
    require_value(compute->scalar_flag, compute->vector_flag, compute->size_vector, compute->size_vector_variable,
                  compute->array_flag, compute->size_array_rows, compute->size_array_rows_variable,
                  compute->size_array_cols);
  } else if (source.type == ArgInfo::FIX) {
    const Fix *const fix = modify->get_fix_by_id(source.id);
    if (!fix) refuse("there is no such fix");
    require_value(fix->scalar_flag, fix->vector_flag, fix->size_vector, fix->size_vector_variable, fix->array_flag,
                  fix->size_array_rows, fix->size_array_rows_variable, fix->size_array_cols);
    if (fix->global_freq > 0 && every % fix->global_freq)
      refuse(
          fmt::format("the fix has values every {} steps, and the dump has frames every {}", fix->global_freq, every));
  } else if (source.type == ArgInfo::VARIABLE) {
    const int variable = input->variable->find(source.id.c_str());
    if (variable < 0) refuse("there is no such variable");
    if (source.index2 ||
        !(source.index1 ? input->variable->vectorstyle(variable) : input->variable->equalstyle(variable)))
      refuse("the variable must be of style equal, or of style vector with one index");
  }
}

/* ----------------------------------------------------------------------
   a frame
------------------------------------------------------------------------- */

void GPZObservables::evaluate() {
  for (std::size_t n = 0; n < values_.size(); ++n) {
    const Source &source = sources_[n];
    const Value result = value(source);
    values_[n].value = result.value;
    values_[n].unit = result.is_per_atom ? gpz::unit_per_atom(source.unit) : source.unit;
  }
}

GPZObservables::Value GPZObservables::value(const Source &source) const {
  if (source.keyword.empty())
    return source.type == ArgInfo::COMPUTE ? of_compute(source)
           : source.type == ArgInfo::FIX   ? of_fix(source)
                                           : Value{of_variable(source)};
  double result = 0.0;
  output->thermo->evaluate_keyword(source.keyword, &result);  // sets normflag for the atoms that there are
  return {result, output->thermo->normflag && source.is_energy};
}

// As Thermo::compute_compute, which works on the column that is printed. Output lets computes know when the next frame
// is due, if they are marked as invoked.
GPZObservables::Value GPZObservables::of_compute(const Source &source) const {
  Compute *const compute = modify->get_compute_by_id(source.id);
  if (!compute || !compute->is_initialized()) log_.fail("observable " + source.name + ": no run has begun with it");
  const auto needs = [&](int flag) {
    const bool stale = !(compute->invoked_flag & flag);
    compute->invoked_flag |= flag;
    return stale;
  };
  if (source.index1 == 0) {
    if (needs(Compute::INVOKED_SCALAR)) compute->compute_scalar();
    return normalized(source, compute->scalar, compute->extscalar);
  }
  const int i = source.index1 - 1;
  if (source.index2 == 0) {
    if (needs(Compute::INVOKED_VECTOR)) compute->compute_vector();
    if (i >= compute->size_vector) log_.fail("observable " + source.name + ": the vector is smaller");
    return normalized(source, compute->vector[i],
                      compute->extvector < 0 ? compute->extlist[i] != 0 : compute->extvector != 0);
  }
  if (needs(Compute::INVOKED_ARRAY)) compute->compute_array();
  if (i >= compute->size_array_rows) log_.fail("observable " + source.name + ": the array is smaller");
  return normalized(source, compute->array[i][source.index2 - 1], compute->extarray);
}

// As Thermo::compute_fix: 0 if a vector or an array that varies in size is smaller.
GPZObservables::Value GPZObservables::of_fix(const Source &source) const {
  Fix *const fix = modify->get_fix_by_id(source.id);
  if (!fix) log_.fail("observable " + source.name + ": there is no such fix");
  if (fix->global_freq > 0 && update->ntimestep % fix->global_freq)
    log_.fail(fmt::format("observable {}: the fix has values every {} steps, but the dump has a frame at step {}",
                          source.name, fix->global_freq, update->ntimestep));
  if (source.index1 == 0) return normalized(source, fix->compute_scalar(), fix->extscalar);
  const int i = source.index1 - 1;
  if (source.index2 == 0)
    return i >= fix->size_vector ? Value{}
                                 : normalized(source, fix->compute_vector(i),
                                              fix->extvector < 0 ? fix->extlist[i] != 0 : fix->extvector != 0);
  return i >= fix->size_array_rows ? Value{}
                                   : normalized(source, fix->compute_array(i, source.index2 - 1), fix->extarray);
}

double GPZObservables::of_variable(const Source &source) const {
  const int variable = input->variable->find(source.id.c_str());
  if (variable < 0) log_.fail("observable " + source.name + ": there is no such variable");
  if (source.index1 == 0) return input->variable->compute_equal(variable);
  double *values = nullptr;
  const int size = input->variable->compute_vector(variable, &values);
  return source.index1 > size ? 0.0 : values[source.index1 - 1];
}

GPZObservables::Value GPZObservables::normalized(const Source &source, double value, bool extensive) const {
  if (!source.normalized || !extensive) return {value};
  double ignored;
  output->thermo->evaluate_keyword("atoms", &ignored);  // sets normflag for the atoms that there are
  if (!output->thermo->normflag) return {value};
  return {value / static_cast<double>(atom->natoms), true};
}

/* ----------------------------------------------------------------------
   KOKKOS
------------------------------------------------------------------------- */

// Temperatures read velocities; a compute with a KOKKOS version asks for them itself. Energies and virials were summed
// with the forces.
void GPZObservables::add_needs(GPZHostNeeds &needs) const {
  const auto &computes = modify->get_compute_list();
  const bool temperatures =
      std::any_of(computes.begin(), computes.end(), [](const Compute *c) { return c->tempflag && !c->kokkosable; });
  for (std::size_t n = 0; n < sources_.size(); ++n) {
    const Source &source = sources_[n];
    if (source.keyword.empty())
      needs.add_attribute(source.name);
    else if (is_one_of(source.keyword, {"fmax", "fnorm"}))
      needs.add(F_MASK, values_[n].name);
    else if (is_one_of(source.keyword, {"ecouple", "econserve"}) ||  // of any fix
             (temperatures && is_one_of(source.keyword, {"temp", "ke", "etotal", "enthalpy", "press", "pxx", "pyy",
                                                         "pzz", "pxy", "pxz", "pyz"})))
      needs.add(ALL_MASK, values_[n].name);
  }
}
