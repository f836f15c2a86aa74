// SPDX-License-Identifier: BSD-3-Clause
// The unit styles of LAMMPS, as in Metadata::units, and default bounds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpz/export.h"

namespace gpz {

// Units of the quantities of a style, in the words of LAMMPS's page of the command units: units of columns of tables
// and of observables (gpz/tables.hpp). Empty where that page has none: everything in lj units.
struct QuantityUnits {
  const char *mass, *length, *time, *energy, *force, *temperature, *pressure, *charge;
  const char *density;  // without the power of the length: "g/cm"
};

// The same units in kg, m, s, J, Pa and C. 0 in lj units.
struct UnitsInSI {
  double mass, length, time, energy, pressure, charge;
};

// Constants in SI units. Those that are measured are the values of CODATA 2018.
namespace si {
inline constexpr double avogadro = 6.02214076e23;  // 1/mol
inline constexpr double electron_charge = 1.602176634e-19;
inline constexpr double electronvolt = 1.602176634e-19;
inline constexpr double angstrom = 1e-10;
inline constexpr double dalton = 1.66053906660e-27;
}  // namespace si

struct UnitStyle {
  const char *name;
  const char *length;                       // the unit of distance
  double position_bound;                    // in that unit
  const char *length_symbol, *time_symbol;  // for axes, UTF-8; of lj: sigma and tau in Greek
  QuantityUnits words;
  UnitsInSI in_si;
};

// lj, real, metal, electron, si, cgs, micro, nano. The bound is 0.0005 Angstrom in the unit of length (in lj 0.0005
// sigma): a tenth of the precision of XTC files, and far below thermal motion.
GPZ_API const std::vector<UnitStyle> &unit_styles();
// Throws invalid_argument if LAMMPS has no such style; the message lists them.
GPZ_API const UnitStyle &unit_style(const std::string &name);

// UnitStyle::words. Those of lj, which are empty, if there is no such style.
GPZ_API const QuantityUnits &quantity_units(const std::string &style);

// Observables are of a system, whose number of particles is the observable of this name; without it they are of the
// particles of the frame. A unit with this end says that the value is divided by their number.
inline constexpr char observed_atoms[] = "Atoms";
inline constexpr char per_atom[] = "/atom";
inline bool is_per_atom(const std::string &unit) {
  constexpr std::size_t length = sizeof per_atom - 1;
  return unit.size() >= length && unit.compare(unit.size() - length, length, per_atom) == 0;
}
// "eV/atom" of "eV", and "1/atom" without a unit.
inline std::string unit_per_atom(const std::string &unit) { return (unit.empty() ? "1" : unit) + per_atom; }

// Observables that programs take for results of the atoms of a frame: numbers, and vectors whose components are
// stress[1], stress[2], ...
inline constexpr const char *results_of_atoms[] = {"PotEng", "pe",     "energy", "free_energy",
                                                   "stress", "virial", "dipole", "magmom"};

// Headings of the energies that LAMMPS's thermodynamic output has per atom with thermo_modify norm yes, the default in
// lj units. Ecouple is that of all atoms nevertheless, and Econserve the sum of one per atom and that.
inline constexpr const char *thermo_energies[] = {"PotEng", "KinEng", "TotEng",  "E_vdwl",  "E_coul",
                                                  "E_pair", "E_bond", "E_angle", "E_dihed", "E_impro",
                                                  "E_mol",  "E_long", "E_tail",  "Enthalpy"};

// The default bound for a column other than positions whose values have the root mean square `rms`: a thousandth of
// `rms`, rounded down to 1, 2 or 5 times a power of ten. 0 if there is none.
GPZ_API double usual_bound(double rms);

// The name that programs give to the thermal bound of velocities, which leaves observables unchanged.
inline constexpr char thermal_bound_text[] = "a thousandth of the thermal speed of the slowest species";

// The thermal bound of velocities with this thermal speed: a thousandth, rounded down to two significant digits. 0 if
// there is none.
GPZ_API double thermal_bound(double thermal_speed);

// One component of the velocities of a species.
struct GPZ_API VelocitySpread {
  double count = 0, mean = 0, squares = 0;  // the last: of the deviations from the mean
  void add(double v);                       // unless it is not finite
  void add(const VelocitySpread &other);    // of other particles of the species, as of another process
};
using SpeciesVelocities = std::array<VelocitySpread, 3>;

// The thermal bound of these species. The thermal speed of a species is the root mean square of the components of its
// velocities, about the mean of each; a component in which all of its particles are equal does not count. The slowest
// species gives the bound: in equilibrium it is the heaviest. 0 if no species has two particles that differ.
GPZ_API double thermal_bound(const std::vector<SpeciesVelocities> &all);

struct FieldInput;  // gpz/frame.hpp

// The same, from the columns vx, vy and vz of a frame (those that exist), in their units. A species is all particles
// with the same value in the first existing column of type, typelabel, element and mass. Bounds, other columns and
// non-finite values are ignored. Throws invalid_argument without velocities (floats), without a column of species, or
// if there is no thermal bound.
GPZ_API double thermal_bound(const std::vector<FieldInput> &fields, std::uint64_t particles);

}  // namespace gpz
