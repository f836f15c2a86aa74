// SPDX-License-Identifier: BSD-3-Clause
// Speed of whole chunks of a trajectory on a GPU, ids and types included: identity, positions, bytes.
//
//   trajectory_gpu [particles] [sigma] [liquid|solid]      64000000 300 liquid
//
// The motion is that of difference_gpu. One key frame, then differences; times of a call, which returns when its work
// is done, medians over the frames after the first four. GB/s are bytes of f64 positions.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu_motion.cuh"
#include "gpz/chunk.hpp"
#include "gpz/cuda_trajectory.hpp"

namespace {

using namespace gpz::bench;  // NOLINT(google-build-using-namespace): what both programs share

constexpr double bound = 0.0005;
constexpr int frames = 24;

__global__ void number(std::int32_t *id, std::int32_t *type, U64 n) {
  const U64 i = static_cast<U64>(blockIdx.x) * threads + threadIdx.x;
  if (i >= n) return;
  id[i] = static_cast<std::int32_t>(i + 1);
  type[i] = 1 + static_cast<std::int32_t>(mixed(i) % 3);
}

gpz::FieldInput integers(const char *name, std::uint16_t column, const std::int32_t *data) {
  gpz::FieldInput input;
  input.field.type = gpz::ValueType::integer;
  input.field.components = {{name, column}};
  input.components[0] = {data, sizeof(std::int32_t), gpz::ConstArray::Type::int32};
  return input;
}

void run(U64 n, double sigma, bool solid) {
  if (n == 0) throw std::invalid_argument("no particles");
  const double step = gpz::grid_step(bound);
  const Memory positions(n * 24);
  const Memory ids(n * 4);
  const Memory types(n * 4);
  const Places places = placed(positions.as<double>(), n, false, step);
  number<<<grid_for(n), threads>>>(ids.as<std::int32_t>(), types.as<std::int32_t>(), n);
  gpz::FieldInput xyz;
  xyz.field.leading = true;
  xyz.field.bound = bound;
  xyz.field.components = {{"x", 2}, {"y", 3}, {"z", 4}};
  for (std::size_t d = 0; d < 3; ++d) xyz.components[d] = {places.x[d], 24, gpz::ConstArray::Type::float64};
  const std::vector<gpz::FieldInput> fields = {xyz, integers("id", 0, ids.as<std::int32_t>()),
                                               integers("type", 1, types.as<std::int32_t>())};
  gpz::Box box;
  box.kind = gpz::Box::Kind::orthogonal;
  box.boundary = {'p', 'p', 'p', 'p', 'p', 'p'};
  box.values = {0, places.edge, 0, places.edge, 0, places.edge};

  gpz::cuda::TrajectoryCodec codec;
  std::vector<double> us;
  double key_us = 0;
  double key_bytes = 0;
  double bytes = 0;
  for (int f = 0; f <= frames; ++f) {
    move<<<grid_for(n), threads>>>(places, n, static_cast<U64>(f), sigma * step, solid);
    check(cudaDeviceSynchronize(), "motion");
    const auto start = std::chrono::steady_clock::now();
    const gpz::cuda::DeviceChunk &chunk = codec.encode(fields, n, nullptr, box, f == 0);
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
    (f == 0 ? key_us : us.emplace_back()) = spent.count();
    (f == 0 ? key_bytes : bytes) += static_cast<double>(chunk.size);
  }
  const double input = 24.0 * static_cast<double>(n);
  std::printf("%llu particles, %s, id type x y z: key frame %.2f bits a particle, others %.2f\n",
              static_cast<unsigned long long>(n), solid ? "solid" : "liquid", 8 * key_bytes / static_cast<double>(n),
              8 * bytes / static_cast<double>(n) / frames);
  std::printf("  key frame, the first call    %9.1f us\n", key_us);
  std::printf("  the first frame behind it    %9.1f us\n", us[0]);
  std::printf("  others                       %9.1f us  %7.1f GB/s, %.1f GB of device memory\n", median(us),
              input / median(us) / 1000, static_cast<double>(codec.memory().device_bytes) / 1e9);
}

}  // namespace

int main(int argc, char **argv) {
  try {
    run(argc > 1 ? std::stoull(argv[1]) : 64000000, argc > 2 ? std::stod(argv[2]) : 300,
        argc > 3 && std::strcmp(argv[3], "solid") == 0);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "trajectory_gpu: %s\n", error.what());
    return 1;
  }
}
