// SPDX-License-Identifier: BSD-3-Clause
// The memory pool of gpz and the calls that take their memory from it: the CPU's bytes, memory that stays in the pool,
// goes to the driver on request, and is in order between streams; failures. Built twice: as it is, and for a device
// that says that it has no pools (no_pools.cpp).
#include "gpz/cuda_memory.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "allocation_spy.hpp"
#include "gpz/cuda_codec.hpp"
#include "random_snapshot.hpp"

namespace gpz::test {
namespace {

bool has_pools() {
  int supported = 0;
  check(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
  return supported != 0;
}

// Compresses and decompresses on the device; the bytes and the values are those of the CPU.
void round_trip(std::uint64_t seed, cudaStream_t stream) {
  const RandomSnapshot<float> s(seed);
  const EncodedChunk expected = encode_on_cpu(s);
  const DeviceSnapshot<float> device(s);
  const cuda::PoolChunk chunk = cuda::compress_now(device.fields, device.particles, device.rows, stream);
  ASSERT_EQ(chunk.size, expected.bytes.size()) << "seed " << seed;
  EXPECT_EQ(chunk.largest_error, expected.largest_error) << "seed " << seed;
  std::vector<std::uint8_t> bytes(chunk.size);
  check(cudaMemcpy(bytes.data(), chunk.memory.data(), bytes.size(), cudaMemcpyDeviceToHost));
  ASSERT_TRUE(bytes == expected.bytes) << "seed " << seed;

  const Frame frame = decode(s.fields, expected);
  std::vector<cuda::FieldOutput> outputs;
  for (const FieldInput &input : s.fields) outputs.push_back({input.field, {}});
  const DeviceMemory v(s.particles * sizeof(double));
  outputs.back().components[0] = {v.get(), sizeof(double), ConstArray::Type::float64};
  cuda::decompress_now(chunk.memory.data(), chunk.size, s.particles, outputs, stream);
  const std::vector<std::uint8_t> got = v.bytes();
  if (s.particles != 0) {
    EXPECT_EQ(std::memcmp(got.data(), frame.columns.back().floats.data(), got.size()), 0) << "seed " << seed;
  }
}

// When all work is done.
cuda::PoolUse use_at_rest() {
  check(cudaDeviceSynchronize());
  return cuda::pool_use();
}

class CudaMemory : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped()) cuda::trim_pool();
  }
};

TEST_F(CudaMemory, SameBytesAsTheCpu) {
  const OwnStream stream;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    round_trip(seed, seed % 2 != 0 ? stream.get() : nullptr);
    ASSERT_FALSE(HasFatalFailure());
  }
  expect_healthy();
}

TEST_F(CudaMemory, CallsKeepTheirMemoryInThePool) {
  EXPECT_EQ(use_at_rest().in_use, 0u);
  round_trip(4, nullptr);
  const cuda::PoolUse first = use_at_rest();
  EXPECT_EQ(first.held != 0, has_pools());
  EXPECT_EQ(first.in_use, 0u);
  for (int k = 0; k < 5; ++k) round_trip(4, nullptr);
  EXPECT_EQ(use_at_rest().held, first.held);
  cuda::trim_pool();
  EXPECT_EQ(use_at_rest().held, 0u);
  round_trip(4, nullptr);
}

TEST_F(CudaMemory, ObjectsKeepTheirMemoryInThePool) {
  const RandomSnapshot<float> s(4);
  const DeviceSnapshot<float> device(s);
  const auto encode = [&] {
    cuda::Codec codec;
    codec.encode(device.fields, device.particles, device.rows);
    EXPECT_EQ(cuda::pool_use().in_use >= codec.memory().device_bytes, has_pools());
  };
  encode();
  const cuda::PoolUse first = use_at_rest();
  EXPECT_EQ(first.held != 0, has_pools());
  EXPECT_EQ(first.in_use, 0u);
  encode();
  EXPECT_EQ(use_at_rest().held, first.held);
  cuda::trim_pool();
  EXPECT_EQ(use_at_rest().held, 0u);
}

