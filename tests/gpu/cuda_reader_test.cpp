// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::Reader against gpz::Reader: for each frame the same bytes in arrays of the same layout, or the same error.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cuda_reader_support.hpp"
#include "gpz/gpz.h"
#include "sequence_support.hpp"

extern "C" int reader_in_c(const char *path, double *x_of_last);

namespace gpz::test {
namespace {

class CudaReader : public GpuTest {};

std::vector<std::string> golden_files() {
  const char *const given = std::getenv("GPZ_FUZZ_INPUTS");
  std::istringstream folders(given != nullptr ? given : "tests/golden/files");
  std::vector<std::string> found;
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".gpz") found.push_back(entry.path().string());
  }
  return found;
}

TEST_F(CudaReader, GoldenFilesAsOnTheCpu) {
  Count count;
  for (const std::string &path : golden_files()) {
    SCOPED_TRACE(path);
    std::ifstream stream(path, std::ios::binary);
    const Bytes bytes{std::istreambuf_iterator<char>(stream), {}};
    const Outcome opened = outcome_of([&] { reader_of(bytes); });
    EXPECT_EQ(outcome_of([&] { cuda::Reader(bytes.data(), bytes.size()); }), opened);
    if (opened.status != Status::ok) continue;
    compare_all(bytes, count);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(count.on_device, 0) << "no golden files: GPZ_FUZZ_INPUTS names no folder with .gpz files";
  EXPECT_GT(count.on_cpu, 0);   // cells, modelled sections
  EXPECT_GT(count.refused, 0);  // no ids to sort by
  std::printf("reads: %d on the device, %d on the CPU, %d refused\n", count.on_device, count.on_cpu, count.refused);
  expect_healthy();
}

TEST_F(CudaReader, ParticlesThatArriveAndLeave) {
  for (const std::size_t n : {40u, 3000u}) {
    Gas gas(n);
    const Bytes bytes = file_of(trajectory(gas, 12, {},
                                           [&](int f) {
                                             if (f % 4 != 0) gas.shuffle();
                                             gas.thin(0.02);
                                             gas.add(n / 50);
                                           }),
                                5);
    Count count;
    compare_all(bytes, count);
    EXPECT_EQ(count.on_cpu, 0);
  }
  expect_healthy();
}

TEST_F(CudaReader, SeveralWriters) {
  for (const std::size_t writers : {2u, 7u}) {
    Gas gas(5000);
    Count count;
    compare_all(file_of_writers(gas, 7, 4, writers), count);
    EXPECT_EQ(count.on_cpu, 0);
    // Ids that stay, ids far apart, equal ids.
    for (Gas::Particle &particle : gas.particles) particle.id *= 1000003 * (particle.id % 3 == 0 ? -1 : 1);
    for (std::size_t p = 10; p < 20; ++p) gas.particles[p].id = gas.particles[p - 10].id;
    compare_all(file_of_writers(gas, 4, 9, writers, Order::place, false), count);
    EXPECT_EQ(count.on_cpu, 0);
  }
  expect_healthy();
}

TEST_F(CudaReader, AnyFrameAnyColumns) {
  Gas gas(2500);
  const Bytes bytes = file_of_writers(gas, 25, 7, 2);
  const Reader cpu = reader_of(bytes);
  for (const std::uint64_t ahead : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 30}) {
    cuda::ReaderOptions options;
    options.ahead = ahead;
    options.threads = 3;
    cuda::Reader gpu(bytes.data(), bytes.size(), "memory", 0, options);
    const OwnStream stream;
    Random random(ahead + 3);
    Count count;
    std::size_t i = 0;
    for (int step = 0; step < 120; ++step) {
      i = random.below(3) == 0 ? random.below(cpu.frames()) : (i + 1) % cpu.frames();
      std::vector<std::string> names;
      for (const std::string &name : names_of(cpu.info(i)))
        if (random.below(3) == 0) names.push_back(name);
      compare(cpu, gpu, i, names, layouts[random.below(std::size(layouts))],
              random.below(2) == 0 ? OutputOrder::stored : OutputOrder::id, count, stream.get());
      if (random.below(30) == 0) {
        gpu.release();
        EXPECT_EQ(gpu.memory().device_bytes, 0u);
      }
      if (HasFailure()) return;
    }
    EXPECT_EQ(count.on_cpu, 0);
  }
  expect_healthy();
}

