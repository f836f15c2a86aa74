// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::Upload and HostCopy: the CPU's bytes wherever the arrays are, nothing read that is not theirs,
// memory that grows only when it has to, failures after which they still work.
#include "gpz/cuda_transfer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>

#include "allocation_spy.hpp"
#include "gpz/writer.hpp"
#include "random_snapshot.hpp"
#include "transfer_support.hpp"

namespace gpz::test {
namespace {

// Uploads fields in host memory, and compares with the CPU; returns them as they were encoded.
std::vector<FieldInput> expect_the_bytes_of_the_cpu(cuda::Upload &upload, std::vector<FieldInput> fields,
                                                    std::size_t particles) {
  const EncodedChunk expected = encode(fields, particles);
  const OwnStream stream;
  upload.upload(fields, particles, stream.get());
  cuda::Codec codec;
  EncodedChunk chunk;
  codec.encode(fields, particles, nullptr, chunk, stream.get());
  expect_same(chunk, expected);
  return fields;
}

// Readable bytes, and none before and behind them: one of the two ends is at an unreadable page.
class GuardedMemory {
 public:
  enum class End { front, back };
  GuardedMemory(std::size_t size, End guarded) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    const std::size_t pages = (size + page_ - 1) / page_;
    length_ = (pages + 2) * page_;
    void *memory = mmap(nullptr, length_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("mmap");
    memory_ = static_cast<char *>(memory);
    if (mprotect(memory_ + page_, pages * page_, PROT_READ | PROT_WRITE) != 0) throw std::runtime_error("mprotect");
    begin_ = memory_ + page_ + (guarded == End::back ? pages * page_ - size : 0);
  }
  ~GuardedMemory() { munmap(memory_, length_); }
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;

  char *begin() const { return begin_; }

 private:
  std::size_t page_;
  std::size_t length_ = 0;
  char *memory_ = nullptr;
  char *begin_ = nullptr;
};

class CudaTransfer : public GpuTest {};

TEST(CudaDevices, AreCounted) {
  EXPECT_EQ(cuda::device_count(), gpus());
  EXPECT_EQ(status_of([] { cuda::Upload{gpus()}; }), Status::not_found);
  EXPECT_EQ(status_of([] { cuda::HostCopy{gpus()}; }), Status::not_found);
  EXPECT_EQ(status_of([] { cuda::HostCopy{-1}; }), Status::not_found);
  EXPECT_EQ(status_of([] { cuda::use_device(gpus()); }), Status::not_found);
  if (gpus() != 0) expect_healthy();
}

TEST_F(CudaTransfer, DevicesHaveCodeAsTheLibrarySays) {
  EXPECT_EQ(status_of([] { cuda::kernel_code(gpus()); }), Status::not_found);
  EXPECT_EQ(status_of([] { cuda::kernel_code(-1); }), Status::not_found);
  const cuda::KernelCode code = cuda::kernel_code();
  EXPECT_NE(code, cuda::KernelCode::none);
  // A program in which the driver must not compile, nor take what it compiled for another one. It encodes if there is
  // machine code.
  const std::string command = "CUDA_CACHE_DISABLE=1 CUDA_DISABLE_PTX_JIT=1 '" +
                              std::filesystem::read_symlink("/proc/self/exe").string() +
                              "' --gtest_filter=CudaTransfer.WorksWithoutTheDriversCompiler";
  EXPECT_EQ(std::system((command + " >/dev/null 2>&1").c_str()) == 0, code == cuda::KernelCode::native);
}

TEST_F(CudaTransfer, WorksWithoutTheDriversCompiler) {
  if (cuda::kernel_code() != cuda::KernelCode::native && std::getenv("CUDA_DISABLE_PTX_JIT") == nullptr)
    GTEST_SKIP() << "no machine code for this device";
  const RandomSnapshot<float> s(1);
  const DeviceSnapshot<float> device(s);
  cuda::Codec codec;
  EXPECT_NE(codec.encode(device.fields, s.particles, device.rows).size, 0u);
}

template <typename T>
void mixed_fields(cuda::Upload &upload, cuda::Codec &codec, std::uint64_t seed, cudaStream_t stream) {
  SCOPED_TRACE(seed);
  const RandomSnapshot<T> s(seed);
  const DeviceSnapshot<T> device(s);
  Random random(seed);
  std::vector<FieldInput> fields = s.fields;
  for (std::size_t f = 0; f < fields.size(); ++f)
    for (std::size_t d = 0; d < fields[f].field.components.size(); ++d)
      if (random.below(2) != 0) fields[f].components[d] = device.fields[f].components[d];
  const std::vector<FieldInput> before = fields;
  const int *rows = random.below(2) != 0 ? device.rows : s.row_list();

  upload.upload(fields, s.rows_in_memory, stream);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    for (std::size_t d = 0; d < fields[f].field.components.size(); ++d) {
      const ConstArray &array = fields[f].components[d];
      const ConstArray &was = before[f].components[d];
      const bool stays = was.data == device.fields[f].components[d].data || s.rows_in_memory == 0;
      EXPECT_EQ(array.data == was.data, stays);
      EXPECT_EQ(address(array) % 16, address(was) % 16);
      EXPECT_EQ(array.stride, was.stride);
    }
  }
  EncodedChunk chunk;
  codec.encode(fields, s.particles, upload.upload_rows(rows, s.rows.size(), stream), chunk, stream);
  expect_same(chunk, encode_on_cpu(s));
}

TEST_F(CudaTransfer, MixedFieldsGiveTheBytesOfTheCpu) {
  cuda::Upload upload;
  cuda::Codec codec;
  const OwnStream stream;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    mixed_fields<double>(upload, codec, seed, stream.get());
    mixed_fields<float>(upload, codec, seed, seed % 2 != 0 ? stream.get() : nullptr);
  }
  expect_healthy();
}

