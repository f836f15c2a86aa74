// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the reference decoder need of the library: files to decode, and digests to compare with.
//
//   library_helper cells FOLDER          writes files that between them have all of cell chunks
//   library_helper modelled FOLDER       the same of modelled sections
//   library_helper each-array FOLDER     what every array of the folder is, and the digest of each frame, or "refused:
//                                        CAUSE", under its name
//   library_helper digest FILE [ORDER]   prints what gpz-reference FILE prints. ORDER of reading: forward, backward,
//                                        scattered, fields (backward, each field by itself), stream (as a pipe is read)
//   library_helper each FOLDER           the digests of every file of the folder, or "refused: CAUSE", under its name,
//                                        and "damaged" if frames were skipped
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "gpz/error.hpp"
#include "gpz/reader.hpp"
#include "gpz/tables.hpp"
#include "library_arrays.hpp"
#include "library_cells.hpp"
#include "library_modelled.hpp"

namespace {

using gpz::ValueType;

std::string hex(std::uint64_t bits) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(bits));
  return text;
}

// The values as they are in memory: f32 values are narrowed again, which gives the bits they had.
std::string digest(const gpz::Frame::Column &column, ValueType type) {
  XXH64_hash_t hash = 0;
  if (type == ValueType::integer) {
    hash = XXH3_64bits(column.integers.data(), column.integers.size() * sizeof(std::int64_t));
  } else if (type == ValueType::float64) {
    hash = XXH3_64bits(column.floats.data(), column.floats.size() * sizeof(double));
  } else {
    const std::vector<float> narrow(column.floats.begin(), column.floats.end());
    hash = XXH3_64bits(narrow.data(), narrow.size() * sizeof(float));
  }
  return hex(hash);
}

std::string digests(std::size_t i, const gpz::Frame &frame) {
  std::string text = "frame " + std::to_string(i) + " timestep " + std::to_string(frame.info.timestep) + " particles " +
                     std::to_string(frame.info.particles) + "\n";
  for (const auto &column : frame.columns) {
    const ValueType type = frame.info.fields[column.field].type;
    const char *type_name = type == ValueType::integer ? "i64" : type == ValueType::float32 ? "f32" : "f64";
    text += "  " + frame.name(column) + " " + type_name + " " + digest(column, type) + "\n";
  }
  return text;
}

std::string with_unit(const std::string &unit) { return (unit.empty() ? "" : " unit " + unit) + "\n"; }

// Of the bits of numbers; of each text, its length as 32 bits and its bytes.
std::string digest(const gpz::TableColumn &column) {
  std::string data;
  if (const auto *const texts = std::get_if<std::vector<std::string>>(&column.values)) {
    for (const std::string &text : *texts) {
      const auto length = static_cast<std::uint32_t>(text.size());
      data.append(reinterpret_cast<const char *>(&length), sizeof length) += text;
    }
  } else if (const auto *const floats = std::get_if<std::vector<double>>(&column.values)) {
    data.assign(reinterpret_cast<const char *>(floats->data()), floats->size() * sizeof(double));
  } else {
    const auto &integers = std::get<std::vector<std::int64_t>>(column.values);
    data.assign(reinterpret_cast<const char *>(integers.data()), integers.size() * sizeof(std::int64_t));
  }
  return hex(XXH3_64bits(data.data(), data.size()));
}

std::string digests(const gpz::Table &table) {
  constexpr const char *types[] = {"integer", "f64", "text"};
  std::string text = "table " + table.name + " rows " + std::to_string(table.rows()) + "\n";
  for (const gpz::TableColumn &column : table.columns)
    text += "  " + column.name + " " + types[column.values.index()] + " " + digest(column) + with_unit(column.unit);
  return text;
}

// The tables in front of frame i that were not there in front of the one before, which `known` has.
std::string digests_of_new_tables(const gpz::Reader &reader, std::size_t i, std::set<std::string> &known) {
  std::string text;
  std::set<std::string> all;
  for (const gpz::Table &table : reader.tables(i)) {
    const std::string described = digests(table);
    all.insert(described);
    if (known.count(described) == 0) text += described;
  }
  known = all;
  return text;
}

