// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::Download and DeviceRows: copies of chosen rows, memory that grows only when it has to, failures after
// which they still work.
#include <cstring>

#include "allocation_spy.hpp"
#include "gpz/cuda_transfer.hpp"
#include "random_snapshot.hpp"
#include "transfer_support.hpp"

namespace gpz::test {
namespace {

class CudaRowCopies : public GpuTest {};

// A field of some rows, in host memory and in device memory.
struct Positions {
  std::size_t rows = 5000;
  std::vector<double> values = random_values(3 * rows);
  std::vector<FieldInput> in_host_memory{field("x", values, 3, 0.001, true)};
  DeviceMemory on_device{values.data(), values.size() * sizeof(double)};
  std::vector<FieldInput> on_gpu = in_host_memory;

  Positions() {
    for (std::size_t d = 0; d < 3; ++d) on_gpu[0].components[d].data = on_device.as<double>() + d;
  }
};

// The bytes of element `row`.
std::vector<char> element_of(const ConstArray &array, std::size_t row) {
  const char *const from = static_cast<const char *>(array.data) + static_cast<std::ptrdiff_t>(row) * array.stride;
  return {from, from + element_size(array.type)};
}

// Compares the copies with rows `rows` of arrays in host memory.
void expect_rows(const std::vector<FieldInput> &copies, const std::vector<FieldInput> &originals, std::size_t count,
                 const int *rows) {
  for (std::size_t f = 0; f < copies.size(); ++f) {
    for (std::size_t d = 0; d < copies[f].field.components.size(); ++d) {
      const ConstArray &array = copies[f].components[d];
      ASSERT_EQ(array.type, originals[f].components[d].type);
      EXPECT_EQ(address(array) % element_size(array.type), 0u);
      std::size_t different = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t row = rows == nullptr ? i : static_cast<std::size_t>(rows[i]);
        if (element_of(array, i) != element_of(originals[f].components[d], row)) ++different;
      }
      EXPECT_EQ(different, 0u) << "field " << f << ", component " << d;
    }
  }
}

template <typename T>
void download_rows(cuda::Download &download, std::uint64_t seed, cudaStream_t stream) {
  SCOPED_TRACE(seed);
  const RandomSnapshot<T> s(seed);
  const DeviceSnapshot<T> device(s);
  std::vector<FieldInput> fields = device.fields;
  download.download(fields, s.particles, device.rows, stream);
  expect_rows(fields, s.fields, s.particles, s.row_list());
  expect_same(encode(fields, s.particles), encode_on_cpu(s));
}

TEST_F(CudaRowCopies, DownloadedRowsGiveTheBytesOfTheCpu) {
  cuda::Download download;
  const OwnStream stream;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    download_rows<double>(download, seed, stream.get());
    download_rows<float>(download, seed, seed % 2 != 0 ? stream.get() : nullptr);
  }
  expect_healthy();
}

// More than one piece of 64 MiB, and more columns than one launch packs.
TEST_F(CudaRowCopies, DownloadsManyRowsAndManyColumns) {
  cuda::Download download;
  for (const auto &[rows, columns] : {std::pair<std::size_t, std::size_t>{3000000, 2}, {1000, 70}}) {
    SCOPED_TRACE(columns);
    const std::vector<double> values = random_values(3 * rows);
    const DeviceMemory on_device(values.data(), values.size() * sizeof(double));
    const std::vector<FieldInput> originals(columns, field("x", values, 3, 0.001, true));
    std::vector<FieldInput> fields = originals;
    for (FieldInput &input : fields)
      for (std::size_t d = 0; d < 3; ++d) input.components[d].data = on_device.as<double>() + d;
    download.download(fields, rows);
    expect_rows(fields, originals, rows, nullptr);
  }
  expect_healthy();
}

