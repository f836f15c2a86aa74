// SPDX-License-Identifier: BSD-3-Clause
// The tables of docs/matrix.md about GPUs: every cell is tried.
#include <functional>
#include <map>

#include "gpu_support.hpp"
#include "gpz/cuda_reader.hpp"
#include "gpz/cuda_sequence.hpp"
#include "gpz/cuda_standard.hpp"
#include "gpz/cuda_trajectory.hpp"
#include "gpz/cuda_trajectory_decoder.hpp"
#include "gpz/gpz_cuda.h"
#include "gpz/reader.hpp"
#include "matrix_page.hpp"
#include "matrix_support.hpp"

namespace gpz::test {
namespace {

class CudaMatrix : public GpuTest {};

void need(gpz_status status) {
  if (status != GPZ_OK) throw Error(static_cast<Status>(status), gpz_last_error());
}

std::string answer(const std::function<void()> &call) {
  try {
    call();
  } catch (const Error &error) {
    return error.status() == Status::unsupported ? "unsupported" : error.what();
  }
  return "yes";
}

// --- Decoders

struct Subject {
  const Samples *samples;
  Bytes file;
  std::size_t frame;
};

class CudaDecoders : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    add(0, Order::place, Effort::fast, 0, ChunkKind::block);
    add(0, Order::place, Effort::fast, 1, ChunkKind::difference);
    add(0, Order::id, Effort::fast, 0, ChunkKind::ordered);
    add(3, Order::place, Effort::dense, 0, ChunkKind::cells);
    add(2, Order::memory, Effort::fast, 0, ChunkKind::sequence);
  }

  // `decode` puts x of a frame into device memory, and returns whether the device has decoded the frame.
  void expect_row(const std::string &name, const std::function<bool(const Subject &, double *)> &decode) {
    TableRow row;
    for (const Subject &subject : subjects_) {
      const DeviceMemory memory(subject.samples->particles() * sizeof(double));
      std::string cell;
      const std::string call = answer([&] { cell = decode(subject, memory.as<double>()) ? "yes" : "CPU"; });
      if (call == "yes") {
        std::vector<double> x(subject.samples->particles());
        check(cudaMemcpy(x.data(), memory.get(), memory.size(), cudaMemcpyDeviceToHost));
        EXPECT_TRUE(subject.samples->are_x(subject.frame, x)) << name << " " << row.size();
      }
      row.push_back(call == "yes" ? cell : call);
    }
    EXPECT_EQ(row, matrix_row("GPU decoders", name));
    expect_healthy();
  }

 private:
  void add(std::size_t s, Order order, Effort effort, std::size_t frame, ChunkKind kind) {
    subjects_.push_back({&all_[s], all_[s].write(order, effort), frame});
    ASSERT_EQ(reader_of(subjects_.back().file).chunk_kind(frame, 0), kind);
  }

  std::vector<Samples> all_ = matrix_samples();
  std::vector<Subject> subjects_;
};

std::vector<cuda::FieldOutput> outputs_of(const FrameInfo &info, double *x) {
  std::vector<cuda::FieldOutput> outputs;
  for (const Field &field : info.fields) outputs.push_back({field, {}});
  outputs[0].components[0] = {x, sizeof(double), ConstArray::Type::float64};
  return outputs;
}

TEST_F(CudaDecoders, Codec) {
  cuda::Codec codec;
  expect_row("gpz::cuda::Codec", [&](const Subject &s, double *x) {
    const Reader reader = reader_of(s.file);
    const Bytes chunk = reader.chunk(s.frame, 0);
    codec.decode_from_host(chunk.data(), chunk.size(), s.samples->particles(), outputs_of(reader.info(s.frame), x));
    return true;
  });
}

TEST_F(CudaDecoders, SequenceCodec) {
  cuda::SequenceCodec codec;
  expect_row("gpz::cuda::SequenceCodec", [&](const Subject &s, double *x) {
    const Reader reader = reader_of(s.file);
    const Bytes chunk = reader.chunk(s.frame, 0);
    const DeviceMemory bytes(chunk.data(), chunk.size());
    codec.decode(bytes.get(), chunk.size(), s.samples->particles(), outputs_of(reader.info(s.frame), x)[0]);
    return true;
  });
}

TEST_F(CudaDecoders, TrajectoryDecoder) {
  expect_row("gpz::cuda::TrajectoryDecoder", [](const Subject &s, double *x) {
    cuda::TrajectoryDecoder decoder;
    const Reader reader = reader_of(s.file);
    for (std::size_t f = 0; f <= s.frame; ++f) {
      const Bytes chunk = reader.chunk(f, 0);
      decoder.decode_from_host(chunk.data(), chunk.size(), s.samples->particles(), outputs_of(reader.info(f), x));
    }
    return true;
  });
}

