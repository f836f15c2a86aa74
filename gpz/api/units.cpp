// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/units.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "gpz/error.hpp"

namespace gpz {

namespace {

// kg, also for LAMMPS's atomic mass units: they differ by 3e-10, which LAMMPS does not tell apart.
constexpr double gram_per_mole = 1e-3 / si::avogadro;

}  // namespace

const std::vector<UnitStyle> &unit_styles() {
  static const std::vector<UnitStyle> styles = {
      {"lj", "sigma", 5e-4, "\u03c3", "\u03c4", {"", "", "", "", "", "", "", "", ""}, {}},
      {"real",
       "Angstrom",
       5e-4,
       "\u00c5",
       "fs",
       {"grams/mole", "Angstroms", "femtoseconds", "kcal/mol", "(kcal/mol)/Angstrom", "Kelvin", "atmospheres",
        "electron charge", "g/cm"},
       {gram_per_mole, si::angstrom, 1e-15, 4184 / si::avogadro, 101325, si::electron_charge}},
      {"metal",
       "Angstrom",
       5e-4,
       "\u00c5",
       "ps",
       {"grams/mole", "Angstroms", "picoseconds", "eV", "eV/Angstrom", "Kelvin", "bars", "electron charge", "g/cm"},
       {gram_per_mole, si::angstrom, 1e-12, si::electronvolt, 1e5, si::electron_charge}},
      {"electron",
       "Bohr",
       1e-3,
       "Bohr",
       "fs",
       {"atomic mass units", "Bohr", "femtoseconds", "Hartrees", "Hartrees/Bohr", "Kelvin", "Pascals",
        "electron charge", ""},
       {gram_per_mole, 5.29177210903e-11, 1e-15, 4.3597447222071e-18, 1, si::electron_charge}},
      {"si",
       "m",
       5e-14,
       "m",
       "s",
       {"kilograms", "meters", "seconds", "Joules", "Newtons", "Kelvin", "Pascals", "Coulombs", "kilograms/meter"},
       {1, 1, 1, 1, 1, 1}},
      {"cgs",
       "cm",
       5e-12,
       "cm",
       "s",
       {"grams", "centimeters", "seconds", "ergs", "dynes", "Kelvin", "dyne/cm^2", "statcoulombs", "grams/cm"},
       {1e-3, 1e-2, 1, 1e-7, 0.1, 0.1 / 299792458}},
      {"micro",
       "micrometers",
       5e-8,
       "\u00b5m",
       "\u00b5s",
       {"picograms", "micrometers", "microseconds", "picogram-micrometer^2/microsecond^2",
        "picogram-micrometer/microsecond^2", "Kelvin", "picogram/(micrometer-microsecond^2)", "picocoulombs",
        "picograms/micrometer"},
       {1e-15, 1e-6, 1e-6, 1e-15, 1e3, 1e-12}},
      {"nano",
       "nm",
       5e-5,
       "nm",
       "ns",
       {"attograms", "nanometers", "nanoseconds", "attogram-nanometer^2/nanosecond^2",
        "attogram-nanometer/nanosecond^2", "Kelvin", "attogram/(nanometer-nanosecond^2)", "electron charge",
        "attograms/nanometer"},
       {1e-21, 1e-9, 1e-9, 1e-21, 1e6, si::electron_charge}},
  };
  return styles;
}

const UnitStyle &unit_style(const std::string &name) {
  std::string names;
  for (const UnitStyle &style : unit_styles()) {
    if (name == style.name) return style;
    names += names.empty() ? style.name : std::string(", ") + style.name;
  }
  throw Error(Status::invalid_argument, "unknown units: " + name + " (known: " + names + ")");
}

const QuantityUnits &quantity_units(const std::string &style) {
  for (const UnitStyle &known : unit_styles())
    if (style == known.name) return known.words;
  return unit_styles().front().words;
}

double usual_bound(double rms) {
  const double thousandth = rms / 1000;
  if (!(thousandth > 0) || !std::isfinite(thousandth)) return 0;
  const double power = std::pow(10.0, std::floor(std::log10(thousandth)));
  const double digit = thousandth / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

double thermal_bound(double thermal_speed) {
  const double thousandth = thermal_speed / 1000;
  if (!(thousandth > 0) || !std::isfinite(thousandth)) return 0;
  int exponent = static_cast<int>(std::floor(std::log10(thousandth))) - 1;
  // Rounds to the double nearest to the decimal number, so that it prints with two digits.
  const auto decimal = [&](long digits) {
    char text[40];
    std::snprintf(text, sizeof text, "%lde%d", digits, exponent);
    return std::strtod(text, nullptr);
  };
  auto digits = static_cast<long>(thousandth / std::pow(10.0, exponent));
  while (digits > 0 && decimal(digits) > thousandth) --digits;
  return decimal(digits);
}

}  // namespace gpz
