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
#include <stdexcept>
#include <type_traits>

#include "atom.h"

using namespace LAMMPS_NS;

// --- where LAMMPS keeps the values of a column ---

namespace {

using gpz::ConstArray;

template <typename T>
ConstArray vector(const T *values) {
  constexpr ConstArray::Type type = std::is_same<T, double>::value ? ConstArray::Type::float64
                                    : sizeof(T) == 4               ? ConstArray::Type::int32
                                                                   : ConstArray::Type::int64;
  return {values, sizeof(T), type};
}

// Component `axis` of an array of vectors. LAMMPS allocates them as one piece with `width` components a row.
ConstArray component(double *const *rows, int axis, int width = 3) {
  return {rows ? rows[0] + axis : nullptr, static_cast<std::ptrdiff_t>(width * sizeof(double)),
          ConstArray::Type::float64};
}

struct AtomColumn {
  const char *name;
  bool is_vector;  // to be rotated in a general triclinic box
  ConstArray (*view)(const Atom *);
};

const AtomColumn atom_columns[] = {
    {"id", false, [](const Atom *a) { return vector(a->tag); }},
    {"mol", false, [](const Atom *a) { return vector(a->molecule); }},
    {"type", false, [](const Atom *a) { return vector(a->type); }},
    {"element", false, [](const Atom *a) { return vector(a->type); }},
    {"typelabel", false, [](const Atom *a) { return vector(a->type); }},
    {"x", true, [](const Atom *a) { return component(a->x, 0); }},
    {"y", true, [](const Atom *a) { return component(a->x, 1); }},
    {"z", true, [](const Atom *a) { return component(a->x, 2); }},
    {"vx", true, [](const Atom *a) { return component(a->v, 0); }},
    {"vy", true, [](const Atom *a) { return component(a->v, 1); }},
    {"vz", true, [](const Atom *a) { return component(a->v, 2); }},
    {"fx", true, [](const Atom *a) { return component(a->f, 0); }},
    {"fy", true, [](const Atom *a) { return component(a->f, 1); }},
    {"fz", true, [](const Atom *a) { return component(a->f, 2); }},
    {"q", false, [](const Atom *a) { return vector(a->q); }},
    {"mux", true, [](const Atom *a) { return component(a->mu, 0, 4); }},
    {"muy", true, [](const Atom *a) { return component(a->mu, 1, 4); }},
    {"muz", true, [](const Atom *a) { return component(a->mu, 2, 4); }},
    {"mu", false, [](const Atom *a) { return component(a->mu, 3, 4); }},
    {"radius", false, [](const Atom *a) { return vector(a->radius); }},
    {"omegax", true, [](const Atom *a) { return component(a->omega, 0); }},
    {"omegay", true, [](const Atom *a) { return component(a->omega, 1); }},
    {"omegaz", true, [](const Atom *a) { return component(a->omega, 2); }},
    {"angmomx", true, [](const Atom *a) { return component(a->angmom, 0); }},
    {"angmomy", true, [](const Atom *a) { return component(a->angmom, 1); }},
    {"angmomz", true, [](const Atom *a) { return component(a->angmom, 2); }},
    {"tqx", true, [](const Atom *a) { return component(a->torque, 0); }},
    {"tqy", true, [](const Atom *a) { return component(a->torque, 1); }},
    {"tqz", true, [](const Atom *a) { return component(a->torque, 2); }},
};

const AtomColumn *find_atom_column(const std::string &name) {
  for (const AtomColumn &column : atom_columns)
    if (name == column.name) return &column;
  return nullptr;
}

// --- names ---

const char *const position_names[][3] = {
    {"x", "y", "z"}, {"xu", "yu", "zu"}, {"xs", "ys", "zs"}, {"xsu", "ysu", "zsu"}};
constexpr int first_scaled_set = 2;

// Which set of position_names has the name; -1 if none.
int position_set(const std::string &name) {
  for (int set = 0; set < 4; ++set)
    for (const char *candidate : position_names[set])
      if (name == candidate) return set;
  return -1;
}

// 0, 1, 2 for ix, iy, iz; -1 otherwise.
int image_axis(const std::string &name) { return name == "ix" ? 0 : name == "iy" ? 1 : name == "iz" ? 2 : -1; }

bool matches(const char *pattern, const char *name) {
  if (*pattern == '*') return matches(pattern + 1, name) || (*name && matches(pattern, name + 1));
  if (*pattern != *name) return false;
  return *pattern == '\0' || matches(pattern + 1, name + 1);
}

}  // namespace

// --- fields ---

