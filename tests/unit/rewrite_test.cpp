// SPDX-License-Identifier: BSD-3-Clause
// Decoded values that are encoded again keep every bit: grid values, and what is none but would be within the bound.
#include <cmath>
#include <cstring>

#include "container_support.hpp"

namespace gpz::test::rewrite_test {
namespace {

using Type = ConstArray::Type;

constexpr std::size_t particles = 2500;
constexpr double bound = 0.01;

template <typename T>
std::vector<std::uint64_t> bits_of(const std::vector<T> &values) {
  std::vector<std::uint64_t> bits(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(&bits[i], &values[i], sizeof(T));
  return bits;
}

template <typename T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Values as they come from a file: most are those of the grid, one in `rarely` is not.
template <typename T>
std::vector<T> decoded_values(double step, std::uint32_t seed, std::uint32_t rarely) {
  constexpr std::uint64_t sign = std::uint64_t{1} << (sizeof(T) * 8 - 1);
  constexpr std::uint64_t signalling = sizeof(T) == 4 ? 0x7F800123 : 0x7FF0000000000123;
  std::vector<T> values;
  std::uint32_t random = seed;
  for (std::size_t i = 0; i < particles; ++i) {
    random = random * 1664525u + 1013904223u;
    const double on_grid = static_cast<double>(static_cast<std::int32_t>(random) >> 20) * step;
    const T value = static_cast<T>(on_grid);
    if (random >> 8 & 15 && (random >> 12) % rarely != 0) {
      values.push_back(value);
      continue;
    }
    switch (random >> 5 & 3) {
      case 0:
        values.push_back(from_bits<T>(sign));  // -0
        break;
      case 1:
        values.push_back(from_bits<T>(signalling));
        break;
      case 2:
        values.push_back(std::nextafter(value, static_cast<T>(1e6)));
        break;
      default:
        values.push_back(static_cast<T>(on_grid + 0.3 * step));
    }
  }
  return values;
}

struct Snapshot {
  std::vector<double> x;
  std::vector<float> v;
  std::vector<std::int64_t> id;

  Snapshot(std::uint32_t seed, std::uint32_t rarely, bool at_rest)
      : x(decoded_values<double>(grid_step(bound), at_rest ? 1 : seed, rarely)),
        v(decoded_values<float>(grid_step(bound, ValueType::float32), seed + 7, rarely)) {
    for (std::size_t i = 0; i < particles; ++i) id.push_back(static_cast<std::int64_t>(i * 7919 % particles));
  }

  std::vector<FieldInput> fields(bool with_ids) const {
    std::vector<FieldInput> inputs(with_ids ? 3 : 2);
    const auto set = [](FieldInput &input, const char *name, ValueType type, ConstArray array) {
      input.field.type = type;
      input.field.components = {{name, 0}};
      if (type != ValueType::integer) {
        input.field.bound = bound;
        input.field.largest_error = 0.004;
        input.decoded = true;
      }
      input.components[0] = array;
    };
    set(inputs[0], "x", ValueType::float64, {x.data(), 8, Type::float64});
    set(inputs[1], "v", ValueType::float32, {v.data(), 4, Type::float32});
    if (with_ids) set(inputs[2], "id", ValueType::integer, {id.data(), 8, Type::int64});
    inputs[0].field.leading = true;
    return inputs;
  }
};

struct Case {
  Effort effort;
  Order order;
  unsigned interval;
  std::uint32_t rarely;
  bool with_ids;
};

class Rewrite : public testing::TestWithParam<Case> {};

TEST_P(Rewrite, KeepsEveryBit) {
  const Case here = GetParam();
  std::vector<Snapshot> snapshots;
  for (std::uint32_t f = 0; f < 5; ++f) snapshots.emplace_back(f + 1, here.rarely, f % 2 == 0);
  Bytes bytes;
  Writer writer(bytes, {});
  writer.set_effort(here.effort);
  writer.set_order(here.order);
  writer.set_key_interval(here.interval);
  FrameInfo info;
  info.particles = particles;
  for (const Snapshot &snapshot : snapshots) writer.write(info, snapshot.fields(here.with_ids));
  writer.close();
  const Reader reader = reader_of(bytes);
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    SCOPED_TRACE(f);
    std::vector<double> x(particles);
    std::vector<float> v(particles);
    const std::vector<ColumnOutput> outputs = {{"x", {x.data(), 8, Type::float64}},
                                               {"v", {v.data(), 4, Type::float32}}};
    reader.read_columns(f, outputs, particles, {1, here.with_ids});
    std::vector<std::pair<std::uint64_t, std::uint64_t>> found, given;
    const auto found_x = bits_of(x), found_v = bits_of(v);
    const auto given_x = bits_of(snapshots[f].x), given_v = bits_of(snapshots[f].v);
    for (std::size_t i = 0; i < particles; ++i) {
      found.emplace_back(found_x[i], found_v[i]);
      const std::size_t row = here.with_ids ? static_cast<std::size_t>(snapshots[f].id[i]) : i;
      given.resize(particles);
      given[row] = {given_x[i], given_v[i]};
    }
    if (!here.with_ids) {
      std::sort(found.begin(), found.end());
      std::sort(given.begin(), given.end());
    }
    EXPECT_EQ(found, given);
    // The largest error stays the same: the values have not changed.
    for (std::size_t field = 0; field < 2; ++field)
      EXPECT_EQ(reader.info(f).fields[field].largest_error, 0.004) << field;
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Effort effort : {Effort::fast, Effort::standard, Effort::dense})
    for (const Order order : {Order::place, Order::id})
      for (const unsigned interval : {1u, 3u})
        for (const std::uint32_t rarely : {1u, 500u})  // half of them, few of them
          for (const bool with_ids : {false, true}) all.push_back({effort, order, interval, rarely, with_ids});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Cases, Rewrite, testing::ValuesIn(cases()));

// Without being told, an encoder moves what is within the bound to the grid.
TEST(Encode, MovesValuesWithinTheBound) {
  const Snapshot snapshot(3, 500, false);
  std::vector<FieldInput> fields = snapshot.fields(false);
  for (FieldInput &input : fields) input.decoded = false;
  FrameInfo info;
  info.particles = particles;
  Bytes bytes;
  Writer writer(bytes, {});
  writer.write(info, fields);
  writer.close();
  const Frame frame = reader_of(bytes).read(0);
  std::vector<std::uint64_t> found = bits_of(frame.find("x")->floats), given = bits_of(snapshot.x);
  std::sort(found.begin(), found.end());
  std::sort(given.begin(), given.end());
  EXPECT_NE(found, given);
  EXPECT_LE(frame.info.fields[0].largest_error, bound);
}

// A frame that was read, some particles of which are gone.
TEST(Rewrite, TakesFrames) {
  const Snapshot snapshot(5, 500, false);
  FrameInfo info;
  info.particles = particles;
  Bytes bytes;
  Writer writer(bytes, {});
  writer.write(info, snapshot.fields(true));
  writer.close();
  Frame frame = reader_of(bytes).read(0, ReadOptions{1, true});
  for (Frame::Column &column : frame.columns) {
    if (!column.floats.empty()) column.floats.resize(particles / 2);
    if (!column.integers.empty()) column.integers.resize(particles / 2);
  }
  frame.info.particles = particles / 2;
  Bytes again;
  Writer to(again, {});
  to.rewrite(frame);
  to.close();
  const Frame back = reader_of(again).read(0, ReadOptions{1, true});
  for (const Frame::Column &column : frame.columns)
    EXPECT_EQ(bits_of(back.find(frame.name(column))->floats), bits_of(column.floats));
}

}  // namespace
}  // namespace gpz::test::rewrite_test
