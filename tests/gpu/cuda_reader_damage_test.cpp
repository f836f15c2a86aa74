// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::Reader and gpz::Reader find the same errors in damaged, false and truncated files.
#include <filesystem>

#include "cuda_reader_support.hpp"

namespace gpz::test {
namespace {

class CudaReaderDamage : public GpuTest {};

TEST_F(CudaReaderDamage, DamagedFilesHaveTheErrorsOfTheCpu) {
  Gas gas(1500);
  const Bytes sound = file_of_writers(gas, 8, 3, 2);
  const FileScan scan = scan_bytes(sound);
  Random random(17);
  Count count;
  for (int step = 0; step < 150; ++step) {
    Bytes bytes = sound;
    const std::size_t at = random.below(bytes.size());
    bytes[at] ^= static_cast<std::uint8_t>(1u << random.below(8));
    const Outcome opened = outcome_of([&] { reader_of(bytes); });
    EXPECT_EQ(outcome_of([&] { cuda::Reader(bytes.data(), bytes.size()); }), opened);
    if (opened.status != Status::ok) continue;
    const Reader cpu = reader_of(bytes);
    cuda::Reader gpu(bytes.data(), bytes.size());
    const OutputOrder order = step % 2 == 0 ? OutputOrder::stored : OutputOrder::id;
    for (std::size_t i = 0; i < cpu.frames(); ++i) {
      std::vector<std::string> names;
      outcome_of([&] { names = names_of(cpu.info(i)); });
      compare(cpu, gpu, i, names, layouts[0], order, count);
    }
    if (HasFailure()) {
      ADD_FAILURE() << "byte " << at;
      return;
    }
  }
  EXPECT_GT(count.refused, 0);
  EXPECT_GT(count.on_device, 0);
  expect_healthy();
}

// What a checksum cannot find: bytes that were wrong when the file was written.
TEST_F(CudaReaderDamage, FalseChunksHaveTheErrorsOfTheCpu) {
  Gas gas(1500);
  const Bytes sound = file_of_writers(gas, 4, 4, 1);
  Random random(19);
  Count count;
  compare_false_chunks(
      sound, small_metadata(), random, 200, [&](int, std::size_t frames) { return random.below(frames); }, count);
  EXPECT_GT(count.refused, 0);
  expect_healthy();
}

TEST_F(CudaReaderDamage, TruncatedFilesHaveTheirFrames) {
  Gas gas(700);
  const Bytes sound = file_of_writers(gas, 6, 3, 2);
  Count count;
  for (std::size_t size = 0; size < sound.size(); size += sound.size() / 23) {
    const Bytes bytes(sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(size));
    const Outcome opened = outcome_of([&] { reader_of(bytes); });
    EXPECT_EQ(outcome_of([&] { cuda::Reader(bytes.data(), bytes.size()); }), opened);
    if (opened.status == Status::ok) compare_all(bytes, count);
  }
  // Cut after it was opened.
  const TemporaryFile file;
  file.set(sound);
  cuda::Reader gpu(file.path());
  std::filesystem::resize_file(file.path(), gpu.scan().frames[3].offset + 500);
  std::vector<std::string> names = {"x"};
  const Arrays arrays(gpu.info(0), names, layouts[0]);
  const DeviceMemory memory(arrays.size());
  for (std::size_t i = 0; i < 3; ++i) gpu.read(i, arrays.outputs(memory.get()), gpu.info(i).particles);
  EXPECT_NE(status_of([&] { gpu.read(3, arrays.outputs(memory.get()), 1u << 20); }), Status::ok);
  EXPECT_NE(status_of([&] { gpu.read(5, arrays.outputs(memory.get()), 1u << 20); }), Status::ok);
  gpu.read(2, arrays.outputs(memory.get()), gpu.info(2).particles);
  expect_healthy();
}

}  // namespace
}  // namespace gpz::test