TEST_F(CudaDecoders, Reader) {
  expect_row("gpz::cuda::Reader", [](const Subject &s, double *x) {
    const TemporaryFile file;
    file.set(s.file);
    cuda::Reader reader(file.path());
    return reader.read(s.frame, {{"x", {x, sizeof(double), ConstArray::Type::float64}}}, s.samples->particles())
        .decoded_on_device;
  });
}

// As outputs_of. The fields are those of Samples::write.
std::vector<gpz_cuda_output> c_outputs_of(const Samples &samples, double *x) {
  gpz_field fields[2] = {gpz_interleaved("x y z", GPZ_FLOAT64, x), gpz_column("id", GPZ_INT32, x)};
  fields[0].bound_kind = GPZ_ABSOLUTE;
  fields[0].bound = Samples::bound;
  std::vector<gpz_cuda_output> outputs(samples.id.empty() ? 1 : 2, gpz_cuda_new_output());
  need(gpz_cuda_outputs_of(fields, outputs.size(), outputs.data()));
  outputs[0].data[0] = x;
  outputs[0].stride = sizeof(double);
  return outputs;
}

TEST_F(CudaDecoders, CCodec) {
  gpz_cuda_codec *codec = nullptr;
  ASSERT_EQ(gpz_cuda_codec_create(0, &codec), GPZ_OK) << gpz_last_error();
  expect_row("gpz_cuda_codec_decode_host", [&](const Subject &s, double *x) {
    const Bytes chunk = reader_of(s.file).chunk(s.frame, 0);
    const auto outputs = c_outputs_of(*s.samples, x);
    need(gpz_cuda_codec_decode_host(codec, chunk.data(), chunk.size(), s.samples->particles(), outputs.data(),
                                    outputs.size(), 0, 0, nullptr));
    return true;
  });
  gpz_cuda_codec_free(codec);
}

TEST_F(CudaDecoders, CReader) {
  expect_row("gpz_cuda_reader_read", [](const Subject &s, double *x) {
    const TemporaryFile file;
    file.set(s.file);
    gpz_cuda_reader *reader = nullptr;
    need(gpz_cuda_reader_open(file.path().c_str(), nullptr, &reader));
    const gpz_output output = gpz_into_column("x", GPZ_FLOAT64, x);
    int on_device = 0;
    const gpz_status status =
        gpz_cuda_reader_read(reader, s.frame, &output, 1, s.samples->particles(), 0, nullptr, &on_device);
    gpz_cuda_reader_close(reader);
    need(status);
    return on_device != 0;
  });
}

// --- Writers

// Samples in device memory.
struct OnDevice {
  explicit OnDevice(const Samples &samples, std::size_t f)
      : x(samples.frames[f].data(), samples.frames[f].size() * sizeof(double)),
        id(samples.id.data(), samples.id.size() * sizeof(std::int32_t)),
        inputs(samples.inputs(f)) {
    for (std::size_t d = 0; d < 3; ++d) inputs[0].components[d].data = x.as<double>() + d;
    if (inputs.size() > 1) inputs[1].components[0].data = id.get();
  }

  DeviceMemory x;
  DeviceMemory id;
  std::vector<FieldInput> inputs;
};

void expect_writer(const std::string &name, const std::function<ChunkKind(const Samples &, std::size_t f)> &kind_of) {
  EXPECT_EQ(matrix_table("GPU writers").at(0),
            (TableRow{"writer", "block", "difference", "ordered", "cells", "sequence"}));
  TableRow kinds(5, "no");
  for (const Samples &samples : matrix_samples())
    for (std::size_t f = 0; f < samples.frames.size(); ++f)
      kinds[static_cast<std::size_t>(kind_of(samples, f))] = "yes";
  EXPECT_EQ(kinds, matrix_row("GPU writers", name));
  expect_healthy();
}

TEST_F(CudaMatrix, Codec) {
  cuda::Codec codec;
  expect_writer("gpz::cuda::Codec", [&](const Samples &samples, std::size_t f) {
    const OnDevice device(samples, f);
    return codec.encode(device.inputs, samples.particles(), nullptr).kind;
  });
}

TEST_F(CudaMatrix, TrajectoryCodec) {
  cuda::TrajectoryCodec codec;
  expect_writer("gpz::cuda::TrajectoryCodec", [&](const Samples &samples, std::size_t f) {
    const OnDevice device(samples, f);
    return codec.encode(device.inputs, samples.particles(), nullptr, Box(), f % 2 == 0).kind;
  });
}

TEST_F(CudaMatrix, StandardCodec) {
  cuda::StandardCodec codec;
  expect_writer("gpz::cuda::StandardCodec", [&](const Samples &samples, std::size_t f) {
    const OnDevice device(samples, f);
    return codec.encode(device.inputs, samples.particles(), nullptr, Box(), f % 2 == 0).kind;
  });
}

TEST_F(CudaMatrix, SequenceCodec) {
  cuda::SequenceCodec codec;
  expect_writer("gpz::cuda::SequenceCodec", [&](const Samples &samples, std::size_t f) {
    const OnDevice device(samples, f);
    const cuda::DeviceChunk *const chunk = codec.encode(device.inputs[0], samples.particles());
    if (chunk == nullptr) throw std::runtime_error("no chunk in the order of memory");
    return chunk->kind;
  });
}

