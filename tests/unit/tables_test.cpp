// SPDX-License-Identifier: BSD-3-Clause
// Tables and observables (docs/format.md, sections 11a and 11b): values and bits that come back, which table is valid
// for a frame, and damage.
#include "gpz/tables.hpp"

#include <fcntl.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "container_support.hpp"

namespace gpz::test::tables_test {
namespace {

using Integers = std::vector<std::int64_t>;
using Floats = std::vector<double>;
using Texts = std::vector<std::string>;

// Bonds of `count` molecules O-H, O-H with ids in ascending order.
Table water_bonds(int count) {
  Integers type;
  Integers first;
  Integers second;
  for (int m = 0; m < count; ++m)
    for (int h = 1; h <= 2; ++h) {
      type.push_back(1);
      first.push_back(3 * m + 1);
      second.push_back(3 * m + 1 + h);
    }
  return {"bonds", {{"type", "", type}, {"atom1", "", first}, {"atom2", "", second}}};
}

Table all_types() {
  Floats odd{0.0, -0.0, std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity(), 5e-324};
  std::uint64_t payload = 0x7FF0000000000001u;  // a signalling NaN
  std::memcpy(&odd[2], &payload, sizeof payload);
  return {"atoms",
          {{"id", "", Integers{INT64_MIN, -1, 0, 7, INT64_MAX}},
           {"q", "e", odd},
           {"name", "", Texts{"CA", "", "CA", std::string("\0\n\xFF", 3), "a long name"}}}};
}

void expect_equal(const Table &a, const Table &b) {
  EXPECT_EQ(a.name, b.name);
  ASSERT_EQ(a.columns.size(), b.columns.size());
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    EXPECT_EQ(a.columns[c].name, b.columns[c].name);
    EXPECT_EQ(a.columns[c].unit, b.columns[c].unit);
    ASSERT_EQ(a.columns[c].values.index(), b.columns[c].values.index());
    ASSERT_EQ(a.columns[c].rows(), b.columns[c].rows());
    if (const auto *const floats = std::get_if<Floats>(&a.columns[c].values)) {
      const auto &others = std::get<Floats>(b.columns[c].values);
      for (std::size_t i = 0; i < floats->size(); ++i)
        EXPECT_EQ(std::memcmp(&(*floats)[i], &others[i], sizeof(double)), 0) << "row " << i;
    } else {
      EXPECT_EQ(a.columns[c].values, b.columns[c].values);
    }
  }
}

void expect_round_trip(const std::vector<Table> &tables) {
  const std::vector<Table> read = tables_of(tables_record(tables));
  ASSERT_EQ(read.size(), tables.size());
  for (std::size_t t = 0; t < tables.size(); ++t) expect_equal(read[t], tables[t]);
}

TEST(Tables, ComeBackBitByBit) {
  expect_round_trip({});
  expect_round_trip({all_types(),
                     water_bonds(100),
                     {"nothing", {}},
                     {"no rows", {{"id", "", Integers{}}, {"t", "", Texts{}}, {"f", "m", Floats{}}}}});
}

TEST(Tables, RandomColumnsComeBack) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t rows = random() % 300;
    Table table{"t", {}};
    const std::size_t columns = 1 + random() % 6;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::uint64_t range = std::uint64_t{1} << random() % 64;
      Integers integers(rows);
      for (std::int64_t &value : integers) value = static_cast<std::int64_t>(random() % range - range / 2);
      if (random() % 2 == 0) std::sort(integers.begin(), integers.end());
      TableColumn column{"c" + std::to_string(c), std::string(random() % 3, 'u'), integers};
      if (random() % 3 == 0) {
        Texts texts;
        for (const std::int64_t value : integers) texts.push_back(std::to_string(value % 50));
        column.values = texts;
      } else if (random() % 2 == 0) {
        column.values = Floats(integers.begin(), integers.end());
      }
      table.columns.push_back(column);
    }
    expect_round_trip({table});
  }
}