// Rows of a table: 8 bytes unused, x, y, z, id, q, 8 bytes unused. It travels once, less its unused ends.
TEST_F(CudaTransfer, ATableWithGapsTravelsOnce) {
  constexpr std::size_t rows = 3000;
  constexpr std::size_t row = 56;
  constexpr std::size_t used = (rows - 1) * row + 40;
  const std::vector<double> values = random_values(4 * rows);
  for (const auto end : {GuardedMemory::End::front, GuardedMemory::End::back}) {
    const GuardedMemory memory(used, end);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto id = static_cast<std::int64_t>((7 * i) % rows);
      char *to = memory.begin() + i * row;
      std::memcpy(to, &values[4 * i], 3 * sizeof(double));
      std::memcpy(to + 24, &id, sizeof id);
      std::memcpy(to + 32, &values[4 * i + 3], sizeof(double));
    }
    const std::vector<std::int64_t> no_id;
    std::vector<FieldInput> fields = {field("x", values, 3, 0.001, true), field("id", no_id, 1, 0, false),
                                      field("q", values, 1, 0, false)};
    const std::size_t offset[] = {0, 24, 32};
    for (std::size_t f = 0; f < fields.size(); ++f)
      for (std::size_t d = 0; d < fields[f].field.components.size(); ++d) {
        fields[f].components[d].data = memory.begin() + offset[f] + 8 * d;
        fields[f].components[d].stride = row;
      }
    cuda::Upload upload;
    const std::vector<FieldInput> copies = expect_the_bytes_of_the_cpu(upload, fields, rows);
    EXPECT_EQ(address(copies[2].components[0]) - address(copies[0].components[0]), 32u);
    EXPECT_GE(upload.memory().device_bytes, used);
    EXPECT_LE(upload.memory().device_bytes, (used + 16) / 8 * 9);
    EXPECT_EQ(upload.memory().allocations, 1u);
  }
}

TEST_F(CudaTransfer, UnalignedFloats) {
  constexpr std::size_t particles = 5000;
  const std::vector<double> wide = random_values(3 * particles + 8);
  const std::vector<float> values(wide.begin(), wide.end());
  cuda::Upload upload;
  for (std::size_t shift = 0; shift < 5; ++shift) {
    std::vector<FieldInput> fields = {field("x", values, 3, 0.001, true)};
    for (std::size_t d = 0; d < 3; ++d) fields[0].components[d].data = values.data() + shift + d;
    const std::vector<FieldInput> together = expect_the_bytes_of_the_cpu(upload, fields, particles);
    EXPECT_EQ(address(together[0].components[0]) % 16, address(fields[0].components[0]) % 16);
    for (std::size_t d = 0; d < 3; ++d) {
      fields[0].components[d].data = values.data() + shift + d * particles;
      fields[0].components[d].stride = sizeof(float);
    }
    const std::vector<FieldInput> apart = expect_the_bytes_of_the_cpu(upload, fields, particles);
    for (std::size_t d = 0; d < 3; ++d)
      EXPECT_EQ(address(apart[0].components[d]) % 16, address(fields[0].components[d]) % 16);
  }
}

