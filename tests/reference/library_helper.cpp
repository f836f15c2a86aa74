// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the reference decoder need of the library: files to decode, and digests to compare with.
//
//   library_helper write FOLDER          writes files that between them use every mode, type and special value
//   library_helper trajectories FOLDER   writes files that between them have all of difference frames
//   library_helper ordered FOLDER        the same of chunks in the order of ids
//   library_helper cells FOLDER          writes files that between them have all of cell chunks
//   library_helper modelled FOLDER       the same of modelled sections
//   library_helper steps FOLDER          writes files of particles without bonds in steps
//   library_helper arrays FOLDER         writes frame arrays of every form
//   library_helper each-array FOLDER     what every array of the folder is, and the digest of each frame, or "refused:
//                                        CAUSE", under its name
//   library_helper digest FILE [ORDER]   prints what gpz-reference FILE prints. ORDER of reading: forward, backward,
//                                        scattered,
//                                        fields (backward, each field by itself), stream (as a pipe is read)
//   library_helper each FOLDER           the digests of every file of the folder, or "refused: CAUSE", under its name,
//   and
//                                        "damaged" if frames were skipped
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "gpz/chunk.hpp"
#include "gpz/error.hpp"
#include "gpz/reader.hpp"
#include "gpz/tables.hpp"
#include "gpz/writer.hpp"
#include "library_arrays.hpp"
#include "library_cells.hpp"
#include "library_modelled.hpp"
#include "library_ordered.hpp"
#include "library_steps.hpp"
#include "library_trajectories.hpp"

namespace {

using gpz::ConstArray;
using gpz::ValueType;

// Columns of a frame and the fields that point to them.
template <class Float>
struct Particles {
  std::size_t count = 0;
  std::vector<std::vector<Float>> floats;
  std::vector<std::vector<std::int64_t>> integers;
  std::vector<gpz::FieldInput> fields;

  void add(const std::vector<std::string> &names, double bound, bool leading, std::vector<std::vector<Float>> values) {
    gpz::FieldInput input;
    input.field.type = sizeof(Float) == 4 ? ValueType::float32 : ValueType::float64;
    input.field.bound = bound;
    input.field.leading = leading;
    for (std::size_t c = 0; c < names.size(); ++c) {
      input.field.components.push_back({names[c], next_column_++});
      floats.push_back(std::move(values[c]));
      const auto type = sizeof(Float) == 4 ? ConstArray::Type::float32 : ConstArray::Type::float64;
      input.components[c] = {floats.back().data(), sizeof(Float), type};
    }
    fields.push_back(input);
  }

  void add(const std::string &name, std::vector<std::int64_t> values) {
    gpz::FieldInput input;
    input.field.type = ValueType::integer;
    input.field.components.push_back({name, next_column_++});
    integers.push_back(std::move(values));
    input.components[0] = {integers.back().data(), sizeof(std::int64_t), ConstArray::Type::int64};
    fields.push_back(input);
  }

 private:
  std::uint16_t next_column_ = 0;
};

// Clustered as particles are that a spatial sort put in order: groups of neighbours, the groups along a line.
template <class Float>
std::vector<Float> coordinates(std::mt19937_64 &random, std::size_t count, double spread) {
  std::uniform_real_distribution<double> within(0, spread);
  std::vector<Float> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t group = i / 1024;
    result[i] = static_cast<Float>(static_cast<double>(group) * 0.7 - 20 + within(random));
  }
  return result;
}

