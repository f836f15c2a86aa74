// SPDX-License-Identifier: BSD-3-Clause
// Decoding into arrays of every layout, and encoding from them: both float types, two and three dimensions, components
// together or apart, gaps, descending order. Whatever lies between the elements stays as it was.
#include <cstring>
#include <limits>
#include <ostream>
#include <string>
#include <tuple>

#include "gpz/cuda_codec.hpp"
#include "gpz/error.hpp"
#include "random_snapshot.hpp"

namespace gpz::test {
namespace {

enum class Order { interleaved, separate, with_gaps, descending };

const char *to_string(Order order) {
  const char *const names[] = {"Interleaved", "Separate", "WithGaps", "Descending"};
  return names[static_cast<int>(order)];
}
void PrintTo(Order order, std::ostream *out) { *out << to_string(order); }

// Where component d of particle i is among elements of one size: base[d] + i * stride.
struct Layout {
  std::ptrdiff_t base[3];
  std::ptrdiff_t stride;
  std::size_t elements;

  std::size_t place(std::size_t d, std::size_t i) const {
    return static_cast<std::size_t>(base[d] + static_cast<std::ptrdiff_t>(i) * stride);
  }
};

Layout layout_of(Order order, int components, std::size_t particles) {
  const auto n = static_cast<std::ptrdiff_t>(particles);
  const std::ptrdiff_t c = components;
  switch (order) {
    case Order::interleaved:
      return {{0, 1, 2}, c, static_cast<std::size_t>(n * c)};
    case Order::separate:
      return {{0, n, 2 * n}, 1, static_cast<std::size_t>(n * c)};
    case Order::with_gaps:  // no power of two is a factor of the distance, nor of where it starts
      return {{1, 3, 4}, 7, static_cast<std::size_t>(n * 7 + 1)};
    case Order::descending:
      break;
  }
  return {{(n - 1) * c, (n - 1) * c + 1, (n - 1) * c + 2}, -c, static_cast<std::size_t>(n * c)};
}

template <typename T>
std::vector<T> random_positions(std::size_t count) {
  Random random(7);
  std::vector<T> x(count);
  for (T &value : x) value = static_cast<T>(random.uniform(-40, 40));
  x[count / 2] = std::numeric_limits<T>::infinity();
  return x;
}

using Case = std::tuple<int, Order>;

class CudaLayout : public testing::TestWithParam<Case> {
 protected:
  static constexpr std::size_t particles = 5 * 1024 + 77;

  void SetUp() override {
    if (gpus() == 0) GTEST_SKIP() << "no GPU on this machine";
  }
  int components() const { return std::get<0>(GetParam()); }
  Layout layout() const { return layout_of(std::get<1>(GetParam()), components(), particles); }

  // What memory looks like after decoding into it, and that it does.
  template <typename Stored, typename Out>
  void decodes_into(bool leading, double bound) const {
    const std::vector<Stored> x = random_positions<Stored>(particles * static_cast<std::size_t>(components()));
    const std::vector<FieldInput> fields = {field("x", x, components(), bound, leading)};
    const EncodedChunk chunk = encode(fields, particles);
    const Frame frame = decode(fields, chunk);
    const Layout at = layout();
    // Besides all components, all but the first.
    for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
      std::vector<std::uint8_t> expected(at.elements * sizeof(Out), DeviceMemory::pattern);
      const DeviceMemory memory(expected.size());
      cuda::FieldOutput output{fields[0].field, {}};
      for (std::size_t d = first; d < frame.columns.size(); ++d) {
        output.components[d] = {memory.as<Out>() + at.base[d], at.stride * static_cast<std::ptrdiff_t>(sizeof(Out)),
                                array_type<Out>()};
        for (std::size_t i = 0; i < particles; ++i) {
          const Out value = static_cast<Out>(frame.columns[d].floats[i]);
          std::memcpy(expected.data() + at.place(d, i) * sizeof(Out), &value, sizeof(Out));
        }
      }
      cuda::Codec codec;
      codec.decode_from_host(chunk.bytes.data(), chunk.bytes.size(), particles, {output});
      ASSERT_TRUE(memory.bytes() == expected) << sizeof(Stored) << " to " << sizeof(Out) << " bytes, leading "
                                              << leading << ", bound " << bound << ", from component " << first;
    }
  }

