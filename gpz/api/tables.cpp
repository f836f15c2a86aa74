// SPDX-License-Identifier: BSD-3-Clause
// Tables as records of a file (docs/format.md, section 11a).
#include "gpz/tables.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include "gpz/api/tables.hpp"
#include "gpz/codec/table_column.hpp"
#include "gpz/error.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/checksum.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz {
namespace {

using format::ByteReader;
using format::ByteWriter;
using format::corrupt;

enum class Type : std::uint8_t { integer = 1, float64 = 3, text = 4 };

constexpr std::size_t longest_table_name = 255;
constexpr std::size_t most_columns = 65535;
constexpr std::size_t most_tables = 65535;
constexpr std::size_t table_head = 24;   // bytes in front of the name
constexpr std::size_t column_head = 16;  // bytes in front of the name

[[noreturn]] void refuse(const std::string &cause) { throw Error(Status::invalid_argument, cause); }

void require_name(const std::string &name, const char *what) {
  if (name.empty() || name.size() > longest_table_name)
    refuse(std::string("the name of a ") + what + " has " + std::to_string(name.size()) + " bytes, not 1 to 255");
}

void require_table(const Table &table) {
  require_name(table.name, "table");
  const std::string where = "table \"" + table.name + "\"";
  if (table.columns.size() > most_columns) refuse(where + ": more than 65535 columns");
  std::unordered_set<std::string> names;
  for (const TableColumn &column : table.columns) {
    require_name(column.name, "column of a table");
    if (column.unit.size() > longest_table_name)
      refuse(where + ", column \"" + column.name + "\": the unit is longer than 255 bytes");
    if (!names.insert(column.name).second) refuse(where + ": two columns \"" + column.name + "\"");
    if (column.rows() != table.rows())
      refuse(where + ": column \"" + column.name + "\" has " + std::to_string(column.rows()) +
             " rows, the first one has " + std::to_string(table.rows()));
  }
}

std::vector<std::int64_t> bits_of(const std::vector<double> &values) {
  std::vector<std::int64_t> bits(values.size());
  if (!values.empty()) std::memcpy(bits.data(), values.data(), values.size() * sizeof(double));
  return bits;
}

// The distinct texts in the order of their first rows, and which of them each row has.
std::vector<std::int64_t> write_texts(const std::vector<std::string> &rows, ByteWriter &out) {
  std::unordered_map<std::string, std::int64_t> numbers;
  std::vector<const std::string *> texts;
  std::vector<std::int64_t> number(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [at, is_new] = numbers.emplace(rows[i], static_cast<std::int64_t>(texts.size()));
    if (is_new) texts.push_back(&rows[i]);
    number[i] = at->second;
  }
  if (texts.size() > UINT32_MAX) throw Error(Status::limit_exceeded, "a column has more than 2^32 - 1 different texts");
  out.u32(static_cast<std::uint32_t>(texts.size()));
  for (const std::string *const text : texts) {
    if (text->size() > UINT32_MAX) throw Error(Status::limit_exceeded, "a text of a table is longer than 4 GiB");
    out.u32(static_cast<std::uint32_t>(text->size()));
  }
  for (const std::string *const text : texts) out.raw(text->data(), text->size());
  out.pad_to_8();
  return number;
}

Type type_of(const TableColumn &column) {
  constexpr Type types[] = {Type::integer, Type::float64, Type::text};
  return types[column.values.index()];
}

void write_column(const TableColumn &column, codec::TableColumns &columns, Bytes &bytes) {
  ByteWriter out(bytes);
  if (const auto *const integers = std::get_if<std::vector<std::int64_t>>(&column.values)) {
    columns.encode(integers->data(), bytes);
  } else if (const auto *const floats = std::get_if<std::vector<double>>(&column.values)) {
    columns.encode(bits_of(*floats).data(), bytes);
  } else {
    columns.encode(write_texts(std::get<std::vector<std::string>>(column.values), out).data(), bytes);
  }
}

void write_table(const Table &table, Bytes &body) {
  std::vector<Bytes> data(table.columns.size());
  codec::TableColumns columns(table.rows());
  for (std::size_t c = 0; c < data.size(); ++c) write_column(table.columns[c], columns, data[c]);

  const std::size_t start = body.size();
  ByteWriter out(body);
  out.u64(0);  // the length, below
  out.u64(table.rows());
  out.u32(static_cast<std::uint32_t>(table.columns.size()));
  out.u32(static_cast<std::uint32_t>(table.name.size()));
  out.raw(table.name.data(), table.name.size());
  for (std::size_t c = 0; c < data.size(); ++c) {
    const TableColumn &column = table.columns[c];
    out.u8(static_cast<std::uint8_t>(type_of(column)));
    out.u8(static_cast<std::uint8_t>(column.name.size()));
    out.u8(static_cast<std::uint8_t>(column.unit.size()));
    out.u8(0);
    out.u32(0);
    out.u64(data[c].size());
    out.raw(column.name.data(), column.name.size());
    out.raw(column.unit.data(), column.unit.size());
  }
  out.pad_to_8();
  for (const Bytes &bytes : data) out.raw(bytes.data(), bytes.size());
  format::store_little<std::uint64_t>(body.data() + start, body.size() - start);
}

// Texts of a column, in the order of their numbers; returns how many bytes they take.
std::size_t read_texts(const std::uint8_t *bytes, std::size_t size, std::vector<std::string> &texts) {
  ByteReader in(bytes, size);
  const std::size_t count = in.u32();
  if (count > in.left() / sizeof(std::uint32_t)) corrupt("more texts than the column has room for", 0);
  format::require_memory(count, sizeof(std::string) + sizeof(std::uint32_t));
  std::vector<std::uint32_t> lengths(count);
  for (std::uint32_t &length : lengths) length = in.u32();
  for (const std::uint32_t length : lengths) texts.push_back(in.text(length));
  const std::size_t end = static_cast<std::size_t>(format::round_up_8(in.position()));
  if (end > size) corrupt("a column of texts ends early", size);
  for (std::size_t i = in.position(); i < end; ++i)
    if (bytes[i] != 0) corrupt("the padding of the texts of a table is not zero", i);
  return end;
}

// Memory of a string besides itself, as allocators round it.
std::uint64_t memory_of(const std::string &text) {
  return text.size() < sizeof(std::string) / 2 ? 0 : format::round_up_8(text.size() + 1) + sizeof(std::uint64_t);
}

// `charges` receives what the result takes.
TableColumn::Values read_values(Type type, std::size_t rows, codec::TableColumns &columns, const std::uint8_t *bytes,
                                std::size_t size, api::Charges &charges) {
  std::vector<std::string> texts;
  const std::size_t start = type == Type::text ? read_texts(bytes, size, texts) : 0;
  const format::Column<std::int64_t> values = columns.decode(bytes + start, size - start);
  charges.emplace_back(rows * (type == Type::text ? sizeof(std::string) : sizeof(std::int64_t)));
  switch (type) {
    case Type::integer:
      return std::vector<std::int64_t>(values.begin(), values.end());
    case Type::float64: {
      std::vector<double> floats(rows);
      if (rows > 0) std::memcpy(floats.data(), values.data(), rows * sizeof(double));
      return floats;
    }
    case Type::text:
      break;
  }
  std::uint64_t memory = 0;
  for (const std::int64_t value : values) {
    if (value < 0 || static_cast<std::uint64_t>(value) >= texts.size()) corrupt("number of a text of a table", start);
    memory += memory_of(texts[static_cast<std::size_t>(value)]);
  }
  charges.emplace_back(memory);
  std::vector<std::string> of_rows(rows);
  for (std::size_t i = 0; i < rows; ++i) of_rows[i] = texts[static_cast<std::size_t>(values[i])];
  return of_rows;
}

struct ColumnHead {
  Type type;
  std::uint64_t size;
};

// The heads of a table at the start of these bytes. `size` is the size of all bytes; `end` receives that of the table.
Table read_heads(const std::uint8_t *bytes, std::size_t size, std::uint64_t &rows, std::vector<ColumnHead> &heads,
                 std::size_t &data, std::size_t &end) {
  ByteReader in(bytes, size);
  const std::uint64_t length = in.u64();
  if (length % 8 != 0 || length < table_head || length > size) corrupt("length of a table", 0);
  end = static_cast<std::size_t>(length);
  in = ByteReader(bytes, end);
  in.take(sizeof length);
  rows = in.u64();
  const std::size_t columns = in.u32();
  const std::size_t name = in.u32();
  if (name == 0 || name > longest_table_name) corrupt("length of the name of a table", table_head - 4);
  Table table;
  table.name = in.text(name);
  if (columns > most_columns || columns > in.left() / column_head)
    corrupt("number of columns of a table", table_head - 8);
  if (columns == 0 && rows != 0) corrupt("rows of a table without columns", sizeof length);
  std::unordered_set<std::string> names;
  for (std::size_t c = 0; c < columns; ++c) {
    const std::size_t at = in.position();
    ColumnHead head{};
    head.type = static_cast<Type>(in.u8());
    const std::size_t name_length = in.u8();
    const std::size_t unit_length = in.u8();
    if (in.u8() != 0 || in.u32() != 0) corrupt("reserved bytes of a column of a table", at);
    head.size = in.u64();
    if (head.type != Type::integer && head.type != Type::float64 && head.type != Type::text)
      corrupt("value type of a column of a table", at);
    if (head.size % 8 != 0 || head.size > length) corrupt("length of a column of a table", at);
    if (name_length == 0) corrupt("a column of a table without a name", at);
    TableColumn column;
    column.name = in.text(name_length);
    column.unit = in.text(unit_length);
    if (!names.insert(column.name).second) corrupt("two columns of a table have one name", at);
    table.columns.push_back(std::move(column));
    heads.push_back(head);
  }
  data = static_cast<std::size_t>(format::round_up_8(in.position()));
  std::uint64_t left = data > end ? 0 : end - data;
  for (std::size_t i = in.position(); i < std::min(data, end); ++i)
    if (bytes[i] != 0) corrupt("the padding of the head of a table is not zero", i);
  for (const ColumnHead &head : heads) {
    if (head.size > left) corrupt("the columns of a table are longer than the table", 0);
    left -= head.size;
  }
  if (left != 0 || data > end) corrupt("the columns of a table are shorter than the table", 0);
  return table;
}

Table read_table(const std::uint8_t *bytes, std::size_t size, std::size_t &end, api::Charges &charges) {
  std::uint64_t rows = 0;
  std::vector<ColumnHead> heads;
  std::size_t at = 0;
  Table table = read_heads(bytes, size, rows, heads, at, end);
  format::require_memory(rows, sizeof(std::int64_t));
  codec::TableColumns columns(static_cast<std::size_t>(rows));
  for (std::size_t c = 0; c < heads.size(); ++c) {
    const auto column_size = static_cast<std::size_t>(heads[c].size);
    table.columns[c].values = format::located(at, [&] {
      return read_values(heads[c].type, static_cast<std::size_t>(rows), columns, bytes + at, column_size, charges);
    });
    at += column_size;
  }
  return table;
}

// Calls take(bytes, size, end) for each table of the record; it sets `end` to the size of that table.
template <typename Take>
void for_tables(const StoredRecord &record, const Take &take) {
  if (record.type != tables_record_type) refuse("a record of type " + std::to_string(record.type) + " has no tables");
  ByteReader in(record.head.data(), record.head.size());
  const std::uint64_t checksum = in.u64();
  const std::size_t count = in.u32();
  if (in.u32() != 0 || in.left() != 0) corrupt("head of a record of tables", 0);
  if (checksum != format::xxh3(record.body.data(), record.body.size()))
    corrupt("the checksum of a record of tables does not hold", 0);
  if (count > most_tables) corrupt("number of tables of a record", 8);
  std::size_t at = 0;
  std::unordered_set<std::string> names;
  for (std::size_t t = 0; t < count; ++t) {
    std::size_t end = 0;
    const std::string name = format::located(
        record.head.size() + at, [&] { return take(record.body.data() + at, record.body.size() - at, end); });
    if (!names.insert(name).second) corrupt("two tables of a record have one name", record.head.size() + at);
    at += end;
  }
  if (at != record.body.size()) corrupt("bytes after the tables of a record", record.head.size() + at);
}

}  // namespace

