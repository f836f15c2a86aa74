// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::Codec: the CPU's bytes, memory that grows only when it has to, failures after which it still works, and
// several of them on several devices.
#include "gpz/cuda_codec.hpp"

#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <thread>

#include "allocation_spy.hpp"
#include "chunk_kinds.hpp"
#include "gpz/error.hpp"
#include "random_snapshot.hpp"

namespace gpz::test {
namespace {

// "" if f() succeeded, else status and message.
std::string failure_of(const std::function<void()> &f) {
  try {
    f();
  } catch (const Error &error) {
    return std::string(to_string(error.status())) + ": " + error.what();
  }
  return "";
}

#define EXPECT_STATUS(call, status)                                           \
  do {                                                                        \
    const std::string failure = failure_of([&] { call; });                    \
    EXPECT_EQ(failure.rfind(to_string(status), 0), 0u) << "got: " << failure; \
  } while (false)

// Encodes on the device, compares with the CPU, decodes the chunk in device memory, compares again.
void round_trip(cuda::Codec &codec, std::uint64_t seed, cudaStream_t stream) {
  const RandomSnapshot<float> s(seed);
  const EncodedChunk expected = encode_on_cpu(s);
  const DeviceSnapshot<float> device(s);
  const cuda::DeviceChunk &chunk = codec.encode(device.fields, device.particles, device.rows, stream);
  ASSERT_EQ(chunk.size, expected.bytes.size()) << "seed " << seed;
  EXPECT_EQ(chunk.particles, s.particles);
  EXPECT_EQ(chunk.largest_error, expected.largest_error) << "seed " << seed;
  std::vector<std::uint8_t> bytes(chunk.size);
  codec.copy_chunk(bytes.data(), bytes.size());
  ASSERT_TRUE(bytes == expected.bytes) << "seed " << seed;

  const Frame frame = decode(s.fields, expected);
  std::vector<cuda::FieldOutput> outputs;
  for (const FieldInput &input : s.fields) outputs.push_back({input.field, {}});
  const std::size_t last = frame.columns.size() - 1;  // v: behind the others in the order that positions leave
  const DeviceMemory v(s.particles * sizeof(double));
  outputs.back().components[0] = {v.get(), sizeof(double), ConstArray::Type::float64};
  codec.decode(chunk.data, chunk.size, chunk.particles, outputs, stream);
  const std::vector<std::uint8_t> got = v.bytes();
  if (s.particles != 0) {
    EXPECT_EQ(std::memcmp(got.data(), frame.columns[last].floats.data(), got.size()), 0) << "seed " << seed;
  }
}

class CudaCodec : public GpuTest {};

TEST_F(CudaCodec, SameBytesAsTheCpu) {
  cuda::Codec codec;
  const OwnStream stream;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    round_trip(codec, seed, stream.get());
    ASSERT_FALSE(HasFatalFailure());
  }
  expect_healthy();
}

TEST_F(CudaCodec, HostChunkIsWhatTheCpuMakes) {
  cuda::Codec codec;
  EncodedChunk chunk;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomSnapshot<double> s(seed);
    const DeviceSnapshot<double> device(s);
    const EncodedChunk expected = encode_on_cpu(s);
    codec.encode(device.fields, device.particles, device.rows, chunk);
    ASSERT_TRUE(chunk.bytes == expected.bytes) << "seed " << seed;
    EXPECT_EQ(chunk.checksum, expected.checksum);
    EXPECT_EQ(chunk.particles, expected.particles);
    EXPECT_EQ(chunk.largest_error, expected.largest_error);
  }
}