TEST_F(CudaTransfer, DescendingArraysAndArraysThatAreOne) {
  constexpr std::size_t particles = 3000;
  const std::vector<double> values = random_values(3 * particles);
  std::vector<FieldInput> fields = {field("x", values, 3, 0.001, true), field("same", values, 1, 0, false)};
  for (std::size_t d = 0; d < 3; ++d)
    fields[0].components[d] = {values.data() + 3 * (particles - 1) + d, -24, ConstArray::Type::float64};
  fields[0].components[1] = fields[0].components[0];
  cuda::Upload upload;
  expect_the_bytes_of_the_cpu(upload, fields, particles);
}

// Several pieces of staging, pinned memory, and an array of which only the first half is pinned.
TEST_F(CudaTransfer, HostArraysMayChangeOnceItReturns) {
  constexpr std::size_t particles = 700000;
  const std::vector<double> original = random_values(3 * particles);
  const EncodedChunk expected = encode({field("x", original, 3, 0.001, true)}, particles);
  cuda::Upload upload;
  cuda::Codec codec;
  const OwnStream stream;
  for (const std::size_t pinned : {std::size_t{0}, original.size(), original.size() / 2}) {
    SCOPED_TRACE(pinned);
    std::vector<double> values = original;
    if (pinned != 0) check(cudaHostRegister(values.data(), pinned * sizeof(double), cudaHostRegisterDefault));
    std::vector<FieldInput> fields = {field("x", values, 3, 0.001, true)};
    upload.upload(fields, particles, stream.get());
    std::fill(values.begin(), values.end(), -1.0);
    EncodedChunk chunk;
    codec.encode(fields, particles, nullptr, chunk, stream.get());
    expect_same(chunk, expected);
    if (pinned != 0) check(cudaHostUnregister(values.data()));
  }
}

TEST_F(CudaTransfer, ManagedMemoryStaysWhereItIs) {
  constexpr std::size_t particles = 3000;
  const std::vector<double> values = random_values(3 * particles);
  std::vector<FieldInput> fields = {field("x", values, 3, 0.001, true)};
  void *managed = nullptr;
  check(cudaMallocManaged(&managed, values.size() * sizeof(double)));
  std::memcpy(managed, values.data(), values.size() * sizeof(double));
  for (std::size_t d = 0; d < 3; ++d) fields[0].components[d].data = static_cast<double *>(managed) + d;
  cuda::Upload upload;
  const std::vector<FieldInput> same = expect_the_bytes_of_the_cpu(upload, fields, particles);
  EXPECT_EQ(same[0].components[0].data, managed);
  EXPECT_EQ(upload.memory().allocations, 0u);
  check(cudaFree(managed));
}

TEST_F(CudaTransfer, MemoryIsReused) {
  const std::vector<double> values = random_values(3 * 9000);
  const std::vector<FieldInput> fields = {field("x", values, 3, 0.001, true)};
  cuda::Upload upload;
  EXPECT_EQ(upload.memory().device_bytes, 0u);
  for (const std::size_t particles : {1000, 5000, 200, 0, 5000, 1, 9000, 9000, 1025})
    expect_the_bytes_of_the_cpu(upload, fields, particles);
  EXPECT_EQ(upload.memory().allocations, 3u);

  const std::uint64_t device_before = allocation_spy::device_allocations();
  const std::uint64_t pinned_before = allocation_spy::pinned_allocations();
  for (const std::size_t particles : {9000, 10, 8000}) {
    std::vector<FieldInput> copies = fields;
    upload.upload(copies, particles);
  }
  EXPECT_EQ(allocation_spy::device_allocations(), device_before);
  EXPECT_EQ(allocation_spy::pinned_allocations(), pinned_before);

  upload.release();
  EXPECT_EQ(upload.memory().device_bytes, 0u);
  cuda::Upload moved = std::move(upload);
  expect_the_bytes_of_the_cpu(moved, fields, 9000);
  EXPECT_EQ(moved.memory().allocations, 4u);
}

