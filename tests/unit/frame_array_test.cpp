// SPDX-License-Identifier: BSD-3-Clause
// Arrays of frames: bounds, order of rows, ranges of frames, threads, sizes of heads, wrong arguments, damaged bytes.
#include "gpz/frame_array.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/error.hpp"
#include "gpz/gpz.h"
#include "gpz/reader.hpp"
#include "gpz/writer.hpp"

namespace gpz::frame_array_test {
namespace {

template <typename T>
constexpr ValueType type_of() {
  return sizeof(T) == 8 ? ValueType::float64 : ValueType::float32;
}

template <typename T>
struct Array3 {
  FrameArrayShape shape;
  std::vector<T> values;
};

// Chains of three particles, each near the one before, that move a little from frame to frame through a periodic box.
template <typename T>
Array3<T> chains(std::size_t frames, std::size_t particles, double edge = 20, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> position(0, edge);
  std::normal_distribution<double> step(0, 0.05);
  std::vector<double> now(3 * particles);
  for (std::size_t i = 0; i < particles; ++i)
    for (std::size_t d = 0; d < 3; ++d)
      now[3 * i + d] = i % 3 == 0 ? position(random) : now[3 * (i - 1) + d] + 0.5 + step(random);
  Array3<T> array{{type_of<T>(), frames, particles, 3}, {}};
  for (std::size_t t = 0; t < frames; ++t)
    for (double &x : now) {
      x += step(random);
      array.values.push_back(static_cast<T>(x - edge * std::floor(x / edge)));
    }
  return array;
}

template <typename T>
std::vector<T> decompressed(const Bytes &bytes, std::uint64_t first, std::uint64_t count, int threads = 1) {
  FrameArrayShape shape = frame_array_info(bytes.data(), bytes.size()).shape;
  shape.frames = count;
  std::vector<T> values(shape.bytes() / sizeof(T));
  decompress_frames(bytes.data(), bytes.size(), first, count, values.data(), shape.bytes(), {threads, {}});
  return values;
}

template <typename T>
void expect_within(const std::vector<T> &values, const std::vector<T> &original, double bound) {
  ASSERT_EQ(values.size(), original.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    ASSERT_LE(std::fabs(static_cast<double>(values[k]) - static_cast<double>(original[k])), bound) << k;
}

template <typename F>
Status status_of(const F &f) {
  try {
    f();
  } catch (const Error &error) {
    return error.status();
  }
  return Status::ok;
}

FrameArrayOptions with_bound(double bound, unsigned key_interval = default_key_interval) {
  FrameArrayOptions options;
  options.bound = bound;
  options.key_interval = key_interval;
  return options;
}

template <typename T>
class FrameArray : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(FrameArray, Types, );

TYPED_TEST(FrameArray, KeepsBoundAndRowsAtEveryEffort) {
  const auto array = chains<TypeParam>(7, 900);
  for (const Effort effort : {Effort::fast, Effort::standard, Effort::dense})
    for (const unsigned interval : {1u, 3u, 100u}) {
      FrameArrayOptions options = with_bound(0.002, interval);
      options.effort = effort;
      const Bytes bytes = compress_frames(array.values.data(), array.shape, options);
      const FrameArrayInfo info = frame_array_info(bytes.data(), bytes.size());
      EXPECT_EQ(info.shape, array.shape);
      EXPECT_EQ(info.bound, 0.002);
      expect_within(decompressed<TypeParam>(bytes, 0, 7), array.values, 0.002);
    }
}

TYPED_TEST(FrameArray, LosslessKeepsBits) {
  auto array = chains<TypeParam>(3, 100);
  array.values[5] = std::numeric_limits<TypeParam>::quiet_NaN();
  array.values[301] = -std::numeric_limits<TypeParam>::infinity();
  const Bytes bytes = compress_frames(array.values.data(), array.shape);
  const auto values = decompressed<TypeParam>(bytes, 0, 3);
  EXPECT_EQ(std::memcmp(values.data(), array.values.data(), array.shape.bytes()), 0);
}

TYPED_TEST(FrameArray, ValuesOffTheGridKeepTheirBits) {
  auto array = chains<TypeParam>(3, 100);
  array.values[7] = std::numeric_limits<TypeParam>::quiet_NaN();
  array.values[308] = std::numeric_limits<TypeParam>::infinity();
  array.values[610] = static_cast<TypeParam>(-3e30);
  const Bytes bytes = compress_frames(array.values.data(), array.shape, with_bound(0.001));
  const auto values = decompressed<TypeParam>(bytes, 0, 3);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k == 7 || k == 308 || k == 610)
      EXPECT_EQ(std::memcmp(&values[k], &array.values[k], sizeof(TypeParam)), 0) << k;
    else
      EXPECT_LE(std::fabs(static_cast<double>(values[k]) - static_cast<double>(array.values[k])), 0.001) << k;
  }
}

TYPED_TEST(FrameArray, EveryRangeOfFramesIsThatOfAll) {
  const auto array = chains<TypeParam>(9, 120);
  const Bytes bytes = compress_frames(array.values.data(), array.shape, with_bound(0.01, 4));
  const auto all = decompressed<TypeParam>(bytes, 0, 9);
  const std::size_t frame = 3 * 120;
  for (std::uint64_t first = 0; first <= 9; ++first)
    for (std::uint64_t count = 0; first + count <= 9; ++count) {
      const auto some = decompressed<TypeParam>(bytes, first, count);
      ASSERT_EQ(some, std::vector<TypeParam>(all.begin() + static_cast<std::ptrdiff_t>(first * frame),
                                             all.begin() + static_cast<std::ptrdiff_t>((first + count) * frame)));
    }
}

TYPED_TEST(FrameArray, BytesAndValuesDoNotDependOnThreads) {
  const auto array = chains<TypeParam>(10, 40000);
  FrameArrayOptions options = with_bound(0.005, 3);
  const Bytes bytes = compress_frames(array.values.data(), array.shape, options);
  const auto values = decompressed<TypeParam>(bytes, 0, 10);
  for (const int threads : {2, 3, 16}) {
    options.threads = threads;
    EXPECT_EQ(compress_frames(array.values.data(), array.shape, options), bytes);
    EXPECT_EQ(decompressed<TypeParam>(bytes, 0, 10, threads), values);
    EXPECT_EQ(decompressed<TypeParam>(bytes, 4, 1, threads),
              std::vector<TypeParam>(values.begin() + 4 * 120000, values.begin() + 5 * 120000));
  }
}

TYPED_TEST(FrameArray, OneAndTwoComponents) {
  for (const unsigned components : {1u, 2u}) {
    auto array = chains<TypeParam>(4, 300);
    array.shape.components = components;
    array.values.resize(4 * 300 * components);
    const Bytes bytes = compress_frames(array.values.data(), array.shape, with_bound(0.003));
    EXPECT_EQ(frame_array_info(bytes.data(), bytes.size()).shape, array.shape);
    expect_within(decompressed<TypeParam>(bytes, 0, 4), array.values, 0.003);
  }
}

TEST(FrameArrays, NoiseKeepsItsRows) {
  // Nothing predicts these: chunks are sorted by position, and rows have to be found by their ids.
  std::mt19937 random(3);
  std::uniform_real_distribution<float> any(-1000, 1000);
  std::vector<float> values(3 * 5000 * 2);
  for (float &x : values) x = any(random);
  for (const Effort effort : {Effort::fast, Effort::standard}) {
    FrameArrayOptions options = with_bound(0.5);
    options.effort = effort;
    const Bytes bytes = compress_frames(values.data(), {ValueType::float32, 2, 5000, 3}, options);
    expect_within(decompressed<float>(bytes, 0, 2), values, 0.5);
    expect_within(decompressed<float>(bytes, 1, 1), std::vector<float>(values.begin() + 15000, values.end()), 0.5);
  }
}

TEST(FrameArrays, EmptyArrays) {
  for (const FrameArrayShape shape :
       {FrameArrayShape{ValueType::float32, 0, 10, 3}, {ValueType::float64, 4, 0, 3}, {ValueType::float32, 0, 0, 1}}) {
    const Bytes bytes = compress_frames(nullptr, shape, with_bound(0.1));
    EXPECT_EQ(frame_array_info(bytes.data(), bytes.size()).shape, shape);
    decompress_frames(bytes.data(), bytes.size(), 0, shape.frames, nullptr, 0);
  }
}

TEST(FrameArrays, OneParticle) {
  const std::vector<double> values = {1, 2, 3, 1.5, 2.5, 3.5};
  const Bytes bytes = compress_frames(values.data(), {ValueType::float64, 2, 1, 3}, with_bound(0.01));
  expect_within(decompressed<double>(bytes, 0, 2), values, 0.01);
}

TEST(FrameArrays, KnownBoxesDoNotCostAndAreNotNeeded) {
  const auto array = chains<float>(6, 3000, 20);
  FrameArrayOptions options = with_bound(0.002);
  const Bytes guessed = compress_frames(array.values.data(), array.shape, options);
  Box box;
  box.kind = Box::Kind::orthogonal;
  box.boundary = {'p', 'p', 'p', 'p', 'p', 'p'};
  box.values = {0, 20, 0, 20, 0, 20};
  options.boxes = {box};
  const Bytes known = compress_frames(array.values.data(), array.shape, options);
  EXPECT_LE(known.size(), guessed.size());
  expect_within(decompressed<float>(known, 0, 6), array.values, 0.002);
  options.boxes.resize(6, box);
  EXPECT_EQ(compress_frames(array.values.data(), array.shape, options), known);
}

TEST(FrameArrays, HeadsAreShort) {
  // A frame of 3,341 particles: a file with the same sections takes more than 400 bytes more.
  const auto array = chains<float>(1, 3341);
  const Bytes bytes = compress_frames(array.values.data(), array.shape, with_bound(0.005));
  std::vector<std::int32_t> ids(3341);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(i + 1);
  std::vector<FieldInput> fields(2);
  fields[0].field.type = ValueType::float32;
  fields[0].field.leading = true;
  fields[0].field.bound = 0.005;
  fields[0].field.components = {{"x", 0}, {"y", 1}, {"z", 2}};
  for (std::size_t d = 0; d < 3; ++d)
    fields[0].components[d] = {array.values.data() + d, 12, ConstArray::Type::float32};
  fields[1].field.type = ValueType::integer;
  fields[1].field.components = {{"id", 3}};
  fields[1].components[0] = {ids.data(), 4, ConstArray::Type::int32};
  Bytes file;
  Writer writer(file, {});
  FrameInfo info;
  info.particles = 3341;
  writer.write(info, fields);
  writer.close();
  EXPECT_LT(bytes.size() + 400, file.size());
}

TEST(FrameArrays, WrongArguments) {
  const std::vector<float> values(30);
  const FrameArrayShape shape{ValueType::float32, 1, 10, 3};
  const auto compress = [&](const FrameArrayShape &to, const FrameArrayOptions &options) {
    return status_of([&] { compress_frames(values.data(), to, options); });
  };
  EXPECT_EQ(compress(shape, with_bound(-1)), Status::invalid_argument);
  EXPECT_EQ(compress(shape, with_bound(std::nan(""))), Status::invalid_argument);
  EXPECT_EQ(compress(shape, with_bound(std::numeric_limits<double>::infinity())), Status::invalid_argument);
  EXPECT_EQ(compress(shape, with_bound(1, 0)), Status::invalid_argument);
  EXPECT_EQ(compress(shape, with_bound(1, max_key_interval + 1)), Status::invalid_argument);
  EXPECT_EQ(compress({ValueType::float32, 1, 10, 0}, {}), Status::invalid_argument);
  EXPECT_EQ(compress({ValueType::float32, 1, 10, 4}, {}), Status::invalid_argument);
  EXPECT_EQ(compress({ValueType::integer, 1, 10, 3}, {}), Status::invalid_argument);
  EXPECT_EQ(compress({ValueType::float32, 1, std::uint64_t{1} << 31, 3}, {}), Status::limit_exceeded);
  EXPECT_EQ(compress({ValueType::float32, std::uint64_t{1} << 62, 10, 3}, {}), Status::limit_exceeded);
  FrameArrayOptions boxes;
  boxes.boxes.resize(2);
  EXPECT_EQ(compress(shape, boxes), Status::invalid_argument);
  EXPECT_EQ(status_of([&] { compress_frames(nullptr, shape, {}); }), Status::invalid_argument);

  const Bytes bytes = compress_frames(values.data(), shape, {});
  std::vector<float> out(30);
  const auto decompress = [&](std::uint64_t first, std::uint64_t count, std::size_t capacity) {
    return status_of([&] { decompress_frames(bytes.data(), bytes.size(), first, count, out.data(), capacity); });
  };
  EXPECT_EQ(decompress(0, 1, 120), Status::ok);
  EXPECT_EQ(decompress(0, 1, 119), Status::limit_exceeded);
  EXPECT_EQ(decompress(0, 2, 1200), Status::not_found);
  EXPECT_EQ(decompress(2, 0, 1200), Status::not_found);
  EXPECT_EQ(decompress(1, ~std::uint64_t{0}, 1200), Status::not_found);
}

TEST(FrameArrays, FilesAndFrameArraysAreToldApart) {
  const std::vector<float> values(30);
  const Bytes array = compress_frames(values.data(), {ValueType::float32, 1, 10, 3}, {});
  EXPECT_EQ(status_of([&] { Reader(array.data(), array.size()); }), Status::unsupported_version);
  Bytes file;
  Writer(file, {}).close();
  EXPECT_EQ(status_of([&] { frame_array_info(file.data(), file.size()); }), Status::unsupported);
  EXPECT_EQ(status_of([&] { frame_array_info("ITEM: TIMESTEP", 14); }), Status::not_gpz);
}

TEST(FrameArrays, DamageIsFound) {
  const auto array = chains<float>(4, 200);
  const Bytes bytes = compress_frames(array.values.data(), array.shape, with_bound(0.01, 2));
  std::vector<float> out(array.values.size());
  const auto read = [&](const Bytes &damaged) {
    return status_of([&] { decompress_frames(damaged.data(), damaged.size(), 0, 4, out.data(), 4 * out.size()); });
  };
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_NE(read(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size))), Status::ok) << size;
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    Bytes damaged = bytes;
    damaged[k] = static_cast<std::uint8_t>(damaged[k] ^ 0x10);
    // The minor version says nothing: byte 10 and 11. The checksum covers it.
    ASSERT_NE(read(damaged), Status::ok) << k;
  }
}

