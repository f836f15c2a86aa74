// SPDX-License-Identifier: BSD-3-Clause
// Speed of decoding whole chunks of a trajectory on a GPU, ids and types included, from device memory to device memory.
//
//   trajectory_decode_gpu [particles] [sigma] [liquid|solid] [near|mixed]      64000000 300 liquid near
//
// The motion is that of difference_gpu; ids are those of the lattice (near), or have nothing to do with it (mixed). One
// key frame, then differences; times of a call, which returns when its work is done, medians over the frames after the
// first four. GB/s are bytes of f64 positions, written as x y z x y z. Values are compared with those that were
// encoded.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu_motion.cuh"
#include "gpz/chunk.hpp"
#include "gpz/cuda_trajectory.hpp"
#include "gpz/cuda_trajectory_decoder.hpp"

namespace {

using namespace gpz::bench;  // NOLINT(google-build-using-namespace): what such programs share
using gpz::cuda::OutputOrder;

constexpr double bound = 0.0005;
constexpr int frames = 14;

// Ids of a permutation: `factor` and n have no common divisor.
__global__ void number(std::int32_t *id, std::int32_t *type, std::int32_t *particle, U64 n, U64 factor) {
  const U64 i = static_cast<U64>(blockIdx.x) * threads + threadIdx.x;
  if (i >= n) return;
  const U64 row = i * factor % n;
  id[i] = static_cast<std::int32_t>(row + 1);
  particle[row] = static_cast<std::int32_t>(i);
  type[i] = 1 + static_cast<std::int32_t>(mixed(i) % 3);
}

// Row k is the particle with the k-th id, or that of ids[k].
__global__ void compare(const double *xyz, const std::int32_t *ids, const std::int32_t *particle, const double *truth,
                        U64 n, unsigned long long *wrong) {
  const U64 k = static_cast<U64>(blockIdx.x) * threads + threadIdx.x;
  if (k >= n) return;
  const auto i = static_cast<U64>(particle[ids == nullptr ? k : static_cast<U64>(ids[k] - 1)]);
  bool off = false;
  for (U64 d = 0; d < 3; ++d) off |= !(fabs(xyz[3 * k + d] - truth[3 * i + d]) <= bound);
  if (off) atomicAdd(wrong, 1ull);
}

double microseconds(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

// One method of decoding, with a decoder of its own.
struct Decoding {
  const char *name;
  OutputOrder order;
  bool all_fields;
  bool queued;
  gpz::cuda::TrajectoryDecoder decoder;
  std::vector<double> us;
  double key_us = 0;
};

struct Arrays {
  explicit Arrays(U64 n) : xyz(n * 24), id(n * 4), type(n * 4) {}
  Memory xyz, id, type;

  std::vector<gpz::cuda::FieldOutput> outputs(const std::vector<gpz::FieldInput> &fields, bool all) const {
    std::vector<gpz::cuda::FieldOutput> out;
    for (const gpz::FieldInput &input : fields) out.push_back({input.field, {}});
    for (std::size_t d = 0; d < 3; ++d) out[0].components[d] = {xyz.as<double>() + d, 24};
    if (!all) return out;
    out[1].components[0] = {id.as<std::int32_t>(), 4, gpz::ConstArray::Type::int32};
    out[2].components[0] = {type.as<std::int32_t>(), 4, gpz::ConstArray::Type::int32};
    return out;
  }
};

U64 divisor(U64 a, U64 b) { return b == 0 ? a : divisor(b, a % b); }

void run(U64 n, double sigma, bool solid, bool near) {
  if (n == 0) throw std::invalid_argument("no particles");
  const double step = gpz::grid_step(bound);
  const Memory positions(n * 24);
  const Memory ids(n * 4);
  const Memory types(n * 4);
  const Memory particle(n * 4);
  const Memory wrong(8);
  const Coordinates coordinates = placed(positions.as<double>(), n, false, step);
  U64 factor = near ? 1 : 2654435761u;
  while (divisor(factor, n) != 1) ++factor;
  number<<<grid_for(n), threads>>>(ids.as<std::int32_t>(), types.as<std::int32_t>(), particle.as<std::int32_t>(), n,
                                   factor);
  check(cudaMemset(wrong.as<void>(), 0, 8), "clearing");
  const std::vector<gpz::FieldInput> fields = {positions_of(coordinates, bound),
                                               integers("id", 0, ids.as<std::int32_t>()),
                                               integers("type", 1, types.as<std::int32_t>())};
  const gpz::Box box = box_of(coordinates);

  gpz::cuda::TrajectoryCodec codec;
  const Arrays arrays(n);
  std::vector<std::unique_ptr<Decoding>> decodings;
  const auto add = [&](const char *name, OutputOrder order, bool all_fields, bool queued) {
    decodings.push_back(
        std::make_unique<Decoding>(Decoding{name, order, all_fields, queued, gpz::cuda::TrajectoryDecoder(), {}}));
  };
  add("stored order, positions", OutputOrder::stored, false, false);
  add("stored order, heads on host", OutputOrder::stored, false, true);
  add("stored order, all fields", OutputOrder::stored, true, false);
  add("order of ids, positions", OutputOrder::id, false, false);
  add("order of ids, all fields", OutputOrder::id, true, false);
  std::vector<double> copy;
  void *host = nullptr;
  check(cudaMallocHost(&host, n * 24 + 65536), "pinned memory");
  double key_bytes = 0;
  double bytes = 0;
  for (int f = 0; f <= frames; ++f) {
    move<<<grid_for(n), threads>>>(coordinates, n, static_cast<U64>(f), sigma * step, solid);
    check(cudaDeviceSynchronize(), "motion");
    const gpz::cuda::DeviceChunk &chunk = codec.encode(fields, n, nullptr, box, f == 0);
    (f == 0 ? key_bytes : bytes) += static_cast<double>(chunk.size);
    check(cudaMemcpy(host, chunk.data, chunk.size, cudaMemcpyDeviceToHost), "chunk");
    auto start = std::chrono::steady_clock::now();
    check(cudaMemcpyAsync(arrays.xyz.as<void>(), positions.as<void>(), n * 24, cudaMemcpyDeviceToDevice), "copy");
    check(cudaDeviceSynchronize(), "copy");
    copy.push_back(microseconds(start));
    for (const auto &decoding : decodings) {
      check(cudaMemset(arrays.xyz.as<void>(), 0xFF, n * 24), "clearing");
      const auto outputs = arrays.outputs(fields, decoding->all_fields);
      check(cudaDeviceSynchronize(), "clearing");
      start = std::chrono::steady_clock::now();
      if (decoding->queued) {
        decoding->decoder.queue(chunk.data, host, chunk.size, n, outputs, decoding->order);
        decoding->decoder.finish();
      } else {
        decoding->decoder.decode(chunk.data, chunk.size, n, outputs, decoding->order);
      }
      (f == 0 ? decoding->key_us : decoding->us.emplace_back()) = microseconds(start);
      if (decoding->order == OutputOrder::id || decoding->all_fields)
        compare<<<grid_for(n), threads>>>(
            arrays.xyz.as<double>(), decoding->all_fields ? arrays.id.as<std::int32_t>() : nullptr,
            particle.as<std::int32_t>(), positions.as<double>(), n, wrong.as<unsigned long long>());
      check(cudaDeviceSynchronize(), "comparison");
    }
  }
  unsigned long long off = 1;
  check(cudaMemcpy(&off, wrong.as<void>(), 8, cudaMemcpyDeviceToHost), "comparison");
  const double output = 24.0 * static_cast<double>(n);
  std::printf("%llu particles, %s, %s ids: key frame %.2f bits a particle, others %.2f; %llu values off\n",
              static_cast<unsigned long long>(n), solid ? "solid" : "liquid", near ? "near" : "mixed",
              8 * key_bytes / static_cast<double>(n), 8 * bytes / static_cast<double>(n) / frames, off);
  std::printf("  copy of the positions        %9.1f us  %7.1f GB/s read and written\n", median(copy),
              2 * output / median(copy) / 1000);
  for (const auto &decoding : decodings)
    std::printf("  %-28s %9.1f us  %7.1f GB/s; key frame %9.1f us, %.1f GB of device memory\n", decoding->name,
                median(decoding->us), output / median(decoding->us) / 1000, decoding->key_us,
                static_cast<double>(decoding->decoder.memory().device_bytes) / 1e9);
  check(cudaFreeHost(host), "pinned memory");
  if (off != 0) throw std::runtime_error("values are off");
}

}  // namespace

int main(int argc, char **argv) {
  try {
    run(argc > 1 ? std::stoull(argv[1]) : 64000000, argc > 2 ? std::stod(argv[2]) : 300,
        argc > 3 && std::strcmp(argv[3], "solid") == 0, !(argc > 4 && std::strcmp(argv[4], "mixed") == 0));
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "trajectory_decode_gpu: %s\n", error.what());
    return 1;
  }
}