TEST(Tables, RepeatedMoleculesTakeFewBytes) {
  const std::size_t few = tables_record({water_bonds(1000)}).body.size();
  const std::size_t many = tables_record({water_bonds(100000)}).body.size();
  EXPECT_LT(many, few + 200000 / 8);  // less than a bit for each further bond
}

TEST(Tables, WhatCannotBeStoredIsRefused) {
  const auto refused = [](const Table &table) {
    return status_of([&] { tables_record({table}); }) == Status::invalid_argument;
  };
  EXPECT_TRUE(refused({"", {}}));
  EXPECT_TRUE(refused({std::string(256, 'n'), {}}));
  EXPECT_TRUE(refused({"t", {{"", "", Integers{1}}}}));
  EXPECT_TRUE(refused({"t", {{"a", std::string(256, 'u'), Integers{1}}}}));
  EXPECT_TRUE(refused({"t", {{"a", "", Integers{1}}, {"a", "", Integers{1}}}}));
  EXPECT_TRUE(refused({"t", {{"a", "", Integers{1}}, {"b", "", Integers{1, 2}}}}));
  EXPECT_EQ(status_of([] { tables_record({{"t", {}}, {"t", {}}}); }), Status::invalid_argument);
  EXPECT_EQ(status_of([] { tables_of({0x80000009u, Bytes(16), {}}); }), Status::invalid_argument);
  EXPECT_EQ(status_of([] { observables_record(0, {{"", "", 1}}); }), Status::invalid_argument);
}

// Every changed byte is found by the checksum; with a true checksum, nothing but corrupt and limit_exceeded happens.
TEST(Tables, DamageIsReported) {
  const StoredRecord good = tables_record({all_types(), water_bonds(20)});
  std::mt19937 random(7);
  for (std::size_t at = 0; at < good.body.size(); ++at) {
    StoredRecord bad = good;
    bad.body[at] = static_cast<std::uint8_t>(bad.body[at] ^ (1 + random() % 255));
    EXPECT_EQ(status_of([&] { tables_of(bad); }), Status::corrupt) << at;
    const std::uint64_t checksum = format::xxh3(bad.body.data(), bad.body.size());
    format::store_little(bad.head.data(), checksum);
    const Status status = status_of([&] { tables_of(bad, {std::uint64_t{1} << 20}); });
    EXPECT_TRUE(status == Status::ok || status == Status::corrupt || status == Status::limit_exceeded) << at;
  }
  for (std::size_t size = 0; size < good.body.size(); size += 8) {
    StoredRecord bad = good;
    bad.body.resize(size);
    format::store_little(bad.head.data(), format::xxh3(bad.body.data(), bad.body.size()));
    EXPECT_EQ(status_of([&] { tables_of(bad); }), Status::corrupt) << size;
  }
}

TEST(Tables, RowsThatMemoryDoesNotHoldAreRefused) {
  StoredRecord bomb = tables_record({{"t", {{"a", "", Integers(1000, 5)}}}});
  const std::uint64_t rows = std::uint64_t{1} << 40;
  std::memcpy(bomb.body.data() + 8, &rows, sizeof rows);
  format::store_little(bomb.head.data(), format::xxh3(bomb.body.data(), bomb.body.size()));
  EXPECT_EQ(status_of([&] { tables_of(bomb, {std::uint64_t{1} << 30}); }), Status::limit_exceeded);
}

void write_frame(Writer &writer, int f) {
  const Particles particles(f);
  writer.write(particles.info, particles.fields);
}

