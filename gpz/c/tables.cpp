// SPDX-License-Identifier: BSD-3-Clause
// The C API: tables and observables.
#include "gpz/tables.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpz/c/c_api.hpp"
#include "gpz/c/reader.hpp"
#include "gpz/c/structures.hpp"

struct gpz_tables {
  explicit gpz_tables(std::vector<gpz::Table> from) : tables(std::move(from)), texts(tables.size()) {
    for (std::size_t t = 0; t < tables.size(); ++t)
      for (const gpz::TableColumn &column : tables[t].columns) {
        texts[t].emplace_back();
        if (const auto *const rows = std::get_if<std::vector<std::string>>(&column.values))
          for (const std::string &text : *rows) texts[t].back().push_back(text.c_str());
      }
  }

  std::vector<gpz::Table> tables;
  std::vector<std::vector<std::vector<const char *>>> texts;  // of each column of each table
};

namespace {

using gpz::Error;
using gpz::Status;
using gpz::c::guarded;
using gpz::c::opened;
using gpz::c::require;

constexpr char column_name[] = "gpz_table_column";
constexpr char observable_name[] = "gpz_observable";

const gpz::Table &table_of(const gpz_tables *tables, std::size_t table) {
  const std::vector<gpz::Table> &all = opened(tables, "tables").tables;
  if (table >= all.size())
    throw Error(Status::not_found, "no table " + std::to_string(table) + ": there are " + std::to_string(all.size()));
  return all[table];
}

void give_column(const gpz_tables *tables, std::size_t table, std::size_t column, gpz_table_column *info) {
  const gpz::Table &of = table_of(tables, table);
  if (column >= of.columns.size())
    throw Error(Status::not_found, "no column " + std::to_string(column) + " in table \"" + of.name + "\": there are " +
                                       std::to_string(of.columns.size()));
  const gpz::TableColumn &from = of.columns[column];
  gpz_table_column to = gpz_new_table_column();
  to.name = from.name.c_str();
  to.unit = from.unit.c_str();
  to.rows = from.rows();
  if (const auto *const integers = std::get_if<std::vector<std::int64_t>>(&from.values)) {
    to.type = GPZ_TABLE_INTEGER;
    to.integers = integers->data();
  } else if (const auto *const floats = std::get_if<std::vector<double>>(&from.values)) {
    to.type = GPZ_TABLE_FLOAT64;
    to.floats = floats->data();
  } else {
    to.type = GPZ_TABLE_TEXT;
    to.texts = tables->texts[table][column].data();
  }
  gpz::c::give(to, info, column_name);
}

std::string text_or_none(const char *text) { return text == nullptr ? "" : text; }

template <typename T>
std::vector<T> rows_of(const T *values, const gpz_table_column &column) {
  require(values != nullptr || column.rows == 0, "gpz_table_column: the array of its type is a null pointer");
  return {values, values + column.rows};
}

gpz::TableColumn column_of(const gpz_table_column &given) {
  require(given.name != nullptr, "gpz_table_column: name is a null pointer");
  require(given.reserved == 0, "gpz_table_column: reserved is not 0");
  gpz::TableColumn column;
  column.name = given.name;
  column.unit = text_or_none(given.unit);
  switch (gpz::c::number(given.type)) {
    case GPZ_TABLE_INTEGER:
      column.values = rows_of(given.integers, given);
      break;
    case GPZ_TABLE_FLOAT64:
      column.values = rows_of(given.floats, given);
      break;
    case GPZ_TABLE_TEXT: {
      std::vector<std::string> texts;
      for (const char *const text : rows_of(given.texts, given)) {
        require(text != nullptr, "gpz_table_column: a text is a null pointer");
        texts.emplace_back(text);
      }
      column.values = std::move(texts);
      break;
    }
    default:
      throw Error(Status::invalid_argument, "gpz_table_column: unknown type");
  }
  return column;
}

const std::vector<gpz::Observable> &observables_of(gpz_reader *reader, std::size_t frame) {
  gpz_reader &from = opened(reader, "reader");
  if (from.observables_frame != frame) {
    from.observables_frame.reset();
    from.observables = from.reader.observables(frame);
    from.observables_frame = frame;
  }
  return from.observables;
}

}  // namespace

