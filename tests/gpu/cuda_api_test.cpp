// SPDX-License-Identifier: BSD-3-Clause
// What gpz/cuda.hpp says about workspaces, capacities and streams.
#include <algorithm>
#include <cstring>
#include <memory>

#include "chunk_kinds.hpp"
#include "gpz/cuda.hpp"
#include "random_snapshot.hpp"

namespace gpz::test {
namespace {

bool is_untouched(const DeviceMemory &memory, std::size_t from) {
  const std::vector<std::uint8_t> bytes = memory.bytes();
  return std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.end(),
                     [](std::uint8_t byte) { return byte == DeviceMemory::pattern; });
}

// A call of compress() with all that it needs.
struct Compression {
  Compression(const DeviceSnapshot<float> &snapshot, std::size_t capacity)
      : s(snapshot), workspace(cuda::compress_workspace_size(s.fields, s.particles)), out(capacity) {}

  void queue(std::size_t workspace_size, std::size_t capacity, cudaStream_t stream) {
    cuda::compress(s.fields, s.particles, s.rows, workspace.get(), workspace_size, out.get(), capacity, result.get(),
                   stream);
  }
  std::vector<std::uint8_t> chunk() const { return out.bytes(static_cast<std::size_t>(result->bytes)); }

  const DeviceSnapshot<float> &s;
  DeviceMemory workspace;
  DeviceMemory out;
  Pinned<cuda::CompressResult> result;
};

class CudaApi : public GpuTest {};

TEST_F(CudaApi, TooLittleWorkspaceIsRefused) {
  const RandomSnapshot<float> s(5);
  const DeviceSnapshot<float> device(s);
  Compression job(device, cuda::compressed_bound(device.fields, device.particles));
  EXPECT_EQ(status_of([&] { job.queue(job.workspace.size() - 1, job.out.size(), nullptr); }), Status::invalid_argument);
  EXPECT_EQ(status_of([&] { job.queue(0, job.out.size(), nullptr); }), Status::invalid_argument);
  expect_healthy();
  EXPECT_TRUE(is_untouched(job.out, 0));
  EXPECT_TRUE(is_untouched(job.workspace, 0));

  const EncodedChunk chunk = encode(s.fields, s.particles, 1, s.row_list());
  const DeviceMemory bytes(chunk.bytes.data(), chunk.bytes.size());
  std::vector<cuda::FieldOutput> outputs;
  for (const Field &field : frame_for(s.fields).info.fields) outputs.push_back({field, {}});
  const std::size_t size = cuda::decompress_workspace_size(outputs, s.particles);
  const DeviceMemory workspace(size);
  const Pinned<std::uint32_t> damaged;
  const auto decompress = [&](std::size_t workspace_size) {
    cuda::decompress(bytes.get(), chunk.bytes.size(), s.particles, outputs, workspace.get(), workspace_size,
                     damaged.get(), nullptr);
  };
  EXPECT_EQ(status_of([&] { decompress(size - 1); }), Status::invalid_argument);
  expect_healthy();
  EXPECT_TRUE(is_untouched(workspace, 0));
}

TEST_F(CudaApi, NothingIsWrittenWhereTheChunkDoesNotFit) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomSnapshot<float> s(seed);
    const std::vector<std::uint8_t> expected = encode(s.fields, s.particles, 1, s.row_list()).bytes;
    const DeviceSnapshot<float> device(s);
    Compression job(device, expected.size() + 4096);
    for (const std::size_t capacity : {std::size_t{0}, std::size_t{7}, expected.size() / 2, expected.size() - 1}) {
      job.queue(job.workspace.size(), capacity, nullptr);
      check(cudaDeviceSynchronize());
      EXPECT_EQ(job.result->fits, 0u) << "seed " << seed << ", capacity " << capacity;
      EXPECT_EQ(job.result->bytes, expected.size()) << "seed " << seed << ", capacity " << capacity;
      EXPECT_TRUE(is_untouched(job.out, 0)) << "seed " << seed << ", capacity " << capacity;
    }
    job.queue(job.workspace.size(), expected.size(), nullptr);
    check(cudaDeviceSynchronize());
    EXPECT_EQ(job.result->fits, 1u) << "seed " << seed;
    EXPECT_EQ(job.chunk(), expected) << "seed " << seed;
    EXPECT_TRUE(is_untouched(job.out, expected.size())) << "seed " << seed;
  }
}

