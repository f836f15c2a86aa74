// SPDX-License-Identifier: BSD-3-Clause
// Speed of whole chunks of a trajectory on a GPU, ids and types included: identity, positions, bytes.
//
//   trajectory_gpu [particles] [sigma] [liquid|solid] [changes]      64000000 300 liquid none
//
// The motion is that of difference_gpu. One key frame, then differences; times of a call, which returns when its work
// is done, medians over the frames after the first four. GB/s are bytes of f64 positions. Changes of the order:
//
//   none     rows stay as they are
//   P        P percent of the particles, at random, exchange their rows before every frame
//   sort     before frame 12 all particles are sorted by cells of 1.4 (half of what LAMMPS sorts by in an LJ liquid)
//   keys     every sixth frame is a key frame
#include <thrust/execution_policy.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

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
constexpr int sorted_before = 12;
constexpr int key_interval = 6;
constexpr double cell = 1.4;

struct Options {
  U64 particles = 64000000;
  double sigma = 300;
  bool solid = false;
  double exchanged = 0;  // of all particles
  bool sort = false;
  bool keys = false;
};

struct Atoms {
  Coordinates coordinates;
  std::int32_t *id;
  std::int32_t *type;
};

__device__ U64 this_particle() { return static_cast<U64>(blockIdx.x) * threads + threadIdx.x; }

__global__ void number(Atoms atoms, U64 n) {
  const U64 i = this_particle();
  if (i >= n) return;
  atoms.id[i] = static_cast<std::int32_t>(i + 1);
  atoms.type[i] = 1 + static_cast<std::int32_t>(mixed(i) % 3);
}

// Row i takes the particle of row from[i]; x y z follow each other.
__global__ void gather(Atoms to, Atoms from, const std::uint32_t *row, U64 n) {
  const U64 i = this_particle();
  if (i >= n) return;
  for (int d = 0; d < 3; ++d) to.coordinates.x[0][3 * i + d] = from.coordinates.x[0][3 * U64{row[i]} + d];
  to.id[i] = from.id[row[i]];
  to.type[i] = from.type[row[i]];
}

// Rows i and i ^ 2^k exchange their particles, if a number that both have in common says so.
__global__ void exchange(std::uint32_t *row, U64 n, U64 frame, double part) {
  const U64 i = this_particle();
  if (i >= n) return;
  const U64 bit = U64{1} << frame % 20;
  const U64 other = i ^ bit;
  const U64 number = mixed((i & ~bit) + frame * 0x9E3779B97F4A7C15u) >> 11;
  const bool goes = other < n && static_cast<double>(number) * 0x1p-53 < part;
  row[i] = static_cast<std::uint32_t>(goes ? other : i);
}

__global__ void find_cells(Coordinates coordinates, std::uint32_t *key, U64 n) {
  const U64 i = this_particle();
  if (i >= n) return;
  const auto side = static_cast<std::uint32_t>(coordinates.edge / cell) + 1;
  std::uint32_t at[3];
  for (int d = 0; d < 3; ++d) at[d] = static_cast<std::uint32_t>(coordinates.x[0][3 * i + d] / cell);
  key[i] = (at[2] * side + at[1]) * side + at[0];
}

// Atoms in device memory, and as many again for new orders.
class System {
 public:
  System(const Options &options, double step)
      : options_(options),
        n_(options.particles),
        changes_(options.sort || options.exchanged > 0),
        memory_(n_ * 32),
        spare_(changes_ ? n_ * 32 : 4),
        row_(changes_ ? n_ * 4 : 4),
        key_(options.sort ? n_ * 4 : 4) {
    atoms = cut(memory_, step);
    number<<<grid_for(n_), threads>>>(atoms, n_);
  }

  void next(U64 frame, double sigma) {
    if (options_.exchanged > 0 && frame > 0) {
      exchange<<<grid_for(n_), threads>>>(row_.as<std::uint32_t>(), n_, frame, options_.exchanged);
      apply();
    }
    if (options_.sort && frame == sorted_before) {
      find_cells<<<grid_for(n_), threads>>>(atoms.coordinates, key_.as<std::uint32_t>(), n_);
      auto *row = row_.as<std::uint32_t>();
      auto *key = key_.as<std::uint32_t>();
      thrust::sequence(thrust::device, row, row + n_);
      thrust::stable_sort_by_key(thrust::device, key, key + n_, row);
      apply();
    }
    move<<<grid_for(n_), threads>>>(atoms.coordinates, n_, frame, sigma, options_.solid, atoms.id);
    check(cudaDeviceSynchronize(), "motion");
  }

  // Microseconds that a copy of the positions takes.
  double copy_time() const {
    const Memory to(n_ * 24);
    double best = 0;
    for (int k = 0; k < 5; ++k) {
      const auto start = std::chrono::steady_clock::now();
      check(cudaMemcpyAsync(to.as<void>(), atoms.coordinates.x[0], n_ * 24, cudaMemcpyDeviceToDevice), "copy");
      check(cudaDeviceSynchronize(), "copy");
      const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
      best = best == 0 ? spent.count() : std::min(best, spent.count());
    }
    return best;
  }