template <class Float>
Particles<Float> particles(std::uint64_t seed, std::size_t count, int dimension, double bound, bool special) {
  std::mt19937_64 random(seed);
  Particles<Float> result;
  result.count = count;
  const std::vector<std::string> axes{"x", "y", "z"};
  std::vector<std::vector<Float>> position;
  position.reserve(axes.size());
  for (int d = 0; d < dimension; ++d) position.push_back(coordinates<Float>(random, count, 12));
  if (special) {
    using Limits = std::numeric_limits<Float>;
    const std::vector<Float> values{Limits::quiet_NaN(), Limits::infinity(),   -Limits::infinity(), Limits::max(),
                                    Limits::lowest(),    Limits::denorm_min(), Float(-0.0),         Float(1e15)};
    for (std::size_t i = 0; i < count; i += 37) position[i % position.size()][i] = values[i / 37 % values.size()];
  }
  result.add({axes.begin(), axes.begin() + dimension}, bound, true, std::move(position));

  std::vector<std::int64_t> id(count), type(count), wide(count);
  for (std::size_t i = 0; i < count; ++i) {
    id[i] = static_cast<std::int64_t>(random() % (4 * count));
    type[i] = static_cast<std::int64_t>(1 + i % 3);
    wide[i] = static_cast<std::int64_t>(random());
  }
  result.add("id", std::move(id));
  result.add("type", std::move(type));
  result.add("wide", std::move(wide));
  result.add({"vx", "vy"}, 0.01, false, {coordinates<Float>(random, count, 3), coordinates<Float>(random, count, 3)});
  result.add({"exact"}, 0, false, {coordinates<Float>(random, count, 1)});
  return result;
}

// Four frames of different numbers of particles: whole blocks, a part of one, more than one chunk, none.
template <class Float>
void write_file(const std::string &path, int dimension, double bound, bool special) {
  gpz::Metadata metadata;
  metadata.units = "lj";
  gpz::Writer writer(path, metadata);
  gpz::FrameInfo info;
  info.box.dimension = static_cast<std::uint8_t>(dimension);
  for (const std::size_t count : {std::size_t{2048}, std::size_t{1}, std::size_t{3333}, std::size_t{0}}) {
    const auto frame = particles<Float>(count + 1, count, dimension, bound, special);
    info.particles = count;
    info.timestep += 10;
    writer.write(info, frame.fields);
  }
  // One field twice, as chunks of two ranks, with an empty chunk between them.
  gpz::ChunkEncoder encoder;
  std::vector<gpz::EncodedChunk> chunks(3);
  const auto frame = particles<Float>(7, 1500, dimension, bound, special);
  encoder.encode(frame.fields, 1500, nullptr, chunks[0]);
  encoder.encode(frame.fields, 0, nullptr, chunks[1]);
  encoder.encode(frame.fields, 40, nullptr, chunks[2]);
  gpz::Reader reader_of_fields(path);
  info.fields = reader_of_fields.info(0).fields;
  info.particles = 1540;
  info.timestep += 10;
  writer.write(info, chunks);
  writer.close();
}

void write_files(const std::string &folder) {
  for (const double bound : {2.0, 0.1, 1e-4, 1e-12}) {
    char name[32];
    std::snprintf(name, sizeof name, "%g", bound);
    write_file<double>(folder + "/f64-3d-" + name + ".gpz", 3, bound, false);
    write_file<float>(folder + "/f32-2d-" + name + ".gpz", 2, bound, false);
  }
  write_file<double>(folder + "/f64-special.gpz", 3, 0.05, true);
  write_file<float>(folder + "/f32-special.gpz", 3, 0.05, true);
  write_file<double>(folder + "/lossless.gpz", 3, 0, true);
}

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
    if (std::strcmp(argv[1], "write") == 0) {
      write_files(argv[2]);
    } else if (std::strcmp(argv[1], "trajectories") == 0) {
      write_trajectories(argv[2]);
    } else if (std::strcmp(argv[1], "ordered") == 0) {
      write_ordered(argv[2]);
    } else if (std::strcmp(argv[1], "cells") == 0) {
      write_cells(argv[2]);
    } else if (std::strcmp(argv[1], "modelled") == 0) {
      write_modelled(argv[2]);
    } else if (std::strcmp(argv[1], "steps") == 0) {
      write_steps(argv[2]);
    } else if (std::strcmp(argv[1], "arrays") == 0) {
      write_arrays(argv[2]);
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