  template <typename T>
  void encodes_from(bool leading) const {
    const std::vector<T> values = random_positions<T>(layout().elements);
    const Layout at = layout();
    std::vector<FieldInput> fields = {field("x", values, components(), 0.01, leading)};
    const DeviceMemory memory(values.data(), values.size() * sizeof(T));
    std::vector<FieldInput> on_device = fields;
    for (std::size_t d = 0; d < static_cast<std::size_t>(components()); ++d) {
      const std::ptrdiff_t stride = at.stride * static_cast<std::ptrdiff_t>(sizeof(T));
      fields[0].components[d] = {values.data() + at.base[d], stride, array_type<T>()};
      on_device[0].components[d] = {memory.as<T>() + at.base[d], stride, array_type<T>()};
    }
    EncodedChunk chunk;
    cuda::Codec codec;
    codec.encode(on_device, particles, nullptr, chunk);
    const EncodedChunk expected = encode(fields, particles);
    ASSERT_TRUE(chunk.bytes == expected.bytes) << sizeof(T) << " bytes, leading " << leading;
    EXPECT_EQ(chunk.checksum, expected.checksum);
    EXPECT_EQ(chunk.largest_error, expected.largest_error);
  }
};

TEST_P(CudaLayout, DecodesIntoIt) {
  for (const bool leading : {true, false}) {
    for (const double bound : {0.01, 1e-7, 0.0}) {
      decodes_into<float, float>(leading, bound);
      decodes_into<float, double>(leading, bound);
      decodes_into<double, float>(leading, bound);
      decodes_into<double, double>(leading, bound);
    }
  }
}

TEST_P(CudaLayout, EncodesFromIt) {
  for (const bool leading : {true, false}) {
    encodes_from<float>(leading);
    encodes_from<double>(leading);
  }
}

std::string name_of(const testing::TestParamInfo<Case> &info) {
  return to_string(std::get<1>(info.param)) + std::to_string(std::get<0>(info.param)) + "D";
}

INSTANTIATE_TEST_SUITE_P(All, CudaLayout,
                         testing::Combine(testing::Values(1, 2, 3),
                                          testing::Values(Order::interleaved, Order::separate, Order::with_gaps,
                                                          Order::descending)),
                         name_of);

class CudaIntegers : public GpuTest {};

TEST_F(CudaIntegers, GoIntoBothSizes) {
  const std::size_t particles = 3000;
  std::vector<std::int64_t> ids(particles);
  for (std::size_t i = 0; i < particles; ++i) ids[i] = static_cast<std::int64_t>(i * 7919 % 100003) - 50000;
  const std::vector<FieldInput> fields = {field("id", ids, 1, 0, false)};
  const EncodedChunk chunk = encode(fields, particles);
  const DeviceMemory narrow(particles * sizeof(std::int32_t));
  const DeviceMemory wide(particles * sizeof(std::int64_t));
  cuda::Codec codec;
  codec.decode_from_host(chunk.bytes.data(), chunk.bytes.size(), particles,
                         {{fields[0].field, {{narrow.get(), sizeof(std::int32_t), ConstArray::Type::int32}}}});
  codec.decode_from_host(chunk.bytes.data(), chunk.bytes.size(), particles,
                         {{fields[0].field, {{wide.get(), sizeof(std::int64_t), ConstArray::Type::int64}}}});
  const std::vector<std::uint8_t> narrow_bytes = narrow.bytes();
  const std::vector<std::uint8_t> wide_bytes = wide.bytes();
  const std::vector<std::int32_t> expected(ids.begin(), ids.end());
  EXPECT_EQ(std::memcmp(narrow_bytes.data(), expected.data(), narrow_bytes.size()), 0);
  EXPECT_EQ(std::memcmp(wide_bytes.data(), ids.data(), wide_bytes.size()), 0);
}

}  // namespace
}  // namespace gpz::test
