// SPDX-License-Identifier: BSD-3-Clause
// Sequence chunks on a GPU: the CPU's bytes and values, and damaged ones.
#include "gpz/cuda_sequence.hpp"

#include <cstring>
#include <limits>

#include "gpu_support.hpp"
#include "gpz/cuda_trajectory_decoder.hpp"
#include "gpz/format/chunk_head.hpp"
#include "sequence_support.hpp"

namespace gpz::test {
namespace {

template <typename T>
constexpr ConstArray::Type array_type = sizeof(T) == 4 ? ConstArray::Type::float32 : ConstArray::Type::float64;

// How components are in device memory: x y z of one particle after the other; an array each, the second of which begins
// at an odd multiple of 16 bytes; or an array each that begins at an odd place and has gaps.
enum class Layout { interleaved, separate, gaps };
constexpr Layout layouts[] = {Layout::interleaved, Layout::separate, Layout::gaps};

// A cloud in device memory, without its tags, and where it is decoded to: values of type Out.
template <typename T, typename Out = T>
class DeviceCloud {
 public:
  explicit DeviceCloud(const Cloud<T> &cloud, Layout layout = Layout::interleaved)
      : layout_(layout),
        components_(static_cast<std::size_t>(cloud.components)),
        particles_(cloud.size()),
        places_(elements() * sizeof(T)),
        back_(elements() * sizeof(Out)),
        input(cloud.inputs()[0]) {
    std::vector<T> arranged(elements());
    for (std::size_t i = 0; i < particles_; ++i)
      for (std::size_t d = 0; d < components_; ++d) arranged[place(i, d)] = cloud.positions[i * components_ + d];
    check(cudaMemcpy(places_.get(), arranged.data(), places_.size(), cudaMemcpyHostToDevice));
    // The copy of pageable memory may go on, and streams of the tests do not wait for it.
    check(cudaDeviceSynchronize());
    for (std::size_t d = 0; d < components_; ++d) {
      input.components[d] = {places_.template as<T>() + place(0, d), stride() * static_cast<std::ptrdiff_t>(sizeof(T)),
                             array_type<T>};
      output.components[d] = {back_.template as<Out>() + place(0, d),
                              stride() * static_cast<std::ptrdiff_t>(sizeof(Out)), array_type<Out>};
    }
    output.field = input.field;
  }

  // What is decoded, x y z of one particle after the other.
  std::vector<Out> decoded() const {
    const std::vector<std::uint8_t> bytes = back_.bytes();
    std::vector<Out> all(elements());
    std::memcpy(all.data(), bytes.data(), elements() * sizeof(Out));
    std::vector<Out> values;
    for (std::size_t i = 0; i < particles_; ++i)
      for (std::size_t d = 0; d < components_; ++d) values.push_back(all[place(i, d)]);
    return values;
  }

 private:
  std::ptrdiff_t stride() const {
    return layout_ == Layout::separate ? 1 : layout_ == Layout::gaps ? 3 : static_cast<std::ptrdiff_t>(components_);
  }
  std::size_t place(std::size_t i, std::size_t d) const {
    if (layout_ == Layout::interleaved) return i * components_ + d;
    if (layout_ == Layout::separate) return d * ((particles_ + 7) / 8 * 8 + 16 / sizeof(T)) + i;
    return 1 + d * 3 * particles_ + 3 * i;
  }
  std::size_t elements() const { return components_ * 3 * (particles_ + 11) + 1; }

  Layout layout_;
  std::size_t components_;
  std::uint64_t particles_;
  DeviceMemory places_;
  DeviceMemory back_;