// Rows that were copied within the device.
TEST_F(CudaRowCopies, CopiesRowsWithinTheDevice) {
  const Positions positions;
  const std::size_t rows = positions.rows;
  const std::vector<FieldInput> &in_host_memory = positions.in_host_memory, &on_gpu = positions.on_gpu;
  const std::vector<int> chosen{4999, 0, 17, 17, 3};
  const DeviceMemory chosen_there(chosen.data(), chosen.size() * sizeof(int));
  const std::int64_t live = allocation_spy::live();
  {
    cuda::DeviceRows copies;
    cuda::Download download;
    std::vector<FieldInput> fields = on_gpu;
    copies.copy(fields, chosen.size(), chosen_there.as<int>());
    EXPECT_NE(fields[0].components[0].data, on_gpu[0].components[0].data);
    download.download(fields, chosen.size());
    expect_rows(fields, in_host_memory, chosen.size(), chosen.data());
    fields = on_gpu;
    allocation_spy::fail_after(0);
    EXPECT_EQ(status_of([&] { copies.copy(fields, rows); }), Status::out_of_memory);
    allocation_spy::stop_failing();
    EXPECT_EQ(fields[0].components[0].data, on_gpu[0].components[0].data);
    copies.copy(fields, rows);
    EXPECT_GE(copies.memory().device_bytes, rows * 3 * sizeof(double));
    download.download(fields, rows);
    expect_rows(fields, in_host_memory, rows, nullptr);
    copies.release();
    EXPECT_EQ(copies.memory().device_bytes, 0u);
  }
  EXPECT_EQ(allocation_spy::live(), live);
  expect_healthy();
}

TEST_F(CudaRowCopies, DownloadReusesMemoryAndRefusesWhatTheDeviceCannotRead) {
  const Positions positions;
  const std::size_t rows = positions.rows;
  const std::vector<FieldInput> &in_host_memory = positions.in_host_memory, &on_gpu = positions.on_gpu;
  const std::int64_t live = allocation_spy::live();
  {
    cuda::Download download;
    EXPECT_EQ(download.capacity(), 0u);
    for (std::uint64_t allowed = 0; allowed < 2; ++allowed) {  // pinned memory, staging
      std::vector<FieldInput> fields = on_gpu;
      allocation_spy::fail_after(allowed);
      EXPECT_EQ(status_of([&] { download.download(fields, rows); }), Status::out_of_memory);
      allocation_spy::stop_failing();
      EXPECT_EQ(fields[0].components[0].data, on_gpu[0].components[0].data);
      expect_healthy();
    }
    download.reserve(on_gpu, rows);
    EXPECT_GE(download.capacity(), rows * 3 * sizeof(double));
    std::vector<FieldInput> fields = on_gpu;
    download.download(fields, rows);
    const std::uint64_t pinned_before = allocation_spy::pinned_allocations();
    const std::uint64_t device_before = allocation_spy::device_allocations();
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, rows}) {
      fields = on_gpu;
      download.download(fields, count);
      expect_rows(fields, in_host_memory, count, nullptr);
    }
    EXPECT_EQ(allocation_spy::pinned_allocations(), pinned_before);
    EXPECT_EQ(allocation_spy::device_allocations(), device_before);

    fields = on_gpu;
    fields[0].components[2].data = nullptr;
    EXPECT_EQ(status_of([&] { download.download(fields, rows); }), Status::invalid_argument);
    fields = on_gpu;
    fields[0].components[1].data = positions.on_device.as<char>() + 4;
    EXPECT_EQ(status_of([&] { download.download(fields, rows); }), Status::invalid_argument);
    fields = on_gpu;
    fields[0].components[1].stride = 12;
    EXPECT_EQ(status_of([&] { download.download(fields, rows); }), Status::invalid_argument);
    EXPECT_EQ(status_of([&] { download.download(fields, ~std::uint64_t{0}); }), Status::limit_exceeded);
    EXPECT_EQ(status_of([] { cuda::Download{gpus()}; }), Status::not_found);
    cuda::Download moved = std::move(download);
    fields = on_gpu;
    moved.download(fields, rows);
    expect_rows(fields, in_host_memory, rows, nullptr);
  }
  EXPECT_EQ(allocation_spy::live(), live);
  expect_healthy();
}

}  // namespace
}  // namespace gpz::test