TEST(FrameArrays, LimitsHold) {
  const auto array = chains<float>(2, 30000);
  const Bytes bytes = compress_frames(array.values.data(), array.shape, with_bound(0.01));
  std::vector<float> out(array.values.size());
  FrameArrayReadOptions options;
  options.limits.memory = 1000;
  EXPECT_EQ(
      status_of([&] { decompress_frames(bytes.data(), bytes.size(), 0, 2, out.data(), 4 * out.size(), options); }),
      Status::limit_exceeded);
}

// 70 bytes that say that they are two thousand million particles cost no memory for these.
TEST(FrameArrays, FewBytesAreNotManyParticles) {
  const std::vector<float> values(3000, 1.5F);
  Bytes bytes = compress_frames(values.data(), {ValueType::float32, 1, 1000, 3}, with_bound(0.1));
  ASSERT_EQ(bytes[17], 0xE8);  // 1,000 as a number of two bytes
  ASSERT_EQ(bytes[18], 0x07);
  const Bytes most = {0xFF, 0xFF, 0xFF, 0xFF, 0x07};  // 2^31 - 1
  bytes.erase(bytes.begin() + 17, bytes.begin() + 19);
  bytes.insert(bytes.begin() + 17, most.begin(), most.end());
  const std::uint64_t checksum = chunk_checksum(bytes.data(), bytes.size() - 8);
  for (std::size_t k = 0; k < 8; ++k) bytes[bytes.size() - 8 + k] = static_cast<std::uint8_t>(checksum >> 8 * k);
  ASSERT_EQ(frame_array_info(bytes.data(), bytes.size()).shape.particles, 2147483647U);
  float out = 0;
  FrameArrayReadOptions options;
  options.limits.memory = Limits::unlimited;
  // The bytes are refused before a value is written, so that the room need not be there.
  EXPECT_EQ(
      status_of([&] { decompress_frames(bytes.data(), bytes.size(), 0, 1, &out, std::size_t{1} << 40, options); }),
      Status::corrupt);
}

