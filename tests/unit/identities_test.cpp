// SPDX-License-Identifier: BSD-3-Clause
// Frames whose ids are floating-point numbers, or that have none: what a file of them has.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "trajectory_support.hpp"

namespace gpz::test::identities_test {
namespace {

constexpr std::size_t particles = 5000;  // more than a block

// Positions, and ids of a type if there is one.
class Given {
 public:
  std::vector<double> coordinates;
  std::vector<double> ids;
  std::vector<float> narrow_ids;

  explicit Given(std::uint64_t seed = 3) {
    Random random(seed);
    for (std::size_t i = 0; i < 3 * particles; ++i) coordinates.push_back(random.uniform(0, 10));
    ids.resize(particles);
    std::iota(ids.rbegin(), ids.rend(), 1.0);  // descending
    narrow_ids.assign(ids.begin(), ids.end());
  }

  std::vector<FieldInput> positions() const {
    FieldInput input;
    input.field.leading = true;
    input.field.bound = 0.001;
    for (std::size_t d = 0; d < 3; ++d) {
      input.field.components.push_back({std::string(1, "xyz"[d]), 0});
      input.components[d] = {coordinates.data() + d, 3 * sizeof(double), ConstArray::Type::float64};
    }
    return {input};
  }
  std::vector<FieldInput> with_ids(ValueType type) const {
    std::vector<FieldInput> fields = positions();
    FieldInput input;
    input.field.type = type;
    input.field.components = {{"id", 0}};
    if (type == ValueType::float64)
      input.components[0] = {ids.data(), sizeof(double), ConstArray::Type::float64};
    else
      input.components[0] = {narrow_ids.data(), sizeof(float), ConstArray::Type::float32};
    fields.push_back(input);
    return fields;
  }
};

FrameInfo info_of(std::size_t count = particles) {
  FrameInfo info;
  info.particles = count;
  return info;
}

std::vector<Frame> written(const std::vector<FieldInput> &fields, Order order, const int *rows = nullptr,
                           std::size_t count = particles, int frames = 2) {
  Bytes bytes;
  Writer writer(bytes, small_metadata());
  writer.set_order(order);
  for (int f = 0; f < frames; ++f) writer.write(info_of(count), fields, rows);
  writer.close();
  return read_all(bytes);
}

const std::vector<std::int64_t> &ids_of(const Frame &frame) { return frame.find("id")->integers; }

// x of each particle, by its id.
std::vector<double> by_id(const Frame &frame) {
  std::vector<double> values(frame.info.particles);
  for (std::size_t i = 0; i < values.size(); ++i)
    values.at(static_cast<std::size_t>(ids_of(frame)[i]) - 1) = frame.find("x")->floats[i];
  return values;
}

TEST(Identities, ArraysWithoutIdsAreNumberedInTheOrderGiven) {
  const Given given;
  // Random positions are smaller in blocks than in the order of memory, so that order numbers them as well.
  for (const Order order : {Order::automatic, Order::id, Order::memory})
    for (const Frame &frame : written(given.positions(), order)) {
      const std::vector<double> x = by_id(frame);
      for (std::size_t i = 0; i < particles; ++i) ASSERT_NEAR(x[i], given.coordinates[3 * i], 0.001) << i;
    }
  EXPECT_EQ(written(given.positions(), Order::place)[0].find("id"), nullptr);
}

TEST(Identities, LosslessRowsKeepTheOrderGiven) {
  const Given given;
  std::vector<FieldInput> fields = given.positions();
  fields[0].field.bound = 0;
  for (const Order order : {Order::automatic, Order::id, Order::memory})
    for (const Frame &frame : written(fields, order)) {
      const std::vector<double> x = by_id(frame);
      for (std::size_t i = 0; i < particles; ++i) ASSERT_EQ(x[i], given.coordinates[3 * i]) << i;
    }
}

TEST(Identities, TheOrderOfMemoryNeedsNone) {
  Given given;
  for (std::size_t i = 0; i < 3 * particles; ++i) given.coordinates[i] = i % 3 == 0 ? 0.01 * static_cast<double>(i) : 1;
  const std::vector<Frame> frames = written(given.positions(), Order::memory);
  ASSERT_EQ(frames[0].find("id"), nullptr);
  for (std::size_t i = 0; i < particles; ++i)
    ASSERT_NEAR(frames[0].find("x")->floats[i], given.coordinates[3 * i], 0.001) << i;
}

// "frame 1": the frame is named.
void expect_refused(const std::vector<FieldInput> &first, const std::vector<FieldInput> &second, Order order,
                    const std::string &says) {
  Bytes bytes;
  Writer writer(bytes, small_metadata());
  writer.set_order(order);
  writer.write(info_of(), first);
  try {
    writer.write(info_of(), second);
    FAIL() << says;
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), Status::invalid_argument);
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
  }
  writer.write(info_of(), first);  // and the writer goes on
  EXPECT_EQ(writer.frames().size(), 2u);
}