// All that is promised about the workspace's size: nothing behind it is used.
TEST_F(CudaApi, NothingIsWrittenBehindTheWorkspace) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomSnapshot<float> s(seed);
    const DeviceSnapshot<float> device(s);
    const std::size_t size = cuda::compress_workspace_size(device.fields, device.particles);
    const std::size_t capacity = cuda::compressed_bound(device.fields, device.particles);
    const DeviceMemory workspace(size + 4096);
    const DeviceMemory out(capacity + 4096);
    const Pinned<cuda::CompressResult> result;
    cuda::compress(device.fields, device.particles, device.rows, workspace.get(), size, out.get(), capacity,
                   result.get(), nullptr);
    check(cudaDeviceSynchronize());
    EXPECT_EQ(result->fits, 1u) << "seed " << seed;
    EXPECT_TRUE(is_untouched(workspace, size)) << "seed " << seed;
    EXPECT_TRUE(is_untouched(out, static_cast<std::size_t>(result->bytes))) << "seed " << seed;
  }
}

TEST_F(CudaApi, StreamsAtATimeDoNotMeet) {
  constexpr std::size_t streams = 4;
  std::vector<std::unique_ptr<RandomSnapshot<float>>> snapshots;
  std::vector<std::unique_ptr<DeviceSnapshot<float>>> devices;
  std::vector<std::unique_ptr<Compression>> jobs;
  std::vector<std::vector<std::uint8_t>> expected;
  const OwnStream stream[streams];
  for (std::size_t i = 0; i < 6 * streams; ++i) {
    snapshots.push_back(std::make_unique<RandomSnapshot<float>>(100 + i));
    const RandomSnapshot<float> &s = *snapshots.back();
    devices.push_back(std::make_unique<DeviceSnapshot<float>>(s));
    jobs.push_back(std::make_unique<Compression>(*devices.back(), cuda::compressed_bound(s.fields, s.particles)));
    expected.push_back(encode(s.fields, s.particles, 1, s.row_list()).bytes);
  }
  for (int round = 0; round < 5; ++round) {
    for (const auto &job : jobs) check(cudaMemset(job->out.get(), DeviceMemory::pattern, job->out.size()));
    check(cudaDeviceSynchronize());
    for (std::size_t i = 0; i < jobs.size(); ++i)
      jobs[i]->queue(jobs[i]->workspace.size(), jobs[i]->out.size(), stream[i % streams].get());
    check(cudaDeviceSynchronize());
    for (std::size_t i = 0; i < jobs.size(); ++i)
      ASSERT_EQ(jobs[i]->chunk(), expected[i]) << "round " << round << ", call " << i;
  }
}

// The head of the chunk is damaged, so nothing is known of its payload but what the memory held: here, in one of the
// two orders, that it is one word, far outside.
TEST_F(CudaApi, AWorkspaceMayHoldAnything) {
  const std::vector<float> values(3 * 5000, 1.5f);
  const std::vector<FieldInput> fields = {field("x", values, 3, 0.001, true)};
  EncodedChunk chunk = encode(fields, 5000);
  ++chunk.bytes[0];
  const DeviceMemory bytes(chunk.bytes.data(), chunk.bytes.size());
  const DeviceMemory out(values.size() * sizeof(float));
  std::vector<cuda::FieldOutput> outputs = {{frame_for(fields).info.fields[0], {}}};
  for (std::size_t d = 0; d < 3; ++d)
    outputs[0].components[d] = {out.as<float>() + d, 3 * sizeof(float), ConstArray::Type::float32};
  const std::size_t size = cuda::decompress_workspace_size(outputs, 5000);
  std::vector<std::uint64_t> leftovers(size / sizeof(std::uint64_t));
  for (const std::size_t odd : {0, 1}) {
    for (std::size_t i = 0; i < leftovers.size(); ++i) leftovers[i] = i % 2 == odd ? 1 : std::uint64_t{1} << 60;
    const DeviceMemory workspace(leftovers.data(), size);
    const Pinned<std::uint32_t> damaged;
    cuda::decompress(bytes.get(), chunk.bytes.size(), 5000, outputs, workspace.get(), size, damaged.get(), nullptr);
    check(cudaDeviceSynchronize());
    EXPECT_EQ(*damaged, cuda::chunk_damaged);
  }
}