TEST_F(CudaTransfer, EveryFailedAllocationIsAStatus) {
  const std::vector<double> values = random_values(3 * 5000);
  const std::vector<FieldInput> in_host_memory = {field("x", values, 3, 0.001, true)};
  const std::vector<int> rows(5000, 3);
  const std::int64_t live = allocation_spy::live();
  int failures = 0;
  for (std::uint64_t allowed = 0;; ++allowed) {
    ASSERT_LT(allowed, 100u);
    cuda::Upload upload;
    std::vector<FieldInput> fields = in_host_memory;
    bool copied = false;
    allocation_spy::fail_after(allowed);
    const Status status = status_of([&] {
      upload.upload(fields, 5000);
      copied = true;
      upload.upload_rows(rows.data(), rows.size());
    });
    allocation_spy::stop_failing();
    expect_healthy();
    if (status == Status::ok) break;
    ++failures;
    EXPECT_EQ(status, Status::out_of_memory);
    EXPECT_EQ(upload.memory().device_bytes, 0u);
    EXPECT_EQ(fields[0].components[0].data == values.data(), !copied);
    expect_the_bytes_of_the_cpu(upload, in_host_memory, 5000);
  }
  EXPECT_EQ(failures, 4);  // arrays, two pieces of pinned memory, rows
  EXPECT_EQ(allocation_spy::live(), live);
}

TEST_F(CudaTransfer, WrongArgumentsAreRefused) {
  const std::vector<double> values = random_values(30);
  std::vector<FieldInput> fields = {field("x", values, 3, 0.001, true)};
  cuda::Upload upload;
  EXPECT_EQ(status_of([&] { upload.upload(fields, ~std::uint64_t{0}); }), Status::limit_exceeded);
  EXPECT_EQ(status_of([&] { upload.upload_rows(nullptr, ~std::uint64_t{0}); }), Status::limit_exceeded);
  std::vector<FieldInput> many(cuda::max_fields + 1, fields[0]);
  EXPECT_EQ(status_of([&] { upload.upload(many, 10); }), Status::limit_exceeded);
  many.resize(1);
  many[0].components[1].stride = std::numeric_limits<std::ptrdiff_t>::min();
  EXPECT_EQ(status_of([&] { upload.upload(many, 10); }), Status::limit_exceeded);
  EXPECT_EQ(upload.upload_rows(nullptr, 10), nullptr);
  EXPECT_EQ(upload.memory().allocations, 0u);
  fields[0].components[1].data = nullptr;  // for the codec to refuse
  upload.upload(fields, 10);
  EXPECT_EQ(fields[0].components[1].data, nullptr);
  expect_healthy();
}

TEST_F(CudaTransfer, AnyThreadsWaitForTheCopy) {
  cuda::Codec codec;
  cuda::HostCopy copies[2];
  std::size_t capacity[2] = {0, 0};
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    const RandomSnapshot<float> s(seed);
    const DeviceSnapshot<float> device(s);
    cuda::HostCopy &copy = copies[seed % 2];
    copy.start(codec.encode(device.fields, device.particles, device.rows));
    EncodedChunk got;
    std::exception_ptr error;
    std::thread writer([&] {
      try {
        cuda::use_device(0);
        copy.wait();
        const ChunkView view = copy.view();
        EXPECT_EQ(view.checksum, 0u);
        got = {view.particles,
               chunk_checksum(view.data, view.size),
               {view.data, view.data + view.size},
               view.largest_error};
      } catch (...) {
        error = std::current_exception();
      }
    });
    copy.wait();
    writer.join();
    if (error) std::rethrow_exception(error);
    EncodedChunk expected;
    codec.encode(device.fields, device.particles, device.rows, expected);
    expect_same(got, expected);
    expect_same(got, encode_on_cpu(s));
    EXPECT_GE(copy.capacity(), std::max(capacity[seed % 2], got.bytes.size()));
    capacity[seed % 2] = copy.capacity();
  }
  expect_healthy();
}

