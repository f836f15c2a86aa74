// SPDX-License-Identifier: BSD-3-Clause
// Positions of the frames of files in device memory: decoded by kernels, and by the CPU with a copy.
//
//   gpu_frames [--passes N] [--threads N] [--chained N] FILE...
//
// gpz::cuda::Reader reads x y z of all frames in turn into one float32 array on the device; gpz::Reader does so into
// pinned memory, with this many threads (default: all cores, at most 16), and copies. N passes each (default 4). Wall
// time of a frame, ms: mean of the first pass, in which memory is allocated and molecules are read; and of the others
// the mean of all frames, and the median for each kind of frame. The CPU decodes key intervals ahead, so that its kinds
// say less than its mean. All values of the first pass are compared. --chained:
// gpz::cuda::ReaderOptions::least_chained, here by default 1.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "device_memory.cuh"
#include "gpz/cuda_reader.hpp"
#include "gpz/reader.hpp"

namespace {

using gpz::bench::check;

enum Kind : std::size_t { key, first_difference, later_difference, kinds };
constexpr const char *kind_names[kinds] = {"key", "first difference", "later difference"};

double mean(const std::vector<double> (&times)[kinds]) {
  double sum = 0;
  std::size_t count = 0;
  for (const std::vector<double> &of : times) {
    sum = std::accumulate(of.begin(), of.end(), sum);
    count += of.size();
  }
  return sum / static_cast<double>(count);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

std::vector<gpz::ColumnOutput> columns_of(float *positions) {
  std::vector<gpz::ColumnOutput> columns;
  for (std::size_t d = 0; d < 3; ++d)
    columns.push_back({std::string(1, "xyz"[d]), {positions + d, 3 * sizeof(float), gpz::ConstArray::Type::float32}});
  return columns;
}

class Memory {
 public:
  explicit Memory(std::size_t values) : size(values * sizeof(float)) {
    check(cudaMalloc(&on_device, size));
    check(cudaHostAlloc(&on_host, size, cudaHostAllocDefault));
  }
  ~Memory() {
    cudaFree(on_device);
    cudaFreeHost(on_host);
  }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  std::size_t size;
  float *on_device = nullptr;
  float *on_host = nullptr;
};

void run(const std::string &path, std::size_t passes, int threads, std::uint64_t least_chained) {
  gpz::Reader cpu(path);
  gpz::cuda::ReaderOptions options_of_gpu;
  options_of_gpu.threads = threads;
  options_of_gpu.least_chained = least_chained;
  gpz::cuda::Reader gpu(path, 0, options_of_gpu);
  std::size_t particles = 0;
  for (const gpz::IndexEntry &frame : cpu.scan().frames)
    particles = std::max(particles, static_cast<std::size_t>(frame.particles));
  const Memory memory(3 * particles);
  std::vector<std::vector<float>> expected;
  std::vector<double> first[2][kinds], times[2][kinds];
  std::size_t on_device = 0;
  std::string reason;
  const auto timed = [&](int who, std::size_t i, std::size_t pass, const auto &read) {
    const auto start = std::chrono::steady_clock::now();
    read();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto kind = std::min<std::size_t>(cpu.info(i).since_key, later_difference);
    (pass == 0 ? first : times)[who][kind].push_back(1e3 * seconds);
  };
  for (std::size_t pass = 0; pass < passes; ++pass) {
    for (std::size_t i = 0; i < cpu.frames(); ++i) {
      gpz::ReadOptions options{threads, false};
      timed(1, i, pass, [&] {
        cpu.read_columns(i, columns_of(memory.on_host), particles, options);
        check(cudaMemcpy(memory.on_device, memory.on_host, memory.size, cudaMemcpyHostToDevice));
      });
      if (pass == 0) expected.emplace_back(memory.on_host, memory.on_host + 3 * particles);
    }
    for (std::size_t i = 0; i < cpu.frames(); ++i) {
      check(cudaMemset(memory.on_device, 0, memory.size));
      timed(0, i, pass, [&] {
        const gpz::cuda::FrameRead read =
            gpu.read(i, columns_of(memory.on_device), particles, gpz::cuda::OutputOrder::stored, nullptr);
        check(cudaDeviceSynchronize());
        if (pass == 0) on_device += read.decoded_on_device ? 1 : 0;
        if (!read.decoded_on_device) reason = read.reason;
      });
      if (pass != 0) continue;
      check(cudaMemcpy(memory.on_host, memory.on_device, memory.size, cudaMemcpyDeviceToHost));
      if (std::memcmp(memory.on_host, expected[i].data(), 12 * static_cast<std::size_t>(cpu.info(i).particles)) != 0)
        throw std::runtime_error("other values than the CPU's in frame " + std::to_string(i) + " of " + path);
    }
  }
  std::printf("%s: %zu atoms, %zu of %zu frames decoded on the device%s%s\n", path.c_str(), particles, on_device,
              cpu.frames(), reason.empty() ? "" : ": ", reason.c_str());
  const auto print = [&](const char *name, double gpu_ms, double cpu_ms) {
    std::printf("  %-17s GPU %9.2f ms %7.1f GB/s, CPU with %d threads and copy %9.2f ms %7.1f GB/s\n", name, gpu_ms,
                12e-6 * static_cast<double>(particles) / gpu_ms, threads, cpu_ms,
                12e-6 * static_cast<double>(particles) / cpu_ms);
  };
  print("mean, first pass", mean(first[0]), mean(first[1]));
  print("mean", mean(times[0]), mean(times[1]));
  for (std::size_t kind = 0; kind < kinds; ++kind)
    if (!times[0][kind].empty()) print(kind_names[kind], median(times[0][kind]), median(times[1][kind]));
  std::printf("  device memory of the reader: %.0f bytes an atom\n",
              static_cast<double>(gpu.memory().device_bytes) / static_cast<double>(particles));
}

}  // namespace

int main(int argc, char **argv) {
  try {
    std::size_t passes = 4;
    int threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 16u));
    std::uint64_t least_chained = 1;
    std::vector<std::string> paths;
    for (int i = 1; i < argc; ++i) {
      const std::string argument = argv[i];
      if (argument == "--passes" && i + 1 < argc)
        passes = std::stoul(argv[++i]);
      else if (argument == "--threads" && i + 1 < argc)
        threads = std::stoi(argv[++i]);
      else if (argument == "--chained" && i + 1 < argc)
        least_chained = std::stoull(argv[++i]);
      else
        paths.push_back(argument);
    }
    if (paths.empty() || passes < 2) {
      std::fprintf(stderr, "usage: gpu_frames [--passes N] [--threads N] [--chained N] FILE...\n");
      return 2;
    }
    for (const std::string &path : paths) run(path, passes, threads, least_chained);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "gpu_frames: %s\n", error.what());
    return 1;
  }
}
