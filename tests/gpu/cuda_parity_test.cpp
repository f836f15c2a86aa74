// SPDX-License-Identifier: BSD-3-Clause
// The GPU writes the same bytes as the CPU, reads what the CPU wrote, and survives bytes that are no chunk.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "gpz/cuda.hpp"
#include "gpz/error.hpp"
#include "random_snapshot.hpp"

namespace gpz::test {
namespace {

// GPZ_TEST_SEEDS: how many random inputs for each type.
int seeds() {
  const char *wanted = std::getenv("GPZ_TEST_SEEDS");
  return wanted != nullptr ? std::atoi(wanted) : 1000;
}

struct Decoded {
  std::uint32_t damaged;
  std::vector<std::vector<std::uint8_t>> columns;
};

Decoded decode_on_gpu(const std::vector<std::uint8_t> &bytes, const Frame &frame, std::uint64_t particles) {
  const DeviceMemory chunk(bytes.data(), bytes.size());
  std::vector<cuda::FieldOutput> outputs;
  std::vector<std::unique_ptr<DeviceMemory>> memory;
  for (const auto &column : frame.columns) {
    if (column.component == 0) outputs.push_back({frame.info.fields[column.field], {}});
    memory.push_back(std::make_unique<DeviceMemory>(particles * 8));
    const bool integer = frame.info.fields[column.field].type == ValueType::integer;
    outputs.back().components[column.component] = {memory.back()->get(), 8,
                                                   integer ? ConstArray::Type::int64 : ConstArray::Type::float64};
  }
  const std::size_t size = cuda::decompress_workspace_size(outputs, particles);
  const DeviceMemory workspace(size);
  const DeviceMemory damaged(sizeof(std::uint32_t));
  cuda::decompress(chunk.get(), bytes.size(), particles, outputs, workspace.get(), size, damaged.as<std::uint32_t>(),
                   nullptr);
  check(cudaDeviceSynchronize());
  Decoded out{};
  std::memcpy(&out.damaged, damaged.bytes(4).data(), 4);
  for (const auto &column : memory) out.columns.push_back(column->bytes(particles * 8));
  return out;
}

template <typename T>
class CudaParity : public GpuTest {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaParity, Floats, );

TYPED_TEST(CudaParity, SameBytesAsTheCpu) {
  for (int seed = 1; seed <= seeds(); ++seed) {
    const RandomSnapshot<TypeParam> s(static_cast<std::uint64_t>(seed));
    const EncodedChunk expected = encode(s.fields, s.particles, 1, s.row_list());
    const DeviceSnapshot<TypeParam> device(s);
    const std::vector<FieldInput> &fields = device.fields;
    const std::size_t size = cuda::compress_workspace_size(fields, s.particles);
    const std::size_t capacity = cuda::compressed_bound(fields, s.particles);
    const DeviceMemory workspace(size);
    const DeviceMemory out(capacity);
    const DeviceMemory device_result(sizeof(cuda::CompressResult));
    cuda::compress(fields, s.particles, device.rows, workspace.get(), size, out.get(), capacity,
                   device_result.as<cuda::CompressResult>(), nullptr);
    check(cudaDeviceSynchronize());
    cuda::CompressResult result;
    std::memcpy(&result, device_result.bytes(sizeof(result)).data(), sizeof(result));
    ASSERT_EQ(result.fits, 1u) << "seed " << seed;
    ASSERT_EQ(out.bytes(result.bytes), expected.bytes) << "seed " << seed;
    for (std::size_t f = 0; f < fields.size(); ++f)
      ASSERT_EQ(result.largest_error[f], expected.largest_error[f]) << "seed " << seed;
  }
}

TYPED_TEST(CudaParity, SameValuesAsTheCpu) {
  for (int seed = 1; seed <= seeds(); ++seed) {
    const RandomSnapshot<TypeParam> s(static_cast<std::uint64_t>(seed));
    const EncodedChunk chunk = encode(s.fields, s.particles, 1, s.row_list());
    const Frame expected = decode(s.fields, chunk);
    const Decoded got = decode_on_gpu(chunk.bytes, frame_for(s.fields), s.particles);
    ASSERT_EQ(got.damaged, 0u) << "seed " << seed;
    for (std::size_t c = 0; c < expected.columns.size() && s.particles != 0; ++c) {
      const auto &column = expected.columns[c];
      const void *values =
          column.integers.empty() ? static_cast<const void *>(column.floats.data()) : column.integers.data();
      ASSERT_EQ(std::memcmp(got.columns[c].data(), values, s.particles * 8), 0) << "seed " << seed << " column " << c;
    }
  }
}

// What *damaged becomes for bytes that the CPU calls corrupt: by the head they may be of a chunk that the GPU does not
// know.
std::uint32_t verdict_on(const std::vector<std::uint8_t> &bytes) {
  std::uint32_t block_size = 0;
  std::uint32_t kind = 0;
  std::memcpy(&block_size, bytes.data(), 4);
  std::memcpy(&kind, bytes.data() + 4, 4);
  const bool known =
      kind == 0 ? block_size >= 32 && block_size <= 4096 && block_size % 32 == 0 : kind <= 2 && block_size == 1024;
  return known && (kind != 0 || block_size != 1024) ? cuda::chunk_unsupported : cuda::chunk_damaged;
}

// What the CPU calls corrupt, the GPU does; and nothing is read or written outside (run under compute-sanitizer).
TYPED_TEST(CudaParity, DamagedBytesAreReported) {
  Random random(99);
  for (int seed = 1; seed <= seeds() / 4; ++seed) {
    const RandomSnapshot<TypeParam> s(static_cast<std::uint64_t>(seed));
    EncodedChunk chunk = encode(s.fields, s.particles, 1, s.row_list());
    for (int k = 0; k < 3; ++k) {
      auto &byte = chunk.bytes[random.below(chunk.bytes.size())];
      byte = static_cast<std::uint8_t>(byte ^ (1 + random.below(255)));
    }
    bool corrupt = false;
    try {
      decode(s.fields, chunk);
    } catch (const Error &) {
      corrupt = true;
    }
    const Decoded got = decode_on_gpu(chunk.bytes, frame_for(s.fields), s.particles);
    if (corrupt) {
      EXPECT_EQ(got.damaged, verdict_on(chunk.bytes)) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace gpz::test
