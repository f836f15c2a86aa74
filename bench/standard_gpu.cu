// SPDX-License-Identifier: BSD-3-Clause
// Effort standard from device memory to device memory: gpz::cuda::StandardCodec, and gpz::TrajectoryEncoder with
// copies.
//
//   standard_gpu [--threads N] [--frames N] [--key N] [--cpu N] [--write OUTPUT] [--shuffled] [--fp32] FILE COPIES...
//
// Takes the frames of FILE, or the first N of --frames, with copies of the box side by side (COPIES: 3x3x3, for
// example), each from another frame on, to and fro: x y z in FP64, or FP32, and int32 ids, with one key frame or one
// every N of --key. Particles whose ids follow each other have to be less than half of the box apart. Prints the wall
// time of each frame, and the median of those that the GPU encoded. The first N frames of --cpu (default: all) are
// encoded by the CPU too, from rows that a Download copies, and the bytes are compared. --write: the chunks become a
// file.
// --shuffled: the rows are in another order than the ids, as in a simulation, and the same in all frames.
// --threads: of the CPU (default: all, at most 16).
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "device_memory.cuh"
#include "gpz/cuda_standard.hpp"
#include "gpz/cuda_transfer.hpp"
#include "gpz/reader.hpp"
#include "gpz/trajectory.hpp"
#include "gpz/writer.hpp"

namespace {

using gpz::bench::check;

template <typename Work>
double milliseconds(const Work &work) {
  check(cudaDeviceSynchronize());
  const auto start = std::chrono::steady_clock::now();
  work();
  check(cudaDeviceSynchronize());
  return 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct Edges {
  double lo[3];
  double length[3];
};

constexpr unsigned threads = 256;

// Row i has particle i times `factor` modulo the number of particles, which it has no divisor in common with. Each copy
// is 7 frames ahead of the one before; after the last frame they go back. Identical copies would have statistics of
// few particles.
template <typename Real>
__global__ void tile(const double *from, std::uint64_t particles, std::uint64_t frame, std::uint64_t frames,
                     uint3 copies, Edges edges, std::uint64_t factor, std::uint64_t all, Real *to, std::int32_t *id) {
  const std::uint64_t row = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (row >= all) return;
  const std::uint64_t i = row * factor % all;
  const std::uint64_t copy = i / particles;
  const std::uint64_t turn = (frame + 7 * copy) % max(2 * frames - 2, std::uint64_t{1});
  from += 3 * particles * (turn < frames ? turn : 2 * frames - 2 - turn);
  const std::uint64_t at[3] = {copy % copies.x, copy / copies.x % copies.y, copy / copies.x / copies.y};
  const unsigned of_axis[3] = {copies.x, copies.y, copies.z};
  for (int d = 0; d < 3; ++d) {
    const double whole = of_axis[d] * edges.length[d];
    const double x = from[3 * (i % particles) + d] - edges.lo[d] + static_cast<double>(at[d]) * edges.length[d];
    to[3 * row + d] = static_cast<Real>(edges.lo[d] + x - floor(x / whole) * whole);
  }
  id[row] = static_cast<std::int32_t>(i + 1);
}

struct Options {
  int threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 16u));
  std::size_t frames = SIZE_MAX;
  std::size_t key_interval = SIZE_MAX;
  std::size_t frames_on_cpu = SIZE_MAX;
  std::string output;
  bool is_shuffled = false;
  bool is_fp32 = false;
};

class Copies {
 public:
  Copies(const std::string &path, uint3 copies, bool is_shuffled, bool is_fp32)
      : reader_(path), copies_(copies), is_fp32_(is_fp32) {
    const gpz::FrameInfo info = reader_.info(0);
    particles_ = info.particles;
    all = particles_ * copies.x * copies.y * copies.z;
    box = info.box;
    const unsigned of_axis[3] = {copies.x, copies.y, copies.z};
    for (int d = 0; d < 3; ++d) {
      edges_.lo[d] = box.values[2 * d];
      edges_.length[d] = box.values[2 * d + 1] - edges_.lo[d];
      box.values[2 * d + 1] = edges_.lo[d] + of_axis[d] * edges_.length[d];
      largest_ = std::max({largest_, std::fabs(edges_.lo[d]), std::fabs(box.values[2 * d + 1])});
    }
    // A prime, so that it has no divisor in common with most numbers.
    if (is_shuffled) factor_ = 1000003;
    for (const gpz::Field &field : info.fields)
      if (field.leading) bound_ = field.bound;
    check(cudaMalloc(&small_, reader_.frames() * 3 * particles_ * sizeof(double)));
    for (std::size_t f = 0; f < reader_.frames(); ++f) read(f);
    check(cudaMalloc(&positions_, 3 * all * real_size()));
    check(cudaMalloc(&ids_, all * sizeof(std::int32_t)));
  }
  ~Copies() {
    for (void *memory : {static_cast<void *>(small_), positions_, static_cast<void *>(ids_)}) cudaFree(memory);
  }
  Copies(const Copies &) = delete;
  Copies &operator=(const Copies &) = delete;

