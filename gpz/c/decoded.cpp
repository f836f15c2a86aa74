// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/c/decoded.hpp"

#include <algorithm>
#include <cstdio>

#include "gpz/c/c_api.hpp"
#include "gpz/c/structures.hpp"

namespace gpz::c {
namespace {

std::vector<const char *> pointers(const std::vector<std::string> &strings) {
  std::vector<const char *> result(strings.size());
  std::transform(strings.begin(), strings.end(), result.begin(),
                 [](const std::string &string) { return string.c_str(); });
  return result;
}

gpz_type stored_type(ValueType type) {
  if (type == ValueType::float32) return GPZ_FLOAT32;
  return type == ValueType::float64 ? GPZ_FLOAT64 : GPZ_INT64;
}

}  // namespace

MetadataView::MetadataView(const Metadata &from)
    : from_(from),
      columns_(pointers(from.columns)),
      elements_(pointers(from.elements)),
      type_labels_(pointers(from.type_labels)) {}

void MetadataView::give(gpz_metadata *to) const {
  gpz_metadata metadata = gpz_new_metadata();
  metadata.generator = from_.generator.c_str();
  metadata.units = from_.units.c_str();
  metadata.atom_style = from_.atom_style.c_str();
  metadata.command = from_.command.c_str();
  metadata.columns = columns_.data();
  metadata.column_count = columns_.size();
  metadata.elements = elements_.data();
  metadata.element_count = elements_.size();
  metadata.type_labels = type_labels_.data();
  metadata.type_label_count = type_labels_.size();
  metadata.timestep_size = from_.timestep_size;
  metadata.features = from_.features;
  metadata.reference = from_.reference.c_str();
  metadata.reference_grid = from_.reference_grid;
  c::give(metadata, to, "gpz_metadata");
}

void give_frame(const FrameInfo &from, gpz_frame *to) {
  gpz_frame frame = gpz_new_frame(from.particles, from.timestep);
  frame.time = from.time;
  frame.dimension = from.box.dimension;
  frame.box_kind = static_cast<gpz_box_kind>(from.box.kind);
  std::copy(from.box.boundary.begin(), from.box.boundary.end(), frame.boundary);
  std::copy(from.box.values.begin(), from.box.values.end(), frame.box);
  frame.since_key = from.since_key;
  give(frame, to, "gpz_frame");
}

std::size_t column_count(const FrameInfo &frame) {
  std::size_t count = 0;
  for (const Field &field : frame.fields) count += field.components.size();
  return count;
}

void give_column(const FrameInfo &frame, std::size_t column, gpz_column_info *to) {
  std::size_t component = column;
  std::size_t f = 0;
  while (f < frame.fields.size() && component >= frame.fields[f].components.size())
    component -= frame.fields[f++].components.size();
  if (f == frame.fields.size())
    throw Error(Status::not_found,
                "no column " + std::to_string(column) + ": there are " + std::to_string(column_count(frame)));
  const Field &field = frame.fields[f];
  gpz_column_info info = gpz_new_column_info();
  std::snprintf(info.name, sizeof info.name, "%s", field.components[component].name.c_str());
  info.type = stored_type(field.type);
  info.display = static_cast<gpz_display>(field.display);
  info.bound = field.bound;
  info.largest_error = field.largest_error;
  info.field = static_cast<std::uint32_t>(f);
  info.component = static_cast<std::uint32_t>(component);
  info.column = field.components[component].column;
  info.step = field.step;
  give(info, to, "gpz_column_info");
}

std::vector<ColumnOutput> column_outputs(const gpz_output *outputs, std::size_t count, std::size_t capacity) {
  std::vector<ColumnOutput> columns;
  for (const gpz_output &output : taken(outputs, count, "gpz_output")) {
    const std::vector<std::string> names = words_of(output.names);
    require(!names.empty() && names.size() <= 3, "names of an output: 1 to 3 names with blanks between them",
            static_cast<long long>(names.size()));
    require(output.reserved == 0, "reserved of an output is not 0");
    require(output.stride != 0 || capacity <= 1, "stride of an output is 0");
    const ConstArray::Type type = array_type(output.type);
    for (std::size_t c = 0; c < names.size(); ++c) {
      require(output.data[c] != nullptr || capacity == 0, "data of an output is a null pointer");
      columns.push_back({names[c], {output.data[c], output.stride, type}});
    }
  }
  return columns;
}

bool sorts_by_id(unsigned flags) {
  require((flags & ~static_cast<unsigned>(GPZ_SORT_BY_ID)) == 0, "flags is 0 or GPZ_SORT_BY_ID (1)", flags);
  return (flags & GPZ_SORT_BY_ID) != 0;
}

}  // namespace gpz::c