TEST_F(CudaCodec, WarmCallsDoNotAllocate) {
  const RandomSnapshot<float> s(4);
  const DeviceSnapshot<float> device(s);
  ASSERT_GT(s.particles, 0u);
  const DeviceMemory v(s.particles * sizeof(float));
  std::vector<cuda::FieldOutput> outputs;
  for (const FieldInput &input : s.fields) outputs.push_back({input.field, {}});
  outputs.back().components[0] = {v.get(), sizeof(float), ConstArray::Type::float32};
  cuda::Codec codec;
  EncodedChunk chunk;
  const auto all_calls = [&] {
    codec.encode(device.fields, device.particles, device.rows, chunk);
    codec.decode(codec.chunk().data, codec.chunk().size, device.particles, outputs);
    codec.decode_from_host(chunk.bytes.data(), chunk.bytes.size(), device.particles, outputs);
  };
  all_calls();
  const cuda::MemoryUse before = codec.memory();
  const std::uint64_t device_before = allocation_spy::device_allocations();
  const std::uint64_t pinned_before = allocation_spy::pinned_allocations();
  EXPECT_GT(before.device_bytes, 0u);
  EXPECT_GT(before.allocations, 0u);
  EXPECT_GE(device_before, before.allocations);
  for (int i = 0; i < 5; ++i) all_calls();
  EXPECT_EQ(codec.memory().allocations, before.allocations);
  EXPECT_EQ(codec.memory().device_bytes, before.device_bytes);
  EXPECT_EQ(allocation_spy::device_allocations(), device_before);
  EXPECT_EQ(allocation_spy::pinned_allocations(), pinned_before);

  codec.release();
  EXPECT_EQ(codec.memory().device_bytes, 0u);
  all_calls();
  EXPECT_EQ(codec.memory().device_bytes, before.device_bytes);
}

// Fails the first allocation, then the second, and so on, until a call needs no more of them.
TEST_F(CudaCodec, EveryFailedAllocationIsAStatus) {
  const RandomSnapshot<float> s(4);
  const DeviceSnapshot<float> device(s);
  const EncodedChunk expected = encode_on_cpu(s);
  const std::int64_t live = allocation_spy::live();
  int failures = 0;
  for (std::uint64_t allowed = 0;; ++allowed) {
    ASSERT_LT(allowed, 100u);
    allocation_spy::fail_after(allowed);
    std::unique_ptr<cuda::Codec> codec;
    EncodedChunk chunk;
    const std::string failure = failure_of([&] {
      codec = std::make_unique<cuda::Codec>();
      codec->encode(device.fields, device.particles, device.rows, chunk);
    });
    allocation_spy::stop_failing();
    expect_healthy();
    if (failure.empty()) break;
    ++failures;
    EXPECT_EQ(failure.rfind("out of memory", 0), 0u) << failure;
    if (codec == nullptr) continue;
    EXPECT_EQ(codec->memory().device_bytes, 0u);
    codec->encode(device.fields, device.particles, device.rows, chunk);
    EXPECT_TRUE(chunk.bytes == expected.bytes);
  }
  EXPECT_GE(failures, 3);  // pinned memory, workspace, chunk
  EXPECT_EQ(allocation_spy::live(), live);
}

TEST_F(CudaCodec, AFrameLargerThanTheDeviceIsAStatus) {
  const RandomSnapshot<float> s(4);
  const DeviceSnapshot<float> device(s);
  const EncodedChunk expected = encode_on_cpu(s);
  cuda::Codec codec;
  EncodedChunk chunk;
  codec.encode(device.fields, device.particles, device.rows, chunk);
  EXPECT_STATUS(codec.encode(device.fields, std::uint64_t{1} << 40, nullptr, chunk), Status::out_of_memory);
  EXPECT_EQ(codec.memory().device_bytes, 0u);
  EXPECT_EQ(codec.chunk().data, nullptr);
  expect_healthy();
  codec.encode(device.fields, device.particles, device.rows, chunk);
  EXPECT_TRUE(chunk.bytes == expected.bytes);

  std::vector<cuda::FieldOutput> outputs;
  for (const FieldInput &input : s.fields) outputs.push_back({input.field, {}});
  EXPECT_STATUS(codec.decode(codec.chunk().data, codec.chunk().size, std::uint64_t{1} << 40, outputs),
                Status::out_of_memory);
  expect_healthy();
  // The chunk is still there.
  codec.decode(codec.chunk().data, codec.chunk().size, device.particles, outputs);
}

