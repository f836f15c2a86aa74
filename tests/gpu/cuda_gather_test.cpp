// gpz::cuda::Gather: the rows and columns that a loop on the host finds.
#include "gpz/cuda_gather.hpp"

#include <random>

#include "gpu_support.hpp"
#include "gpz/error.hpp"

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
  cuda::Gather gather;
  for (const std::size_t rows : {100000, 1, 31, 250000, 2000}) {
    std::vector<int> flags(rows);
    for (int &flag : flags) flag = static_cast<int>(random() & 0x7u);
    std::vector<int> expected;
    for (std::size_t i = 0; i < rows; ++i)
      if (flags[i] & 0x4) expected.push_back(static_cast<int>(i));
    const DeviceMemory memory = on_device(flags);
    const cuda::Gather::Rows found = gather.select(memory.as<int>(), rows, 0x4);
    ASSERT_EQ(found.count, expected.size());
    EXPECT_EQ(from_device(found.data, expected.size()), expected);
  }
  EXPECT_EQ(gather.select(nullptr, 0, 1).count, 0u);
}

template <typename T>
void expect_image_flags(int bits) {
  const std::uint32_t mask = (1u << bits) - 1;
  const int zero = 1 << (bits - 1);
  std::mt19937_64 random(2);
  cuda::Gather gather;
  for (const std::size_t rows : {5000, 17, 20000}) {
    std::vector<T> packed(rows);
    for (T &value : packed) value = static_cast<T>(random());
    const DeviceMemory memory = on_device(packed);
    constexpr auto type = sizeof(T) == 4 ? ConstArray::Type::int32 : ConstArray::Type::int64;
    std::vector<ConstArray> columns;
    for (int axis = 0; axis < 3; ++axis)
      columns.push_back(gather.unpack({memory.get(), sizeof(T), type}, rows, {axis * bits, mask, zero}, axis));
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<int> expected;
      for (const T value : packed)
        expected.push_back(static_cast<int>(static_cast<std::uint64_t>(value >> (axis * bits)) & mask) - zero);
      ASSERT_EQ(columns[static_cast<std::size_t>(axis)].type, ConstArray::Type::int32);
      EXPECT_EQ(from_device(columns[static_cast<std::size_t>(axis)].data, rows), expected);
    }
  }
}

TEST_F(Gather, UnpacksImageFlagsOf32Bits) { expect_image_flags<std::int32_t>(10); }
TEST_F(Gather, UnpacksImageFlagsOf64Bits) { expect_image_flags<std::int64_t>(21); }

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

TEST_F(Gather, RefusesWhatIsNoColumn) {
  cuda::Gather gather;
  const ConstArray floats{nullptr, 8, ConstArray::Type::float64};
  EXPECT_THROW(gather.unpack(floats, 10, {}, 0), Error);
  const ConstArray integers{nullptr, 4, ConstArray::Type::int32};
  EXPECT_THROW(gather.unpack(integers, 10, {}, cuda::Gather::max_columns), Error);
  EXPECT_THROW(gather.select(nullptr, std::uint64_t{1} << 31, 1), Error);
}

}  // namespace
}  // namespace gpz::test