gpz_status gpz_reader_tables(gpz_reader *reader, size_t frame, gpz_tables **tables) {
  return guarded([&] {
    gpz::c::start(tables, "tables");
    *tables = std::make_unique<gpz_tables>(opened(reader, "reader").reader.tables(frame)).release();
  });
}

void gpz_tables_free(gpz_tables *tables) { delete tables; }

size_t gpz_tables_count(const gpz_tables *tables) { return tables == nullptr ? 0 : tables->tables.size(); }

gpz_status gpz_tables_table(const gpz_tables *tables, size_t table, const char **name, size_t *columns) {
  return guarded([&] {
    const gpz::Table &found = table_of(tables, table);
    if (name != nullptr) *name = found.name.c_str();
    if (columns != nullptr) *columns = found.columns.size();
  });
}

gpz_status gpz_tables_column(const gpz_tables *tables, size_t table, size_t column, gpz_table_column *info) {
  return guarded([&] { give_column(tables, table, column, info); });
}

gpz_status gpz_tables_find(const gpz_tables *tables, const char *table, const char *column, gpz_table_column *info) {
  return guarded([&] {
    require(table != nullptr && column != nullptr, "a name is a null pointer");
    const std::vector<gpz::Table> &all = opened(tables, "tables").tables;
    for (std::size_t t = 0; t < all.size(); ++t) {
      if (all[t].name != table) continue;
      for (std::size_t c = 0; c < all[t].columns.size(); ++c)
        if (all[t].columns[c].name == column) return give_column(tables, t, c, info);
    }
    throw Error(Status::not_found, std::string("no column \"") + column + "\" of a table \"" + table + "\"");
  });
}

gpz_status gpz_reader_observable_count(gpz_reader *reader, size_t frame, size_t *count) {
  return guarded([&] {
    require(count != nullptr, "count is a null pointer");
    *count = observables_of(reader, frame).size();
  });
}

gpz_status gpz_reader_observable(gpz_reader *reader, size_t frame, size_t number, gpz_observable *info) {
  return guarded([&] {
    const std::vector<gpz::Observable> &all = observables_of(reader, frame);
    if (number >= all.size())
      throw Error(Status::not_found,
                  "no observable " + std::to_string(number) + ": there are " + std::to_string(all.size()));
    gpz::c::give(gpz_new_observable(all[number].name.c_str(), all[number].unit.c_str(), all[number].value), info,
                 observable_name);
  });
}

gpz_status gpz_writer_write_table(gpz_writer *writer, const char *name, const gpz_table_column *columns,
                                  size_t column_count) {
  return guarded([&] {
    gpz::Writer &to = opened(writer, "writer").writer;
    require(name != nullptr, "name is a null pointer");
    gpz::Table table{name, {}};
    for (const gpz_table_column &given : gpz::c::taken(columns, column_count, column_name))
      table.columns.push_back(column_of(given));
    to.write(std::vector<gpz::Table>{std::move(table)});
  });
}

gpz_status gpz_writer_write_observables(gpz_writer *writer, int64_t timestep, const gpz_observable *observables,
                                        size_t count) {
  return guarded([&] {
    gpz::Writer &to = opened(writer, "writer").writer;
    std::vector<gpz::Observable> all;
    for (const gpz_observable &given : gpz::c::taken(observables, count, observable_name)) {
      require(given.name != nullptr, "gpz_observable: name is a null pointer");
      all.push_back({given.name, text_or_none(given.unit), given.value});
    }
    to.write(timestep, all);
  });
}
