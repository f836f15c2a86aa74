// SPDX-License-Identifier: BSD-3-Clause
// The C interface of the CUDA backend: from C, against the CPU, and errors instead of exceptions.
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "container_support.hpp"
#include "gpu_support.hpp"
#include "gpz/gpz_cuda.h"

extern "C" int codec_in_c(const char *path);
extern "C" int trajectory_in_c(const char *path, int frames, gpz_chunk_kind *kinds);

namespace gpz::test {
namespace {

class CudaCApi : public GpuTest {};

bool error_says(const char *words) { return std::strstr(gpz_last_error(), words) != nullptr; }

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

TEST_F(CudaCApi, OutputsAreChecked) {
  gpz_cuda_codec *codec = nullptr;
  ASSERT_EQ(gpz_cuda_codec_create(0, &codec), GPZ_OK) << gpz_last_error();
  gpz_field field = gpz_interleaved("x y z", GPZ_FLOAT32, nullptr);
  field.bound_kind = GPZ_ABSOLUTE;
  field.bound = 1e-3;
  const std::vector<std::uint8_t> bytes(64);
  const auto decode = [&](const gpz_cuda_output &output) {
    return gpz_cuda_codec_decode_host(codec, bytes.data(), bytes.size(), 1, &output, 1, 0, 0, nullptr);
  };
  gpz_cuda_output output = gpz_cuda_new_output();
  ASSERT_EQ(gpz_cuda_outputs_of(&field, 1, &output), GPZ_OK) << gpz_last_error();
  output.components = 4;
  EXPECT_EQ(decode(output), GPZ_INVALID_ARGUMENT);
  output.components = 3;
  output.type = GPZ_INT32;
  const DeviceMemory memory(256);
  output.data[0] = memory.get();
  output.stride = 4;
  EXPECT_EQ(decode(output), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("floats into floats")) << gpz_last_error();
  output.struct_size = 0;
  EXPECT_EQ(decode(output), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("struct_size")) << gpz_last_error();
  struct Later {
    gpz_cuda_output known;
    std::uint64_t unknown;
  } later = {gpz_cuda_new_output(), 0};
  later.known.struct_size = sizeof later;
  EXPECT_EQ(gpz_cuda_outputs_of(&field, 1, &later.known), GPZ_OK) << gpz_last_error();
  later.unknown = 1;
  EXPECT_EQ(decode(later.known), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("does not know")) << gpz_last_error();
  expect_healthy();
  gpz_cuda_codec_free(codec);
}

TEST_F(CudaCApi, FieldsAreChecked) {
  gpz_cuda_codec *codec = nullptr;
  ASSERT_EQ(gpz_cuda_codec_create(0, &codec), GPZ_OK) << gpz_last_error();
  const DeviceMemory x(256);
  gpz_field field = gpz_interleaved("x y z", GPZ_FLOAT32, x.get());
  field.bound_kind = GPZ_RELATIVE;
  field.bound = 1e-3;
  gpz_cuda_chunk chunk = gpz_cuda_new_chunk();
  EXPECT_EQ(gpz_cuda_codec_encode(codec, &field, 1, 1, nullptr, nullptr, &chunk), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("relative bound")) << gpz_last_error();
  field.bound_kind = GPZ_ABSOLUTE;
  EXPECT_EQ(gpz_cuda_codec_encode(codec, &field, 1, ~std::uint64_t{0}, nullptr, nullptr, &chunk), GPZ_LIMIT_EXCEEDED);
  field.stride = 13;
  EXPECT_EQ(gpz_cuda_codec_encode(codec, &field, 1, 1, nullptr, nullptr, &chunk), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("field x: data and stride")) << gpz_last_error();
  expect_healthy();
  gpz_cuda_codec_free(codec);
}

// What is refused before CUDA is asked for anything, so that it holds on any machine.
TEST(CudaCApiArguments, AreChecked) {
  const float x[3] = {1, 2, 3};
  char memory[64] = {};
  gpz_field field = gpz_interleaved("x y z", GPZ_FLOAT32, x);
  gpz_cuda_output output = gpz_cuda_new_output();
  field.bound_kind = GPZ_RELATIVE;
  field.bound = 1e-3;
  EXPECT_EQ(gpz_cuda_outputs_of(&field, 1, &output), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("relative bound")) << gpz_last_error();
  field.bound_kind = GPZ_ABSOLUTE;
  ASSERT_EQ(gpz_cuda_outputs_of(&field, 1, &output), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(output.stored, GPZ_FLOAT32);
  EXPECT_EQ(output.type, GPZ_FLOAT32);
  EXPECT_EQ(output.components, 3);
  EXPECT_NE(output.leading, 0);
  EXPECT_EQ(output.bound, 1e-3);
  EXPECT_GT(output.step, 1e-3);
  EXPECT_EQ(output.data[0], nullptr);
  EXPECT_EQ(gpz_cuda_outputs_of(nullptr, 1, &output), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_outputs_of(&field, 1, nullptr), GPZ_INVALID_ARGUMENT);

  // A program of an earlier version, whose structure ends in front of `data`, and one that never set its size.
  output = gpz_cuda_new_output();
  output.struct_size = offsetof(gpz_cuda_output, data);
  output.data[0] = memory;
  EXPECT_EQ(gpz_cuda_outputs_of(&field, 1, &output), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(output.components, 3);
  EXPECT_EQ(output.data[0], memory);
  output.struct_size = 0;
  EXPECT_EQ(gpz_cuda_outputs_of(&field, 1, &output), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("struct_size")) << gpz_last_error();
  output = gpz_cuda_new_output();

  gpz_cuda_chunk chunk = gpz_cuda_new_chunk();
  EXPECT_EQ(gpz_cuda_codec_encode(nullptr, &field, 1, 1, nullptr, nullptr, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_codec_create(0, nullptr), GPZ_INVALID_ARGUMENT);
  chunk.struct_size = 0;
  EXPECT_EQ(gpz_cuda_codec_encode(nullptr, &field, 1, 1, nullptr, nullptr, &chunk), GPZ_INVALID_ARGUMENT);
  chunk = gpz_cuda_new_chunk();
  EXPECT_EQ(gpz_cuda_codec_encode(nullptr, &field, 1, 1, nullptr, nullptr, &chunk), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_codec_write(nullptr, nullptr, nullptr, &field, 1, nullptr, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_codec_decode(nullptr, memory, 64, 1, &output, 1, 0, 0, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_codec_release(nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_cuda_codec_memory(nullptr, nullptr, nullptr), GPZ_INVALID_ARGUMENT);
  gpz_cuda_codec_free(nullptr);

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
  EXPECT_EQ(gpz_cuda_trim_pool(1000), GPZ_NOT_FOUND);
  gpz_cuda_codec *codec = reinterpret_cast<gpz_cuda_codec *>(1);
  EXPECT_EQ(gpz_cuda_codec_create(1000, &codec), GPZ_NOT_FOUND);
  EXPECT_EQ(codec, nullptr);
  EXPECT_TRUE(error_says("no CUDA device")) << gpz_last_error();
  gpz_cuda_trajectory *trajectory = reinterpret_cast<gpz_cuda_trajectory *>(1);
  EXPECT_EQ(gpz_cuda_trajectory_create(1000, &trajectory), GPZ_NOT_FOUND);
  EXPECT_EQ(trajectory, nullptr);
}

}  // namespace
}  // namespace gpz::test