TEST_F(CudaApi, OtherChunksAreUnsupported) {
  ChunkKinds kinds;
  std::vector<cuda::FieldOutput> outputs;
  for (const Field &field : frame_for(kinds.fields()).info.fields) outputs.push_back({field, {}});
  const std::size_t size = cuda::decompress_workspace_size(outputs, ChunkKinds::particles);
  const auto verdict = [&](const std::vector<std::uint8_t> &chunk) {
    const DeviceMemory bytes(chunk.data(), chunk.size());
    const DeviceMemory workspace(size);
    const Pinned<std::uint32_t> damaged;
    cuda::decompress(bytes.get(), chunk.size(), ChunkKinds::particles, outputs, workspace.get(), size, damaged.get(),
                     nullptr);
    check(cudaDeviceSynchronize());
    return *damaged;
  };
  EXPECT_EQ(verdict(kinds.chunk(ChunkKind::block).bytes), 0u);
  for (const ChunkKind kind : {ChunkKind::difference, ChunkKind::ordered}) {
    std::vector<std::uint8_t> bytes = kinds.chunk(kind).bytes;
    EXPECT_EQ(verdict(bytes), cuda::chunk_unsupported);
    bytes.resize(8);
    EXPECT_EQ(verdict(bytes), cuda::chunk_unsupported);  // by the head alone
    bytes[1] = 8;                                        // blocks of 2,048: these kinds have none
    EXPECT_EQ(verdict(bytes), cuda::chunk_damaged);
  }

  std::vector<std::uint8_t> bytes = kinds.chunk(ChunkKind::block).bytes;
  bytes[1] = 8;
  EXPECT_EQ(verdict(bytes), cuda::chunk_unsupported);
  bytes[1] = 32;  // blocks of 8,192
  EXPECT_EQ(verdict(bytes), cuda::chunk_damaged);
  bytes[1] = 4;
  for (const ChunkKind kind : {ChunkKind::cells, ChunkKind::sequence}) {
    bytes[4] = static_cast<std::uint8_t>(kind);
    EXPECT_EQ(verdict(bytes), cuda::chunk_unsupported);
  }
  bytes[4] = 5;  // an unknown kind
  EXPECT_EQ(verdict(bytes), cuda::chunk_damaged);
  bytes[4] = 0;
  ++bytes[8];  // the length of the first section
  EXPECT_EQ(verdict(bytes), cuda::chunk_damaged);
  EXPECT_EQ(verdict({0, 4, 0, 0}), cuda::chunk_damaged);
  expect_healthy();
}

// Several calls with one workspace, one behind the other in a stream, without waiting in between.
TEST_F(CudaApi, CallsInOneStreamShareAWorkspace) {
  const OwnStream stream;
  std::vector<std::unique_ptr<RandomSnapshot<float>>> snapshots;
  std::vector<std::unique_ptr<DeviceSnapshot<float>>> devices;
  std::vector<std::unique_ptr<DeviceMemory>> chunks;
  std::vector<std::unique_ptr<Pinned<cuda::CompressResult>>> results;
  std::size_t size = 0;
  for (std::uint64_t seed = 200; seed < 220; ++seed) {
    snapshots.push_back(std::make_unique<RandomSnapshot<float>>(seed));
    devices.push_back(std::make_unique<DeviceSnapshot<float>>(*snapshots.back()));
    const DeviceSnapshot<float> &s = *devices.back();
    chunks.push_back(std::make_unique<DeviceMemory>(cuda::compressed_bound(s.fields, s.particles)));
    results.push_back(std::make_unique<Pinned<cuda::CompressResult>>());
    size = std::max(size, cuda::compress_workspace_size(s.fields, s.particles));
  }
  const DeviceMemory workspace(size);
  for (std::size_t i = 0; i < devices.size(); ++i)
    cuda::compress(devices[i]->fields, devices[i]->particles, devices[i]->rows, workspace.get(), size, chunks[i]->get(),
                   chunks[i]->size(), results[i]->get(), stream.get());
  check(cudaStreamSynchronize(stream.get()));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const RandomSnapshot<float> &s = *snapshots[i];
    ASSERT_EQ(chunks[i]->bytes(static_cast<std::size_t>((*results[i])->bytes)),
              encode(s.fields, s.particles, 1, s.row_list()).bytes)
        << "call " << i;
  }
}

}  // namespace
}  // namespace gpz::test
