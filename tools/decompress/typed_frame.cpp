// SPDX-License-Identifier: BSD-3-Clause
#include "typed_frame.hpp"

#include <set>
#include <string>

namespace gpz::tool {

bool TypedFrame::read(const Reader &reader, std::size_t i, int threads) {
  info_ = reader.info(i);
  fields_.clear();
  std::vector<ColumnOutput> outputs;
  std::set<std::string> names;
  for (const Field &field : info_.fields)
    for (const Field::Component &component : field.components)
      if (!names.insert(component.name).second) return false;
  columns_.resize(names.size());
  const auto particles = static_cast<std::size_t>(info_.particles);
  for (const Field &field : info_.fields) {
    FieldInput input;
    input.field = field;
    input.decoded = true;
    for (std::size_t d = 0; d < field.components.size(); ++d) {
      const Array room = room_in(columns_[outputs.size()], field.type, particles);
      input.components[d] = {room.data, room.stride, room.type};
      outputs.push_back({field.components[d].name, room});
    }
    fields_.push_back(input);
  }
  reader.read_columns(i, outputs, particles, {threads, false});
  return true;
}

Array TypedFrame::room_in(Column &column, ValueType type, std::size_t particles) {
  // One element more: an empty vector has no data, which is no array.
  switch (type) {
    case ValueType::integer:
      column.integers.resize(particles + 1);
      return {column.integers.data(), sizeof(std::int64_t), ConstArray::Type::int64};
    case ValueType::float32:
      column.singles.resize(particles + 1);
      return {column.singles.data(), sizeof(float), ConstArray::Type::float32};
    case ValueType::float64:
      break;
  }
  column.doubles.resize(particles + 1);
  return {column.doubles.data(), sizeof(double), ConstArray::Type::float64};
}

}  // namespace gpz::tool