  Atoms atoms;

 private:
  Atoms cut(const Memory &memory, double step) const {
    auto *ids = reinterpret_cast<std::int32_t *>(memory.as<double>() + 3 * n_);
    return {placed(memory.as<double>(), n_, false, step), ids, ids + n_};
  }
  // The order is new, the addresses are the old ones.
  void apply() {
    const auto *from = memory_.as<char>();
    check(cudaMemcpyAsync(spare_.as<void>(), from, n_ * 32, cudaMemcpyDeviceToDevice), "copy");
    Atoms before = atoms;
    before.coordinates.x[0] = spare_.as<double>();
    before.id = reinterpret_cast<std::int32_t *>(spare_.as<double>() + 3 * n_);
    before.type = before.id + n_;
    gather<<<grid_for(n_), threads>>>(atoms, before, row_.as<std::uint32_t>(), n_);
  }

  const Options options_;
  U64 n_;
  bool changes_;
  Memory memory_, spare_, row_, key_;
};

void run(const Options &options) {
  const U64 n = options.particles;
  if (n == 0) throw std::invalid_argument("no particles");
  const double step = gpz::grid_step(bound);
  System system(options, step);
  const Coordinates &coordinates = system.atoms.coordinates;
  const std::vector<gpz::FieldInput> fields = {positions_of(coordinates, bound), integers("id", 0, system.atoms.id),
                                               integers("type", 1, system.atoms.type)};
  const gpz::Box box = box_of(coordinates);

  const auto before = std::chrono::steady_clock::now();
  gpz::cuda::TrajectoryCodec codec;
  const std::chrono::duration<double, std::micro> made = std::chrono::steady_clock::now() - before;
  std::vector<double> key_us;
  std::vector<double> first_us;
  std::vector<double> us;
  std::vector<double> sorted_us;
  double key_bytes = 0;
  double bytes = 0;
  int since_key = 0;
  for (int f = 0; f <= frames; ++f, ++since_key) {
    system.next(static_cast<U64>(f), options.sigma * step);
    const bool key = f == 0 || (options.keys && f % key_interval == 0);
    const auto start = std::chrono::steady_clock::now();
    const gpz::cuda::DeviceChunk &chunk = codec.encode(fields, n, nullptr, box, key);
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
    if (key) since_key = 0;
    const bool sorted = options.sort && f >= sorted_before;
    (key ? key_us : since_key == 1 ? first_us : sorted ? sorted_us : us).push_back(spent.count());
    (key ? key_bytes : bytes) += static_cast<double>(chunk.size);
  }
  const double input = 24.0 * static_cast<double>(n);
  const auto line = [&](const char *what, double took, double moved) {
    std::printf("  %-28s %9.1f us  %7.1f GB/s\n", what, took, moved / took / 1000);
  };
  const auto all_frames = static_cast<double>(frames + 1) - static_cast<double>(key_us.size());
  std::printf("%llu particles, %s, id type x y z, %.3g %% exchanged%s: key frame %.2f bits a particle, others %.2f\n",
              static_cast<unsigned long long>(n), options.solid ? "solid" : "liquid", 100 * options.exchanged,
              options.sort ? ", sorted once" : "",
              8 * key_bytes / static_cast<double>(n) / static_cast<double>(key_us.size()),
              8 * bytes / static_cast<double>(n) / all_frames);
  line("copy, read and written", system.copy_time(), 2 * input);
  std::printf("  %-28s %9.1f us\n", "making the codec", made.count());
  line("key frame, the first call", key_us[0], input);
  line("the first frame behind it", first_us[0], input);
  if (options.keys) {
    line("key frames, later", key_us.back(), input);
    line("first frames behind them", first_us.back(), input);
  }
  line("others", median(us), input);
  if (options.sort) {
    line("the frame behind a sort", sorted_us[0], input);
    line("others since", median(sorted_us), input);
  }
  std::printf("  %.1f GB of device memory\n", static_cast<double>(codec.memory().device_bytes) / 1e9);
}

Options parse(int argc, char **argv) {
  Options options;
  if (argc > 1) options.particles = std::stoull(argv[1]);
  if (argc > 2) options.sigma = std::stod(argv[2]);
  if (argc > 3) options.solid = std::strcmp(argv[3], "solid") == 0;
  if (argc <= 4 || std::strcmp(argv[4], "none") == 0) return options;
  options.sort = std::strcmp(argv[4], "sort") == 0;
  options.keys = std::strcmp(argv[4], "keys") == 0;
  if (!options.sort && !options.keys) options.exchanged = std::stod(argv[4]) / 100;
  return options;
}

}  // namespace

int main(int argc, char **argv) {
  try {
    run(parse(argc, argv));
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "trajectory_gpu: %s\n", error.what());
    return 1;
  }
}