std::size_t TableColumn::rows() const {
  return std::visit([](const auto &rows) { return rows.size(); }, values);
}

std::size_t Table::rows() const { return columns.empty() ? 0 : columns.front().rows(); }

const TableColumn *Table::column(const std::string &wanted) const {
  const auto at = std::find_if(columns.begin(), columns.end(), [&](const TableColumn &c) { return c.name == wanted; });
  return at == columns.end() ? nullptr : &*at;
}

StoredRecord tables_record(const std::vector<Table> &tables) {
  if (tables.size() > most_tables) refuse("a record has at most 65535 tables");
  std::unordered_set<std::string> names;
  for (const Table &table : tables) {
    require_table(table);
    if (!names.insert(table.name).second) refuse("two tables \"" + table.name + "\" in one record");
  }
  StoredRecord record;
  record.type = tables_record_type;
  for (const Table &table : tables) write_table(table, record.body);
  ByteWriter head(record.head);
  head.u64(format::xxh3(record.body.data(), record.body.size()));
  head.u32(static_cast<std::uint32_t>(tables.size()));
  head.u32(0);
  return record;
}

std::vector<Table> tables_of(const StoredRecord &record, const Limits &limits) {
  format::Budget budget(limits);
  const format::Budget::Scope scope(budget);
  api::Charges charges;
  return api::read_tables(
      record, [](const std::string & /*name*/) { return true; }, charges);
}

std::vector<TableHead> table_heads(const StoredRecord &record) {
  std::vector<TableHead> found;
  for_tables(record, [&](const std::uint8_t *bytes, std::size_t size, std::size_t &end) {
    TableHead head;
    std::vector<ColumnHead> heads;
    std::size_t data = 0;
    Table table = read_heads(bytes, size, head.rows, heads, data, end);
    head.name = std::move(table.name);
    for (TableColumn &column : table.columns) head.columns.push_back(std::move(column.name));
    found.push_back(std::move(head));
    return found.back().name;
  });
  return found;
}

namespace api {

std::vector<Table> read_tables(const StoredRecord &record, const std::function<bool(const std::string &)> &wanted,
                               Charges &charges) {
  std::vector<Table> tables;
  for_tables(record, [&](const std::uint8_t *bytes, std::size_t size, std::size_t &end) {
    std::uint64_t rows = 0;
    std::vector<ColumnHead> heads;
    std::size_t data = 0;
    std::string name = read_heads(bytes, size, rows, heads, data, end).name;
    if (wanted(name)) tables.push_back(read_table(bytes, size, end, charges));
    return name;
  });
  return tables;
}

}  // namespace api
}  // namespace gpz
