// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/units.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "gpz/error.hpp"

namespace gpz {

const std::vector<UnitStyle> &unit_styles() {
  static const std::vector<UnitStyle> styles = {
      {"lj", "sigma", 5e-4}, {"real", "Angstrom", 5e-4}, {"metal", "Angstrom", 5e-4},    {"electron", "Bohr", 1e-3},
      {"si", "m", 5e-14},    {"cgs", "cm", 5e-12},       {"micro", "micrometers", 5e-8}, {"nano", "nm", 5e-5},
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
  static const QuantityUnits styles[] = {
      {"lj", "", "", "", "", "", "", "", "", ""},
      {"real", "grams/mole", "Angstroms", "femtoseconds", "kcal/mol", "(kcal/mol)/Angstrom", "Kelvin", "atmospheres",
       "electron charge", "g/cm"},
      {"metal", "grams/mole", "Angstroms", "picoseconds", "eV", "eV/Angstrom", "Kelvin", "bars", "electron charge",
       "g/cm"},
      {"si", "kilograms", "meters", "seconds", "Joules", "Newtons", "Kelvin", "Pascals", "Coulombs", "kilograms/meter"},
      {"cgs", "grams", "centimeters", "seconds", "ergs", "dynes", "Kelvin", "dyne/cm^2", "statcoulombs", "grams/cm"},
      {"electron", "atomic mass units", "Bohr", "femtoseconds", "Hartrees", "Hartrees/Bohr", "Kelvin", "Pascals",
       "electron charge", ""},
      {"micro", "picograms", "micrometers", "microseconds", "picogram-micrometer^2/microsecond^2",
       "picogram-micrometer/microsecond^2", "Kelvin", "picogram/(micrometer-microsecond^2)", "picocoulombs",
       "picograms/micrometer"},
      {"nano", "attograms", "nanometers", "nanoseconds", "attogram-nanometer^2/nanosecond^2",
       "attogram-nanometer/nanosecond^2", "Kelvin", "attogram/(nanometer-nanosecond^2)", "electron charge",
       "attograms/nanometer"},
  };
  for (const QuantityUnits &units : styles)
    if (style == units.style) return units;
  return styles[0];
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
