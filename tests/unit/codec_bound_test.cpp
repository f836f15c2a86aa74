// SPDX-License-Identifier: BSD-3-Clause
// The promise: every finite value within its bound, everything else bit by bit. Checked in quadruple precision.
#include <gtest/gtest.h>

#include <cstring>

#include "codec_support.hpp"
#include "gpz/error.hpp"

namespace gpz::test::codec_bound_test {
namespace {

// Encodes with an id column, since the order of particles changes, and returns decoded values by particle.
template <typename T>
std::vector<double> by_particle(const std::vector<T> &values, int components, double bound) {
  const std::size_t n = values.size() / static_cast<std::size_t>(components);
  std::vector<std::int64_t> ids(n);
  for (std::size_t i = 0; i < n; ++i) ids[i] = static_cast<std::int64_t>(i);
  const std::vector<FieldInput> fields = {field("x", values, components, bound, true), field("id", ids, 1, 0, false)};
  const EncodedChunk chunk = encode(fields, n);
  const Frame frame = decode(fields, chunk);
  std::vector<double> out(values.size(), std::numeric_limits<double>::quiet_NaN());
  const auto &id = frame.columns.back().integers;
  for (std::size_t j = 0; j < n; ++j)
    for (int d = 0; d < components; ++d)
      out[static_cast<std::size_t>(id[j] * components + d)] = frame.columns[static_cast<std::size_t>(d)].floats[j];
  return out;
}

template <typename T>
void expect_within(const std::vector<T> &values, int components, double bound, const std::string &what) {
  const std::vector<double> decoded = by_particle(values, components, bound);
  std::size_t misses = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!within(values[i], decoded[i], bound) && ++misses <= 3)
      ADD_FAILURE() << what << ": value " << values[i] << " came back as " << decoded[i] << ", bound " << bound;
  EXPECT_EQ(misses, 0u) << what;
}

template <typename T>
class Bound : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Bound, Floats, );

TYPED_TEST(Bound, HoldsForManyRandomValues) {
  using T = TypeParam;
  Random random(1);
  // 12 million values for each type, in clouds of different width, centre and bound (near edges: tests/values).
  constexpr std::size_t particles = 1u << 20;
  std::vector<T> values(3 * particles);
  for (int round = 0; round < 4; ++round) {
    const double width = std::pow(10.0, random.uniform(-3, 4));
    const double centre = width * random.uniform(-3, 3);
    const double bound = width * std::pow(10.0, random.uniform(-7, -0.5));
    for (auto &value : values) value = static_cast<T>(centre + random.uniform(-width, width));
    expect_within(values, 3, bound, "round " + std::to_string(round));
  }
}

TYPED_TEST(Bound, HoldsAtTheEdgesOfGridCells) {
  using T = TypeParam;
  Random random(2);
  for (const double bound : {0.5, 0.001, 1.0 / 3.0, 1e-6, 123.456}) {
    std::vector<T> values;
    for (const double step : {2 * bound, grid_step(bound)}) {
      for (int i = 0; i < 3000; ++i) {
        const double index = std::floor(random.uniform(-1e5, 1e5));
        for (const double edge : {index * step, (index + 0.5) * step}) {
          T value = static_cast<T>(edge);
          for (int k = 0; k < 4; ++k) value = std::nextafter(value, -std::numeric_limits<T>::infinity());
          for (int k = 0; k < 9; ++k) {
            values.push_back(value);
            value = std::nextafter(value, std::numeric_limits<T>::infinity());
          }
        }
      }
    }
    expect_within(values, 1, bound, "edges");
  }
}

