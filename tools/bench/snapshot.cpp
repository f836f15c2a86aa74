// SPDX-License-Identifier: BSD-3-Clause
#include "bench/snapshot.hpp"

#include <numeric>
#include <random>

#include "gpz/chunk.hpp"

namespace gpz::bench {
namespace {

FieldInput integer_field(const char *name, std::uint16_t column, const void *data) {
  FieldInput input;
  input.field.type = ValueType::integer;
  input.field.components = {{name, column}};
  input.components[0] = {data, sizeof(std::int32_t), ConstArray::Type::int32};
  return input;
}

}  // namespace

std::vector<std::int32_t> shuffled_ids(std::size_t particles) {
  std::vector<std::int32_t> ids(particles);
  std::iota(ids.begin(), ids.end(), 1);
  std::mt19937_64 random;
  for (std::size_t i = particles; i > 1; --i) std::swap(ids[i - 1], ids[random() % i]);
  return ids;
}

std::vector<std::int32_t> random_types(std::size_t particles) {
  std::vector<std::int32_t> types(particles);
  std::mt19937_64 random;
  for (std::int32_t &type : types) type = static_cast<std::int32_t>(1 + random() % 3);
  return types;
}

std::vector<FieldInput> fields_of(const Snapshot &snapshot, double bound, const ArrayPointers &arrays) {
  const Cloud &cloud = snapshot.cloud;
  FieldInput positions;
  positions.field.type = cloud.type();
  positions.field.leading = true;
  positions.field.bound = bound;
  fill_step(positions.field);
  for (int d = 0; d < cloud.components(); ++d) {
    positions.field.components.push_back({std::string(1, "xyz"[d]), static_cast<std::uint16_t>(d)});
    positions.components[static_cast<std::size_t>(d)] = {
        static_cast<const char *>(arrays.positions) + cloud.offset(d), cloud.stride(),
        cloud.type() == ValueType::float32 ? ConstArray::Type::float32 : ConstArray::Type::float64};
  }
  std::vector<FieldInput> fields{positions};
  if (!snapshot.ids.empty()) fields.push_back(integer_field("id", 3, arrays.ids));
  if (!snapshot.types.empty()) fields.push_back(integer_field("type", 4, arrays.types));
  return fields;
}

Frame frame_for(const std::vector<FieldInput> &fields) {
  Frame frame;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    frame.info.fields.push_back(fields[f].field);
    for (std::size_t d = 0; d < fields[f].field.components.size(); ++d) {
      Frame::Column column;
      column.field = f;
      column.component = d;
      frame.columns.push_back(column);
    }
  }
  return frame;
}

Snapshot same_shape(const Snapshot &snapshot) {
  const Cloud &cloud = snapshot.cloud;
  Snapshot out;
  out.cloud = Cloud(cloud.type(), cloud.layout(), cloud.components(), cloud.particles());
  out.ids.resize(snapshot.ids.size());
  out.types.resize(snapshot.types.size());
  return out;
}

Snapshot snapshot_of(const Frame &frame, const Snapshot &like) {
  Snapshot out = same_shape(like);
  for (const Frame::Column &column : frame.columns) {
    const std::string &name = frame.name(column);
    if (name == "id")
      out.ids.assign(column.integers.begin(), column.integers.end());
    else if (name == "type")
      out.types.assign(column.integers.begin(), column.integers.end());
    else
      for (std::size_t i = 0; i < column.floats.size(); ++i)
        out.cloud.set(i, static_cast<int>(column.component), column.floats[i]);
  }
  return out;
}

Snapshot numbered_part(const Snapshot &snapshot, const std::vector<Range> &ranges) {
  const Cloud &cloud = snapshot.cloud;
  std::size_t particles = 0;
  for (const auto &[first, end] : ranges) particles += end - first;
  Snapshot part;
  part.cloud = Cloud(cloud.type(), cloud.layout(), cloud.components(), particles);
  part.ids.resize(particles);
  std::iota(part.ids.begin(), part.ids.end(), 0);
  std::size_t to = 0;
  for (const auto &[first, end] : ranges)
    for (std::size_t from = first; from < end; ++from, ++to)
      for (int d = 0; d < cloud.components(); ++d) part.cloud.set(to, d, cloud.get(from, d));
  return part;
}

}  // namespace gpz::bench
