// SPDX-License-Identifier: BSD-3-Clause
// Prints what a .gpz file says besides its frames, as JSON: of each frame its timestep, its observables and the tables
// that are valid for it, and the types of all records in the order of the file.
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <exception>
#include <gpz/reader.hpp>
#include <gpz/tables.hpp>
#include <string>
#include <variant>
#include <vector>

namespace {

void print(const std::string &text) {
  std::putchar('"');
  for (const char c : text) {
    if (c == '"' || c == '\\')
      std::printf("\\%c", c);
    else if (static_cast<unsigned char>(c) < 0x20)
      std::printf("\\u%04x", static_cast<unsigned>(c));
    else
      std::putchar(c);
  }
  std::putchar('"');
}

void print(std::int64_t value) { std::printf("%" PRId64, value); }

// Infinities and the like as Python's json has them.
void print(double value) {
  if (std::isfinite(value))
    std::printf("%.17g", value);
  else
    std::fputs(std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity", stdout);
}

template <class List, class Print>
void print_list(char open, const List &list, char close, Print &&print_item) {
  std::putchar(open);
  const char *separator = "";
  for (const auto &item : list) {
    std::fputs(separator, stdout);
    print_item(item);
    separator = ", ";
  }
  std::putchar(close);
}

void print(const gpz::Table &table) {
  print(table.name);
  std::fputs(": ", stdout);
  print_list('{', table.columns, '}', [](const gpz::TableColumn &column) {
    print(column.name);
    std::fputs(": {\"unit\": ", stdout);
    print(column.unit);
    std::fputs(", \"values\": ", stdout);
    std::visit([](const auto &values) { print_list('[', values, ']', [](const auto &value) { print(value); }); },
               column.values);
    std::putchar('}');
  });
}

void print_frame(const gpz::Reader &reader, std::size_t i) {
  std::printf("{\"step\": %" PRId64 ", \"observables\": ", reader.info(i).timestep);
  print_list('[', reader.observables(i), ']', [](const gpz::Observable &observable) {
    std::putchar('[');
    print(observable.name);
    std::fputs(", ", stdout);
    print(observable.unit);
    std::fputs(", ", stdout);
    print(observable.value);
    std::putchar(']');
  });
  std::fputs(", \"records\": ", stdout);
  print_list('[', reader.records(i), ']',
             [](const gpz::RecordEntry &record) { std::printf("[%u, %" PRIu64 "]", record.type, record.length); });
  std::fputs(", \"tables\": ", stdout);
  print_list('{', reader.tables(i), '}', [](const gpz::Table &table) { print(table); });
  std::putchar('}');
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fputs("usage: gpz_tables_json FILE\n", stderr);
    return 2;
  }
  try {
    const gpz::Reader reader(argv[1]);
    std::vector<std::size_t> frames(reader.frames());
    for (std::size_t i = 0; i < frames.size(); ++i) frames[i] = i;
    print_list('[', frames, ']', [&](std::size_t i) { print_frame(reader, i); });
    std::putchar('\n');
  } catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