TEST_F(CudaCodec, WrongArgumentsLeaveTheDeviceWhole) {
  const RandomSnapshot<float> s(4);
  const DeviceSnapshot<float> device(s);
  ASSERT_GT(s.particles, 0u);
  cuda::Codec codec;
  const auto encode_with = [&](const std::function<void(std::vector<FieldInput> &)> &change) {
    std::vector<FieldInput> fields = device.fields;
    change(fields);
    codec.encode(fields, device.particles, device.rows);
  };
  EXPECT_STATUS(encode_with([](auto &f) { f[0].components[0].data = nullptr; }), Status::invalid_argument);
  EXPECT_STATUS(encode_with([](auto &f) { f[0].field.bound = -1; }), Status::invalid_argument);
  EXPECT_STATUS(encode_with([](auto &f) { f[1].field.leading = true; }), Status::invalid_argument);
  EXPECT_STATUS(encode_with([](auto &f) { f[0].components[0].stride += 2; }), Status::invalid_argument);
  EXPECT_STATUS(
      encode_with([](auto &f) { f[2].components[0].data = static_cast<const char *>(f[2].components[0].data) + 4; }),
      Status::invalid_argument);
  EXPECT_STATUS(encode_with([](auto &f) { f.resize(cuda::max_fields + 1); }), Status::limit_exceeded);
  EXPECT_STATUS(codec.encode(device.fields, ~std::uint64_t{0}, nullptr), Status::limit_exceeded);

  codec.encode(device.fields, device.particles, device.rows);
  const auto decode_with = [&](const std::function<void(std::vector<cuda::FieldOutput> &)> &change) {
    const DeviceMemory v(s.particles * sizeof(float) + 8);
    std::vector<cuda::FieldOutput> outputs;
    for (const FieldInput &input : s.fields) outputs.push_back({input.field, {}});
    outputs[3].components[0] = {v.get(), sizeof(float), ConstArray::Type::float32};
    change(outputs);
    codec.decode(codec.chunk().data, codec.chunk().size, device.particles, outputs);
  };
  decode_with([](auto &) {});
  EXPECT_STATUS(decode_with([](auto &o) { o[3].components[0].type = ConstArray::Type::int32; }),
                Status::invalid_argument);
  EXPECT_STATUS(decode_with([](auto &o) { o[3].components[0].stride = 6; }), Status::invalid_argument);
  EXPECT_STATUS(decode_with([](auto &o) { o[3].components[0].stride = 0; }), Status::invalid_argument);
  EXPECT_STATUS(decode_with([](auto &o) { o[3].field.components.clear(); }), Status::invalid_argument);
  EXPECT_STATUS(decode_with([](auto &o) { o[3].field.components.resize(4); }), Status::invalid_argument);
  EXPECT_STATUS(decode_with([](auto &o) { o[3].field.leading = true; }), Status::invalid_argument);
  EXPECT_STATUS(codec.decode(static_cast<const char *>(codec.chunk().data) + 4, 8, device.particles, {}),
                Status::invalid_argument);
  std::uint8_t too_small[8];
  EXPECT_STATUS(codec.copy_chunk(too_small, sizeof too_small), Status::limit_exceeded);
  EXPECT_STATUS(cuda::Codec{gpus()}, Status::not_found);
  EXPECT_STATUS(cuda::Codec{-1}, Status::not_found);
  expect_healthy();
}

TEST_F(CudaCodec, HostMemoryIsRefused) {
  int reaches_host = 0;
  check(cudaDeviceGetAttribute(&reaches_host, cudaDevAttrPageableMemoryAccess, 0));
  if (reaches_host != 0) GTEST_SKIP() << "this device reads host memory as its own";
  const RandomSnapshot<float> s(4);
  cuda::Codec codec;
  EXPECT_STATUS(codec.encode(s.fields, s.particles, nullptr), Status::invalid_argument);
  expect_healthy();
}

// An error that the caller's own calls left is not reported as one of the codec.
TEST_F(CudaCodec, EarlierErrorsAreNotItsOwn) {
  cuda::Codec codec;
  void *nothing = nullptr;
  ASSERT_EQ(cudaMalloc(&nothing, std::size_t{1} << 60), cudaErrorMemoryAllocation);
  round_trip(codec, 4, nullptr);
}