TEST_F(CudaTransfer, HostCopyKeepsItsMemory) {
  const RandomSnapshot<float> s(4);
  const DeviceSnapshot<float> device(s);
  const EncodedChunk expected = encode_on_cpu(s);
  cuda::Codec codec;
  const cuda::DeviceChunk &chunk = codec.encode(device.fields, device.particles, device.rows);
  const std::int64_t live = allocation_spy::live();
  {
    cuda::HostCopy copy;
    copy.wait();
    EXPECT_EQ(copy.view().size, 0u);
    EXPECT_EQ(copy.capacity(), 0u);
    EXPECT_EQ(status_of([&] { copy.start({}); }), Status::not_found);
    allocation_spy::fail_after(0);
    EXPECT_EQ(status_of([&] { copy.start(chunk); }), Status::out_of_memory);
    allocation_spy::stop_failing();
    expect_healthy();
    EXPECT_EQ(copy.view().size, 0u);

    copy.reserve(2 * chunk.size);
    EXPECT_GE(copy.capacity(), 2 * chunk.size);
    const std::uint64_t pinned_before = allocation_spy::pinned_allocations();
    copy.start(chunk);
    cuda::HostCopy moved = std::move(copy);
    moved.wait();
    const ChunkView view = moved.view();
    ASSERT_EQ(view.size, expected.bytes.size());
    EXPECT_EQ(std::memcmp(view.data, expected.bytes.data(), view.size), 0);
    moved.reserve(10);
    EXPECT_EQ(moved.view().size, 0u);
    moved.start(chunk);  // and goes while it is on its way
    EXPECT_EQ(allocation_spy::pinned_allocations(), pinned_before);
  }
  EXPECT_EQ(allocation_spy::live(), live);
  expect_healthy();
}

TEST_F(CudaTransfer, AFileOfViewsIsTheFileOfChunks) {
  const RandomSnapshot<double> s(4);
  const DeviceSnapshot<double> device(s);
  FrameInfo info;
  info.particles = s.particles;
  std::uint16_t column = 0;
  for (const FieldInput &input : s.fields) info.fields.push_back(input.field);
  for (Field &described : info.fields)
    for (Field::Component &component : described.components) component.column = column++;
  const std::string path = testing::TempDir() + "gpz_cuda_transfer_" + std::to_string(getpid()) + ".gpz";
  const auto file_of = [&](const std::function<void(Writer &)> &write) {
    Writer writer(path, {});
    write(writer);
    writer.close();
    std::ifstream in(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::remove(path.c_str());
    return bytes;
  };
  cuda::Codec codec;
  cuda::HostCopy copy;
  copy.start(codec.encode(device.fields, device.particles, device.rows));
  copy.wait();
  ChunkView view = copy.view();
  view.checksum = chunk_checksum(view.data, view.size);
  const std::string of_views = file_of([&](Writer &writer) { writer.write(info, {view}); });
  const std::vector<EncodedChunk> chunks = {encode_on_cpu(s)};
  EXPECT_TRUE(of_views == file_of([&](Writer &writer) { writer.write(info, chunks); }));
  EXPECT_GT(of_views.size(), view.size);
}

TEST_F(CudaTransfer, TheCurrentDeviceStaysTheCallers) {
  if (gpus() < 2) GTEST_SKIP() << "needs two GPUs, there is one";
  const std::vector<double> values = random_values(3 * 5000);
  std::vector<FieldInput> fields = {field("x", values, 3, 0.001, true)};
  const EncodedChunk expected = encode(fields, 5000);
  check(cudaSetDevice(0));
  const auto expect_first = [] {
    int current = -1;
    check(cudaGetDevice(&current));
    EXPECT_EQ(current, 0);
  };
  {
    cuda::Upload upload(1);
    cuda::Codec codec(1);
    cuda::HostCopy copy(1);
    upload.upload(fields, 5000);
    expect_first();
    cudaPointerAttributes where{};
    check(cudaPointerGetAttributes(&where, fields[0].components[0].data));
    EXPECT_EQ(where.device, 1);
    copy.start(codec.encode(fields, 5000, nullptr));
    copy.wait();
    expect_first();
    const ChunkView view = copy.view();
    EXPECT_EQ(chunk_checksum(view.data, view.size), expected.checksum);
  }
  expect_first();
}

}  // namespace
}  // namespace gpz::test
