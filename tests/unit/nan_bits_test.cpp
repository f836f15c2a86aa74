// SPDX-License-Identifier: BSD-3-Clause
// The bits of NaNs of float32 fields, signalling ones too, which a conversion to double makes quiet.
#include <cstring>

#include "trajectory_support.hpp"

namespace gpz::test::nan_bits_test {
namespace {

using Type = ConstArray::Type;

constexpr std::size_t particles = 3000;
constexpr std::uint32_t signalling = 0x7F800123;
constexpr std::uint32_t quieted = 0x7FC00123;
constexpr std::uint32_t negative = 0xFF812345;

std::uint32_t bits_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float float_of(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Particle i has id i: positions, velocities with a bound, and a lossless quantity that does not change, except for one
// NaN.
struct Values {
  std::vector<double> x;
  std::vector<float> v;  // vx vy vx vy ...
  std::vector<float> q;
  std::vector<std::int64_t> id;

  explicit Values(std::size_t frame) {
    for (std::size_t i = 0; i < particles; ++i) {
      x.push_back(0.01 * static_cast<double>(i * 7919 % particles + frame));
      v.push_back(0.1F * static_cast<float>(i % 17));
      v.push_back(0.1F * static_cast<float>(i % 13));
      q.push_back(1.0F / static_cast<float>(i + 1));
      id.push_back(static_cast<std::int64_t>(i));
    }
    v[2 * 7] = float_of(signalling);
    v[2 * 2000 + 1] = float_of(negative);
    q[9] = float_of(frame % 3 == 2 ? quieted : signalling);
    q[1500] = float_of(negative);
  }

  std::vector<FieldInput> inputs() const {
    const auto field = [](ValueType type, double bound, const std::vector<std::string> &names, const void *data,
                          std::ptrdiff_t size, Type stored) {
      FieldInput input;
      input.field.type = type;
      input.field.bound = bound;
      for (std::size_t d = 0; d < names.size(); ++d) {
        input.field.components.push_back({names[d], 0});
        input.components[d] = {static_cast<const char *>(data) + static_cast<std::ptrdiff_t>(d) * size,
                               size * static_cast<std::ptrdiff_t>(names.size()), stored};
      }
      return input;
    };
    std::vector<FieldInput> all = {field(ValueType::float64, 0.001, {"x"}, x.data(), 8, Type::float64),
                                   field(ValueType::float32, 0.01, {"vx", "vy"}, v.data(), 4, Type::float32),
                                   field(ValueType::float32, 0, {"q"}, q.data(), 4, Type::float32),
                                   field(ValueType::integer, 0, {"id"}, id.data(), 8, Type::int64)};
    all[0].field.leading = true;
    return all;
  }
};

Bytes file_in(Order order) {
  Bytes bytes;
  Writer writer(bytes, small_metadata());
  writer.set_key_interval(4);
  writer.set_order(order);
  for (std::size_t frame = 0; frame < 6; ++frame) {
    const Values values(frame);
    FrameInfo info;
    info.particles = particles;
    writer.write(info, values.inputs());
  }
  writer.close();
  return bytes;
}

void expect_bits(const std::vector<float> &got, const std::vector<float> &given) {
  ASSERT_EQ(got.size(), given.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(bits_of(got[i]), bits_of(given[i])) << i;
}

void expect_velocities(const std::vector<float> &v) {
  EXPECT_EQ(bits_of(v[2 * 7]), signalling);
  EXPECT_EQ(bits_of(v[2 * 2000 + 1]), negative);
}

class NanBits : public testing::TestWithParam<Order> {};

TEST_P(NanBits, AreThoseOfTheWriterInFloat32) {
  const Bytes bytes = file_in(GetParam());
  const Reader reader = reader_of(bytes);
  ASSERT_NE(reader.info(3).since_key, 0);
  for (std::size_t frame = 0; frame < reader.frames(); ++frame) {
    SCOPED_TRACE(frame);
    const Values given(frame);
    std::vector<float> v(2 * particles);
    std::vector<float> q(particles);
    const auto columns_of = [&](Type of_vx, void *vx) -> std::vector<ColumnOutput> {
      return {{"vx", {vx, 8, of_vx}}, {"vy", {v.data() + 1, 8, Type::float32}}, {"q", {q.data(), 4, Type::float32}}};
    };
    reader.read_columns(frame, columns_of(Type::float32, v.data()), particles, {1, true});
    expect_velocities(v);
    expect_bits(q, given.q);

    // Beside a component in doubles.
    std::vector<double> vx(particles);
    std::fill(v.begin(), v.end(), 0.0F);
    reader.read_columns(frame, columns_of(Type::float64, vx.data()), particles, {2, true});
    EXPECT_EQ(bits_of(v[2 * 2000 + 1]), negative);
    EXPECT_TRUE(std::isnan(vx[7]));

    // As they are stored, in columns without gaps.
    std::vector<float> stored(particles);
    std::vector<std::int64_t> id(particles);
    std::vector<float> sorted(particles);
    reader.read_columns(frame, {{"q", {stored.data(), 4, Type::float32}}, {"id", {id.data(), 8, Type::int64}}},
                        particles);
    for (std::size_t i = 0; i < particles; ++i) sorted[static_cast<std::size_t>(id[i])] = stored[i];
    expect_bits(sorted, given.q);
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, NanBits, testing::Values(Order::place, Order::id));

}  // namespace
}  // namespace gpz::test::nan_bits_test