// The frames of all samples by one C function, each sample in a file of its own.
using CWrite = std::function<gpz_status(gpz_writer *, const gpz_frame *, const gpz_field *, std::size_t)>;
void expect_c_writer(const std::string &name, const CWrite &write) {
  TableRow kinds(5, "no");
  for (const Samples &samples : matrix_samples()) {
    const TemporaryFile file;
    gpz_writer *writer = nullptr;
    need(gpz_writer_open(file.path().c_str(), GPZ_CREATE, nullptr, 1, &writer));
    for (std::size_t f = 0; f < samples.frames.size(); ++f) {
      const OnDevice device(samples, f);
      gpz_field fields[2] = {gpz_interleaved("x y z", GPZ_FLOAT64, device.x.get()),
                             gpz_column("id", GPZ_INT32, device.id.get())};
      fields[0].bound_kind = GPZ_ABSOLUTE;
      fields[0].bound = Samples::bound;
      const gpz_frame frame = gpz_new_frame(samples.particles(), static_cast<std::int64_t>(f));
      EXPECT_EQ(write(writer, &frame, fields, samples.id.empty() ? 1 : 2), GPZ_OK) << gpz_last_error();
    }
    need(gpz_writer_close(writer));
    const Reader reader(file.path());
    ASSERT_EQ(reader.frames(), samples.frames.size());
    for (std::size_t f = 0; f < reader.frames(); ++f) {
      kinds[static_cast<std::size_t>(reader.chunk_kind(f, 0))] = "yes";
      EXPECT_TRUE(samples.are_x(f, reader.read(f).columns[0].floats)) << name << " " << samples.name << " " << f;
    }
  }
  EXPECT_EQ(kinds, matrix_row("GPU writers", name));
}

TEST_F(CudaMatrix, CCodecWrite) {
  gpz_cuda_codec *codec = nullptr;
  ASSERT_EQ(gpz_cuda_codec_create(0, &codec), GPZ_OK) << gpz_last_error();
  expect_c_writer("gpz_cuda_codec_write",
                  [&](gpz_writer *writer, const gpz_frame *frame, const gpz_field *fields, std::size_t count) {
                    return gpz_cuda_codec_write(codec, writer, frame, fields, count, nullptr, nullptr);
                  });
  gpz_cuda_codec_free(codec);
}

TEST_F(CudaMatrix, CTrajectoryWrite) {
  gpz_cuda_trajectory *codec = nullptr;
  ASSERT_EQ(gpz_cuda_trajectory_create(0, &codec), GPZ_OK) << gpz_last_error();
  expect_c_writer("gpz_cuda_trajectory_write",
                  [&](gpz_writer *writer, const gpz_frame *frame, const gpz_field *fields, std::size_t count) {
                    return gpz_cuda_trajectory_write(codec, writer, frame, fields, count, nullptr, nullptr);
                  });
  gpz_cuda_trajectory_free(codec);
}

TEST_F(CudaMatrix, CTrajectoryOrdersAndEfforts) {
  gpz_cuda_trajectory *codec = nullptr;
  ASSERT_EQ(gpz_cuda_trajectory_create(0, &codec), GPZ_OK) << gpz_last_error();
  const std::map<std::string, std::function<gpz_status()>> settings = {
      {"GPZ_ORDER_AUTO", [&] { return gpz_cuda_trajectory_set_order(codec, GPZ_ORDER_AUTO); }},
      {"GPZ_ORDER_ID", [&] { return gpz_cuda_trajectory_set_order(codec, GPZ_ORDER_ID); }},
      {"GPZ_ORDER_PLACE", [&] { return gpz_cuda_trajectory_set_order(codec, GPZ_ORDER_PLACE); }},
      {"GPZ_ORDER_MEMORY", [&] { return gpz_cuda_trajectory_set_order(codec, GPZ_ORDER_MEMORY); }},
      {"GPZ_EFFORT_FAST", [&] { return gpz_cuda_trajectory_set_effort(codec, GPZ_EFFORT_FAST); }},
      {"GPZ_EFFORT_STANDARD", [&] { return gpz_cuda_trajectory_set_effort(codec, GPZ_EFFORT_STANDARD); }},
      {"GPZ_EFFORT_DENSE", [&] { return gpz_cuda_trajectory_set_effort(codec, GPZ_EFFORT_DENSE); }}};
  const std::string heading = "Orders and efforts of gpz_cuda_trajectory";
  EXPECT_EQ(matrix_table(heading).size(), settings.size() + 1);
  for (const auto &[name, set] : settings)
    EXPECT_EQ(TableRow{answer([&call = set] { need(call()); })}, matrix_row(heading, name)) << name;
  gpz_cuda_trajectory_free(codec);
}

}  // namespace
}  // namespace gpz::test