TEST(FrameArrays, FromC) {
  const auto array = chains<double>(3, 500);
  gpz_frame_array given = gpz_new_frame_array(GPZ_FLOAT64, 3, 500, 3, 0.004);
  gpz_frame box = gpz_new_frame(500, 0);
  given.boxes = &box;
  given.box_count = 1;
  void *bytes = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(gpz_compress_frames(&given, array.values.data(), &bytes, &size), GPZ_OK);
  gpz_frame_array found = gpz_new_frame_array(GPZ_FLOAT32, 0, 0, 1, 0);
  ASSERT_EQ(gpz_frame_array_info(bytes, size, &found), GPZ_OK);
  EXPECT_EQ(found.frames, 3u);
  EXPECT_EQ(found.particles, 500u);
  EXPECT_EQ(found.components, 3u);
  EXPECT_EQ(found.type, GPZ_FLOAT64);
  EXPECT_EQ(found.bound, 0.004);
  std::vector<double> values(array.values.size());
  ASSERT_EQ(gpz_decompress_frames(bytes, size, 0, 3, values.data(), 8 * values.size(), 1, 0), GPZ_OK);
  expect_within(values, array.values, 0.004);
  EXPECT_EQ(gpz_decompress_frames(bytes, size, 3, 1, values.data(), 8 * values.size(), 1, 0), GPZ_NOT_FOUND);
  EXPECT_EQ(gpz_decompress_frames(bytes, size, 0, 1, values.data(), 8 * values.size(), -1, 0), GPZ_INVALID_ARGUMENT);
  gpz_free(bytes);
  given.box_count = 2;
  EXPECT_EQ(gpz_compress_frames(&given, array.values.data(), &bytes, &size), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(bytes, nullptr);
  given = gpz_new_frame_array(GPZ_INT32, 3, 500, 3, 0.004);
  EXPECT_EQ(gpz_compress_frames(&given, array.values.data(), &bytes, &size), GPZ_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace gpz::frame_array_test