TEST(Identities, IdsInSomeFramesAreRefused) {
  const Given given;
  for (const Order order : {Order::automatic, Order::id, Order::place, Order::memory}) {
    expect_refused(given.with_ids(ValueType::float64), given.positions(), order,
                   "frame 1 has no ids, and frame 0 has ids");
    expect_refused(given.positions(), given.with_ids(ValueType::float64), order,
                   "frame 1 has ids, and frame 0 has none");
  }
}

// The numbers of rows are what rows without ids get: in the order of memory, some frames of a file have them.
TEST(Identities, TheNumbersOfRowsMayBeInSomeFrames) {
  Given given;
  std::iota(given.ids.begin(), given.ids.end(), 1.0);
  for (const Order order : {Order::automatic, Order::id, Order::memory}) {
    Bytes bytes;
    Writer writer(bytes, small_metadata());
    writer.set_order(order);
    writer.write(info_of(), given.positions());
    writer.write(info_of(), given.with_ids(ValueType::float64));
    writer.write(info_of(), given.positions());
    writer.close();
    const Reader reader = reader_of(bytes);
    Bytes again;
    Writer copy(again, small_metadata());
    copy.set_order(order);
    for (std::size_t frame = 0; frame < 3; ++frame) copy.write(reader.read(frame));
  }
  Bytes bytes;
  Writer writer(bytes, small_metadata());
  writer.set_order(Order::place);
  writer.write(info_of(), given.positions());
  EXPECT_EQ(status_of([&] { writer.write(info_of(), given.with_ids(ValueType::float64)); }), Status::invalid_argument);
}

// Sorted by id, particles of equal ids are in the order of their rows.
TEST(Identities, EqualIdsKeepTheOrderOfTheirRows) {
  Given given;
  for (std::size_t i = 0; i < particles; ++i) given.ids[i] = static_cast<double>(i % 1700);
  for (const Order order : {Order::automatic, Order::id, Order::memory})
    for (const Frame &frame : written(given.with_ids(ValueType::float64), order, nullptr, particles, 3)) {
      std::vector<std::size_t> sorted(particles);
      std::iota(sorted.begin(), sorted.end(), std::size_t{0});
      std::stable_sort(sorted.begin(), sorted.end(),
                       [&](std::size_t a, std::size_t b) { return ids_of(frame)[a] < ids_of(frame)[b]; });
      std::size_t at = 0;
      for (std::size_t id = 0; id < 1700; ++id)
        for (std::size_t i = id; i < particles; i += 1700)
          ASSERT_NEAR(frame.find("x")->floats[sorted[at++]], given.coordinates[3 * i], 0.001) << id << " " << i;
    }
}