TEST_F(CudaReader, AnotherOrderOfParticlesGoesThroughWhoeverCanDecodeIt) {
  Gas gas(2000);
  Count count;
  compare_all(file_of_writers(gas, 6, 3, 2, Order::id), count);
  EXPECT_GT(count.on_cpu + count.on_device, 0);
}

TEST_F(CudaReader, OrderOfMemory) {
  for (const bool alone : {true, false}) {
    const Cloud<float> cloud = walk<float>(20000, 3, 0.01, 4);
    std::vector<FieldInput> fields = cloud.inputs();
    if (alone) fields.resize(1);
    FrameInfo info;
    info.particles = cloud.size();
    Bytes bytes;
    Writer writer(bytes, small_metadata());
    writer.set_order(Order::memory);
    writer.write(info, fields);
    writer.close();
    const StoredFrame stored = reader_of(bytes).stored(0);
    ASSERT_EQ(chunk_kind(stored.bytes.data(), stored.bytes.size()), ChunkKind::sequence);
    Count count;
    compare_all(bytes, count);
    EXPECT_EQ(count.on_device != 0, alone);
    EXPECT_EQ(count.on_cpu != 0, !alone);
  }
  expect_healthy();
}

// A reader on the CPU shares the source. Some of the frames are decoded on the CPU.
TEST_F(CudaReader, SourcesOfTheCaller) {
  Count count;
  for (const std::string &path : golden_files()) {
    std::ifstream stream(path, std::ios::binary);
    const Bytes bytes{std::istreambuf_iterator<char>(stream), {}};
    const auto source = std::make_shared<api::MemorySource>(bytes.data(), bytes.size(), "memory");
    if (outcome_of([&] { Reader reader(source); }).status != Status::ok) continue;
    const Reader cpu(source);
    cuda::Reader gpu(source);
    for (std::size_t i = 0; i < cpu.frames(); ++i)
      compare(cpu, gpu, i, names_of(cpu.info(i)), layouts[0], OutputOrder::stored, count);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(count.on_device, 0);
  EXPECT_GT(count.on_cpu, 0);
  EXPECT_EQ(status_of([] { cuda::Reader(std::shared_ptr<Source>()); }), Status::invalid_argument);
  expect_healthy();
}

TEST_F(CudaReader, GivesUpWhatIsUnderWay) {
  Gas gas(3000);
  const Bytes bytes = file_of_writers(gas, 30, 6, 2);
  Count count;
  for (std::size_t step = 0; step < 20; ++step) {
    cuda::ReaderOptions options;
    options.threads = 1 + static_cast<int>(step % 4);
    cuda::Reader gpu(bytes.data(), bytes.size(), "memory", 0, options);
    const Reader cpu = reader_of(bytes);
    for (std::size_t i = step; i < step + step % 3; ++i)
      compare(cpu, gpu, i, {"x", "id"}, layouts[0], OutputOrder::stored, count);
    cuda::Reader moved = std::move(gpu);  // with all that is under way
    if (step % 2 == 0) compare(cpu, moved, step + 3, {"z"}, layouts[2], OutputOrder::id, count);
  }
  EXPECT_EQ(count.on_cpu, 0);
  expect_healthy();
}

TEST_F(CudaReader, MemoryStaysAsItIs) {
  Gas gas(4000);
  const Bytes bytes = file_of_writers(gas, 20, 4, 3);
  cuda::ReaderOptions options;
  options.threads = 2;
  cuda::Reader gpu(bytes.data(), bytes.size(), "memory", 0, options);
  EXPECT_EQ(gpu.memory().device_bytes, 0u);
  const Arrays arrays(gpu.info(0), {"x", "y", "z", "id"}, layouts[0]);
  const DeviceMemory memory(arrays.size());
  const auto read_all = [&] {
    for (std::size_t i = 0; i < gpu.frames(); ++i)
      gpu.read(i, arrays.outputs(memory.get()), gpu.info(i).particles, OutputOrder::id);
  };
  for (int pass = 0; pass < 3; ++pass) read_all();
  const cuda::MemoryUse use = gpu.memory();
  EXPECT_GT(use.device_bytes, 0u);
  read_all();
  EXPECT_EQ(gpu.memory().allocations, use.allocations);
  EXPECT_EQ(gpu.memory().device_bytes, use.device_bytes);
  expect_healthy();
}

TEST_F(CudaReader, Limits) {
  Gas gas(20000);
  const Bytes bytes = file_of_writers(gas, 5, 5, 2);
  const auto options_of = [](std::uint64_t memory) {
    cuda::ReaderOptions options;
    options.limits.memory = memory;
    return options;
  };
  Count count;
  compare_all(bytes, count, options_of(std::uint64_t{1} << 30));
  EXPECT_EQ(count.on_cpu, 0);

  const Arrays arrays(reader_of(bytes).info(0), {"x", "y", "z"}, layouts[0]);
  const DeviceMemory memory(arrays.size());
  for (const std::uint64_t limit : {std::uint64_t{1000}, std::uint64_t{100000}, std::uint64_t{1} << 20}) {
    EXPECT_EQ(status_of([&] {
                cuda::Reader gpu(bytes.data(), bytes.size(), "memory", 0, options_of(limit));
                gpu.read(0, arrays.outputs(memory.get()), 20000);
              }),
              Status::limit_exceeded)
        << limit;
  }
  cuda::Reader gpu(bytes.data(), bytes.size());
  EXPECT_EQ(status_of([&] { gpu.read(0, arrays.outputs(memory.get()), 19999); }), Status::limit_exceeded);
  EXPECT_EQ(status_of([&] { gpu.read(5, arrays.outputs(memory.get()), 20000); }), Status::not_found);
  gpu.read(0, arrays.outputs(memory.get()), 20000);
  expect_healthy();
}

TEST_F(CudaReader, ArgumentsAreChecked) {
  Gas gas(100);
  const Bytes bytes = file_of_writers(gas, 3, 3, 1);
  cuda::Reader gpu(bytes.data(), bytes.size());
  const DeviceMemory memory(20000);
  std::vector<double> host(1000);
  char *const data = memory.as<char>();
  const auto status = [&](const std::string &name, const Array &array) {
    return status_of([&] { gpu.read(1, {{name, array}}, 100); });
  };
  EXPECT_EQ(status("x", {data, 8, Type::float64}), Status::ok);
  EXPECT_EQ(status("x", {data, 8, Type::int64}), Status::invalid_argument);
  EXPECT_EQ(status("id", {data, 8, Type::float64}), Status::invalid_argument);
  EXPECT_EQ(status("x", {nullptr, 8, Type::float64}), Status::invalid_argument);
  EXPECT_EQ(status("x", {data + 4, 8, Type::float64}), Status::invalid_argument);
  EXPECT_EQ(status("x", {data, 12, Type::float64}), Status::invalid_argument);
  EXPECT_EQ(status("other", {data, 8, Type::float64}), Status::not_found);
  int reaches_host_memory = 0;
  check(cudaDeviceGetAttribute(&reaches_host_memory, cudaDevAttrPageableMemoryAccess, 0));
  if (reaches_host_memory == 0) {
    EXPECT_EQ(status("x", {host.data(), 8, Type::float64}), Status::invalid_argument);
  }
  EXPECT_EQ(status_of([&] {
              gpu.read(1, {{"x", {data, 8, Type::float64}}, {"x", {data + 8000, 8, Type::float64}}}, 100);
            }),
            Status::invalid_argument);
  EXPECT_EQ(status("y", {data, 8, Type::float64}), Status::ok);
  EXPECT_EQ(status_of([&] { cuda::Reader("/no/such/file"); }), Status::io_error);
  EXPECT_EQ(status_of([&] { cuda::Reader(bytes.data(), bytes.size(), "memory", gpus()); }), Status::not_found);
  expect_healthy();
}

TEST_F(CudaReader, InC) {
  Gas gas(3000);
  const TemporaryFile file;
  file.set(file_of_writers(gas, 4, 3, 2));
  std::vector<double> x(3000);
  EXPECT_EQ(reader_in_c(file.path().c_str(), x.data()), 0) << gpz_last_error();
  std::vector<double> expected(3000);
  Reader(file.path()).read_columns(3, {{"x", {expected.data(), 8, Type::float64}}}, 3000, {1, true});
  EXPECT_EQ(x, expected);
  expect_healthy();
}

}  // namespace
}  // namespace gpz::test
