// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: a file in memory, whose frames are read in two orders, whole or in columns, with their tables and
// observables. Values do not depend on it.
#include "gpz/reader.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include "gpz/tables.hpp"
#include "support.hpp"

namespace {

using gpz::Status;
using gpz::fuzz::Outcome;
using gpz::fuzz::require;
using gpz::fuzz::status_of;

constexpr std::size_t most_frames = 16;

// A column of each name; a name that the frame has twice means the first one.
std::vector<const gpz::Frame::Column *> named_columns(const gpz::Frame &frame) {
  std::vector<const gpz::Frame::Column *> columns;
  std::set<std::string> names;
  for (const gpz::Frame::Column &column : frame.columns)
    if (names.insert(frame.name(column)).second) columns.push_back(&column);
  return columns;
}

bool has_integers(const gpz::Frame &frame, const gpz::Frame::Column &column) {
  return frame.info.fields[column.field].type == gpz::ValueType::integer;
}

// Arrays of the caller get what a Frame gets.
void compare_arrays(const gpz::Reader &reader, std::size_t i, const gpz::Frame &frame, bool sort_by_id) {
  const auto particles = static_cast<std::size_t>(frame.info.particles);
  const auto columns = named_columns(frame);
  std::vector<gpz::ColumnOutput> outputs;
  std::vector<std::vector<double>> values;
  for (const gpz::Frame::Column *column : columns) {
    const auto type = has_integers(frame, *column) ? gpz::ConstArray::Type::int64 : gpz::ConstArray::Type::float64;
    values.emplace_back(particles + 1);
    outputs.push_back({frame.name(*column), {values.back().data(), sizeof(double), type}});
  }
  require(status_of([&] {
            reader.read_columns(i, outputs, particles, {1, sort_by_id});
          }) == Status::ok,
          "columns of a frame that can be read cannot");
  for (std::size_t c = 0; c < columns.size() && particles != 0; ++c) {
    const void *expected = has_integers(frame, *columns[c]) ? static_cast<const void *>(columns[c]->integers.data())
                                                            : columns[c]->floats.data();
    require(std::memcmp(values[c].data(), expected, particles * sizeof(double)) == 0,
            "arrays differ from the columns of a frame");
  }
}

// The other ways to a frame. One of them for each input, which decides which: inputs are read quickly that way.
void read_otherwise(const gpz::Reader &reader, std::size_t i, std::uint64_t way) {
  switch (way % 5) {
    case 0:
      compare_arrays(reader, i, reader.read(i), false);
      break;
    case 1:
      compare_arrays(reader, i, reader.read(i, {1, true}), true);
      break;
    case 2: {
      std::vector<gpz::ChunkEntry> chunks;
      const gpz::FrameInfo info = reader.info(i, &chunks);
      std::vector<bool> wanted(info.fields.size());
      if (!wanted.empty()) wanted[way / 5 % wanted.size()] = true;
      reader.read(i, 1, wanted);  // needs other fields to be followed
      for (std::size_t k = 0; k < chunks.size(); ++k) {
        reader.chunk_kind(i, k);
        require(reader.chunk(i, k).size() == chunks[k].length, "a chunk has another length than its entry");
      }
      break;
    }
    case 3:
      reader.verify(i);
      break;
    default:
      reader.read(i, {2, true});
  }
}

// Of names, units and values, bit by bit.
void add_digest(std::uint64_t &sum, const void *data, std::size_t size) {
  const std::uint64_t both[2] = {sum, size == 0 ? 0 : gpz::chunk_checksum(data, size)};
  sum = gpz::chunk_checksum(both, sizeof both);
}

void add_digest(std::uint64_t &sum, const std::string &text) { add_digest(sum, text.data(), text.size()); }

void add_digest(std::uint64_t &sum, const gpz::TableColumn &column) {
  add_digest(sum, column.name);
  add_digest(sum, column.unit);
  if (const auto *const texts = std::get_if<std::vector<std::string>>(&column.values)) {
    for (const std::string &text : *texts) add_digest(sum, text);
  } else if (const auto *const floats = std::get_if<std::vector<double>>(&column.values)) {
    add_digest(sum, floats->data(), floats->size() * sizeof(double));
  } else {
    const auto &integers = std::get<std::vector<std::int64_t>>(column.values);
    add_digest(sum, integers.data(), integers.size() * sizeof(std::int64_t));
  }
}

// Tables and observables of frame i, which may be behind the last one.
Outcome outcome_of_tables(const gpz::Reader &reader, std::size_t i) {
  Outcome outcome;
  outcome.status = status_of([&] {
    for (const gpz::Table &table : reader.tables(i)) {
      add_digest(outcome.digest, table.name);
      for (const gpz::TableColumn &column : table.columns) add_digest(outcome.digest, column);
    }
  });
  return outcome;
}

Outcome outcome_of_observables(const gpz::Reader &reader, std::size_t i) {
  Outcome outcome;
  outcome.status = status_of([&] {
    for (const gpz::Observable &one : reader.observables(i)) {
      add_digest(outcome.digest, one.name);
      add_digest(outcome.digest, one.unit);
      add_digest(outcome.digest, &one.value, sizeof one.value);
    }
  });
  return outcome;
}

// In ascending and in descending order.
void compare_tables(const gpz::Reader &forward, const gpz::Reader &backward, std::size_t frames) {
  std::vector<Outcome> tables;
  std::vector<Outcome> observables;
  for (std::size_t i = 0; i <= frames; ++i) {
    tables.push_back(outcome_of_tables(forward, i));
    observables.push_back(outcome_of_observables(forward, i));
  }
  for (std::size_t i = frames + 1; i-- > 0;) {
    require(outcome_of_observables(backward, i).agrees(observables[i]), "the order of reading decides observables");
    require(outcome_of_tables(backward, i).agrees(tables[i]), "the order of reading decides tables");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
  status_of([&] {
    const gpz::Reader forward(bytes, size, "input", gpz::fuzz::limits);
    const gpz::Reader backward(bytes, size, "input", gpz::fuzz::limits);
    const std::size_t frames = std::min(forward.frames(), most_frames);

    compare_tables(forward, backward, frames);
    std::vector<Outcome> outcomes;
    for (std::size_t i = 0; i < frames; ++i) outcomes.push_back(gpz::fuzz::outcome_of([&] { return forward.read(i); }));
    const std::uint64_t way = gpz::chunk_checksum(bytes, size);
    for (std::size_t i = frames; i-- > 0;) {
      const Outcome other{status_of([&] { read_otherwise(backward, i, way); }), outcomes[i].digest};
      require(way % 5 != 3 || other.agrees(outcomes[i]), "verifying finds what reading does not");
      if (i % 4 == way / 64 % 4)
        require(gpz::fuzz::outcome_of([&] { return backward.read(i); }).agrees(outcomes[i]),
                "the order of reading decides what is read");
    }
  });
  return 0;
}