TEST_F(CudaMemory, TrimmingLeavesWhatIsInUse) {
  constexpr std::size_t size = 8 << 20;
  const cuda::PoolMemory kept(size);
  check(cudaMemset(kept.data(), 0x3C, size));
  { const cuda::PoolMemory other(64 << 20); }
  const std::size_t before = use_at_rest().held;
  cuda::trim_pool();
  const cuda::PoolUse after = use_at_rest();
  if (has_pools()) {
    EXPECT_LT(after.held, before);
    EXPECT_GE(after.held, size);
    EXPECT_GE(after.in_use, size);
  }
  std::vector<std::uint8_t> bytes(size);
  check(cudaMemcpy(bytes.data(), kept.data(), size, cudaMemcpyDeviceToHost));
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0x3C), static_cast<std::ptrdiff_t>(size));
}

// Memory that is given back in the order of a stream is not used elsewhere before the stream has passed.
TEST_F(CudaMemory, StreamsDoNotMeet) {
  constexpr std::size_t size = 32 << 20;
  const OwnStream first;
  const OwnStream second;
  const DeviceMemory out(size);
  const DeviceMemory other(size);
  for (int k = 0; k < 3; ++k) {
    cuda::PoolMemory memory(size, first.get());
    check(cudaMemsetAsync(memory.data(), 0x11, size, first.get()));
    for (int copies = 0; copies < 8; ++copies)
      check(cudaMemcpyAsync(out.get(), memory.data(), size, cudaMemcpyDeviceToDevice, first.get()));
    memory.release(first.get());
    cuda::PoolMemory next(size, second.get());
    check(cudaMemsetAsync(next.data(), 0x22, size, second.get()));
    check(cudaMemcpyAsync(other.get(), next.data(), size, cudaMemcpyDeviceToDevice, second.get()));
    next.release(second.get());
    check(cudaDeviceSynchronize());
    const std::vector<std::uint8_t> from_first = out.bytes();
    const std::vector<std::uint8_t> from_second = other.bytes();
    ASSERT_EQ(std::count(from_first.begin(), from_first.end(), 0x11), static_cast<std::ptrdiff_t>(size));
    ASSERT_EQ(std::count(from_second.begin(), from_second.end(), 0x22), static_cast<std::ptrdiff_t>(size));
  }
}

// An object may get memory whose last user, in a stream, is not done.
TEST_F(CudaMemory, ObjectsWaitForStreams) {
  constexpr std::size_t size = 32 << 20;
  const RandomSnapshot<float> s(4);
  const DeviceSnapshot<float> device(s);
  const EncodedChunk expected = encode_on_cpu(s);
  const OwnStream stream;
  const OwnStream other;
  for (int k = 0; k < 20; ++k) {
    cuda::PoolMemory memory(size, stream.get());
    for (int passes = 0; passes < 50; ++passes) check(cudaMemsetAsync(memory.data(), passes, size, stream.get()));
    memory.release(stream.get());
    cuda::Codec codec;
    EncodedChunk chunk;
    codec.encode(device.fields, device.particles, device.rows, chunk, other.get());
    ASSERT_TRUE(chunk.bytes == expected.bytes);
  }
}

TEST_F(CudaMemory, ThreadsDoNotMeet) {
  std::vector<std::thread> threads;
  std::vector<std::string> failures(4);
  for (std::size_t t = 0; t < failures.size(); ++t)
    threads.emplace_back([t, &failures] {
      try {
        const OwnStream stream;
        for (std::uint64_t k = 0; k < 10; ++k) {
          const RandomSnapshot<float> s(1 + 10 * t + k);
          const DeviceSnapshot<float> device(s);
          const EncodedChunk expected = encode_on_cpu(s);
          const cuda::PoolChunk chunk = cuda::compress_now(device.fields, device.particles, device.rows, stream.get());
          std::vector<std::uint8_t> bytes(chunk.size);
          check(cudaMemcpyAsync(bytes.data(), chunk.memory.data(), bytes.size(), cudaMemcpyDeviceToHost, stream.get()));
          check(cudaStreamSynchronize(stream.get()));
          if (bytes != expected.bytes) failures[t] = "other bytes than the CPU, snapshot " + std::to_string(k);
          if (k % 3 == 0) cuda::trim_pool();
        }
      } catch (const std::exception &error) {
        failures[t] = error.what();
      }
    });
  for (std::thread &thread : threads) thread.join();
  for (const std::string &failure : failures) EXPECT_EQ(failure, "");
  expect_healthy();
}

