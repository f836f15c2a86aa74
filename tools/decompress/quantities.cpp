// SPDX-License-Identifier: BSD-3-Clause
#include "quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "gpz/units.hpp"

namespace gpz::tool {
namespace {

constexpr double electronvolt_per_angstrom_3 = si::electronvolt / 1e-30;  // Pa

struct FrameQuantity {
  std::string_view name;
  std::vector<std::size_t> numbers;
  std::string_view unit;
};

const std::vector<FrameQuantity> &frame_quantities() {
  static const std::vector<FrameQuantity> quantities = {
      {"energy", {1}, "eV"},    {"free_energy", {1}, "eV"},    {"stress", {6, 9}, "eV/Angstrom^3"},
      {"virial", {6, 9}, "eV"}, {"dipole", {3}, "e*Angstrom"},
  };
  return quantities;
}

// One of this unit in eV or eV/Angstrom^3; 1 for units that are not known. Without a unit it is that of the style.
double factor_to_ase(const std::string &unit, const std::string &style, bool is_pressure) {
  if (is_pressure && unit == "eV/Angstrom^3") return 1;
  for (const UnitStyle &known : unit_styles()) {
    if (known.in_si.energy == 0) continue;
    if (unit.empty() ? style == known.name : unit == (is_pressure ? known.words.pressure : known.words.energy))
      return is_pressure ? known.in_si.pressure / electronvolt_per_angstrom_3 : known.in_si.energy / si::electronvolt;
  }
  return 1;
}

// The name before [k] or [i,j], and the indices from 1 on; none for other names.
struct Component {
  std::string name;
  std::vector<std::size_t> indices;
};
Component component_of(const std::string &name) {
  const std::size_t opening = name.rfind('[');
  if (opening == std::string::npos || opening == 0 || name.back() != ']') return {name, {}};
  Component found{name.substr(0, opening), {0}};
  for (std::size_t i = opening + 1; i + 1 < name.size(); ++i) {
    constexpr std::size_t most = 1 << 20;
    if (name[i] == ',' && found.indices.back() > 0 && found.indices.size() < 2)
      found.indices.push_back(0);
    else if (name[i] >= '0' && name[i] <= '9' && found.indices.back() < most)
      found.indices.back() = 10 * found.indices.back() + static_cast<std::size_t>(name[i] - '0');
    else
      return {name, {}};
  }
  return found.indices.back() == 0 ? Component{name, {}} : found;
}

// xx xy xz yx yy yz zx zy zz of xx yy zz yz xz xy.
std::vector<double> matrix_of(const std::vector<double> &six) {
  return {six[0], six[5], six[4], six[5], six[1], six[3], six[4], six[3], six[2]};
}

// The observables of a value in their order, or nothing if one is missing.
std::optional<FrameValue> joined(const std::string &name, const std::map<std::vector<std::size_t>, double> &parts) {
  FrameValue value{name, {}, 0};
  const std::vector<std::size_t> &last = parts.rbegin()->first;
  const std::size_t columns = last.size() == 2 ? last[1] : 0;
  for (const auto &[indices, number] : parts) {
    const std::size_t k = value.numbers.size();
    const std::vector<std::size_t> expected =
        columns > 0 ? std::vector<std::size_t>{k / columns + 1, k % columns + 1} : std::vector<std::size_t>{k + 1};
    if (indices != expected) return std::nullopt;
    value.numbers.push_back(number);
  }
  if (columns > 0 && value.numbers.size() % columns != 0) return std::nullopt;
  value.columns = columns;
  return value;
}

}  // namespace

const std::vector<VectorQuantity> &vector_quantities() {
  static const std::vector<VectorQuantity> quantities = {
      {{"x", "y", "z"}, {"pos"}},
      {{"vx", "vy", "vz"}, {"vel", "velo", "velocities"}},
      {{"fx", "fy", "fz"}, {"forces", "force"}},
  };
  return quantities;
}

bool in_electronvolts(const std::string &units) { return units.empty() || units == "lj" || units == "metal"; }

std::string column_of(const std::string &property, std::size_t component, std::size_t components) {
  if (components == 1) return property;
  if (components == 3)
    for (const VectorQuantity &quantity : vector_quantities())
      if (std::find(quantity.properties.begin(), quantity.properties.end(), property) != quantity.properties.end())
        return std::string(quantity.columns[component]);
  return fmt::format("{}[{}]", property, component + 1);
}

std::string unit_in_extended_xyz(std::string_view name, std::size_t numbers) {
  for (const FrameQuantity &quantity : frame_quantities())
    if (quantity.name == name &&
        std::find(quantity.numbers.begin(), quantity.numbers.end(), numbers) != quantity.numbers.end())
      return std::string(quantity.unit);
  return "";
}

std::vector<FrameValue> frame_values(const std::vector<Observable> &observables, const std::string &units) {
  // In the order of their first observable.
  std::vector<std::string> names;
  std::map<std::string, std::map<std::vector<std::size_t>, double>> parts;
  std::map<std::string, std::string> unit;
  for (const Observable &observable : observables) {
    const Component component = component_of(observable.name);
    if (parts.find(component.name) == parts.end()) names.push_back(component.name);
    parts[component.name][component.indices] = observable.value;
    unit[component.name] = observable.unit;
  }
  std::vector<FrameValue> values;
  for (const std::string &name : names) {
    if (parts[name].count({}) == 0)
      if (std::optional<FrameValue> value = joined(name, parts[name])) {
        values.push_back(std::move(*value));
        continue;
      }
    for (const auto &[indices, number] : parts[name])
      values.push_back({indices.empty() ? name : fmt::format("{}[{}]", name, fmt::join(indices, ",")), {number}, 0});
  }
  const auto find = [&](std::string_view name) {
    return std::find_if(values.begin(), values.end(), [&](const FrameValue &value) { return value.name == name; });
  };
  const auto scale = [&](FrameValue &value, bool is_pressure) {
    const double factor = factor_to_ase(unit[value.name], units, is_pressure);
    for (double &number : value.numbers) number *= factor;
  };
  for (const std::string_view name : {"PotEng", "pe", "energy"})
    if (const auto value = find(name); value != values.end() && value->numbers.size() == 1) {
      scale(*value, false);
      const auto other = find("energy");
      if (other != values.end() && other != value) other->name = "energy_";
      value->name = "energy";
      break;
    }
  for (const std::string_view name : {"stress", "virial", "free_energy"}) {
    const auto value = find(name);
    if (value == values.end()) continue;
    scale(*value, name == "stress");
    if (name == "free_energy") continue;
    if (value->numbers.size() == 6) value->numbers = matrix_of(value->numbers);
    // ASE refuses files in which these are no matrices.
    if (value->numbers.size() != 9) value->name += '_';
  }
  return values;
}

}  // namespace gpz::tool