TEST_F(CudaCodec, DamageIsAStatus) {
  cuda::Codec codec;
  Random random(3);
  int damaged = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const RandomSnapshot<float> s(seed);
    EncodedChunk chunk = encode_on_cpu(s);
    const Frame frame = frame_for(s.fields);
    std::vector<cuda::FieldOutput> outputs;
    const DeviceMemory x(s.particles * 3 * sizeof(float));
    for (const Field &field : frame.info.fields) outputs.push_back({field, {}});
    for (std::size_t d = 0; d < static_cast<std::size_t>(s.components); ++d)
      outputs[0].components[d] = {x.as<float>() + d, 12, ConstArray::Type::float32};
    // Cut short, then some bytes changed.
    EXPECT_STATUS(codec.decode_from_host(chunk.bytes.data(), chunk.bytes.size() - 8, s.particles, outputs),
                  Status::corrupt);
    for (int k = 0; k < 3; ++k) chunk.bytes[random.below(chunk.bytes.size())] ^= 0x5A;
    const std::string failure =
        failure_of([&] { codec.decode_from_host(chunk.bytes.data(), chunk.bytes.size(), s.particles, outputs); });
    damaged += !failure.empty();
    EXPECT_TRUE(failure.empty() || failure.rfind("corrupt", 0) == 0) << failure;
    expect_healthy();
  }
  EXPECT_GT(damaged, 10);
}

TEST_F(CudaCodec, OtherChunksAreUnsupported) {
  cuda::Codec codec;
  ChunkKinds kinds;
  const DeviceMemory id(ChunkKinds::particles * sizeof(std::int32_t));
  std::vector<cuda::FieldOutput> outputs;
  for (const Field &field : frame_for(kinds.fields()).info.fields) outputs.push_back({field, {}});
  outputs[1].components[0] = {id.get(), sizeof(std::int32_t), ConstArray::Type::int32};
  const auto decode = [&](const std::vector<std::uint8_t> &bytes) {
    codec.decode_from_host(bytes.data(), bytes.size(), ChunkKinds::particles, outputs);
  };
  std::vector<std::uint8_t> block = kinds.chunk(ChunkKind::block).bytes;
  EXPECT_STATUS(decode(kinds.chunk(ChunkKind::difference).bytes), Status::unsupported);
  EXPECT_STATUS(decode(kinds.chunk(ChunkKind::ordered).bytes), Status::unsupported);
  EXPECT_EQ(failure_of([&] { decode(block); }), "");  // it works on
  ++block[8];
  EXPECT_STATUS(decode(block), Status::corrupt);
  expect_healthy();
}

// One host thread and one codec for each entry of `devices`; what went wrong in a thread is thrown here.
void in_threads(const std::vector<int> &devices) {
  std::vector<std::exception_ptr> errors(devices.size());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < devices.size(); ++t) {
    threads.emplace_back([&, t] {
      try {
        check(cudaSetDevice(devices[t]));
        cuda::Codec codec(devices[t]);
        const OwnStream stream;
        for (std::uint64_t seed = 1; seed <= 40; ++seed) round_trip(codec, seed + 1000 * t, stream.get());
      } catch (...) {
        errors[t] = std::current_exception();
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  for (const std::exception_ptr &error : errors)
    if (error) std::rethrow_exception(error);
}

TEST_F(CudaCodec, ThreadsOnOneDevice) { in_threads({0, 0, 0, 0}); }

TEST_F(CudaCodec, OneThreadForEachDevice) {
  if (gpus() < 2) GTEST_SKIP() << "needs two GPUs, there is one";
  std::vector<int> devices(static_cast<std::size_t>(gpus()));
  std::iota(devices.begin(), devices.end(), 0);
  in_threads(devices);
}

TEST_F(CudaCodec, TheCurrentDeviceStaysTheCallers) {
  if (gpus() < 2) GTEST_SKIP() << "needs two GPUs, there is one";
  const RandomSnapshot<float> s(4);
  const EncodedChunk expected = encode_on_cpu(s);
  check(cudaSetDevice(1));
  const DeviceSnapshot<float> on_second(s);
  check(cudaSetDevice(0));
  const DeviceSnapshot<float> on_first(s);
  int current = -1;
  {
    cuda::Codec first(0);
    cuda::Codec second(1);
    EncodedChunk chunk;
    for (int round = 0; round < 3; ++round) {
      first.encode(on_first.fields, on_first.particles, on_first.rows, chunk);
      EXPECT_TRUE(chunk.bytes == expected.bytes);
      second.encode(on_second.fields, on_second.particles, on_second.rows, chunk);
      EXPECT_TRUE(chunk.bytes == expected.bytes);
      check(cudaGetDevice(&current));
      EXPECT_EQ(current, 0);
    }
    EXPECT_STATUS(first.encode(on_second.fields, on_second.particles, on_second.rows, chunk), Status::invalid_argument);
  }
  check(cudaGetDevice(&current));
  EXPECT_EQ(current, 0);
}

}  // namespace
}  // namespace gpz::test
