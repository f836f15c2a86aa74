// SPDX-License-Identifier: BSD-3-Clause
// Values and bounds at the ends of what there is: bit for bit where that is promised, refused where nothing can be.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "edge_values.hpp"
#include "gpz/error.hpp"
#include "value_file.hpp"

namespace gpz::values::special_values_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::vector<std::int64_t> ids(std::size_t particles) {
  std::vector<std::int64_t> out(particles);
  std::iota(out.begin(), out.end(), -5);
  return out;
}

template <typename T, typename Bits>
T of_bits(Bits bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// NaNs with payloads, quiet and signalling, of both signs; infinities; zeros; the ends of the subnormal and of the
// normal values; values of many bounds.
template <typename T>
std::vector<T> special_values(double bound) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> out = {Limits::infinity(),   Limits::max(), Limits::min(), std::nextafter(Limits::min(), T(0)),
                        Limits::denorm_min(), T(0),          T(1),          T(1) + Limits::epsilon()};
  for (const std::uint64_t payload : {0x1ULL, 0x2AAAAULL, 0x3FFFFFULL})
    for (const bool quiet : {false, true}) {
      if constexpr (sizeof(T) == 4)
        out.push_back(of_bits<T>(static_cast<std::uint32_t>(0x7F800000 | payload | (quiet ? 0x400000 : 0))));
      else
        out.push_back(of_bits<T>(0x7FF0000000000000ULL | payload << 29 | payload | (quiet ? 0x8000000000000ULL : 0)));
    }
  // 2^31 bounds, 2^51 and 2^53 grid steps and their neighbourhood.
  for (const double size : {0x1p30, 0x1p31, 0x1p32, 0x1p50, 0x1p51, 0x1p52, 0x1p53, 0x1p54, 0x1p62, 0x1p63, 0x1p64})
    for (const double factor : {1 - 0x1p-12, 1 - 0x1p-30, 1.0, 1 + 0x1p-30, 1 + 0x1p-12, 2 * (1 - 0x1p-12)})
      out.push_back(static_cast<T>(bound * size * factor));
  const std::size_t positive = out.size();
  out.reserve(2 * positive);
  for (std::size_t i = 0; i < positive; ++i) out.push_back(std::copysign(out[i], T(-1)));
  for (const T value : out)
    if (std::signbit(value) && std::isnan(value)) return out;
  ADD_FAILURE() << "no negative NaN";
  return out;
}

template <typename T>
class SpecialValues : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(SpecialValues, Floats, );

// Among ordinary values, few and many of them, in a key frame and in difference frames.
TYPED_TEST(SpecialValues, ComeBack) {
  using T = TypeParam;
  constexpr std::size_t particles = 1500;
  constexpr std::size_t frames = 4;
  const std::vector<std::vector<std::string>> names = {{"x"}, {"x", "y"}, {"x", "y", "z"}};
  for (const double bound : {0.0, 0.01, 1e-30, 5e-324, 1e30, 1e300})
    for (const auto &components : names)
      for (const Order order : {Order::place, Order::id})
        for (const std::uint64_t every : {2U, 50U, 1000U}) {
          const std::vector<T> special = special_values<T>(bound == 0 ? 1 : bound);
          FileOptions options;
          options.order = order;
          options.key_interval = frames;
          FileInMemory file(options);
          std::vector<FrameValues> given(frames);
          for (std::size_t f = 0; f < frames; ++f) {
            std::vector<T> x(particles * components.size());
            for (std::size_t i = 0; i < x.size(); ++i) {
              const std::uint64_t random = hashed(hashed(f) + i);
              x[i] = static_cast<T>(static_cast<double>(hashed(i) % 10000) * 0.001 +
                                    static_cast<double>(random % 1000) * 1e-5);
              if (random % every == 0) x[i] = special[hashed(random) % special.size()];
            }
            std::vector<T> other(x.begin(), x.begin() + particles);
            std::reverse(other.begin(), other.end());
            given[f].particles = particles;
            given[f].fields = {field_of(components, std::move(x), bound), field_of({"v"}, std::move(other), bound),
                               field_of({"id"}, ids(particles))};
            given[f].fields[0].field.leading = true;
            file.write(given[f]);
          }
          file.close();
          for (std::size_t f = 0; f < frames; ++f) {
            const Tally tally = file.compare_frame(f, given[f], "frame " + std::to_string(f));
            ASSERT_EQ(tally.misses, 0U) << tally.first_miss << "; order " << static_cast<int>(order) << ", one of "
                                        << every;
          }
        }
}