TEST(TablesOfAFile, AreValidUntilTheNextOfTheirName) {
  Bytes bytes;
  Writer writer(bytes, {});
  writer.write({water_bonds(3), all_types()});
  write_frame(writer, 0);
  write_frame(writer, 1);
  writer.write({water_bonds(2)});
  writer.write({water_bonds(1)});
  write_frame(writer, 2);
  writer.write({Table{"bonds", {}}});
  write_frame(writer, 3);
  writer.close();

  const Reader reader(bytes.data(), bytes.size());
  for (const std::size_t frame : {3u, 0u, 2u, 1u, 4u}) {
    const std::vector<Table> tables = reader.tables(frame);
    ASSERT_EQ(tables.size(), 2u);
    expect_equal(tables[0], all_types());
    expect_equal(tables[1], frame < 2 ? water_bonds(3) : frame == 2 ? water_bonds(1) : Table{"bonds", {}});
  }
  ASSERT_EQ(reader.tables(0, {"bonds", "angles"}).size(), 1u);
  EXPECT_EQ(status_of([&] { reader.tables(5); }), Status::not_found);
}

TEST(TablesOfAFile, BehindTheLastFrameAreValidWhereNoOtherIs) {
  Bytes bytes;
  Writer writer(bytes, {});
  write_frame(writer, 0);
  writer.write({water_bonds(2)});
  write_frame(writer, 1);
  writer.write({water_bonds(3), all_types()});
  writer.close();

  const Reader reader(bytes.data(), bytes.size());
  for (const std::size_t frame : {1u, 0u, 2u}) {
    const std::vector<Table> tables = reader.tables(frame);
    ASSERT_EQ(tables.size(), 2u);
    expect_equal(tables[0], all_types());
    expect_equal(tables[1], water_bonds(frame == 1 ? 2 : 3));
  }
}

TEST(ObservablesOfAFile, AreThoseOfTheirFrame) {
  const auto of = [](int f) {
    return std::vector<Observable>{{"temp", "K", 300.0 + f}, {"pe", "kcal/mol", f == 2 ? std::nan("") : -0.1 * f}};
  };
  Bytes bytes;
  Writer writer(bytes, {});
  for (int f = 0; f < 4; ++f) {
    if (f != 1) writer.write(100 * f, of(f));
    if (f == 3) writer.write(100 * f, {{"press", "atm", 1}});  // the last one counts
    write_frame(writer, f);
  }
  writer.close();

  const Reader reader(bytes.data(), bytes.size());
  for (const int f : {2, 0, 1, 3}) {
    const std::vector<Observable> read = reader.observables(static_cast<std::size_t>(f));
    if (f == 1) {
      EXPECT_TRUE(read.empty());
    } else if (f == 3) {
      ASSERT_EQ(read.size(), 1u);
      EXPECT_EQ(read[0].name, "press");
    } else {
      ASSERT_EQ(read.size(), 2u);
      EXPECT_EQ(read[0].name, "temp");
      EXPECT_EQ(read[0].unit, "K");
      EXPECT_EQ(read[0].value, 300 + f);
      EXPECT_EQ(std::isnan(read[1].value), f == 2);
    }
  }
  // The names are in the file twice: in front of frames 0 and 3.
  EXPECT_EQ(reader.records(0).size(), 2u);
  EXPECT_EQ(reader.records(2).size(), 1u);
}

// Frames that wait are encoded by threads; the records stay between the same frames.
TEST(ObservablesOfAFile, StandWhereTheyWereWrittenWithThreads) {
  const auto file = [](int threads) {
    Bytes bytes;
    Writer writer(bytes, {}, threads);
    writer.set_pending(std::uint64_t{1} << 20);
    writer.set_key_interval(2);
    for (int f = 0; f < 20; ++f) {
      writer.write(100 * f, {{"temp", "K", 1.0 * f}});
      if (f % 7 == 3) writer.write({water_bonds(f)});
      write_frame(writer, f);
    }
    writer.write({water_bonds(1)});
    writer.close();
    return bytes;
  };
  const Bytes one = file(1);
  EXPECT_EQ(file(2), one);
  const Reader reader(one.data(), one.size());
  for (std::size_t f = 0; f < 20; ++f) EXPECT_EQ(reader.observables(f).at(0).value, f);
  EXPECT_EQ(reader.tables(20, {"bonds"}).at(0).rows(), 2u);
}

