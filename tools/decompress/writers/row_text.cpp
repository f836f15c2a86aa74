// SPDX-License-Identifier: BSD-3-Clause
#include "writers/row_text.hpp"

#include <algorithm>

namespace gpz::tool {
namespace {

char *append_text(char *out, const std::string &text) { return std::copy(text.begin(), text.end(), out); }

const std::string *name_of(const ColumnText &column, std::int64_t value) {
  if (value < 1 || static_cast<std::uint64_t>(value) > column.names->size()) return nullptr;
  const std::string &name = (*column.names)[static_cast<std::size_t>(value - 1)];
  return name.empty() ? nullptr : &name;
}

char *append_value(char *out, const ColumnText &column, std::size_t row) {
  switch (column.kind) {
    case ColumnText::Kind::constant:
      return append_text(out, column.constant);
    case ColumnText::Kind::named_integer:
      if (const std::string *name = name_of(column, column.integers[row])) return append_text(out, *name);
      [[fallthrough]];
    case ColumnText::Kind::integer:
      return append_integer(out, column.integers[row]);
    case ColumnText::Kind::fixed:
      return append_fixed(out, column.floats[row], column.decimals);
    case ColumnText::Kind::shortest_float32:
      return append_shortest(out, static_cast<float>(column.floats[row]));
    case ColumnText::Kind::shortest_float64:
      return append_shortest(out, column.floats[row]);
  }
  return out;
}

}  // namespace

ColumnText constant_column(const std::string &text) {
  ColumnText column;
  column.constant = text;
  return column;
}

ColumnText frame_column(const Frame &frame, const Frame::Column &column, const TypeNames &names, bool exact) {
  const Field &field = frame.info.fields[column.field];
  ColumnText text;
  if (field.type == ValueType::integer) {
    text.names = names.for_display(field.display);
    text.kind = text.names != nullptr ? ColumnText::Kind::named_integer : ColumnText::Kind::integer;
    text.integers = column.integers.data();
    return text;
  }
  text.floats = column.floats.data();
  text.decimals = exact ? shortest : decimals_for(field);
  if (text.decimals != shortest)
    text.kind = ColumnText::Kind::fixed;
  else
    text.kind =
        field.type == ValueType::float32 ? ColumnText::Kind::shortest_float32 : ColumnText::Kind::shortest_float64;
  return text;
}

std::size_t longest_row(const std::vector<ColumnText> &columns, std::size_t longest_name) {
  std::size_t longest = 1;
  for (const ColumnText &column : columns)
    longest += std::max({std::size_t{max_number_length}, column.constant.size(),
                         column.names != nullptr ? longest_name : std::size_t{0}}) +
               1;
  return longest;
}

void append_rows(std::string &text, const std::vector<ColumnText> &columns, std::size_t longest,
                 const std::vector<std::size_t> &rows, std::size_t first, std::size_t last) {
  const std::size_t start = text.size();
  text.resize(start + (last - first) * longest);
  char *out = text.data() + start;
  for (std::size_t i = first; i < last; ++i) {
    const std::size_t row = rows.empty() ? i : rows[i];
    for (const ColumnText &column : columns) {
      out = append_value(out, column, row);
      *out++ = ' ';
    }
    if (!columns.empty()) --out;
    *out++ = '\n';
  }
  text.resize(static_cast<std::size_t>(out - text.data()));
}

}  // namespace gpz::tool
