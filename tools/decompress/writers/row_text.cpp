// SPDX-License-Identifier: BSD-3-Clause
#include "writers/row_text.hpp"

#include <algorithm>

#include "writers/word.hpp"

namespace gpz::tool {
namespace {

constexpr std::size_t most_room = std::size_t{4} << 20;  // bytes

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

std::size_t longest_value(const ColumnText &column) {
  const std::size_t longest = std::max<std::size_t>(max_number_length, column.constant.size());
  return column.names == nullptr ? longest : std::max(longest, longest_word);
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

void append_rows(std::string &text, const std::vector<ColumnText> &columns, const std::vector<std::size_t> &rows,
                 std::size_t first, std::size_t last) {
  std::size_t longest_row = 1;
  for (const ColumnText &column : columns) longest_row += longest_value(column) + 1;

  // Room for some rows at a time: most are much shorter than they might be.
  const std::size_t rows_at_once = std::max<std::size_t>(1, most_room / longest_row);
  while (first < last) {
    const std::size_t end = first + std::min(rows_at_once, last - first);
    const std::size_t start = text.size();
    text.resize(start + (end - first) * longest_row);
    char *out = text.data() + start;
    for (; first < end; ++first) {
      const std::size_t row = rows.empty() ? first : rows[first];
      for (const ColumnText &column : columns) {
        out = append_value(out, column, row);
        *out++ = ' ';
      }
      if (!columns.empty()) --out;
      *out++ = '\n';
    }
    text.resize(static_cast<std::size_t>(out - text.data()));
  }
}

}  // namespace gpz::tool