TEST_F(CudaMemory, DevicesHaveTheirOwnPools) {
  if (gpus() < 2) GTEST_SKIP() << "one GPU on this machine";
  const std::size_t before = use_at_rest().held;
  check(cudaSetDevice(1));
  {
    const cuda::PoolMemory memory(1 << 20);
    check(cudaSetDevice(0));
    cudaPointerAttributes attributes{};
    check(cudaPointerGetAttributes(&attributes, memory.data()));
    EXPECT_EQ(attributes.device, 1);
    EXPECT_EQ(cuda::pool_use(1).held != 0, has_pools());
  }
  int device = 1;
  check(cudaGetDevice(&device));
  EXPECT_EQ(device, 0);
  EXPECT_EQ(use_at_rest().held, before);
  cuda::trim_pool(1);
  EXPECT_EQ(cuda::pool_use(1).held, 0u);
}

// Fails the first allocation, then the second, and so on, until the calls need no more of them.
TEST_F(CudaMemory, EveryFailedAllocationIsAStatus) {
  const RandomSnapshot<float> s(4);
  const DeviceSnapshot<float> device(s);
  std::vector<cuda::FieldOutput> outputs;
  for (const FieldInput &input : s.fields) outputs.push_back({input.field, {}});
  const std::int64_t live = allocation_spy::live();
  int failures = 0;
  for (std::uint64_t allowed = 0;; ++allowed) {
    ASSERT_LT(allowed, 100u);
    allocation_spy::fail_after(allowed);
    const Status status = status_of([&] {
      const cuda::PoolChunk chunk = cuda::compress_now(device.fields, device.particles, device.rows);
      cuda::decompress_now(chunk.memory.data(), chunk.size, device.particles, outputs);
    });
    allocation_spy::stop_failing();
    expect_healthy();
    EXPECT_EQ(allocation_spy::live(), live);
    EXPECT_EQ(use_at_rest().in_use, 0u);
    if (status == Status::ok) break;
    ++failures;
    EXPECT_EQ(status, Status::out_of_memory);
  }
  EXPECT_EQ(failures, 3);  // chunk, two workspaces
}

TEST_F(CudaMemory, DamageIsAStatus) {
  const RandomSnapshot<float> s(4);
  const EncodedChunk chunk = encode_on_cpu(s);
  const DeviceMemory bytes(chunk.bytes.data(), chunk.bytes.size());
  std::vector<cuda::FieldOutput> outputs;
  for (const FieldInput &input : s.fields) outputs.push_back({input.field, {}});
  EXPECT_EQ(status_of([&] { cuda::decompress_now(bytes.get(), chunk.bytes.size() - 8, s.particles, outputs); }),
            Status::corrupt);
  EXPECT_EQ(status_of([&] { cuda::decompress_now(nullptr, 8, s.particles, outputs); }), Status::invalid_argument);
  EXPECT_EQ(use_at_rest().in_use, 0u);
  expect_healthy();
}

TEST_F(CudaMemory, MemoryHasOneOwner) {
  cuda::PoolMemory first(1000);
  void *const data = first.data();
  cuda::PoolMemory second(std::move(first));
  EXPECT_EQ(first.data(), nullptr);  // NOLINT(bugprone-use-after-move): that is the question
  EXPECT_EQ(second.data(), data);
  EXPECT_EQ(second.size(), 1000u);
  second = cuda::PoolMemory();
  EXPECT_EQ(second.data(), nullptr);
  EXPECT_EQ(use_at_rest().in_use, 0u);
}

// What the program had is gone, and gpz works on.
TEST_F(CudaMemory, WorksAfterTheDeviceWasReset) {
  round_trip(4, nullptr);
  check(cudaDeviceReset());
  round_trip(4, nullptr);
  cuda::trim_pool();
  EXPECT_EQ(use_at_rest().held, 0u);
  expect_healthy();
}

TEST(CudaMemoryArguments, ThereIsNoSuchDevice) {
  EXPECT_EQ(status_of([] { cuda::pool_use(1000); }), Status::not_found);
  EXPECT_EQ(status_of([] { cuda::trim_pool(-1); }), Status::not_found);
}

}  // namespace
}  // namespace gpz::test