// A relative bound is a fraction of the range.
TYPED_TEST(SpecialValues, DoNotCountInTheRange) {
  using T = TypeParam;
  std::vector<T> values = {T(-2.5), T(infinity), T(5.5), T(not_a_number), T(1), -T(infinity)};
  while (values.size() < 500) values.push_back(static_cast<T>(hashed(values.size()) % 1000) * T(0.005));
  const FieldValues field = field_of({"x"}, values);
  EXPECT_EQ(value_range(field.input(), values.size()), 8.0);
  FrameValues frame;
  frame.particles = values.size();
  frame.fields = {field_of({"x"}, values, 8.0 * 1e-3), field_of({"id"}, ids(values.size()))};
  FileInMemory file({});
  file.write(frame);
  file.close();
  const Tally tally = file.compare_frame(0, frame, "relative");
  EXPECT_EQ(tally.misses, 0U) << tally.first_miss;
  EXPECT_GT(tally.largest_error, 0);
}

TEST(Integers, OfTheWholeRangeAreExact) {
  constexpr std::size_t particles = 2100;
  constexpr std::size_t frames = 5;
  for (const Order order : {Order::place, Order::id}) {
    FileOptions options;
    options.order = order;
    options.key_interval = frames;
    FileInMemory file(options);
    std::vector<FrameValues> given(frames);
    std::vector<std::int64_t> id = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
    while (id.size() < particles) id.push_back(static_cast<std::int64_t>(hashed(id.size())));
    std::sort(id.begin(), id.end());
    for (std::size_t f = 0; f < frames; ++f) {
      std::vector<std::int64_t> any(3 * particles), ends(particles), same(particles);
      std::vector<double> x(particles);
      for (std::size_t i = 0; i < any.size(); ++i) {
        const std::uint64_t random = hashed(hashed(f) + i);
        any[i] = static_cast<std::int64_t>(random >> (random % 64)) * (random % 3 == 0 ? -1 : 1);
      }
      for (std::size_t i = 0; i < particles; ++i) {
        ends[i] = (i + f) % 2 == 0 ? INT64_MIN : INT64_MAX;
        same[i] = static_cast<std::int64_t>(hashed(i));
        x[i] = static_cast<double>(i);
      }
      given[f].particles = particles;
      given[f].fields = {field_of({"x"}, std::move(x), 0.1), field_of({"a", "b", "c"}, std::move(any)),
                         field_of({"ends"}, std::move(ends)), field_of({"same"}, std::move(same)),
                         field_of({"id"}, id)};
      given[f].fields[0].field.leading = true;
      file.write(given[f]);
    }
    file.close();
    for (std::size_t f = 0; f < frames; ++f) {
      const Tally tally = file.compare_frame(f, given[f], "frame " + std::to_string(f));
      EXPECT_EQ(tally.integers, 6 * particles);
      EXPECT_EQ(tally.misses, 0U) << tally.first_miss;
    }
  }
}

// Before a byte of the frame is written, and without harm to the file.
TEST(Refused, AreBoundsAndStepsThatNoEncoderCanKeep) {
  Bytes bytes;
  Writer writer(bytes, {});
  std::vector<double> x = {1, 2, 3};
  FrameInfo info;
  info.particles = x.size();
  writer.write(info, {field_of({"x"}, x, 0.1).input()});
  const Bytes before = bytes;
  const auto refused = [&](double bound, double step) {
    try {
      writer.write(info, {field_of({"x"}, x, bound, step).input()});
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), Status::invalid_argument);
      EXPECT_EQ(bytes, before);
      return true;
    }
    return false;
  };
  for (const double bound : {-0.1, -5e-324, -infinity, infinity, not_a_number, -not_a_number}) {
    EXPECT_TRUE(refused(bound, 0)) << bound;
    EXPECT_TRUE(refused(bound, 1)) << bound;
    for (const ValueType type : {ValueType::float32, ValueType::float64}) EXPECT_THROW(grid_step(bound, type), Error);
  }
  EXPECT_THROW(grid_step(0), Error);
  EXPECT_THROW(grid_step(-0.0), Error);
  for (const double step : {-0.1, infinity, -infinity, not_a_number}) EXPECT_TRUE(refused(0.1, step)) << step;
  writer.write(info, {field_of({"x"}, x, 0.0).input()});  // lossless
  writer.close();
  EXPECT_EQ(Reader(bytes.data(), bytes.size()).frames(), 2U);
}

}  // namespace
}  // namespace gpz::values::special_values_test