  std::size_t frames() const { return reader_.frames(); }
  std::uint32_t features() const { return reader_.scan().metadata.features; }
  std::vector<gpz::FieldInput> frame(std::size_t f) {
    if (is_fp32_)
      place(f, static_cast<float *>(positions_));
    else
      place(f, static_cast<double *>(positions_));
    std::vector<gpz::FieldInput> fields(2);
    fields[0].field.type = is_fp32_ ? gpz::ValueType::float32 : gpz::ValueType::float64;
    fields[0].field.bound = bound_;
    fields[0].field.step = gpz::grid_step(bound_, fields[0].field.type, largest_);
    fields[0].field.leading = true;
    fields[0].field.components = {{"x", 0}, {"y", 1}, {"z", 2}};
    for (std::size_t d = 0; d < 3; ++d)
      fields[0].components[d] = {static_cast<const char *>(positions_) + d * real_size(),
                                 static_cast<std::ptrdiff_t>(3 * real_size()),
                                 is_fp32_ ? gpz::ConstArray::Type::float32 : gpz::ConstArray::Type::float64};
    fields[1].field.type = gpz::ValueType::integer;
    fields[1].field.components = {{"id", 3}};
    fields[1].components[0] = {ids_, sizeof(std::int32_t), gpz::ConstArray::Type::int32};
    return fields;
  }

  std::uint64_t all;
  gpz::Box box;

 private:
  std::size_t real_size() const { return is_fp32_ ? sizeof(float) : sizeof(double); }

  template <typename Real>
  void place(std::size_t f, Real *to) {
    tile<<<static_cast<unsigned>((all + threads - 1) / threads), threads>>>(small_, particles_, f, reader_.frames(),
                                                                            copies_, edges_, factor_, all, to, ids_);
    check(cudaDeviceSynchronize());
  }

  void read(std::size_t f) {
    std::vector<double> positions(3 * particles_);
    std::vector<gpz::ColumnOutput> columns;
    for (std::size_t d = 0; d < 3; ++d)
      columns.push_back(
          {std::string(1, "xyz"[d]), {positions.data() + d, 3 * sizeof(double), gpz::ConstArray::Type::float64}});
    gpz::ReadOptions options;
    reader_.read_columns(f, columns, particles_, options);
    make_whole(positions);
    check(cudaMemcpy(small_ + f * positions.size(), positions.data(), positions.size() * sizeof(double),
                     cudaMemcpyHostToDevice));
  }

  // Copies of molecules that cross an edge of the box stay whole: each particle is near the one before it in the first
  // frame, and then near where it was.
  void make_whole(std::vector<double> &positions) {
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (last_.empty() && i < 3) continue;
      const double near = last_.empty() ? positions[i - 3] : last_[i];
      const double length = edges_.length[i % 3];
      positions[i] -= std::round((positions[i] - near) / length) * length;
    }
    last_ = positions;
  }

  gpz::Reader reader_;
  std::vector<double> last_;
  uint3 copies_;
  std::uint64_t particles_;
  std::uint64_t factor_ = 1;
  double bound_ = 0;
  double largest_ = 0;  // coordinate
  Edges edges_{};
  bool is_fp32_;
  double *small_ = nullptr;
  void *positions_ = nullptr;
  std::int32_t *ids_ = nullptr;
};

double copy_bandwidth() {
  constexpr std::size_t size = std::size_t{1} << 30;
  void *a = nullptr;
  void *b = nullptr;
  check(cudaMalloc(&a, size));
  check(cudaMalloc(&b, size));
  std::vector<double> times;
  for (int k = 0; k < 5; ++k)
    times.push_back(milliseconds([&] { check(cudaMemcpyAsync(b, a, size, cudaMemcpyDeviceToDevice)); }));
  cudaFree(a);
  cudaFree(b);
  return 2e-6 * static_cast<double>(size) / median(times);
}

void write(gpz::Writer &writer, std::size_t f, std::size_t since_key, const std::vector<gpz::FieldInput> &fields,
           const Copies &data, std::vector<std::uint8_t> &&bytes) {
  gpz::FrameInfo info;
  info.timestep = static_cast<std::int64_t>(f);
  info.particles = data.all;
  info.box = data.box;
  info.since_key = static_cast<std::uint16_t>(since_key);
  gpz::EncodedChunk chunk;
  for (const gpz::FieldInput &field : fields) {
    info.fields.push_back(field.field);
    chunk.largest_error.push_back(field.field.bound);
  }
  chunk.particles = data.all;
  chunk.checksum = gpz::chunk_checksum(bytes.data(), bytes.size());
  chunk.bytes = std::move(bytes);
  writer.write(info, std::vector<gpz::EncodedChunk>{std::move(chunk)});
}