// Without positions there is no chunk that is sorted, and difference frames would mix particles of equal ids.
TEST(Identities, EqualIdsWithoutPositionsKeepTheOrderOfTheirRows) {
  constexpr std::size_t count = 200;
  Bytes bytes;
  Writer writer(bytes, small_metadata());
  writer.set_order(Order::memory);
  std::vector<std::int64_t> tags(count);
  std::iota(tags.begin(), tags.end(), 0);
  std::vector<FieldInput> fields(2);
  for (FieldInput &input : fields) input.field.type = ValueType::integer;
  fields[0].field.components = {{"tag", 0}};
  fields[0].components[0] = {tags.data(), sizeof(std::int64_t), ConstArray::Type::int64};
  fields[1].field.components = {{"id", 1}};
  std::vector<std::int64_t> ids(count);
  Random random(5);
  for (std::int64_t &id : ids) id = static_cast<std::int64_t>(random.uniform(0, 100));
  for (int frame = 0; frame < 3; ++frame) {
    for (std::size_t i = count - 1; i > 0; --i)
      std::swap(ids[i], ids[static_cast<std::size_t>(random.uniform(0, static_cast<double>(i)))]);
    fields[1].components[0] = {ids.data(), sizeof(std::int64_t), ConstArray::Type::int64};
    writer.write(info_of(count), fields);
    const Reader reader = reader_of(bytes);
    const Frame back = reader.read(static_cast<std::size_t>(frame), ReadOptions{1, true});
    const std::vector<std::int64_t> &sorted = ids_of(back);
    const std::vector<std::int64_t> &rows = back.find("tag")->integers;
    for (std::size_t i = 1; i < count; ++i) {
      ASSERT_EQ(ids[static_cast<std::size_t>(rows[i])], sorted[i]);
      ASSERT_TRUE(sorted[i] > sorted[i - 1] || rows[i] > rows[i - 1]) << frame << " " << i;
    }
  }
}

TEST(Identities, BoxesAreFinite) {
  const Given given;
  for (const double wrong : {std::nan(""), HUGE_VAL}) {
    Bytes bytes;
    Writer writer(bytes, small_metadata());
    FrameInfo info = info_of();
    info.box.kind = Box::Kind::orthogonal;
    info.box.values = {0, 1, 0, wrong, 0, 1};
    EXPECT_EQ(status_of([&] { writer.write(info, given.positions()); }), Status::invalid_argument);
    EXPECT_TRUE(writer.frames().empty());
  }
}

TEST(Identities, RowsAreNumberedAsTheyAreNamed) {
  const Given given;
  std::vector<int> rows;
  for (int i = 4998; i >= 0; i -= 3) rows.push_back(i);
  const std::vector<Frame> frames = written(given.positions(), Order::automatic, rows.data(), rows.size());
  const std::vector<double> x = by_id(frames[1]);
  for (std::size_t i = 0; i < rows.size(); ++i)
    ASSERT_NEAR(x[i], given.coordinates[3 * static_cast<std::size_t>(rows[i])], 0.001) << i;
}

TEST(Identities, WholeFloatsBecomeIntegers) {
  const Given given;
  for (const ValueType type : {ValueType::float64, ValueType::float32}) {
    const std::vector<Frame> frames = written(given.with_ids(type), Order::automatic);
    EXPECT_EQ(frames[1].info.since_key, 1);  // they are ids: the second frame is one of differences
    for (const Frame &frame : frames) {
      ASSERT_NE(frame.find("id"), nullptr);
      const std::vector<double> x = by_id(frame);
      for (std::size_t i = 0; i < particles; ++i)
        ASSERT_NEAR(x[i], given.coordinates[3 * (particles - 1 - i)], 0.001) << i;
    }
  }
}

TEST(Identities, OtherFloatsAreRefused) {
  for (const double wrong : {1.5, std::nan(""), HUGE_VAL, 1e17}) {
    Given given;
    given.ids[77] = wrong;
    Bytes bytes;
    Writer writer(bytes, small_metadata());
    try {
      writer.write(info_of(), given.with_ids(ValueType::float64));
      FAIL() << wrong;
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), Status::invalid_argument);
      EXPECT_NE(std::string(error.what()).find("particle 77"), std::string::npos) << error.what();
    }
    EXPECT_TRUE(writer.frames().empty());
    writer.write(info_of(), given.positions());  // and the writer goes on
    EXPECT_EQ(writer.frames().size(), 1u);
  }
}

TEST(Identities, ColumnsWithoutPositionsStayAsTheyAre) {
  const Given given;
  std::vector<FieldInput> fields = given.positions();
  fields[0].field.leading = false;
  EXPECT_EQ(written(fields, Order::automatic)[0].find("id"), nullptr);
}

}  // namespace
}  // namespace gpz::test::identities_test
