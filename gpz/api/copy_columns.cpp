#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>

#include "gpz/error.hpp"
#include "gpz/reader.hpp"

namespace gpz {
namespace {

bool takes_integers(ConstArray::Type type) {
  return type == ConstArray::Type::int32 || type == ConstArray::Type::int64;
}

const Frame::Column &column_for(const Frame &frame, const ColumnOutput &output) {
  const Frame::Column *column = frame.find(output.name);
  if (column == nullptr) throw Error(Status::not_found, "no column \"" + output.name + "\"");
  const bool is_integer = frame.info.fields[column->field].type == ValueType::integer;
  if (is_integer != takes_integers(output.values.type))
    throw Error(Status::invalid_argument, "column " + output.name + " holds " + (is_integer ? "integers" : "floats") +
                                              ", and is read as " + (is_integer ? "floats" : "integers"));
  if (output.values.data == nullptr && frame.info.particles != 0)
    throw Error(Status::invalid_argument, "no array for column " + output.name);
  return *column;
}

// The rows in the order of ascending ids.
std::vector<std::size_t> rows_by_id(const Frame &frame) {
  const Frame::Column *id = frame.find("id");
  if (id == nullptr || frame.info.fields[id->field].type != ValueType::integer)
    throw Error(Status::not_found, "no integer column \"id\" to sort by");
  std::vector<std::size_t> rows(id->integers.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return id->integers[a] < id->integers[b]; });
  return rows;
}

template <class To, class From>
void store(const std::vector<From> &values, const std::vector<std::size_t> &rows, const ColumnOutput &output) {
  auto *to = static_cast<char *>(output.values.data);
  for (std::size_t i = 0; i < values.size(); ++i, to += output.values.stride) {
    const From value = values[rows.empty() ? i : rows[i]];
    if constexpr (std::numeric_limits<To>::is_integer) {
      if (value < std::numeric_limits<To>::min() || value > std::numeric_limits<To>::max())
        throw Error(Status::limit_exceeded, "column " + output.name + " has the value " + std::to_string(value) +
                                                ", which does not fit into 32 bits");
    }
    const To converted = static_cast<To>(value);
    std::memcpy(to, &converted, sizeof converted);
  }
}

}  // namespace

void copy_columns(const Frame &frame, const std::vector<ColumnOutput> &columns, std::size_t capacity, bool sort_by_id) {
  if (frame.info.particles > capacity)
    throw Error(Status::limit_exceeded,
                "the frame has " + std::to_string(frame.info.particles) + " particles, more than there is room for");
  std::set<std::string> names;
  std::vector<const Frame::Column *> from;
  for (const ColumnOutput &output : columns) {
    from.push_back(&column_for(frame, output));
    if (!names.insert(output.name).second)
      throw Error(Status::invalid_argument, "column " + output.name + " is asked for twice");
  }
  const std::vector<std::size_t> rows = sort_by_id ? rows_by_id(frame) : std::vector<std::size_t>();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    switch (columns[c].values.type) {
      case ConstArray::Type::int32:
        store<std::int32_t>(from[c]->integers, rows, columns[c]);
        break;
      case ConstArray::Type::int64:
        store<std::int64_t>(from[c]->integers, rows, columns[c]);
        break;
      case ConstArray::Type::float32:
        store<float>(from[c]->floats, rows, columns[c]);
        break;
      case ConstArray::Type::float64:
        store<double>(from[c]->floats, rows, columns[c]);
        break;
    }
  }
}

}  // namespace gpz
