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

#include "gpz_columns.h"

#include <algorithm>
#include <cmath>
#include <gpz/chunk.hpp>
#include <gpz/continuation.hpp>
#include <gpz/positions.hpp>
#include <stdexcept>

using namespace LAMMPS_NS;

// --- columns that LAMMPS stores ---

namespace {

struct AtomColumn {
  const char *name;
  GPZProperty property;
  int component;
  bool is_vector;  // to be rotated in a general triclinic box
};

const AtomColumn atom_columns[] = {
    {"id", GPZProperty::id, 0, false},
    {"mol", GPZProperty::molecule, 0, false},
    {"type", GPZProperty::type, 0, false},
    {"element", GPZProperty::type, 0, false},
    {"typelabel", GPZProperty::type, 0, false},
    {"ix", GPZProperty::image, 0, false},
    {"iy", GPZProperty::image, 1, false},
    {"iz", GPZProperty::image, 2, false},
    {"x", GPZProperty::x, 0, true},
    {"y", GPZProperty::x, 1, true},
    {"z", GPZProperty::x, 2, true},
    {"xu", GPZProperty::xu, 0, true},
    {"yu", GPZProperty::xu, 1, true},
    {"zu", GPZProperty::xu, 2, true},
    {"vx", GPZProperty::v, 0, true},
    {"vy", GPZProperty::v, 1, true},
    {"vz", GPZProperty::v, 2, true},
    {"fx", GPZProperty::f, 0, true},
    {"fy", GPZProperty::f, 1, true},
    {"fz", GPZProperty::f, 2, true},
    {"q", GPZProperty::q, 0, false},
    {"mux", GPZProperty::mu, 0, true},
    {"muy", GPZProperty::mu, 1, true},
    {"muz", GPZProperty::mu, 2, true},
    {"mu", GPZProperty::mu, 3, false},
    {"radius", GPZProperty::radius, 0, false},
    {"omegax", GPZProperty::omega, 0, true},
    {"omegay", GPZProperty::omega, 1, true},
    {"omegaz", GPZProperty::omega, 2, true},
    {"angmomx", GPZProperty::angmom, 0, true},
    {"angmomy", GPZProperty::angmom, 1, true},
    {"angmomz", GPZProperty::angmom, 2, true},
    {"tqx", GPZProperty::torque, 0, true},
    {"tqy", GPZProperty::torque, 1, true},
    {"tqz", GPZProperty::torque, 2, true},
};

const AtomColumn *find_atom_column(const std::string &name) {
  for (const AtomColumn &column : atom_columns)
    if (name == column.name) return &column;
  return nullptr;
}

// --- names ---

bool matches(const char *pattern, const char *name) {
  if (*pattern == '*') return matches(pattern + 1, name) || (*name && matches(pattern, name + 1));
  if (*pattern != *name) return false;
  return *pattern == '\0' || matches(pattern + 1, name + 1);
}

}  // namespace

// --- fields ---

GPZColumns::GPZColumns(const std::vector<Column> &columns, int dimension)
    : columns_(columns), refs_(columns.size()), source_(columns.size(), Source::buffer), integers_(columns.size()) {
  const std::vector<int> position = find_position(dimension);
  if (!position.empty()) add_field(position, true);
  for (int n = 0; n < static_cast<int>(columns_.size()); ++n)
    if (std::find(position.begin(), position.end(), n) == position.end()) add_field({n}, false);
}

// The columns of all coordinates in one form, or none.
std::vector<int> GPZColumns::find_position(int dimension) const {
  std::vector<std::string> names;
  for (const Column &column : columns_) names.push_back(column.name);
  std::vector<std::string> leading = gpz::leading_positions(names);
  if (static_cast<int>(leading.size()) < dimension) return {};
  leading.resize(dimension);
  std::vector<int> found;
  found.reserve(leading.size());
  for (const std::string &name : leading)
    found.push_back(static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin()));
  return found;
}

