// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: records of tables. Tables that the input describes come back; records and columns that the input is, or
// changes, give tables, which come back from a record of their own, or an error.
#include "gpz/tables.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "gpz/format/bytes.hpp"
#include "gpz/format/checksum.hpp"
#include "program.hpp"
#include "support.hpp"

namespace {

using gpz::Bytes;
using gpz::Status;
using gpz::StoredRecord;
using gpz::Table;
using gpz::TableColumn;
using gpz::format::ByteWriter;
using gpz::fuzz::Program;
using gpz::fuzz::require;
using gpz::fuzz::status_of;

constexpr gpz::Limits limits{std::uint64_t{1} << 17};
constexpr std::size_t most_tables = 3;
constexpr std::size_t most_columns = 5;
constexpr std::size_t most_rows = 100;
constexpr std::size_t head_size = 16;

// The record says of its body what holds: its checksum.
void mend(StoredRecord &record) {
  record.body.resize(static_cast<std::size_t>(gpz::format::round_up_8(record.body.size())));
  record.head.resize(std::max(record.head.size(), sizeof(std::uint64_t)));
  gpz::format::store_little<std::uint64_t>(record.head.data(),
                                           gpz::format::xxh3(record.body.data(), record.body.size()));
}

StoredRecord record_of(std::uint32_t tables, Bytes body) {
  StoredRecord record{gpz::tables_record_type, Bytes(head_size), std::move(body)};
  gpz::format::store_little<std::uint32_t>(record.head.data() + sizeof(std::uint64_t), tables);
  mend(record);
  return record;
}

// Bit by bit: NaNs too.
bool same(const TableColumn &a, const TableColumn &b) {
  if (a.name != b.name || a.unit != b.unit || a.values.index() != b.values.index() || a.rows() != b.rows())
    return false;
  const auto *const floats = std::get_if<std::vector<double>>(&a.values);
  if (floats == nullptr) return a.values == b.values;
  return floats->empty() || std::memcmp(floats->data(), std::get<std::vector<double>>(b.values).data(),
                                        floats->size() * sizeof(double)) == 0;
}

bool same(const std::vector<Table> &a, const std::vector<Table> &b) {
  if (a.size() != b.size()) return false;
  for (std::size_t t = 0; t < a.size(); ++t) {
    if (a[t].name != b[t].name || a[t].columns.size() != b[t].columns.size()) return false;
    for (std::size_t c = 0; c < a[t].columns.size(); ++c)
      if (!same(a[t].columns[c], b[t].columns[c])) return false;
  }
  return true;
}

void come_back(const std::vector<Table> &tables, const gpz::Limits &memory) {
  std::vector<Table> again;
  const Status status = status_of([&] { again = gpz::tables_of(gpz::tables_record(tables), memory); });
  require(status == Status::ok, "tables are refused");
  require(same(again, tables), "other tables come back");
}

// Of a record that may be anything.
void read(const StoredRecord &record) {
  std::vector<Table> tables;
  const Status status = status_of([&] { tables = gpz::tables_of(record, limits); });
  require(status == Status::ok || status == Status::corrupt || status == Status::limit_exceeded,
          "a bad record that is called something else");
  if (status == Status::ok) come_back(tables, {gpz::Limits::unlimited});
}

std::string name_of(std::size_t number) { return {1, static_cast<char>('a' + number)}; }

// ---- what an input describes

TableColumn::Values described_values(Program &program, std::size_t rows) {
  const std::size_t type = program.choice(3);
  const std::size_t size = program.choice(65);  // bits of a step
  const bool adds_up = program.flag();
  std::uint64_t random = program.number<std::uint16_t>() | 1;
  std::vector<std::int64_t> integers(rows);
  std::uint64_t last = 0;
  for (std::int64_t &value : integers) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t step = size == 0 ? 0 : random >> (64 - size);
    last = adds_up ? last + step : step;
    value = static_cast<std::int64_t>(last);
  }
  if (type == 0) return integers;
  if (type == 1) {
    std::vector<double> floats(rows);
    if (rows != 0) std::memcpy(floats.data(), integers.data(), rows * sizeof(double));
    return floats;
  }
  std::vector<std::string> texts;
  for (const std::int64_t value : integers)
    texts.emplace_back(static_cast<std::size_t>(value & 31), static_cast<char>(value >> 5));
  return texts;
}

std::vector<Table> described(Program &program) {
  std::vector<Table> tables(program.choice(most_tables));
  for (std::size_t t = 0; t < tables.size(); ++t) {
    tables[t].name = name_of(t);
    const std::size_t rows = program.number<std::uint16_t>() % most_rows;
    tables[t].columns.resize(program.choice(most_columns));
    for (std::size_t c = 0; c < tables[t].columns.size(); ++c)
      tables[t].columns[c] = {name_of(c), std::string(program.choice(4), 'u'), described_values(program, rows)};
  }
  return tables;
}

void go_and_come_back(Program &program) {
  Program changes = program.part(program.choice(16));
  const std::vector<Table> tables = described(program);
  come_back(tables, {gpz::Limits::unlimited});
  StoredRecord record = gpz::tables_record(tables);
  while (changes.left() != 0 && !record.body.empty()) {
    const std::size_t place = changes.number<std::uint16_t>() % record.body.size();
    record.body[place] = static_cast<std::uint8_t>(record.body[place] ^ changes.number<std::uint8_t>());
  }
  mend(record);
  read(record);
}

// ---- what an input is

// The body of a record, with the number of its tables in front of it.
void read_body(Program &program) {
  const auto tables = program.number<std::uint8_t>();
  read(record_of(tables, Bytes(program.rest(), program.rest() + program.left())));
}

// Columns, in a table that fits them.
void read_columns(Program &program) {
  const auto rows = program.flag() ? program.number<std::uint8_t>() : program.number<std::uint64_t>();
  const std::size_t columns = 1 + program.choice(most_columns);
  Bytes body;
  ByteWriter out(body);
  out.u64(0);  // the length, below
  out.u64(rows);
  out.u32(static_cast<std::uint32_t>(columns));
  out.u32(1);
  out.raw("t", 1);
  Bytes data;
  for (std::size_t c = 0; c < columns; ++c) {
    constexpr std::uint8_t types[] = {1, 3, 4};
    const std::uint8_t type = program.one_of(types);
    Program part = program.part(c + 1 == columns ? program.left() : program.number<std::uint16_t>());
    const std::size_t start = data.size();
    data.insert(data.end(), part.rest(), part.rest() + part.left());
    data.resize(static_cast<std::size_t>(gpz::format::round_up_8(data.size())));
    out.u8(type);
    out.u8(1);
    out.u8(0);
    out.u8(0);
    out.u32(0);
    out.u64(data.size() - start);
    out.raw(name_of(c).data(), 1);
  }
  out.pad_to_8();
  out.raw(data.data(), data.size());
  gpz::format::store_little<std::uint64_t>(body.data(), body.size());
  read(record_of(1, std::move(body)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
  Program program(bytes, size);
  switch (program.choice(3)) {
    case 0:
      go_and_come_back(program);
      break;
    case 1:
      read_body(program);
      break;
    default:
      read_columns(program);
  }
  return 0;
}