TEST(ObservablesOfAFile, AreInTheTableOfTimesteps) {
  Bytes bytes;
  Writer writer(bytes, {});
  write_frame(writer, 0);
  writer.write(100, {{"temp", "K", 1}});
  write_frame(writer, 1);
  write_frame(writer, 2);
  writer.write(std::vector<Table>{
      {"thermo",
       {{"timestep", "", Integers{0, 100, 100}}, {"pe", "eV", Floats{5, 6, 7}}, {"s", "", Texts{"", "", ""}}}}});
  writer.close();
  const Reader reader(bytes.data(), bytes.size());
  EXPECT_TRUE(reader.observables(2).empty());
  EXPECT_EQ(reader.observables(1).at(0).name, "temp");
  ASSERT_EQ(reader.observables(0).size(), 1u);
  EXPECT_EQ(reader.observables(0)[0].name, "pe");
  EXPECT_EQ(reader.observables(0)[0].unit, "eV");
  EXPECT_EQ(reader.observables(0)[0].value, 5);
}

// Observables of a pipe, frame after frame, are those of a file.
TEST(ObservablesOfAFile, AreThoseOfAStream) {
  const TemporaryFile file;
  {
    Writer writer(file.path(), {});
    for (int f = 0; f < 4; ++f) {
      if (f != 1) writer.write({water_bonds(f + 1)});
      if (f < 2) writer.write(100 * f, {{"temp", "K", 1.5 * f}});
      write_frame(writer, f);
    }
    writer.write(std::vector<Table>{{"thermo", {{"timestep", "", Integers{200}}, {"pe", "eV", Floats{7}}}}});
    writer.close();
  }
  const Reader whole(file.path());
  const int descriptor = ::open(file.path().c_str(), O_RDONLY);
  ASSERT_GE(descriptor, 0);
  StreamReader stream(descriptor, "stream");
  stream.keep_tables();
  Frame frame;
  for (std::size_t f = 0; f < 4; ++f) {
    ASSERT_TRUE(stream.next(frame));
    const std::vector<Table> bonds = stream.tables();
    ASSERT_EQ(bonds.size(), 2u);  // and the names of observables
    expect_equal(bonds[0], whole.tables(f, {"bonds"}).at(0));
    const std::vector<Observable> observables = stream.observables();
    ASSERT_EQ(observables.size(), f < 2 ? 1u : 0u);  // the table thermo has not come yet
    if (f < 2) {
      EXPECT_EQ(observables[0].value, whole.observables(f).at(0).value);
    }
  }
  EXPECT_FALSE(stream.next(frame));
  EXPECT_EQ(stream.tables().size(), 3u);
  ::close(descriptor);
}

TEST(ObservablesOfAFile, OfAnotherTimestepAreIgnored) {
  Bytes bytes;
  Writer writer(bytes, {});
  writer.write(7, {{"temp", "K", 1}});
  write_frame(writer, 0);
  writer.close();
  EXPECT_TRUE(Reader(bytes.data(), bytes.size()).observables(0).empty());
}

TEST(ObservablesOfAFile, WithoutTheirNamesAreCorrupt) {
  for (const bool with_other_names : {false, true}) {
    Bytes bytes;
    Writer writer(bytes, {});
    if (with_other_names) writer.write({observables_table({{"temp", "R", 1}})});
    writer.write(observables_record(0, {{"temp", "K", 1}}));
    write_frame(writer, 0);
    writer.close();
    const Reader reader(bytes.data(), bytes.size());
    EXPECT_EQ(status_of([&] { reader.observables(0); }), Status::corrupt);
    EXPECT_EQ(reader.read(0).info.particles, 5u);  // the frame stays readable
  }
}

}  // namespace
}  // namespace gpz::test::tables_test
