// SPDX-License-Identifier: BSD-3-Clause
// Speed of difference frames on a GPU (docs/decisions/0010), for particles that are made and moved on the device.
//
//   difference_gpu [--particles N] [--frames F] [--sigma S] [--motion liquid|solid] [--layout xyz|separate]
//                  [--rows block|far]
//
// Each frame is a step of a random walk of S grid units an axis (liquid), or trembles about its place by S (solid), in
// a periodic box. Times are medians over the frames after the first four, of CUDA events around a call; GB/s are bytes
// of f64 positions. The steps of an encoder are timed in calls of their own.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu_motion.cuh"
#include "gpz/core/quantize.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/common/scan.cuh"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda/difference/kernels.hpp"
#include "gpz/cuda/difference/state.hpp"

namespace {

using namespace gpz::bench;  // NOLINT(google-build-using-namespace): what both programs share
using gpz::cuda::check;

constexpr double bound = 0.0005;

struct Options {
  U64 particles = 64000000;
  int frames = 24;
  double sigma = 300;
  bool solid = false;
  bool separate = false;
  unsigned rows = 0;  // slots whose rows are exchanged with each other: 1024 (as in a key frame's blocks) or 65536
};

__global__ void exchange(std::uint32_t *row, U64 n, unsigned window) {
  const U64 i = static_cast<U64>(blockIdx.x) * threads + threadIdx.x;
  if (i >= n) return;
  const U64 base = i / window * window;
  row[i] = static_cast<std::uint32_t>(base + window <= n ? base + (i - base) * 40503 % window : i);
}

// Element i of `b` belongs to element row[i] of `a`.
__global__ void compare(Coordinates a, Coordinates b, const std::uint32_t *row, U64 n, unsigned long long *wrong) {
  const U64 i = static_cast<U64>(blockIdx.x) * threads + threadIdx.x;
  if (i >= n) return;
  const U64 from = row == nullptr ? i : row[i];
  for (unsigned d = 0; d < 3; ++d)
    if (!(fabs(a.x[d][from * a.stride] - b.x[d][i * b.stride]) < bound)) atomicAdd(wrong, 1ull);
}

class Timer {
 public:
  Timer() {
    check(cudaEventCreate(&start_), "event");
    check(cudaEventCreate(&end_), "event");
  }
  ~Timer() {
    static_cast<void>(cudaEventDestroy(start_));
    static_cast<void>(cudaEventDestroy(end_));
  }
  Timer(const Timer &) = delete;
  Timer &operator=(const Timer &) = delete;

  template <typename Work>
  void time(const Work &work, std::vector<double> &us) {
    check(cudaEventRecord(start_), "event");
    work();
    check(cudaEventRecord(end_), "event");
    check(cudaEventSynchronize(end_), "waiting");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start_, end_), "time");
    us.push_back(1000.0 * static_cast<double>(ms));
  }

 private:
  cudaEvent_t start_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