void GPZColumns::add_field(const std::vector<int> &columns, bool leading) {
  const Column &first = columns_[columns[0]];
  gpz::FieldInput input;
  input.field.leading = leading;
  input.field.type = first.kind == Kind::real ? gpz::ValueType::float64 : gpz::ValueType::integer;
  if (first.kind == Kind::element) input.field.display = gpz::Display::element;
  if (first.kind == Kind::type_label) input.field.display = gpz::Display::type_label;
  for (int column : columns) {
    refs_[column] = {fields_.size(), input.field.components.size()};
    input.field.components.push_back({columns_[column].name, static_cast<std::uint16_t>(column)});
  }
  bound_.push_back(first.kind != Kind::real              ? Bound::none
                   : !gpz::is_position(first.name)       ? Bound::own
                   : gpz::is_scaled_position(first.name) ? Bound::scaled
                                                         : Bound::position);
  bound_given_.push_back(false);
  thermal_.push_back(false);
  fields_.push_back(input);
}

std::vector<std::string> GPZColumns::names() const {
  std::vector<std::string> names;
  for (const Column &column : columns_) names.push_back(column.name);
  return names;
}

bool GPZColumns::has(Kind kind) const {
  return std::any_of(columns_.begin(), columns_.end(), [&](const Column &c) { return c.kind == kind; });
}

bool GPZColumns::has_positions() const {
  return std::any_of(columns_.begin(), columns_.end(), [](const Column &c) { return gpz::is_position(c.name); });
}

bool GPZColumns::has_fractions() const {
  return std::find(bound_.begin(), bound_.end(), Bound::scaled) != bound_.end();
}

// --- bounds ---

void GPZColumns::set_own_bound(const std::string &pattern, double bound) {
  bool found = false, position = false, integer = false;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    for (const gpz::Field::Component &component : fields_[f].field.components) {
      if (!matches(pattern.c_str(), component.name.c_str())) continue;
      if (bound_[f] == Bound::own) {
        fields_[f].field.bound = bound;
        bound_given_[f] = true;
        thermal_[f] = false;
        found = true;
      } else if (bound_[f] == Bound::none) {
        integer = true;
      } else {
        position = true;
      }
    }
  }
  if (found) return;
  if (position) throw std::invalid_argument("the bound of positions is set with 'eb'");
  if (integer) throw std::invalid_argument("integer columns are always lossless");
  throw std::invalid_argument("the dump has no such column");
}

void GPZColumns::set_thermal_bound(const std::string &pattern) {
  std::vector<std::size_t> found;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const std::string &name = fields_[f].field.components[0].name;
    if (bound_[f] != Bound::own || !matches(pattern.c_str(), name.c_str())) continue;
    if (name != "vx" && name != "vy" && name != "vz")
      throw std::invalid_argument("a thermal bound is for vx, vy and vz, not for " + name);
    found.push_back(f);
  }
  set_own_bound(pattern, 0.0);
  for (const std::size_t f : found) {
    bound_given_[f] = false;  // a file that is continued has one
    thermal_[f] = true;
  }
}

bool GPZColumns::needs_thermal_bound() const {
  return std::find(thermal_.begin(), thermal_.end(), true) != thermal_.end();
}

void GPZColumns::give_thermal_bound(double bound) {
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    if (!thermal_[f]) continue;
    fields_[f].field.bound = bound;
    bound_given_[f] = true;
    thermal_[f] = false;
  }
}

void GPZColumns::take_own_bounds(const gpz::FrameInfo &frame) {
  for (std::size_t f = 0; f < fields_.size(); ++f)
    for (const gpz::Field &other : frame.fields)
      if (bound_[f] == Bound::own && !bound_given_[f] &&
          other.components[0].name == fields_[f].field.components[0].name) {
        fields_[f].field.bound = other.bound;
        thermal_[f] = false;
      }
}

std::optional<double> GPZColumns::position_bound(const gpz::FrameInfo &frame) {
  for (const gpz::Field &field : frame.fields)
    if (gpz::is_position(field.components[0].name)) return gpz::bound_as_distance(field, frame.box);
  return std::nullopt;
}

void GPZColumns::set_bounds(double position, double scaled) {
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    if (bound_[f] == Bound::position) fields_[f].field.bound = position;
    if (bound_[f] == Bound::scaled) fields_[f].field.bound = scaled;
  }
}

bool GPZColumns::set_before(const Before &position, const Before &scaled) {
  before_position_ = position;
  before_scaled_ = scaled;
  return set_steps();
}

