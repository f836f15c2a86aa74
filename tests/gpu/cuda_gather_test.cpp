// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::Gather: the rows and columns that a loop on the host finds; failures after which it still works.
#include "gpz/cuda_gather.hpp"

#include <random>

#include "allocation_spy.hpp"
#include "gpu_support.hpp"

namespace gpz::test {
namespace {

class Gather : public GpuTest {};

template <typename T>
DeviceMemory on_device(const std::vector<T> &values) {
  return DeviceMemory(values.data(), values.size() * sizeof(T));
}

std::vector<int> from_device(const void *data, std::size_t count) {
  std::vector<int> values(count);
  EXPECT_EQ(cudaMemcpy(values.data(), data, count * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
  return values;
}

TEST_F(Gather, SelectsRowsOfAGroup) {
  std::mt19937 random(1);
  const OwnStream stream;
  cuda::Gather gather;
  for (const std::size_t rows : {100000, 1, 31, 250000, 2000}) {
    std::vector<int> flags(rows);
    for (int &flag : flags) flag = static_cast<int>(random() & 0x7u);
    std::vector<int> expected;
    for (std::size_t i = 0; i < rows; ++i)
      if (flags[i] & 0x4) expected.push_back(static_cast<int>(i));
    const DeviceMemory memory = on_device(flags);
    const cuda::Gather::Rows found = gather.select(memory.as<int>(), rows, 0x4, stream.get());
    ASSERT_EQ(found.count, expected.size());
    EXPECT_EQ(from_device(found.data, expected.size()), expected);
  }
  EXPECT_EQ(gather.select(nullptr, 0, 1).count, 0u);
}

// Of integers that have `apart` - 1 others between them.
template <typename T>
void expect_image_flags(int bits, std::size_t apart) {
  const std::uint32_t mask = (1u << bits) - 1;
  const int zero = 1 << (bits - 1);
  std::mt19937_64 random(2);
  const OwnStream stream;
  cuda::Gather gather;
  for (const std::size_t rows : {5000, 17, 20000}) {
    std::vector<T> packed(rows * apart);
    for (T &value : packed) value = static_cast<T>(random());
    const DeviceMemory memory = on_device(packed);
    constexpr auto type = sizeof(T) == 4 ? ConstArray::Type::int32 : ConstArray::Type::int64;
    std::vector<ConstArray> columns;
    columns.reserve(3);
    for (int axis = 0; axis < 3; ++axis)
      columns.push_back(gather.unpack({memory.get(), static_cast<std::ptrdiff_t>(apart * sizeof(T)), type}, rows,
                                      {axis * bits, mask, zero}, axis, stream.get()));
    check(cudaStreamSynchronize(stream.get()));
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<int> expected;
      for (std::size_t i = 0; i < rows; ++i)
        expected.push_back(static_cast<int>(static_cast<std::uint64_t>(packed[i * apart] >> (axis * bits)) & mask) -
                           zero);
      ASSERT_EQ(columns[static_cast<std::size_t>(axis)].type, ConstArray::Type::int32);
      EXPECT_EQ(from_device(columns[static_cast<std::size_t>(axis)].data, rows), expected);
    }
  }
}

TEST_F(Gather, UnpacksImageFlagsOf32Bits) { expect_image_flags<std::int32_t>(10, 1); }
TEST_F(Gather, UnpacksImageFlagsOf64Bits) { expect_image_flags<std::int64_t>(21, 1); }
TEST_F(Gather, UnpacksAColumnOfATable) { expect_image_flags<std::int32_t>(10, 3); }

// Coordinates and integers of tables; box edges of a triclinic box.
template <typename Real, typename T>
void expect_unwrapped(int bits) {
  const std::uint32_t mask = (1u << bits) - 1;
  const int zero = 1 << (bits - 1);
  constexpr std::size_t apart = 3;
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> inside(-7.0, 31.0);
  cuda::Gather gather;
  const cuda::Unwrapping how{{{0, mask, zero}, {bits, mask, zero}, {2 * bits, mask, zero}}, {31.7, -2.3, 1e-3}};
  for (const std::size_t rows : {3000, 1, 20000}) {
    std::vector<Real> x(rows * apart);
    std::vector<T> packed(rows);
    for (Real &value : x) value = static_cast<Real>(inside(random));
    for (T &value : packed) value = static_cast<T>(random());
    const DeviceMemory positions = on_device(x), images = on_device(packed);
    constexpr auto real = sizeof(Real) == 4 ? ConstArray::Type::float32 : ConstArray::Type::float64;
    constexpr auto integer = sizeof(T) == 4 ? ConstArray::Type::int32 : ConstArray::Type::int64;
    const ConstArray found = gather.unwrap({positions.as<Real>() + 1, apart * sizeof(Real), real},
                                           {images.get(), sizeof(T), integer}, rows, how, 2);
    ASSERT_EQ(found.type, ConstArray::Type::float64);
    std::vector<double> values(rows);
    check(cudaMemcpy(values.data(), found.data, rows * sizeof(double), cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < rows; ++i) {
      double expected = x[i * apart + 1];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto image = static_cast<std::uint64_t>(packed[i] >> (static_cast<int>(axis) * bits)) & mask;
        expected += how.edges[axis] * (static_cast<double>(image) - zero);
      }
      ASSERT_EQ(values[i], expected) << "row " << i << " of " << rows;
    }
  }
}

TEST_F(Gather, UnwrapsDoubles) { expect_unwrapped<double, std::int32_t>(10); }
TEST_F(Gather, UnwrapsFloats) { expect_unwrapped<float, std::int64_t>(21); }

TEST_F(Gather, KeepsItsMemory) {
  cuda::Gather gather;
  const DeviceMemory memory = on_device(std::vector<int>(10000, 1));
  const auto *flags = memory.as<int>();
  gather.select(flags, 10000, 1);
  const auto allocations = gather.memory().allocations;
  gather.select(flags, 9000, 1);
  gather.select(flags, 10000, 1);
  EXPECT_EQ(gather.memory().allocations, allocations);
  gather.release();
  EXPECT_EQ(gather.memory().device_bytes, 0u);
  EXPECT_EQ(gather.select(flags, 10000, 1).count, 10000u);
}

TEST_F(Gather, EveryFailedAllocationIsAStatus) {
  const DeviceMemory memory = on_device(std::vector<int>(5000, 1));
  const ConstArray packed{memory.get(), sizeof(int), ConstArray::Type::int32};
  const std::int64_t live = allocation_spy::live();
  int failures = 0;
  for (std::uint64_t allowed = 0;; ++allowed) {
    ASSERT_LT(allowed, 100u);
    cuda::Gather gather;
    allocation_spy::fail_after(allowed);
    const Status status = status_of([&] {
      gather.select(memory.as<int>(), 5000, 1);
      gather.unpack(packed, 5000, {}, 0);
      gather.unwrap({memory.get(), sizeof(float), ConstArray::Type::float32}, packed, 5000, {}, 0);
    });
    allocation_spy::stop_failing();
    expect_healthy();
    if (status == Status::ok) break;
    ++failures;
    EXPECT_EQ(status, Status::out_of_memory);
    EXPECT_EQ(gather.memory().device_bytes, 0u);
    EXPECT_EQ(gather.select(memory.as<int>(), 5000, 1).count, 5000u);
  }
  EXPECT_EQ(failures, 5);  // rows, their count, scratch, two columns
  EXPECT_EQ(allocation_spy::live(), live);
}

// An error that the caller's own calls left is not reported as one of the object.
TEST_F(Gather, EarlierErrorsAreNotItsOwn) {
  const DeviceMemory memory = on_device(std::vector<int>(100, 1));
  cuda::Gather gather;
  void *nothing = nullptr;
  ASSERT_EQ(cudaMalloc(&nothing, std::size_t{1} << 60), cudaErrorMemoryAllocation);
  EXPECT_EQ(gather.select(memory.as<int>(), 100, 1).count, 100u);
  ASSERT_EQ(cudaMalloc(&nothing, std::size_t{1} << 60), cudaErrorMemoryAllocation);
  gather.unpack({memory.get(), sizeof(int), ConstArray::Type::int32}, 100, {}, 0);
  expect_healthy();
}

TEST_F(Gather, WrongArgumentsAreRefused) {
  const DeviceMemory memory = on_device(std::vector<std::int64_t>(100, 1));
  const auto *flags = memory.as<int>();
  const auto *odd = memory.as<char>() + 1;
  using Type = ConstArray::Type;
  cuda::Gather gather;
  const auto unpacking = [&](const ConstArray &packed, std::uint64_t rows, int column) {
    return status_of([&] { gather.unpack(packed, rows, {}, column); });
  };
  EXPECT_EQ(unpacking({flags, 8, Type::float64}, 10, 0), Status::invalid_argument);
  EXPECT_EQ(unpacking({flags, 4, Type::int32}, 10, cuda::Gather::max_columns), Status::invalid_argument);
  EXPECT_EQ(unpacking({flags, 4, Type::int32}, 10, -1), Status::invalid_argument);
  EXPECT_EQ(unpacking({nullptr, 4, Type::int32}, 10, 0), Status::invalid_argument);
  EXPECT_EQ(unpacking({odd, 4, Type::int32}, 10, 0), Status::invalid_argument);
  EXPECT_EQ(unpacking({flags, 12, Type::int64}, 10, 0), Status::invalid_argument);
  EXPECT_EQ(unpacking({flags, 4, Type::int32}, std::uint64_t{1} << 31, 0), Status::limit_exceeded);
  EXPECT_EQ(status_of([&] { gather.select(flags, std::uint64_t{1} << 31, 1); }), Status::limit_exceeded);
  EXPECT_EQ(status_of([&] { gather.select(nullptr, 10, 1); }), Status::invalid_argument);
  const auto unwrapping = [&](const ConstArray &x, const ConstArray &packed, int column) {
    return status_of([&] { gather.unwrap(x, packed, 10, {}, column); });
  };
  const ConstArray reals{flags, 8, Type::float64}, integers{flags, 4, Type::int32};
  EXPECT_EQ(unwrapping(integers, integers, 0), Status::invalid_argument);
  EXPECT_EQ(unwrapping(reals, reals, 0), Status::invalid_argument);
  EXPECT_EQ(unwrapping(reals, integers, cuda::Gather::max_columns), Status::invalid_argument);
  EXPECT_EQ(unwrapping({nullptr, 8, Type::float64}, integers, 0), Status::invalid_argument);
  EXPECT_EQ(unwrapping({flags, 12, Type::float64}, integers, 0), Status::invalid_argument);
  EXPECT_EQ(unwrapping(reals, {odd, 4, Type::int32}, 0), Status::invalid_argument);
  EXPECT_EQ(gather.memory().allocations, 0u);
  EXPECT_EQ(status_of([] { cuda::Gather{gpus()}; }), Status::not_found);
  expect_healthy();
}

TEST_F(Gather, HostMemoryIsRefused) {
  int reaches_host = 0;
  check(cudaDeviceGetAttribute(&reaches_host, cudaDevAttrPageableMemoryAccess, 0));
  if (reaches_host != 0) GTEST_SKIP() << "this device reads host memory as its own";
  const std::vector<int> flags(100, 1);
  cuda::Gather gather;
  EXPECT_EQ(status_of([&] { gather.select(flags.data(), flags.size(), 1); }), Status::invalid_argument);
  EXPECT_EQ(status_of([&] {
              gather.unpack({flags.data(), sizeof(int), ConstArray::Type::int32}, flags.size(), {}, 0);
            }),
            Status::invalid_argument);
  expect_healthy();
}

}  // namespace
}  // namespace gpz::test
