// SPDX-License-Identifier: BSD-3-Clause
// Sequence chunks on a GPU: the CPU's bytes and values, and damaged ones.
#include "gpz/cuda_sequence.hpp"

#include <cstring>

#include "gpu_support.hpp"
#include "sequence_support.hpp"

namespace gpz::test {
namespace {

template <typename T>
constexpr ConstArray::Type array_type = sizeof(T) == 4 ? ConstArray::Type::float32 : ConstArray::Type::float64;

// A cloud in device memory, x y z of one particle after the other, without its tags.
template <typename T>
struct DeviceCloud {
  explicit DeviceCloud(const Cloud<T> &cloud)
      : particles(cloud.size()),
        places(cloud.places.data(), cloud.places.size() * sizeof(T)),
        back(cloud.places.size() * sizeof(T)),
        input(cloud.inputs()[0]) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(cloud.components); ++d) {
      const auto stride = static_cast<std::ptrdiff_t>(sizeof(T)) * cloud.components;
      input.components[d] = {places.template as<T>() + d, stride, array_type<T>};
      output.components[d] = {back.template as<T>() + d, stride, array_type<T>};
    }
    output.field = input.field;
  }

  std::uint64_t particles;
  DeviceMemory places;
  DeviceMemory back;
  FieldInput input;
  cuda::FieldOutput output;
};

// The chunk with the positions alone.
template <typename T>
EncodedChunk on_cpu(const Cloud<T> &cloud) {
  std::vector<FieldInput> fields{cloud.inputs()[0]};
  format::prepare_fields(fields, cloud.size());
  cpu::Encoder encoder(1);
  EncodedChunk chunk;
  trajectory::encode_sequence_chunk(fields, cloud.size(), nullptr, encoder, chunk);
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
class CudaSequence : public GpuTest {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaSequence, FloatTypes, );

TYPED_TEST(CudaSequence, BytesAndValuesOfTheCpu) {
  cuda::SequenceCodec codec;
  const OwnStream stream;
  int encoded = 0;
  for (const int components : {1, 2, 3})
    for (const std::size_t n : {1u, 2u, 31u, 32u, 33u, 1000u, 4095u, 4096u, 4097u, 60001u})
      for (const double bound : {0.0003, 0.01, 0.7, 3000.0}) {
        const Cloud<TypeParam> cloud = walk<TypeParam>(n, components, bound, n);
        const EncodedChunk expected = on_cpu(cloud);
        const DeviceCloud<TypeParam> device(cloud);
        const cuda::DeviceChunk *const chunk = codec.encode(device.input, n, stream.get());
        if (chunk == nullptr) {  // only where some values are stored exactly
          ASSERT_NE(format::load_little<std::uint64_t>(expected.bytes.data() + 24), 0u);
          continue;
        }
        ++encoded;
        EXPECT_EQ(chunk->kind, ChunkKind::sequence);
        ASSERT_EQ(chunk->size, expected.bytes.size()) << n << ' ' << bound << ' ' << components;
        EXPECT_EQ(chunk->largest_error, expected.largest_error);
        std::vector<std::uint8_t> bytes(chunk->size);
        check(cudaMemcpy(bytes.data(), chunk->data, chunk->size, cudaMemcpyDeviceToHost));
        ASSERT_TRUE(bytes == expected.bytes) << n << ' ' << bound << ' ' << components;
        codec.decode(chunk->data, chunk->size, n, device.output, stream.get());
        const std::vector<TypeParam> values = cpu_values(cloud, expected);
        const std::vector<std::uint8_t> got = device.back.bytes();
        ASSERT_EQ(std::memcmp(got.data(), values.data(), got.size()), 0) << n << ' ' << bound << ' ' << components;
      }
  EXPECT_GE(encoded, 90);  // of 120
  expect_healthy();
}

TYPED_TEST(CudaSequence, NoneOfValuesWithoutAGrid) {
  cuda::SequenceCodec codec;
  Cloud<TypeParam> cloud = walk<TypeParam>(5000, 3, 0.01, 3);
  cloud.places[4] = std::numeric_limits<TypeParam>::quiet_NaN();
  EXPECT_EQ(codec.encode(DeviceCloud<TypeParam>(cloud).input, cloud.size()), nullptr);
  // What the CPU makes of it is left to the CPU.
  const EncodedChunk chunk = on_cpu(cloud);
  const DeviceMemory bytes(chunk.bytes.data(), chunk.bytes.size());
  const DeviceCloud<TypeParam> device(cloud);
  EXPECT_EQ(status_of([&] { codec.decode(bytes.get(), chunk.bytes.size(), cloud.size(), device.output); }),
            Status::unsupported);
  expect_healthy();
}

TEST(CudaSequences, DamagedBytes) {
  if (gpus() == 0) GTEST_SKIP() << "no GPU on this machine";
  cuda::SequenceCodec codec;
  const Cloud<double> cloud = walk<double>(300, 2, 0.01, 7);
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
    if (status != Status::ok) continue;
    const std::vector<double> values = cpu_values(cloud, damaged);
    const std::vector<std::uint8_t> got = device.back.bytes();
    ASSERT_EQ(std::memcmp(got.data(), values.data(), got.size()), 0) << round;
  }
  expect_healthy();
}

}  // namespace
}  // namespace gpz::test