// Values that are not the original ones get a step that fits into the bound beside their error. Returns whether one
// does.
bool GPZColumns::set_steps() {
  bool have_room = true;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    if (bound_[f] != Bound::position && bound_[f] != Bound::scaled) continue;
    const Before &before = bound_[f] == Bound::position ? before_position_ : before_scaled_;
    gpz::Field &field = fields_[f].field;
    field.largest_error = field.step = 0;
    if (before.bound == 0) {
      const double largest = bound_[f] == Bound::position ? largest_position_ : 1;
      if (field.bound > 0) field.step = gpz::grid_step(field.bound, field.type, largest);
      continue;
    }
    // KOKKOS in single precision has rounded the values, and a few sums of them.
    const double rounding = field.type == gpz::ValueType::float32 ? std::ldexp(before.largest_value, -22) : 0;
    field.largest_error = gpz::error_beside(field.bound, before.largest_error, rounding);
    field.step = gpz::step_beside(field.bound, before.bound + rounding, before.largest_value, field.type);
    have_room = have_room && field.step > 0;
  }
  return have_room;
}

// --- data ---

void GPZColumns::choose_sources(bool general_triclinic, bool unwrapped) {
  packed_.clear();
  arrays_.clear();
  for (std::size_t n = 0; n < columns_.size(); ++n) {
    const AtomColumn *stored = find_atom_column(columns_[n].name);
    const bool there = stored && (stored->property != GPZProperty::xu || unwrapped);
    if (there && !(stored->is_vector && general_triclinic)) {
      source_[n] = Source::atom;
    } else if (columns_[n].array) {
      source_[n] = Source::array;
      arrays_.push_back(static_cast<int>(n));
    } else {
      source_[n] = columns_[n].kind == Kind::real ? Source::buffer : Source::integer_buffer;
      packed_.push_back(static_cast<int>(n));
    }
  }
}

std::vector<GPZProperty> GPZColumns::stored() const {
  std::vector<GPZProperty> properties;
  for (std::size_t n = 0; n < columns_.size(); ++n)
    if (source_[n] == Source::atom) properties.push_back(find_atom_column(columns_[n].name)->property);
  return properties;
}

const GPZProperty *GPZColumns::property(int column) const {
  return source_[column] == Source::atom ? &find_atom_column(columns_[column].name)->property : nullptr;
}

void GPZColumns::bind(GPZAtoms &atoms, const std::vector<gpz::ConstArray> &arrays, const double *buffer, int nlocal) {
  const std::size_t width = columns_.size(), rows = static_cast<std::size_t>(nlocal);
  std::size_t next_array = 0;
  for (std::size_t n = 0; n < width; ++n) {
    gpz::FieldInput &input = fields_[refs_[n].field];
    gpz::ConstArray &view = input.components[refs_[n].component];
    std::vector<std::int64_t> &integers = integers_[n];
    switch (source_[n]) {
      case Source::atom: {
        const AtomColumn *stored = find_atom_column(columns_[n].name);
        view = atoms.find(stored->property, stored->component);
        break;
      }
      case Source::array:
        view = arrays[next_array++];
        break;
      case Source::buffer:
        view = {buffer + n, static_cast<std::ptrdiff_t>(width * sizeof(double)), gpz::ConstArray::Type::float64};
        break;
      case Source::integer_buffer:
        if (integers.size() < rows) integers.resize(rows + rows / 8);
        for (std::size_t i = 0; i < rows; ++i) integers[i] = static_cast<std::int64_t>(buffer[i * width + n]);
        view = {integers.data(), sizeof(std::int64_t), gpz::ConstArray::Type::int64};
        break;
    }
    // KOKKOS may keep floats in single precision
    if (columns_[n].kind == Kind::real)
      input.field.type =
          view.type == gpz::ConstArray::Type::float32 ? gpz::ValueType::float32 : gpz::ValueType::float64;
  }
  if (!set_steps()) throw std::runtime_error("positions in single precision leave no room in their bound");
}

double GPZColumns::memory_usage() const {
  double bytes = 0;
  for (const auto &integers : integers_) bytes += static_cast<double>(integers.capacity() * sizeof(std::int64_t));
  return bytes;
}
