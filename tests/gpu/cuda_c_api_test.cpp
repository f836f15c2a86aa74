// SPDX-License-Identifier: BSD-3-Clause
// The C interface of the CUDA backend: from C, against the CPU, and errors instead of exceptions.
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "container_support.hpp"
#include "gpu_support.hpp"
#include "gpz/cuda_transfer.hpp"
#include "gpz/gpz_cuda.h"
#include "gpz/trajectory.hpp"

extern "C" int queued_calls_in_c(void);
extern "C" int pool_calls_in_c(void);
extern "C" int codec_in_c(const char *path);
extern "C" int decoder_in_c(const void *const *chunks, const size_t *sizes, int count);
extern "C" int trajectory_in_c(const char *path, int frames, gpz_chunk_kind *kinds);

namespace gpz::test {
namespace {

class CudaCApi : public GpuTest {};

bool error_says(const char *words) { return std::strstr(gpz_last_error(), words) != nullptr; }

TEST_F(CudaCApi, QueuedCallsWorkFromC) { EXPECT_EQ(queued_calls_in_c(), 0) << gpz_last_error(); }

TEST_F(CudaCApi, PoolCallsWorkFromC) { EXPECT_EQ(pool_calls_in_c(), 0) << gpz_last_error(); }

TEST_F(CudaCApi, SaysWhereTheMachineCodeComesFrom) {
  gpz_cuda_code code = GPZ_CUDA_CODE_NONE;
  EXPECT_EQ(gpz_cuda_kernel_code(0, &code), GPZ_OK);
  EXPECT_EQ(static_cast<int>(code), static_cast<int>(cuda::kernel_code()));
}

TEST_F(CudaCApi, CodecWorksFromC) {
  const TemporaryFile file;
  ASSERT_EQ(codec_in_c(file.path().c_str()), 0) << gpz_last_error();
  gpz_reader *reader = nullptr;
  ASSERT_EQ(gpz_reader_open(file.path().c_str(), 1, &reader), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(gpz_reader_frames(reader), 1u);
  std::vector<double> z(5000);
  std::vector<std::int64_t> id(5000);
  EXPECT_EQ(gpz_reader_read_double(reader, 0, "z", z.data(), z.size()), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(gpz_reader_read_int64(reader, 0, "id", id.data(), id.size()), GPZ_OK) << gpz_last_error();
  for (std::size_t i = 0; i < z.size(); ++i) ASSERT_NEAR(z[i], -static_cast<double>(id[i]), 0.001) << "particle " << i;
  gpz_reader_close(reader);
}

TEST_F(CudaCApi, DecoderWorksFromC) {
  constexpr std::size_t n = 5000;
  TrajectoryEncoder encoder;
  set_plain(encoder);
  std::vector<EncodedChunk> chunks(5);
  std::vector<const void *> data;
  std::vector<std::size_t> sizes;
  for (std::size_t f = 0; f < chunks.size(); ++f) {
    // As cuda_c_api_in_c.c has them, in another order.
    std::vector<double> x(3 * n);
    std::vector<std::int32_t> id(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t k = i * 7 % n;
      id[i] = static_cast<std::int32_t>(k);
      x[3 * i] = static_cast<double>(k) * 0.25 + static_cast<double>(f);
      x[3 * i + 1] = static_cast<double>(k % 100);
      x[3 * i + 2] = -static_cast<double>(k);
    }
    FieldInput positions;
    positions.field.components = {{"x", 0}, {"y", 1}, {"z", 2}};
    positions.field.leading = true;
    positions.field.bound = 0.001;
    for (std::size_t d = 0; d < 3; ++d) positions.components[d] = {x.data() + d, 24, ConstArray::Type::float64};
    FieldInput ids;
    ids.field.type = ValueType::integer;
    ids.field.components = {{"id", 3}};
    ids.components[0] = {id.data(), 4, ConstArray::Type::int32};
    encoder.encode({positions, ids}, n, nullptr, Box(), f == 0, chunks[f]);
    data.push_back(chunks[f].bytes.data());
    sizes.push_back(chunks[f].bytes.size());
    EXPECT_EQ(chunk_kind(chunks[f].bytes.data(), sizes[f]), f == 0 ? ChunkKind::block : ChunkKind::difference);
  }
  EXPECT_EQ(decoder_in_c(data.data(), sizes.data(), static_cast<int>(chunks.size())), 0) << gpz_last_error();
}

// The file is the one that gpz_writer writes with the order and the effort of a GPU.
TEST_F(CudaCApi, TrajectoriesWorkFromC) {
  constexpr int n = 5000;
  constexpr int frames = 5;
  const TemporaryFile from_device;
  const TemporaryFile from_host;
  std::vector<gpz_chunk_kind> kinds(frames, GPZ_CHUNK_CELLS);
  ASSERT_EQ(trajectory_in_c(from_device.path().c_str(), frames, kinds.data()), 0) << gpz_last_error();
  for (int f = 0; f < frames; ++f)
    EXPECT_EQ(kinds[static_cast<std::size_t>(f)], f == 0 ? GPZ_CHUNK_BLOCK : GPZ_CHUNK_DIFFERENCE) << f;
  gpz_writer *writer = nullptr;
  ASSERT_EQ(gpz_writer_open(from_host.path().c_str(), GPZ_CREATE, nullptr, 1, &writer), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(gpz_writer_set_key_interval(writer, 3), GPZ_OK);
  EXPECT_EQ(gpz_writer_set_order(writer, GPZ_ORDER_PLACE), GPZ_OK);
  EXPECT_EQ(gpz_writer_set_effort(writer, GPZ_EFFORT_FAST), GPZ_OK);
  for (int f = 0; f < frames; ++f) {
    std::vector<double> x;
    std::vector<std::int32_t> id;
    for (int i = 0; i < n; ++i) {
      x.insert(x.end(), {i * 0.25 + f, static_cast<double>(i % 100), static_cast<double>(-i)});
      id.push_back(i);
    }
    gpz_field fields[2] = {gpz_interleaved("x y z", GPZ_FLOAT64, x.data()), gpz_column("id", GPZ_INT32, id.data())};
    fields[0].bound_kind = GPZ_ABSOLUTE;
    fields[0].bound = 0.001;
    const gpz_frame frame = gpz_new_frame(n, f);
    EXPECT_EQ(gpz_writer_write(writer, &frame, fields, 2), GPZ_OK) << gpz_last_error();
  }
  EXPECT_EQ(gpz_writer_close(writer), GPZ_OK);
  EXPECT_TRUE(from_host.bytes() == from_device.bytes());
  expect_healthy();
}

// A difference frame is written only behind the frame that it builds on.
TEST_F(CudaCApi, TrajectoriesBeginWithAKeyFrameWhereTheyHaveTo) {
  std::vector<double> x(300);
  std::vector<std::int32_t> id(100);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * 7919 % 1000);
  for (std::size_t i = 0; i < id.size(); ++i) id[i] = static_cast<std::int32_t>(i);
  const DeviceMemory device_x(x.data(), x.size() * sizeof(double));
  const DeviceMemory device_id(id.data(), id.size() * sizeof(std::int32_t));
  gpz_field fields[2] = {gpz_interleaved("x y z", GPZ_FLOAT64, device_x.get()),
                         gpz_column("id", GPZ_INT32, device_id.get())};
  fields[0].bound_kind = GPZ_ABSOLUTE;
  fields[0].bound = 0.001;
  const gpz_frame frame = gpz_new_frame(100, 0);
  gpz_cuda_trajectory *codec = nullptr;
  gpz_writer *writers[2] = {nullptr, nullptr};
  ASSERT_EQ(gpz_cuda_trajectory_create(0, &codec), GPZ_OK) << gpz_last_error();
  const TemporaryFile files[2];
  for (int w = 0; w < 2; ++w)
    ASSERT_EQ(gpz_writer_open(files[w].path().c_str(), GPZ_CREATE, nullptr, 1, &writers[w]), GPZ_OK);
  const auto write = [&](int w) {
    EXPECT_EQ(gpz_cuda_trajectory_write(codec, writers[w], &frame, fields, 2, nullptr, nullptr), GPZ_OK)
        << gpz_last_error();
  };
  write(0);
  write(0);
  write(1);  // another file
  write(0);
  write(0);
  gpz_cuda_chunk chunk = gpz_cuda_new_chunk();
  EXPECT_EQ(gpz_cuda_trajectory_encode(codec, &frame, fields, 2, nullptr, 0, nullptr, &chunk, nullptr), GPZ_OK);
  write(0);
  fields[0].bound = -1;
  EXPECT_EQ(gpz_cuda_trajectory_write(codec, writers[0], &frame, fields, 2, nullptr, nullptr), GPZ_INVALID_ARGUMENT);
  fields[0].bound = 0.001;
  write(0);
  EXPECT_EQ(gpz_cuda_trajectory_release(codec), GPZ_OK);
  write(0);
  for (gpz_writer *writer : writers) EXPECT_EQ(gpz_writer_close(writer), GPZ_OK);
  gpz_cuda_trajectory_free(codec);
  const Reader reader(files[0].path());
  ASSERT_EQ(reader.frames(), 7u);
  const std::uint16_t since_key[] = {0, 1, 0, 1, 0, 1, 2};
  for (std::size_t f = 0; f < 7; ++f) {
    EXPECT_EQ(reader.info(f).since_key, since_key[f]) << f;
    reader.verify(f);
  }
  EXPECT_EQ(reader.chunk_kind(6, 0), ChunkKind::block);  // its history is gone
  EXPECT_EQ(Reader(files[1].path()).frames(), 1u);
}

// A file written from device memory is the file written from host memory.
TEST_F(CudaCApi, SameFileAsFromTheHost) {
  const TemporaryFile from_host;
  const TemporaryFile from_device;
  std::vector<float> x(3 * 4000);
  std::vector<int> id(4000);
  // On no grid of others, which hosts find and GPUs do not look for.
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(5 + 5 * std::sin(static_cast<double>(i * i)));
  for (std::size_t i = 0; i < id.size(); ++i) id[i] = static_cast<int>(i * 7 % 4000);
  const DeviceMemory device_x(x.data(), x.size() * sizeof(float));
  const DeviceMemory device_id(id.data(), id.size() * sizeof(int));
  gpz_cuda_codec *codec = nullptr;
  ASSERT_EQ(gpz_cuda_codec_create(0, &codec), GPZ_OK) << gpz_last_error();
  for (const bool on_device : {false, true}) {
    gpz_field fields[2] = {
        gpz_interleaved("x y z", GPZ_FLOAT32, on_device ? device_x.get() : static_cast<const void *>(x.data())),
        gpz_column("id", GPZ_INT32, on_device ? device_id.get() : static_cast<const void *>(id.data()))};
    fields[0].bound_kind = GPZ_ABSOLUTE;
    fields[0].bound = 0.001;
    gpz_writer *writer = nullptr;
    const std::string &path = (on_device ? from_device : from_host).path();
    ASSERT_EQ(gpz_writer_open(path.c_str(), GPZ_CREATE, nullptr, 1, &writer), GPZ_OK) << gpz_last_error();
    EXPECT_EQ(gpz_writer_set_key_interval(writer, 1), GPZ_OK);
    EXPECT_EQ(gpz_writer_set_order(writer, GPZ_ORDER_PLACE), GPZ_OK);
    EXPECT_EQ(gpz_writer_set_effort(writer, GPZ_EFFORT_FAST), GPZ_OK);
    for (int step = 0; step < 3; ++step) {
      const gpz_frame frame = gpz_new_frame(4000u - static_cast<unsigned>(step) * 100u, step);
      EXPECT_EQ(on_device ? gpz_cuda_codec_write(codec, writer, &frame, fields, 2, nullptr, nullptr)
                          : gpz_writer_write(writer, &frame, fields, 2),
                GPZ_OK)
          << gpz_last_error();
    }
    ASSERT_EQ(gpz_writer_close(writer), GPZ_OK) << gpz_last_error();
  }
  std::size_t bytes = 0;
  std::uint64_t allocations = 0;
  EXPECT_EQ(gpz_cuda_codec_memory(codec, &bytes, &allocations), GPZ_OK);
  EXPECT_GT(bytes, 0u);
  EXPECT_EQ(allocations, 2u);  // of the first frame; the others are smaller
  EXPECT_EQ(gpz_cuda_codec_release(codec), GPZ_OK);
  EXPECT_EQ(gpz_cuda_codec_memory(codec, &bytes, nullptr), GPZ_OK);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(gpz_cuda_codec_copy_chunk(codec, x.data(), 1000), GPZ_NOT_FOUND);
  gpz_cuda_codec_free(codec);
  EXPECT_FALSE(from_host.bytes().empty());
  EXPECT_TRUE(from_host.bytes() == from_device.bytes());
}

TEST_F(CudaCApi, DamageIsAStatus) {
  gpz_cuda_codec *codec = nullptr;
  ASSERT_EQ(gpz_cuda_codec_create(0, &codec), GPZ_OK) << gpz_last_error();
  const gpz_field field = gpz_column("id", GPZ_INT64, nullptr);
  gpz_cuda_output output = gpz_cuda_new_output();
  ASSERT_EQ(gpz_cuda_outputs_of(&field, 1, &output), GPZ_OK) << gpz_last_error();
  const std::vector<std::uint8_t> bytes(64, 0xFF);
  EXPECT_EQ(gpz_cuda_codec_decode_host(codec, bytes.data(), bytes.size(), 100, &output, 1, 0, 0, nullptr), GPZ_CORRUPT);
  EXPECT_EQ(gpz_cuda_codec_decode_host(codec, nullptr, 0, 100, &output, 1, 0, 0, nullptr), GPZ_CORRUPT);
  for (const std::uint8_t kind : {std::uint8_t{1}, std::uint8_t{2}}) {
    const std::uint8_t head[8] = {0, 4, 0, 0, kind, 0, 0, 0};
    EXPECT_EQ(gpz_cuda_codec_decode_host(codec, head, sizeof(head), 100, &output, 1, 0, 0, nullptr), GPZ_UNSUPPORTED);
    EXPECT_TRUE(error_says("on the CPU only")) << gpz_last_error();
  }
  expect_healthy();
  gpz_cuda_codec_free(codec);
}

// What is refused before CUDA is asked for anything, so that it holds on any machine.
TEST(CudaCApiArguments, AreChecked) {
  const float x[3] = {1, 2, 3};
  alignas(256) static char memory[512];
  gpz_field field = gpz_interleaved("x y z", GPZ_FLOAT32, x);
  std::size_t size = 1;
  gpz_cuda_result result;
  std::uint32_t damaged = 0;
  const auto compress = [&](void *workspace, void *out) {
    return gpz_cuda_compress(&field, 1, 1, nullptr, workspace, 256, out, 256, &result, nullptr);
  };

  field.bound_kind = GPZ_RELATIVE;
  field.bound = 1e-3;
  EXPECT_EQ(compress(memory, memory), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("relative bound")) << gpz_last_error();
  EXPECT_EQ(gpz_cuda_compress_workspace_size(&field, 1, 1, &size), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(size, 0u);
  field.bound_kind = GPZ_ABSOLUTE;
  EXPECT_EQ(compress(nullptr, memory), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("workspace is a null pointer")) << gpz_last_error();
  EXPECT_EQ(compress(memory + 128, memory), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("aligned to 256")) << gpz_last_error();
  EXPECT_EQ(compress(memory, memory + 4), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("aligned to 8")) << gpz_last_error();
  EXPECT_EQ(gpz_cuda_compress(&field, 1, 1, nullptr, memory, 256, memory, 256, nullptr, nullptr), GPZ_INVALID_ARGUMENT);
  field.stride = 13;
  EXPECT_EQ(compress(memory, memory), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("field x: data and stride")) << gpz_last_error();
  field.stride = 12;
  EXPECT_EQ(gpz_cuda_compress_workspace_size(nullptr, 1, 1, &size), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_compress_workspace_size(&field, 1, ~std::uint64_t{0}, &size), GPZ_LIMIT_EXCEEDED);
  EXPECT_EQ(gpz_cuda_compressed_bound(&field, 1, ~std::uint64_t{0}, &size), GPZ_LIMIT_EXCEEDED);
  EXPECT_EQ(gpz_cuda_compressed_bound(&field, 1, 1, nullptr), GPZ_INVALID_ARGUMENT);

  gpz_cuda_output output = gpz_cuda_new_output();
  ASSERT_EQ(gpz_cuda_outputs_of(&field, 1, &output), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(output.stored, GPZ_FLOAT32);
  EXPECT_EQ(output.type, GPZ_FLOAT32);
  EXPECT_EQ(output.components, 3);
  EXPECT_NE(output.leading, 0);
  EXPECT_EQ(output.bound, 1e-3);
  EXPECT_GT(output.step, 1e-3);
  EXPECT_EQ(output.data[0], nullptr);
  const auto decompress = [&](std::uint64_t first_block, std::uint64_t block_count, void *workspace) {
    return gpz_cuda_decompress(memory, 64, 1, &output, 1, first_block, block_count, workspace, 256, &damaged, nullptr);
  };
  EXPECT_EQ(decompress(0, 0, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(decompress(0, 0, memory + 8), GPZ_INVALID_ARGUMENT);
  output.components = 4;
  EXPECT_EQ(decompress(0, 0, memory), GPZ_INVALID_ARGUMENT);
  output.components = 3;
  output.type = GPZ_INT32;
  output.data[0] = memory;
  output.stride = 4;
  EXPECT_EQ(decompress(0, 0, memory), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("floats into floats")) << gpz_last_error();
  EXPECT_EQ(gpz_cuda_outputs_of(&field, 1, nullptr), GPZ_INVALID_ARGUMENT);

  // A program of an earlier version, whose structure ends in front of `data`; one that never set its size; a later one.
  output = gpz_cuda_new_output();
  output.struct_size = offsetof(gpz_cuda_output, data);
  output.data[0] = memory;
  EXPECT_EQ(gpz_cuda_outputs_of(&field, 1, &output), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(output.components, 3);
  EXPECT_EQ(output.data[0], memory);
  EXPECT_EQ(decompress(0, 0, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("workspace is a null pointer")) << gpz_last_error();
  output.struct_size = 0;
  EXPECT_EQ(gpz_cuda_outputs_of(&field, 1, &output), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(decompress(0, 0, memory), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("struct_size")) << gpz_last_error();
  struct Later {
    gpz_cuda_output known;
    std::uint64_t unknown;
  } later = {gpz_cuda_new_output(), 0};
  later.known.struct_size = sizeof later;
  EXPECT_EQ(gpz_cuda_outputs_of(&field, 1, &later.known), GPZ_OK) << gpz_last_error();
  later.unknown = 1;
  EXPECT_EQ(gpz_cuda_decompress(memory, 64, 1, &later.known, 1, 0, 0, memory, 256, &damaged, nullptr),
            GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("does not know")) << gpz_last_error();
  output = gpz_cuda_new_output();

  gpz_cuda_chunk chunk = gpz_cuda_new_chunk();
  EXPECT_EQ(gpz_cuda_malloc(8, nullptr, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_compress_now(&field, 1, 1, nullptr, nullptr, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_codec_create(0, nullptr), GPZ_INVALID_ARGUMENT);
  chunk.struct_size = 0;
  EXPECT_EQ(gpz_cuda_compress_now(&field, 1, 1, nullptr, nullptr, &chunk), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_codec_encode(nullptr, &field, 1, 1, nullptr, nullptr, &chunk), GPZ_INVALID_ARGUMENT);
  chunk = gpz_cuda_new_chunk();
  EXPECT_EQ(gpz_cuda_codec_encode(nullptr, &field, 1, 1, nullptr, nullptr, &chunk), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_codec_write(nullptr, nullptr, nullptr, &field, 1, nullptr, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_codec_decode(nullptr, memory, 64, 1, &output, 1, 0, 0, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_codec_release(nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_codec_memory(nullptr, nullptr, nullptr), GPZ_INVALID_ARGUMENT);
  gpz_cuda_codec_free(nullptr);

  EXPECT_EQ(gpz_cuda_decoder_create(0, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_decoder_decode(nullptr, memory, 64, 1, &output, 1, 0, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_decoder_decode_host(nullptr, memory, 64, 1, &output, 1, 0, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_decoder_queue(nullptr, memory, memory, 64, 1, &output, 1, 0, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_decoder_check(nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_decoder_finish(nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_decoder_release(nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_decoder_memory(nullptr, nullptr, nullptr), GPZ_INVALID_ARGUMENT);
  gpz_cuda_decoder_free(nullptr);

  const gpz_frame frame = gpz_new_frame(1, 0);
  EXPECT_EQ(gpz_cuda_trajectory_create(0, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_trajectory_set_order(nullptr, GPZ_ORDER_PLACE), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_trajectory_set_effort(nullptr, GPZ_EFFORT_FAST), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_trajectory_encode(nullptr, &frame, &field, 1, nullptr, 1, nullptr, &chunk, nullptr),
            GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_trajectory_copy_chunk(nullptr, memory, 1), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_trajectory_write(nullptr, nullptr, &frame, &field, 1, nullptr, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_trajectory_set_key_interval(nullptr, 1), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_trajectory_release(nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_trajectory_memory(nullptr, nullptr, nullptr), GPZ_INVALID_ARGUMENT);
  gpz_cuda_trajectory_free(nullptr);
}

TEST(CudaCApiArguments, ThereIsNoSuchDevice) {
  gpz_cuda_code code = GPZ_CUDA_CODE_NATIVE;
  EXPECT_EQ(gpz_cuda_kernel_code(1000, &code), GPZ_NOT_FOUND);
  EXPECT_EQ(code, GPZ_CUDA_CODE_NONE);
  EXPECT_EQ(gpz_cuda_kernel_code(0, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_trim_pool(1000), GPZ_NOT_FOUND);
  EXPECT_EQ(gpz_cuda_pool_use(-1, nullptr, nullptr), GPZ_NOT_FOUND);
  gpz_cuda_codec *codec = reinterpret_cast<gpz_cuda_codec *>(1);
  EXPECT_EQ(gpz_cuda_codec_create(1000, &codec), GPZ_NOT_FOUND);
  EXPECT_EQ(codec, nullptr);
  EXPECT_TRUE(error_says("no CUDA device")) << gpz_last_error();
  gpz_cuda_decoder *decoder = reinterpret_cast<gpz_cuda_decoder *>(1);
  EXPECT_EQ(gpz_cuda_decoder_create(1000, &decoder), GPZ_NOT_FOUND);
  EXPECT_EQ(decoder, nullptr);
  gpz_cuda_trajectory *trajectory = reinterpret_cast<gpz_cuda_trajectory *>(1);
  EXPECT_EQ(gpz_cuda_trajectory_create(1000, &trajectory), GPZ_NOT_FOUND);
  EXPECT_EQ(trajectory, nullptr);
}

}  // namespace
}  // namespace gpz::test
