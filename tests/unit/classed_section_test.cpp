// SPDX-License-Identifier: BSD-3-Clause
// Codings 10 and 11 (docs/format.md, sections 10g to 10i): columns beside positions, through Writer and Reader.
#include <algorithm>
#include <cmath>
#include <set>

#include "container_support.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/trajectory/chunk_reader.hpp"
#include "trajectory_support.hpp"

namespace gpz::test::classed_section_test {
namespace {

constexpr std::size_t fields_of_motion = 8;

// Atoms of two types on circles, with velocities and forces, masses by type, charges of a few values, an exact column
// that changes with the type. From frame to frame some leave and others arrive.
struct Motion {
  std::size_t count;
  std::size_t number = 0;
  bool exchanges = true;

  std::vector<std::int64_t> id, type;
  std::vector<double> x, y, v, f, mass, charge, state;

  explicit Motion(std::size_t n) : count(n) {}

  void make() {
    for (auto *column : {&x, &y, &v, &f, &mass, &charge, &state}) column->clear();
    id.clear();
    type.clear();
    const std::size_t first = exchanges ? number : 0;
    for (std::size_t i = first; i < first + count; ++i) {
      const auto k = static_cast<double>(i);
      const double angle = 0.05 * static_cast<double>(number) * (1 + 0.001 * k) + 7 * k;
      const bool heavy = i % 3 == 0;
      id.push_back(static_cast<std::int64_t>(i) + 1);
      type.push_back(heavy ? 1 : 4);
      x.push_back(std::fmod(1.7 * k, 90) + std::cos(angle));
      y.push_back(std::fmod(0.3 * k, 80) + std::sin(angle));
      v.push_back(-std::sin(angle) * (1 + 0.001 * k));
      f.push_back(-std::cos(angle) * (heavy ? 16 : 1));
      mass.push_back(heavy ? 15.9994 : 1.008);
      charge.push_back(heavy ? -0.8476 : i % 7 == number ? 0.5 : 0.4238);
      state.push_back(heavy ? 0.1 * static_cast<double>(number) : -0.0);
    }
    if (number == 2) v[5] = std::nan("");
    ++number;
  }