void run(const std::string &path, const std::string &text, const Options &options) {
  uint3 copies{};
  if (std::sscanf(text.c_str(), "%ux%ux%u", &copies.x, &copies.y, &copies.z) != 3)
    throw std::runtime_error("copies must be given as 3x3x3, not " + text);
  Copies data(path, copies, options.is_shuffled, options.is_fp32);
  const auto n = static_cast<double>(data.all);
  std::printf("%s, %s copies: %llu atoms in %s%s, %d threads\n", path.c_str(), text.c_str(),
              static_cast<unsigned long long>(data.all), options.is_fp32 ? "FP32" : "FP64",
              options.is_shuffled ? ", shuffled" : "", options.threads);
  gpz::cuda::StandardCodec gpu(0, options.threads);
  gpu.set_features(data.features());
  gpz::TrajectoryEncoder cpu(options.threads);
  cpu.set_effort(gpz::Effort::standard, data.features());
  std::optional<gpz::Writer> writer;
  if (!options.output.empty()) {
    gpz::Metadata metadata;
    metadata.generator = "standard_gpu";
    metadata.columns = {"id", "x", "y", "z"};
    metadata.features = data.features();
    writer.emplace(options.output, metadata);
  }
  gpz::cuda::Download download(0);
  std::vector<double> times;
  std::vector<double> cpu_times;
  std::size_t different = 0;
  for (std::size_t f = 0; f < std::min(data.frames(), options.frames); ++f) {
    const bool is_key = f % options.key_interval == 0;
    const std::vector<gpz::FieldInput> fields = data.frame(f);
    gpz::cuda::DeviceChunk chunk;
    const double ms = milliseconds([&] { chunk = gpu.encode(fields, data.all, nullptr, data.box, is_key); });
    if (gpu.encoded_on_device()) times.push_back(ms);
    std::printf("  frame %2zu: %9.2f ms on the %s, %5.2f bits a particle", f, ms,
                gpu.encoded_on_device() ? "GPU" : "CPU", 8 * static_cast<double>(chunk.size) / n);
    std::vector<std::uint8_t> bytes(chunk.size);
    check(cudaMemcpy(bytes.data(), chunk.data, chunk.size, cudaMemcpyDeviceToHost));
    if (f < options.frames_on_cpu) {
      std::vector<gpz::FieldInput> on_host = fields;
      gpz::EncodedChunk expected;
      const double cpu_ms = milliseconds([&] {
        download.download(on_host, data.all);
        cpu.encode(on_host, data.all, nullptr, data.box, is_key, expected);
      });
      if (gpu.encoded_on_device()) cpu_times.push_back(cpu_ms);
      const bool same = bytes == expected.bytes;
      if (!same) ++different;
      std::printf("; CPU with copy %9.2f ms, %s", cpu_ms, same ? "same bytes" : "OTHER BYTES");
    }
    std::printf("\n");
    if (writer) write(*writer, f, f % options.key_interval, fields, data, std::move(bytes));
  }
  if (writer) writer->close();
  if (!times.empty())
    std::printf("  GPU, median of %zu frames: %.2f ms (%.2f to %.2f), %.1f GB/s of positions\n", times.size(),
                median(times), *std::min_element(times.begin(), times.end()),
                *std::max_element(times.begin(), times.end()), (options.is_fp32 ? 12e-6 : 24e-6) * n / median(times));
  if (!cpu_times.empty()) std::printf("  CPU with copy, median: %.2f ms\n", median(cpu_times));
  std::printf("  device memory of the codec: %.0f bytes an atom\n", static_cast<double>(gpu.memory().device_bytes) / n);
  if (different != 0) throw std::runtime_error(std::to_string(different) + " frames have other bytes than the CPU's");
}

}  // namespace

int main(int argc, char **argv) {
  try {
    Options options;
    std::vector<std::string> rest;
    for (int i = 1; i < argc; ++i) {
      const std::string argument = argv[i];
      if (argument == "--threads" && i + 1 < argc)
        options.threads = std::stoi(argv[++i]);
      else if (argument == "--cpu" && i + 1 < argc)
        options.frames_on_cpu = std::stoul(argv[++i]);
      else if (argument == "--frames" && i + 1 < argc)
        options.frames = std::stoul(argv[++i]);
      else if (argument == "--key" && i + 1 < argc)
        options.key_interval = std::stoul(argv[++i]);
      else if (argument == "--write" && i + 1 < argc)
        options.output = argv[++i];
      else if (argument == "--shuffled")
        options.is_shuffled = true;
      else if (argument == "--fp32")
        options.is_fp32 = true;
      else
        rest.push_back(argument);
    }
    if (rest.size() < 2) {
      std::fprintf(stderr,
                   "usage: standard_gpu [--threads N] [--frames N] [--key N] [--cpu N] [--write OUTPUT] [--shuffled] "
                   "[--fp32] FILE COPIES...\n");
      return 2;
    }
    std::printf("copy bandwidth %.0f GB/s, read and written\n", copy_bandwidth());
    for (std::size_t k = 1; k < rest.size(); ++k) run(rest[0], rest[k], options);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "standard_gpu: %s\n", error.what());
    return 1;
  }
}