int run(const Options &options) {
  using namespace gpz::cuda;  // NOLINT(google-build-using-namespace): all of it is about this layer
  const U64 n = options.particles;
  const double step = gpz::core::step_for_bound(bound, gpz::core::Value::float64);
  const Memory positions(n * 24);
  const Memory decoded(n * 24);
  const Memory rows(options.rows != 0 ? n * 4 : 4);
  const Memory first_rows((n + 1023) / 1024 * 4);
  const Memory window_slots((n + n % 2) * 2);
  const Memory counters(16);
  const Coordinates coordinates = placed(positions.as<double>(), n, options.separate, step);
  const Coordinates out = placed(decoded.as<double>(), n, options.separate, step);
  DeviceValues values;
  FieldOutput output;
  output.field.type = gpz::ValueType::float64;
  output.field.step = step;
  output.field.components.resize(3);
  gpz::core::GridBox box{};
  for (std::size_t d = 0; d < 3; ++d) {
    const auto stride = static_cast<std::ptrdiff_t>(coordinates.stride * 8);
    values.component[d] = {coordinates.x[d], stride, gpz::ConstArray::Type::float64};
    output.components[d] = {out.x[d], stride, gpz::ConstArray::Type::float64};
    box[d] = {0, static_cast<std::int64_t>(coordinates.edge / step + 0.5)};
  }
  values.grid = {step, 1 / step, bound};
  if (options.rows != 0) {
    exchange<<<grid_for(n), threads>>>(rows.as<std::uint32_t>(), n, options.rows);
    values.rows = rows.as<std::uint32_t>();
    find_windows(values.rows, n, first_rows.as<std::uint32_t>(), window_slots.as<std::uint16_t>(), nullptr);
    values.windows = {first_rows.as<std::uint32_t>(), window_slots.as<std::uint16_t>()};
  }
  const std::size_t capacity = n * 12 + 65536;
  const Memory section(capacity);
  const Memory result(sizeof(DifferenceResult));
  const Memory status(4);
  const Memory state_memory(difference_state_size(n, 3, false));
  const Memory copy_memory(difference_state_size(n, 3, false));
  DeviceDifferenceState encoder = place_difference_state(state_memory.as<void>(), n, 3, false);
  DeviceDifferenceState decoder = place_difference_state(copy_memory.as<void>(), n, 3, false);
  check(cudaMemset(counters.as<void>(), 0, 16), "clearing");
  move<<<grid_for(n), threads>>>(coordinates, n, 0, 0, options.solid);
  auto *wide = counters.as<std::uint32_t>() + 2;
  start_difference(encoder, values, n, wide, nullptr);
  start_difference(decoder, values, n, wide, nullptr);
  const Memory encode_memory(encode_difference_workspace(encoder, capacity));
  const Memory decode_memory(decode_difference_workspace(decoder));

  Timer timer;
  std::vector<double> copy;
  std::vector<double> encode;
  std::vector<double> decode;
  double bytes = 0;
  for (int f = 1; f <= options.frames; ++f) {
    move<<<grid_for(n), threads>>>(coordinates, n, static_cast<U64>(f), options.sigma * step, options.solid);
    check(cudaGetLastError(), "motion");
    timer.time(
        [&] {
          check(cudaMemcpyAsync(decoded.as<void>(), positions.as<void>(), n * 24, cudaMemcpyDeviceToDevice), "copy");
        },
        copy);
    timer.time(
        [&] {
          encode_difference(encoder, values,
                            {{box, encode_memory.as<void>(), encode_difference_workspace(encoder, capacity), nullptr},
                             section.as<void>(),
                             capacity,
                             result.as<DifferenceResult>()});
        },
        encode);
    DifferenceResult got{};
    check(cudaMemcpy(&got, result.as<void>(), sizeof(got), cudaMemcpyDeviceToHost), "result");
    if (got.fits == 0 || got.wide != 0 || got.invalid != 0) throw std::runtime_error("the section does not fit");
    bytes += static_cast<double>(got.bytes);
    check(cudaMemset(decoded.as<void>(), 0xFF, n * 24), "clearing");
    timer.time(
        [&] {
          decode_difference(decoder,
                            {{box, decode_memory.as<void>(), decode_difference_workspace(decoder), nullptr},
                             section.as<void>(),
                             got.bytes,
                             status.as<std::uint32_t>()},
                            output);
        },
        decode);
    std::uint32_t damaged = 1;
    check(cudaMemcpy(&damaged, status.as<void>(), 4, cudaMemcpyDeviceToHost), "status");
    if (damaged != 0) throw std::runtime_error("status " + std::to_string(damaged));
    compare<<<grid_for(n), threads>>>(coordinates, out, values.rows, n, counters.as<unsigned long long>());
  }
  unsigned long long wrong = 1;
  check(cudaMemcpy(&wrong, counters.as<void>(), 8, cudaMemcpyDeviceToHost), "comparison");
  std::int8_t head[4];
  check(cudaMemcpy(head, section.as<void>(), 4, cudaMemcpyDeviceToHost), "header");
  const double input = 24.0 * static_cast<double>(n);
  std::printf("%llu particles, %s, %s%s, %.2f bits a particle, coefficients %d %d %d / 64, %llu values off\n",
              static_cast<unsigned long long>(n), options.solid ? "solid" : "liquid",
              options.separate ? "separate" : "xyz",
              options.rows == 0      ? ""
              : options.rows == 1024 ? ", rows in blocks"
                                     : ", rows far apart",
              8 * bytes / static_cast<double>(n) / options.frames, head[1], head[2], head[3], wrong);
  const auto line = [&](const char *what, double us, double moved) {
    std::printf("  %-28s %9.1f us  %7.1f GB/s\n", what, us, moved / us / 1000);
  };
  line("copy, read and written", median(copy), 2 * input);
  line("encode", median(encode), input);
  line("decode", median(decode), input);

  // The steps of the encoder, on a workspace cut in the same way.
  const U64 blocks = (n + 1023) / 1024;
  const Memory fit(sizeof(DifferenceFit));
  const Memory totals(sizeof(DifferenceTotals));
  const Memory layout(sizeof(DifferenceLayout));
  const Memory records(blocks * sizeof(gpz::core::ResidualRecord));
  const Memory words((blocks + 1) * 4);
  const Memory staged(blocks * 8);
  const Memory offsets((blocks + 1) * 8);
  const Memory staging(capacity);
  std::size_t scan_bytes = scan_size(blocks + 1);
  const Memory scan(scan_bytes);
  std::vector<double> us[4];
  const char *names[] = {"fit and its test", "blocks", "places", "layout and copy"};
  for (int f = 1; f <= options.frames; ++f) {
    move<<<grid_for(n), threads>>>(coordinates, n, static_cast<U64>(options.frames + f), options.sigma * step,
                                   options.solid);
    DifferenceEncode params{};
    params.history = history_of(encoder, box);
    params.source = source_of(values, 3);
    params.fit = fit.as<DifferenceFit>();
    params.totals = totals.as<DifferenceTotals>();
    params.records = records.as<gpz::core::ResidualRecord>();
    params.words = words.as<std::uint32_t>();
    params.staged = staged.as<U64>();
    params.word_offsets = offsets.as<U64>();
    params.staging = staging.as<std::uint32_t>();
    params.staging_words = capacity / 4;
    params.layout = layout.as<DifferenceLayout>();
    params.out = section.as<std::uint32_t>();
    params.capacity = capacity;
    params.result = result.as<DifferenceResult>();
    check(cudaMemset(params.fit, 0, sizeof(DifferenceFit)), "clearing");
    check(cudaMemset(params.totals, 0, sizeof(DifferenceTotals)), "clearing");
    check(cudaMemset(params.words + blocks, 0, 4), "clearing");
    constexpr auto type = gpz::ConstArray::Type::float64;
    timer.time([&] { launch_fit_differences(params, 3, type, nullptr); }, us[0]);
    timer.time([&] { launch_encode_differences(params, 3, type, nullptr); }, us[1]);
    timer.time(
        [&] {
          check(exclusive_sum(scan.as<void>(), scan_bytes, params.words, params.word_offsets, blocks + 1, nullptr),
                "scan");
        },
        us[2]);
    timer.time([&] { launch_write_differences(params, 3, nullptr); }, us[3]);
    count_frame(encoder);
  }
  for (int k = 0; k < 4; ++k) line(names[k], median(us[k]), input);
  return wrong == 0 ? 0 : 1;
}

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&] {
      if (++i == argc) throw std::runtime_error(name + " needs a value");
      return std::string(argv[i]);
    };
    if (name == "--particles")
      options.particles = std::stoull(value());
    else if (name == "--frames")
      options.frames = std::max(1, std::stoi(value()));
    else if (name == "--sigma")
      options.sigma = std::stod(value());
    else if (name == "--motion")
      options.solid = value() == "solid";
    else if (name == "--layout")
      options.separate = value() == "separate";
    else if (name == "--rows")
      options.rows = value() == "far" ? 65536 : 1024;
    else
      throw std::runtime_error("unknown option " + name);
  }
  return options;
}

}  // namespace

int main(int argc, char **argv) {
  try {
    return run(parse(argc, argv));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "difference_gpu: %s\n", error.what());
    return 1;
  }
}
