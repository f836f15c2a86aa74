// SPDX-License-Identifier: BSD-3-Clause
#include "heads.hpp"

#include <algorithm>

#include "text.hpp"

namespace nb = nanobind;

namespace gpz::python {
namespace {

nb::tuple box_to_python(const Box &box) {
  nb::list values;
  for (const double value : box.values) values.append(value);
  return nb::make_tuple(static_cast<int>(box.kind), static_cast<int>(box.dimension),
                        nb::bytes(box.boundary.data(), box.boundary.size()), values);
}

nb::list columns(const FrameInfo &info) {
  nb::list list;
  for (std::size_t f = 0; f < info.fields.size(); ++f) {
    const Field &field = info.fields[f];
    for (const Field::Component &component : field.components)
      list.append(nb::make_tuple(to_python(component.name), f, static_cast<int>(field.type),
                                 static_cast<int>(field.display), field.bound, field.largest_error, field.step));
  }
  return list;
}

}  // namespace

nb::dict to_python(const Metadata &metadata) {
  nb::dict to;
  to["generator"] = to_python(metadata.generator);
  to["units"] = to_python(metadata.units);
  to["atom_style"] = to_python(metadata.atom_style);
  to["command"] = to_python(metadata.command);
  to["columns"] = to_python(metadata.columns);
  to["elements"] = to_python(metadata.elements);
  to["type_labels"] = to_python(metadata.type_labels);
  to["timestep_size"] = metadata.timestep_size;
  to["reference"] = to_python(metadata.reference);
  to["reference_grid"] = metadata.reference_grid;
  to["features"] = metadata.features;
  return to;
}

Metadata metadata_from(const nb::dict &values) {
  Metadata metadata;
  const auto text = [&](const char *name, std::string &to) {
    if (values.contains(name)) to = from_python(nb::cast<nb::str>(values[name]));
  };
  const auto texts = [&](const char *name, std::vector<std::string> &to) {
    if (values.contains(name)) to = from_python(nb::cast<nb::list>(values[name]));
  };
  text("generator", metadata.generator);
  text("units", metadata.units);
  text("atom_style", metadata.atom_style);
  text("command", metadata.command);
  text("reference", metadata.reference);
  texts("columns", metadata.columns);
  texts("elements", metadata.elements);
  texts("type_labels", metadata.type_labels);
  const auto number = [&](const char *name, double &to) {
    if (values.contains(name)) to = nb::cast<double>(values[name]);
  };
  number("timestep_size", metadata.timestep_size);
  number("reference_grid", metadata.reference_grid);
  return metadata;
}

nb::tuple to_python(const FrameInfo &info) {
  return nb::make_tuple(info.particles, info.timestep, info.time, info.since_key, box_to_python(info.box),
                        info.box.largest_edge_sum(), columns(info));
}

Box box_from(const nb::tuple &values) {
  Box box;
  box.kind = static_cast<Box::Kind>(nb::cast<int>(values[0]));
  box.dimension = nb::cast<std::uint8_t>(values[1]);
  const auto boundary = nb::cast<nb::bytes>(values[2]);
  std::copy_n(boundary.c_str(), std::min(boundary.size(), box.boundary.size()), box.boundary.begin());
  const auto numbers = nb::cast<nb::list>(values[3]);
  for (std::size_t i = 0; i < std::min(numbers.size(), box.values.size()); ++i)
    box.values[i] = nb::cast<double>(numbers[i]);
  return box;
}

}  // namespace gpz::python