TYPED_TEST(Bound, HoldsForBoundsOfAnyMagnitude) {
  using T = TypeParam;
  Random random(3);
  for (int exponent = -30; exponent <= 30; exponent += 3) {
    const double bound = std::pow(10.0, exponent);
    for (const double scale : {1e-30, 1e-6, 1.0, 1e6, 1e30}) {
      std::vector<T> values(3 * 1500);
      for (auto &value : values) value = static_cast<T>(scale * random.uniform(-1, 1));
      expect_within(values, 3, bound, "bound 1e" + std::to_string(exponent) + " scale " + std::to_string(scale));
    }
  }
  std::vector<T> values(3 * 1500);
  for (auto &value : values) value = static_cast<T>(random.uniform(-1, 1));
  for (const double bound : {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::min(),
                             std::numeric_limits<double>::max()})
    expect_within(values, 3, bound, "extreme bound");
}

TYPED_TEST(Bound, SpecialValuesComeBackBitByBit) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  Random random(4);
  const std::vector<T> special = {Limits::quiet_NaN(),
                                  -Limits::quiet_NaN(),
                                  Limits::infinity(),
                                  -Limits::infinity(),
                                  Limits::max(),
                                  Limits::lowest(),
                                  Limits::denorm_min(),
                                  T(-0.0),
                                  T(3e9),
                                  T(1e17)};
  for (const int components : {1, 2, 3}) {
    for (const std::size_t every : {2u, 7u, 400u, 100000u}) {
      std::vector<T> values(static_cast<std::size_t>(components) * 3000);
      for (auto &value : values) value = static_cast<T>(random.uniform(0, 10));
      for (std::size_t i = 1; i < values.size(); i += every) values[i] = special[random.below(special.size())];
      const std::vector<double> decoded = by_particle(values, components, 0.01);
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_TRUE(within(values[i], decoded[i], 0.01)) << values[i] << " " << decoded[i];
        if (std::isfinite(values[i]) && std::fabs(values[i]) < T(1e18)) continue;  // the grid may hold it
        const T back = static_cast<T>(decoded[i]);
        EXPECT_EQ(std::memcmp(&values[i], &back, sizeof(T)), 0) << values[i];
      }
    }
  }
}

TEST(BoundOfDoubles, NanPayloadsSurviveTheGridAndLosslessFields) {
  std::vector<double> values(100, 1.0);
  const std::uint64_t payload = 0xFFF8000000ABCDEFu;
  std::memcpy(&values[42], &payload, sizeof(payload));
  for (const double bound : {0.0, 0.1}) {
    const std::vector<FieldInput> fields = {field("v", values, 1, bound, false)};
    const Frame frame = decode(fields, encode(fields, values.size()));
    std::uint64_t back = 0;
    std::memcpy(&back, &frame.columns[0].floats[42], sizeof(back));
    EXPECT_EQ(back, payload);
  }
}

TEST(BoundOfDoubles, LargestErrorIsTheLargestError) {
  Random random(5);
  std::vector<double> values(3 * 5000);
  for (auto &value : values) value = random.uniform(0, 100);
  const EncodedChunk chunk = encode({field("x", values, 3, 0.01, true)}, 5000);
  const std::vector<double> decoded = by_particle(values, 3, 0.01);
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) largest = std::fmax(largest, std::fabs(values[i] - decoded[i]));
  EXPECT_EQ(chunk.largest_error[0], largest);
}

TEST(BoundOfDoubles, ExceptionsAreRareOnDecimalData) {
  // Coordinates with three decimals and a bound of half or a whole unit of the last: every value sits at the edge of a
  // cell.
  Random random(6);
  std::vector<double> values(3 * 4096);
  for (auto &value : values) value = static_cast<double>(random.below(1000000)) / 1000.0;
  for (const double bound : {0.0005, 0.001}) {
    const EncodedChunk chunk = encode({field("x", values, 3, bound, true)}, 4096);
    EXPECT_LT(chunk.bytes.size(), values.size() * 3);
  }
}

TEST(BoundRefused, NegativeNanInfinite) {
  const std::vector<double> values(3, 1.0);
  for (const double bound : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(encode({field("x", values, 3, bound, true)}, 1), Error);
    EXPECT_THROW(grid_step(bound), Error);
  }
  EXPECT_THROW(grid_step(0), Error);
}

}  // namespace
}  // namespace gpz::test::codec_bound_test