std::string digests_of_observables(const gpz::Reader &reader, std::size_t i) {
  std::string text;
  for (const gpz::Observable &one : reader.observables(i)) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &one.value, sizeof bits);
    text += "  observable " + one.name + " " + hex(bits) + with_unit(one.unit);
  }
  return text;
}

// Every field read alone, the last first.
gpz::Frame read_by_fields(const gpz::Reader &reader, std::size_t i) {
  gpz::Frame whole;
  whole.info = reader.info(i);
  for (std::size_t f = whole.info.fields.size(); f-- > 0;) {
    std::vector<bool> wanted(whole.info.fields.size());
    wanted[f] = true;
    const gpz::Frame part = reader.read(i, 1, wanted);
    std::vector<gpz::Frame::Column> columns;
    for (const gpz::Frame::Column &column : part.columns)
      if (column.field == f) columns.push_back(column);
    whole.columns.insert(whole.columns.begin(), columns.begin(), columns.end());
  }
  return whole;
}

std::vector<std::string> read_stream(const std::string &path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  gpz::StreamReader reader(descriptor, path);
  std::vector<std::string> texts;
  for (gpz::Frame frame; reader.next(frame);) texts.push_back(digests(texts.size(), frame));
  ::close(descriptor);
  return texts;
}

std::vector<std::string> read_in_order(const std::string &path, const std::string &order) {
  const gpz::Reader reader(path);
  std::vector<std::size_t> numbers(reader.frames());
  std::iota(numbers.begin(), numbers.end(), 0);
  if (order == "backward" || order == "fields") std::reverse(numbers.begin(), numbers.end());
  if (order == "scattered") {
    std::mt19937 random(3);
    std::shuffle(numbers.begin(), numbers.end(), random);
  }
  std::vector<std::string> texts(numbers.size());
  for (const std::size_t i : numbers)
    texts[i] = digests(i, order == "fields" ? read_by_fields(reader, i) : reader.read(i));
  // What is wrong with tables and observables does not touch the frames.
  std::string damage;
  const auto add = [&](std::string text, const auto &more) {
    try {
      return text + more();
    } catch (const gpz::Error &error) {
      damage = "damaged: " + error.cause() + "\n";
      return text;
    }
  };
  std::set<std::string> known;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i] = add("", [&] { return digests_of_new_tables(reader, i, known); }) + texts[i];
    texts[i] = add(texts[i], [&] { return digests_of_observables(reader, i); });
  }
  texts.push_back(add("", [&] { return digests_of_new_tables(reader, texts.size(), known); }));
  texts.push_back(damage);
  return texts;
}

void print_digests(const std::string &path, const std::string &order) {
  for (const std::string &text : order == "stream" ? read_stream(path) : read_in_order(path, order))
    std::fwrite(text.data(), 1, text.size(), stdout);  // names may have zeros
}

void print_each(const std::string &folder) {
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    std::printf("%s\n", entry.path().filename().c_str());
    try {
      print_digests(entry.path().string(), "forward");
      if (gpz::scan_file(entry.path().string(), false).damaged) std::printf("damaged\n");
    } catch (const gpz::Error &error) {
      std::printf("refused: %s\n", error.cause().c_str());
    }
  }
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4) return 2;
  try {
    if (std::strcmp(argv[1], "cells") == 0) {
      write_cells(argv[2]);
    } else if (std::strcmp(argv[1], "modelled") == 0) {
      write_modelled(argv[2]);
    } else if (std::strcmp(argv[1], "each-array") == 0) {
      print_arrays(argv[2]);
    } else if (std::strcmp(argv[1], "digest") == 0) {
      print_digests(argv[2], argc == 4 ? argv[3] : "forward");
    } else if (std::strcmp(argv[1], "each") == 0) {
      print_each(argv[2]);
    } else {
      return 2;
    }
  } catch (const gpz::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