 public:
  FieldInput input;
  cuda::FieldOutput output;
};

// The chunk with the positions alone.
template <typename T>
EncodedChunk on_cpu(const Cloud<T> &cloud) {
  std::vector<FieldInput> fields{cloud.inputs()[0]};
  format::prepare_fields(fields, cloud.size());
  EncodedChunk chunk;
  trajectory::EncoderTools tools(1);
  trajectory::encode_independent(ChunkKind::sequence, fields, cloud.size(), nullptr, {}, 0, tools, chunk);
  return chunk;
}

template <typename T>
std::vector<T> cpu_values(const Cloud<T> &cloud, const EncodedChunk &chunk) {
  const Frame frame = decode({cloud.inputs()[0]}, chunk);
  std::vector<T> values;
  for (std::size_t i = 0; i < cloud.size(); ++i)
    for (std::size_t d = 0; d < static_cast<std::size_t>(cloud.components); ++d)
      values.push_back(static_cast<T>(frame.columns[d].floats[i]));
  return values;
}

template <typename T>
bool same_bits(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// The bytes that the CPU makes, and the values that it makes of them.
template <typename T>
void expect_as_on_cpu(cuda::SequenceCodec &codec, const Cloud<T> &cloud, Layout layout, cuda::Stream stream = nullptr) {
  SCOPED_TRACE(testing::Message() << cloud.size() << " particles, bound " << cloud.bound << ", " << cloud.components
                                  << " components, layout " << static_cast<int>(layout));
  const EncodedChunk expected = on_cpu(cloud);
  DeviceCloud<T> device(cloud, layout);
  const cuda::DeviceChunk *const chunk = codec.encode(device.input, cloud.size(), stream);
  ASSERT_NE(chunk, nullptr);
  EXPECT_EQ(chunk->kind, ChunkKind::sequence);
  ASSERT_EQ(chunk->size, expected.bytes.size());
  EXPECT_EQ(chunk->largest_error, expected.largest_error);
  std::vector<std::uint8_t> bytes(chunk->size);
  check(cudaMemcpy(bytes.data(), chunk->data, chunk->size, cudaMemcpyDeviceToHost));
  ASSERT_TRUE(bytes == expected.bytes);
  codec.decode(chunk->data, chunk->size, cloud.size(), device.output, stream);
  EXPECT_TRUE(same_bits(device.decoded(), cpu_values(cloud, expected)));
}

template <typename T>
class CudaSequence : public GpuTest {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaSequence, FloatTypes, );

TYPED_TEST(CudaSequence, BytesAndValuesOfTheCpu) {
  cuda::SequenceCodec codec;
  const OwnStream stream;
  for (const int components : {1, 2, 3})
    for (const std::size_t n : {1u, 2u, 31u, 32u, 33u, 1000u, 4095u, 4096u, 4097u, 60001u})
      for (const double bound : {0.0003, 0.01, 0.7, 3000.0})
        expect_as_on_cpu(codec, walk<TypeParam>(n, components, bound, n), layouts[n % 3], stream.get());
  expect_healthy();
}

TYPED_TEST(CudaSequence, AllLayouts) {
  cuda::SequenceCodec codec;
  for (const Layout layout : layouts) expect_as_on_cpu(codec, walk<TypeParam>(20000, 3, 0.01, 5), layout);
  expect_healthy();
}

// Values that the grid does not hold, alone, at edges of blocks and of lanes, at the very beginning, and in rows.
TYPED_TEST(CudaSequence, ExactValues) {
  constexpr TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  constexpr TypeParam infinity = std::numeric_limits<TypeParam>::infinity();
  cuda::SequenceCodec codec;
  for (const int components : {1, 3}) {
    Cloud<TypeParam> cloud = walk<TypeParam>(20000, components, 0.01, 3);
    const auto spoil = [&](std::size_t particle, std::size_t component, TypeParam value) {
      cloud.positions[particle * static_cast<std::size_t>(components) +
                      component % static_cast<std::size_t>(components)] = value;
    };
    spoil(0, 0, nan);
    spoil(4095, 1, infinity);
    spoil(4096, 2, -infinity);
    spoil(4096 + 127, 0, nan);
    spoil(4096 + 128, 0, nan);
    spoil(12345, 1, static_cast<TypeParam>(1e30));
    spoil(19999, 2, nan);
    for (std::size_t i = 8000; i < 8200; ++i) spoil(i, 1, nan);
    for (const Layout layout : layouts) expect_as_on_cpu(codec, cloud, layout);
  }
  expect_healthy();
}

TYPED_TEST(CudaSequence, NoneWhereManyValuesInARowHaveNoGrid) {
  cuda::SequenceCodec codec;
  Cloud<TypeParam> cloud = walk<TypeParam>(5000, 3, 0.01, 3);
  for (std::size_t i = 1000; i < 3000; ++i) cloud.positions[3 * i] = std::numeric_limits<TypeParam>::quiet_NaN();
  EXPECT_EQ(codec.encode(DeviceCloud<TypeParam>(cloud).input, cloud.size()), nullptr);
  // What the CPU makes of it is decoded nevertheless.
  const EncodedChunk chunk = on_cpu(cloud);
  const DeviceMemory bytes(chunk.bytes.data(), chunk.bytes.size());
  const DeviceCloud<TypeParam> device(cloud);
  codec.decode(bytes.get(), chunk.bytes.size(), cloud.size(), device.output);
  EXPECT_TRUE(same_bits(device.decoded(), cpu_values(cloud, chunk)));
  expect_healthy();
}

// More steps beyond the symbols than a lane keeps the places of.
TYPED_TEST(CudaSequence, ManyEscapesInALane) {
  cuda::SequenceCodec codec;
  Cloud<TypeParam> cloud = walk<TypeParam>(200000, 3, 0.001, 8);
  Random random(9);
  for (std::size_t i = 3 * 70000; i < 3 * 70100; ++i)
    cloud.positions[i] = static_cast<TypeParam>(random.uniform(-1e5, 1e5));
  for (const Layout layout : layouts) expect_as_on_cpu(codec, cloud, layout);
  expect_healthy();
}

TYPED_TEST(CudaSequence, SomeComponentsOnly) {
  cuda::SequenceCodec codec;
  const Cloud<TypeParam> cloud = walk<TypeParam>(30000, 3, 0.001, 11);
  const EncodedChunk chunk = on_cpu(cloud);
  const DeviceMemory bytes(chunk.bytes.data(), chunk.bytes.size());
  const std::vector<TypeParam> expected = cpu_values(cloud, chunk);
  for (const Layout layout : layouts) {
    DeviceCloud<TypeParam> device(cloud, layout);
    device.output.components[1].data = nullptr;
    codec.decode(bytes.get(), chunk.bytes.size(), cloud.size(), device.output);
    const std::vector<TypeParam> got = device.decoded();
    std::array<std::uint8_t, sizeof(TypeParam)> untouched;
    untouched.fill(DeviceMemory::pattern);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const void *const wanted = i % 3 == 1 ? static_cast<const void *>(untouched.data()) : &expected[i];
      ASSERT_EQ(std::memcmp(&got[i], wanted, sizeof(TypeParam)), 0) << i;
    }
  }
  expect_healthy();
}

TYPED_TEST(CudaSequence, AsAChunkOfATrajectory) {
  cuda::TrajectoryDecoder decoder;
  for (const int components : {1, 2, 3})
    for (const std::size_t n : {1u, 33u, 4096u, 60001u})
      for (const Layout layout : layouts) {
        SCOPED_TRACE(testing::Message() << n << " particles, " << components << " components, layout "
                                        << static_cast<int>(layout));
        Cloud<TypeParam> cloud = walk<TypeParam>(n, components, 0.01, n);
        if (n > 1) cloud.positions[n / 2] = std::numeric_limits<TypeParam>::quiet_NaN();
        const EncodedChunk chunk = on_cpu(cloud);
        const DeviceCloud<TypeParam> device(cloud, layout);
        decoder.decode_from_host(chunk.bytes.data(), chunk.bytes.size(), n, {device.output});
        EXPECT_TRUE(same_bits(device.decoded(), cpu_values(cloud, chunk)));
      }
  expect_healthy();
}

// With other fields, and what builds on a sequence chunk.
TYPED_TEST(CudaSequence, ChunksOfATrajectoryThatAreLeftToTheCpu) {
  cuda::TrajectoryDecoder decoder;
  const Cloud<TypeParam> cloud = walk<TypeParam>(3000, 3, 0.01, 4);
  const DeviceCloud<TypeParam> device(cloud);
  const auto decode_next = [&](const std::vector<std::uint8_t> &bytes, const std::vector<cuda::FieldOutput> &outputs) {
    return status_of([&] { decoder.decode_from_host(bytes.data(), bytes.size(), cloud.size(), outputs); });
  };
  EXPECT_EQ(decode_next(sequence_chunk(cloud).bytes, {device.output, {cloud.inputs()[1].field, {}}}),
            Status::unsupported);
  std::vector<std::uint8_t> difference;
  format::append_difference_head(cloud.size(), {}, 0, 1, difference);
  EXPECT_EQ(decode_next(difference, {device.output}), Status::not_found);
  EXPECT_EQ(decode_next(on_cpu(cloud).bytes, {device.output}), Status::ok);
  EXPECT_EQ(decode_next(difference, {device.output}), Status::unsupported);
  EXPECT_EQ(decode_next(on_cpu(cloud).bytes, {device.output}), Status::ok);
  expect_healthy();
}

TEST(CudaSequences, SinglesIntoDoublesAndBack) {
  if (gpus() == 0) GTEST_SKIP() << "no GPU on this machine";
  cuda::SequenceCodec codec;
  const Cloud<float> singles = walk<float>(10000, 3, 0.01, 2);
  const Cloud<double> doubles = walk<double>(10000, 3, 0.01, 2);
  for (const Layout layout : layouts) {
    const EncodedChunk of_singles = on_cpu(singles);
    const DeviceMemory first(of_singles.bytes.data(), of_singles.bytes.size());
    const DeviceCloud<float, double> wide(singles, layout);
    codec.decode(first.get(), of_singles.bytes.size(), singles.size(), wide.output);
    const std::vector<float> expected = cpu_values(singles, of_singles);
    EXPECT_EQ(wide.decoded(), std::vector<double>(expected.begin(), expected.end()));
    const EncodedChunk of_doubles = on_cpu(doubles);
    const DeviceMemory second(of_doubles.bytes.data(), of_doubles.bytes.size());
    const DeviceCloud<double, float> narrow(doubles, layout);
    codec.decode(second.get(), of_doubles.bytes.size(), doubles.size(), narrow.output);
    std::vector<float> rounded;
    for (const double value : cpu_values(doubles, of_doubles)) rounded.push_back(static_cast<float>(value));
    EXPECT_EQ(narrow.decoded(), rounded);
  }
  expect_healthy();
}

TEST(CudaSequences, DamagedBytes) {
  if (gpus() == 0) GTEST_SKIP() << "no GPU on this machine";
  cuda::SequenceCodec codec;
  cuda::TrajectoryDecoder decoder;
  for (const bool exact : {false, true}) {
    Cloud<double> cloud = walk<double>(300, 2, 0.01, 7);
    if (exact) cloud.positions[100] = cloud.positions[333] = std::numeric_limits<double>::infinity();
    const EncodedChunk whole = on_cpu(cloud);
    const DeviceCloud<double> device(cloud);
    Random random(3);
    for (int round = 0; round < 3000; ++round) {
      EncodedChunk damaged = whole;
      const std::size_t reach = random.below(2) == 0 ? 200 : damaged.bytes.size();
      for (std::uint64_t k = 1 + random.below(4); k-- > 0;)
        damaged.bytes[random.below(reach)] =
            static_cast<std::uint8_t>(random.below(2) == 0 ? random.below(40) : random.bits());
      const DeviceMemory bytes(damaged.bytes.data(), damaged.bytes.size());
      const Status status =
          status_of([&] { codec.decode(bytes.get(), damaged.bytes.size(), cloud.size(), device.output); });
      ASSERT_TRUE(status == Status::ok || status == Status::corrupt || status == Status::unsupported);
      Frame frame = frame_for({cloud.inputs()[0]});
      const Status on_the_cpu =
          status_of([&] { decode_chunk(damaged.bytes.data(), damaged.bytes.size(), cloud.size(), frame, {}, 1, {}); });
      if (status == Status::unsupported) continue;
      ASSERT_EQ(status == Status::ok, on_the_cpu == Status::ok) << round;
      const Status in_a_trajectory =
          status_of([&] { decoder.decode(bytes.get(), damaged.bytes.size(), cloud.size(), {device.output}); });
      ASSERT_EQ(in_a_trajectory == Status::ok, status == Status::ok) << round;
      if (status != Status::ok) continue;
      ASSERT_TRUE(same_bits(device.decoded(), cpu_values(cloud, damaged))) << round;
    }
  }
  expect_healthy();
}

}  // namespace
}  // namespace gpz::test
