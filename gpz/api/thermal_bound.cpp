// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gpz/api/input_values.hpp"
#include "gpz/error.hpp"
#include "gpz/format/arithmetic.hpp"
#include "gpz/frame.hpp"
#include "gpz/units.hpp"

namespace gpz {
namespace {

// A column with more distinct values, such as masses of a powder, differs for each particle and does not identify
// species.
constexpr std::size_t most_species = 65536;

const ConstArray *find(const std::vector<FieldInput> &fields, const std::string &name) {
  for (const FieldInput &input : fields)
    for (std::size_t c = 0; c < input.field.components.size() && c < input.components.size(); ++c)
      if (input.field.components[c].name == name) return &input.components[c];
  return nullptr;
}

double number_at(const ConstArray &array, std::size_t row) {
  switch (array.type) {
    case ConstArray::Type::int32:
      return api::value_at<std::int32_t>(array, row);
    case ConstArray::Type::int64:
      return static_cast<double>(api::value_at<std::int64_t>(array, row));
    case ConstArray::Type::float32:
      return static_cast<double>(api::value_at<float>(array, row));
    case ConstArray::Type::float64:
      break;
  }
  return api::value_at<double>(array, row);
}

double speed_of(const SpeciesVelocities &species) {
  double squares = 0;
  double count = 0;
  for (const VelocitySpread &component : species) {
    if (component.squares == 0) continue;  // as all z in two dimensions
    squares += component.squares;
    count += component.count - 1;
  }
  return squares > 0 ? std::sqrt(squares / count) : 0;
}

std::vector<const ConstArray *> velocities_of(const std::vector<FieldInput> &fields) {
  std::vector<const ConstArray *> found;
  for (const char *const name : {"vx", "vy", "vz"})
    if (const ConstArray *const column = find(fields, name); column != nullptr && !is_integer(column->type))
      found.push_back(column);
  if (found.empty())
    throw Error(Status::invalid_argument, "a thermal bound is for velocities, and no float column is vx, vy or vz");
  return found;
}

// `name` receives the name of the column.
const ConstArray &species_of(const std::vector<FieldInput> &fields, std::string &name) {
  for (const char *const column : {"type", "typelabel", "element", "mass"})
    if (const ConstArray *const found = find(fields, column)) {
      name = column;
      return *found;
    }
  throw Error(Status::invalid_argument,
              "a thermal bound needs to know which particles are of one species, and no column is type, typelabel, "
              "element or mass; give one of them, or a number as the bound");
}

}  // namespace

void VelocitySpread::add(double v) { add(VelocitySpread{1, v, 0}); }

void VelocitySpread::add(const VelocitySpread &other) {
  if (other.count == 0 || !std::isfinite(other.mean)) return;
  const double both = count + other.count, difference = other.mean - mean;
  mean += difference * (other.count / both);
  squares += other.squares + difference * difference * (count * (other.count / both));
  count = both;
}

double thermal_bound(const std::vector<SpeciesVelocities> &all) {
  double least = 0;
  for (const SpeciesVelocities &species : all)
    if (const double speed = speed_of(species); speed > 0 && (least == 0 || speed < least)) least = speed;
  return thermal_bound(least);
}

double thermal_bound(const std::vector<FieldInput> &fields, std::uint64_t particles) {
  const format::UsualArithmetic usual;
  const std::vector<const ConstArray *> velocities = velocities_of(fields);
  std::string name;
  const ConstArray &kinds = species_of(fields, name);
  std::map<double, std::size_t> species;
  std::vector<SpeciesVelocities> all;
  for (std::uint64_t i = 0; i < particles; ++i) {
    const auto row = static_cast<std::size_t>(i);
    const double kind = number_at(kinds, row);
    if (std::isnan(kind)) continue;
    const auto [found, is_new] = species.emplace(kind, all.size());
    if (is_new) all.emplace_back();
    if (all.size() > most_species)
      throw Error(Status::invalid_argument, "column " + name + " has more than " + std::to_string(most_species) +
                                                " values, so it does not say which particles are of one species; give "
                                                "a column type, or a number as the bound");
    for (std::size_t d = 0; d < velocities.size(); ++d) all[found->second][d].add(number_at(*velocities[d], row));
  }
  const double bound = thermal_bound(all);
  if (bound == 0)
    throw Error(Status::invalid_argument,
                "no two particles of one species (column " + name +
                    ") differ in velocity, so there is no thermal speed; give a number as the bound");
  return bound;
}

}  // namespace gpz