GPZColumns::GPZColumns(const std::vector<Column> &columns, int dimension)
    : columns_(columns), place_(columns.size()), source_(columns.size(), Source::buffer), integers_(columns.size()) {
  const std::vector<int> position = find_position(dimension);
  if (!position.empty()) add_field(position, true);
  for (int n = 0; n < static_cast<int>(columns_.size()); ++n)
    if (std::find(position.begin(), position.end(), n) == position.end()) add_field({n}, false);
}

// The columns of the first complete set of coordinates, or none.
std::vector<int> GPZColumns::find_position(int dimension) const {
  std::vector<int> found;
  for (const auto &set : position_names) {
    std::vector<int> columns;
    for (int axis = 0; axis < dimension; ++axis) {
      const auto column =
          std::find_if(columns_.begin(), columns_.end(), [&](const Column &c) { return c.name == set[axis]; });
      if (column != columns_.end()) columns.push_back(static_cast<int>(column - columns_.begin()));
    }
    if (static_cast<int>(columns.size()) == dimension && (found.empty() || columns[0] < found[0])) found = columns;
  }
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
    place_[column] = {fields_.size(), input.field.components.size()};
    input.field.components.push_back({columns_[column].name, static_cast<std::uint16_t>(column)});
  }
  const int set = position_set(first.name);
  bound_.push_back(first.kind != Kind::real ? Bound::none
                   : set < 0                ? Bound::own
                   : set < first_scaled_set ? Bound::position
                                            : Bound::scaled);
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
  return std::any_of(columns_.begin(), columns_.end(), [](const Column &c) { return position_set(c.name) >= 0; });
}

// --- bounds ---

void GPZColumns::set_own_bound(const std::string &pattern, double bound) {
  bool found = false, position = false, integer = false;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    for (const gpz::Field::Component &component : fields_[f].field.components) {
      if (!matches(pattern.c_str(), component.name.c_str())) continue;
      if (bound_[f] == Bound::own) {
        fields_[f].field.bound = bound;
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

void GPZColumns::set_bounds(double position, double scaled) {
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    if (bound_[f] == Bound::position) fields_[f].field.bound = position;
    if (bound_[f] == Bound::scaled) fields_[f].field.bound = scaled;
  }
}

// --- data ---

void GPZColumns::choose_sources(bool general_triclinic) {
  packed_.clear();
  for (std::size_t n = 0; n < columns_.size(); ++n) {
    const Column &column = columns_[n];
    const AtomColumn *in_atom = find_atom_column(column.name);
    if (image_axis(column.name) >= 0) {
      source_[n] = Source::image;
    } else if (in_atom && !(in_atom->is_vector && general_triclinic)) {
      source_[n] = Source::atom;
    } else {
      source_[n] = column.kind == Kind::real ? Source::buffer : Source::integer_buffer;
      packed_.push_back(static_cast<int>(n));
    }
  }
}

void GPZColumns::bind(Atom *atom, const double *buffer) {
  const std::size_t width = columns_.size(), nlocal = static_cast<std::size_t>(atom->nlocal);
  for (std::size_t n = 0; n < width; ++n) {
    gpz::ConstArray &view = fields_[place_[n].field].components[place_[n].component];
    std::vector<std::int64_t> &integers = integers_[n];
    switch (source_[n]) {
      case Source::atom:
        view = find_atom_column(columns_[n].name)->view(atom);
        break;
      case Source::buffer:
        view = {buffer + n, static_cast<std::ptrdiff_t>(width * sizeof(double)), ConstArray::Type::float64};
        break;
      case Source::integer_buffer:
        if (integers.size() < nlocal) integers.resize(static_cast<std::size_t>(atom->nmax));
        for (std::size_t i = 0; i < nlocal; ++i) integers[i] = static_cast<std::int64_t>(buffer[i * width + n]);
        view = vector(integers.data());
        break;
      case Source::image: {
        const int axis = image_axis(columns_[n].name);
        const int shift = axis == 0 ? 0 : axis == 1 ? IMGBITS : IMG2BITS;
        if (integers.size() < nlocal) integers.resize(static_cast<std::size_t>(atom->nmax));
        for (std::size_t i = 0; i < nlocal; ++i)
          integers[i] = static_cast<std::int64_t>((atom->image[i] >> shift) & IMGMASK) - IMGMAX;
        view = vector(integers.data());
        break;
      }
    }
  }
}

double GPZColumns::memory_usage() const {
  double bytes = 0;
  for (const auto &integers : integers_) bytes += static_cast<double>(integers.capacity() * sizeof(std::int64_t));
  return bytes;
}