  FrameInfo info() const {
    FrameInfo info;
    info.particles = count;
    info.timestep = static_cast<std::int64_t>(number);
    return info;
  }
  std::vector<FieldInput> inputs() const {
    std::vector<FieldInput> out;
    const auto add = [&](const std::vector<std::string> &names, const std::vector<ConstArray> &arrays, double bound,
                         bool leading = false) {
      FieldInput input;
      input.field.type = arrays[0].type == ConstArray::Type::int64 ? ValueType::integer : ValueType::float64;
      input.field.bound = bound;
      input.field.leading = leading;
      for (std::size_t d = 0; d < names.size(); ++d) {
        input.field.components.push_back({names[d], static_cast<std::uint16_t>(out.size() + d)});
        input.components[d] = arrays[d];
      }
      out.push_back(input);
    };
    const auto of = [](const auto &values) {
      using T = typename std::decay_t<decltype(values)>::value_type;
      return ConstArray{values.data(), sizeof(T),
                        std::is_same_v<T, double> ? ConstArray::Type::float64 : ConstArray::Type::int64};
    };
    add({"x", "y"}, {of(x), of(y)}, 0.0005, true);
    add({"id"}, {of(id)}, 0);
    add({"type"}, {of(type)}, 0);
    add({"v"}, {of(v)}, 0.0005);
    add({"f"}, {of(f)}, 0.0005);
    add({"mass"}, {of(mass)}, 0);
    add({"charge"}, {of(charge)}, 0);
    add({"state"}, {of(state)}, 0);
    return out;
  }
};

Bytes motion_file(std::size_t count, std::size_t frames, Effort effort, bool exchanges,
                  std::vector<Motion> *kept = nullptr) {
  Bytes bytes;
  Writer writer(bytes, small_metadata());
  writer.set_key_interval(100);
  writer.set_order(Order::id);
  writer.set_effort(effort);
  Motion motion(count);
  motion.exchanges = exchanges;
  for (std::size_t k = 0; k < frames; ++k) {
    motion.make();
    writer.write(motion.info(), motion.inputs());
    if (kept != nullptr) kept->push_back(motion);
  }
  writer.close();
  return bytes;
}

// The numbers of the codings of all sections.
std::set<int> codings_of(const Reader &reader) {
  std::set<int> found;
  for (std::size_t i = 0; i < reader.scan().frames.size(); ++i) {
    const Bytes chunk = reader.chunk(i, 0);
    if (chunk_kind(chunk.data(), chunk.size()) == ChunkKind::block) continue;
    const auto opened = format::open_chunk(chunk.data(), chunk.size(), fields_of_motion);
    for (const format::Span &section : opened.sections)
      if (section.size != 0) found.insert(chunk[section.offset]);
  }
  return found;
}

void expect_values(const Motion &given, const Frame &frame) {
  const auto column = [&](const char *name) { return frame.find(name)->floats; };
  // In the order of ids, as they are given.
  ASSERT_EQ(frame.find("id")->integers, given.id);
  ASSERT_EQ(frame.find("type")->integers, given.type);
  for (std::size_t i = 0; i < given.count; ++i) {
    ASSERT_LE(std::fabs(column("x")[i] - given.x[i]), 0.0005);
    ASSERT_LE(std::fabs(column("f")[i] - given.f[i]), 0.0005);
    if (std::isnan(given.v[i]))
      ASSERT_TRUE(std::isnan(column("v")[i]));
    else
      ASSERT_LE(std::fabs(column("v")[i] - given.v[i]), 0.0005);
  }
  for (const auto &[name, values] :
       {std::pair("mass", &given.mass), std::pair("charge", &given.charge), std::pair("state", &given.state)}) {
    const std::vector<double> found = column(name);
    ASSERT_EQ(std::memcmp(found.data(), values->data(), given.count * sizeof(double)), 0) << name;
  }
}

TEST(ClassedSections, RoundTrip) {
  for (const bool exchanges : {false, true}) {
    std::vector<Motion> given;
    const Bytes bytes = motion_file(900, 12, Effort::standard, exchanges, &given);
    const Reader reader = reader_of(bytes);
    EXPECT_TRUE((reader.scan().metadata.features & feature::classed_sections) != 0);
    const std::set<int> codings = codings_of(reader);
    EXPECT_EQ(codings.count(10), 1u);
    EXPECT_EQ(codings.count(11), 1u);
    for (std::size_t i = 0; i < given.size(); ++i) expect_values(given[i], reader.read(i, {1, true}));
    EXPECT_LT(bytes.size(), motion_file(900, 12, Effort::fast, exchanges).size() * 3 / 4);
  }
}

// Velocities and forces are predicted from each other and from positions, masses from types: a reader that wants one
// column follows the others.
TEST(ClassedSections, EachColumnAlone) {
  std::vector<Motion> given;
  const Bytes bytes = motion_file(600, 10, Effort::standard, true, &given);
  const Frame last = reader_of(bytes).read(9);
  for (std::size_t f = 0; f < fields_of_motion; ++f)
    for (const std::vector<std::size_t> &order : {std::vector<std::size_t>{9}, {0, 1, 2, 9}, {4, 9}}) {
      const Reader reader = reader_of(bytes);
      std::vector<bool> wanted(fields_of_motion);
      wanted[f] = true;
      Frame frame;
      for (const std::size_t i : order) frame = reader.read(i, 1, wanted);
      for (std::size_t c = 0; c < frame.columns.size(); ++c) {
        if (frame.columns[c].field != f) continue;
        EXPECT_EQ(frame.columns[c].integers, last.columns[c].integers) << f;
        ASSERT_EQ(frame.columns[c].floats.size(), last.columns[c].floats.size());
        EXPECT_TRUE(std::equal(frame.columns[c].floats.begin(), frame.columns[c].floats.end(),
                               last.columns[c].floats.begin(), [](double a, double b) { return a == b || a != a; }));
      }
    }
}

// Without copies of bytes of a field that a section names; others keep their bytes, and name fields by their new
// number.
TEST(ClassedSections, KeptFields) {
  std::vector<Motion> given;
  const Bytes bytes = motion_file(600, 1, Effort::standard, false, &given);
  const Reader reader = reader_of(bytes);
  const auto without = [&](const std::vector<std::size_t> &dropped) {
    StoredFrame frame = reader.stored(0);
    std::vector<bool> kept(fields_of_motion, true);
    for (const std::size_t f : dropped) kept[f] = false;
    keep_fields(frame, kept);
    return frame;
  };
  EXPECT_EQ(status_of([&] { without({2}); }), Status::unsupported);  // the types that masses belong to
  StoredFrame frame = without({0, 3, 4});
  Bytes other;
  Metadata metadata = small_metadata();
  Writer writer(other, metadata);
  writer.write(frame);
  writer.close();
  const Frame read = reader_of(other).read(0, {1, true});
  EXPECT_EQ(read.find("mass")->floats, given[0].mass);
  EXPECT_EQ(read.find("charge")->floats, given[0].charge);
}

TEST(ClassedSections, SameBytesAgain) {
  EXPECT_EQ(motion_file(300, 8, Effort::standard, true), motion_file(300, 8, Effort::standard, true));
}

// Whatever stands in the sections: values, or an error that says so.
TEST(ClassedSections, DamagedBytes) {
  Motion motion(400);
  TrajectoryEncoder encoder(1);
  encoder.set_order(Order::id);
  std::vector<EncodedChunk> chunks(4);
  for (EncodedChunk &chunk : chunks) {
    motion.make();
    encoder.encode(motion.inputs(), motion.count, nullptr, Box{}, &chunk == chunks.data(), chunk);
  }
  std::vector<Field> fields;
  for (const FieldInput &input : motion.inputs()) {
    fields.push_back(input.field);
    fill_step(fields.back());
  }
  Random random(3);
  int refused = 0;
  constexpr int rounds = 600;
  for (int round = 0; round < rounds; ++round) {
    const std::size_t broken = random.below(chunks.size());
    trajectory::ChunkReader reader;
    const Status status = status_of([&] {
      for (std::size_t k = 0; k <= broken; ++k) {
        Bytes bytes = chunks[k].bytes;
        for (int change = 0; k == broken && change < 3; ++change)
          bytes[random.below(bytes.size())] ^= static_cast<std::uint8_t>(1 + random.below(255));
        reader.next(format::open_chunk(bytes.data(), bytes.size(), fields.size()), motion.count, fields, {}, 1);
      }
    });
    EXPECT_TRUE(status == Status::ok || status == Status::corrupt || status == Status::truncated ||
                status == Status::unsupported)
        << static_cast<int>(status);
    refused += status == Status::ok ? 0 : 1;
  }
  EXPECT_GT(refused, rounds / 4);
}

}  // namespace
}  // namespace gpz::test::classed_section_test
