// SPDX-License-Identifier: BSD-3-Clause
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cub/device/device_select.cuh>

#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/trajectory/identity.hpp"

namespace gpz::cuda {
namespace {

constexpr unsigned match_threads = 256;
constexpr int longest_probe = 256;

unsigned grid_for(std::uint64_t items) { return static_cast<unsigned>((items + match_threads - 1) / match_threads); }

int table_bits(std::uint64_t left) {
  int bits = 4;
  while ((std::uint64_t{1} << bits) < 2 * left) ++bits;
  return bits;
}

// Fibonacci hashing: ids are mostly consecutive.
__device__ std::uint64_t hash(std::int64_t id, int bits) {
  return static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15u >> (64 - bits);
}

__device__ std::uint64_t thread_index() { return static_cast<std::uint64_t>(blockIdx.x) * match_threads + threadIdx.x; }

// No two slots have the same guess.
__global__ void __launch_bounds__(match_threads)
    check_guesses(DeviceIdentity identity, const std::uint32_t *guess, std::uint32_t *matched) {
  const std::uint64_t slot = thread_index();
  bool good = false;
  if (slot < identity.slots) {
    const std::uint32_t particle = guess == nullptr ? nowhere : guess[slot];
    good = particle < identity.particles && identity.ids[particle] == identity.slot_ids[slot];
    identity.particle_of_slot[slot] = good ? particle : nowhere;
    if (good) identity.taken[particle] = 1;
  }
  const int count = __syncthreads_count(good ? 1 : 0);
  if (threadIdx.x == 0 && count != 0) atomicAdd(matched, static_cast<std::uint32_t>(count));
}

__global__ void __launch_bounds__(match_threads) insert_slots(DeviceIdentity identity, std::uint32_t *table, int bits) {
  const std::uint64_t slot = thread_index();
  if (slot >= identity.slots || identity.particle_of_slot[slot] != nowhere) return;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t at = hash(identity.slot_ids[slot], bits);
  for (int probes = 0; probes < longest_probe; ++probes, at = (at + 1) & mask)
    if (atomicCAS(&table[at], nowhere, static_cast<std::uint32_t>(slot)) == nowhere) return;
}

__global__ void __launch_bounds__(match_threads)
    find_slots(DeviceIdentity identity, const std::uint32_t *table, int bits) {
  const std::uint64_t particle = thread_index();
  if (particle >= identity.particles || identity.taken[particle] != 0) return;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const std::int64_t id = identity.ids[particle];
  std::uint64_t at = hash(id, bits);
  for (int probes = 0; probes < longest_probe; ++probes, at = (at + 1) & mask) {
    const std::uint32_t slot = table[at];
    if (slot == nowhere) return;
    if (identity.slot_ids[slot] != id) continue;
    if (atomicCAS(&identity.particle_of_slot[slot], nowhere, static_cast<std::uint32_t>(particle)) != nowhere) continue;
    identity.taken[particle] = 1;
    return;
  }
}

template <typename T>
__global__ void __launch_bounds__(match_threads)
    take_ids(const char *data, std::ptrdiff_t stride, std::uint64_t n, T *copy) {
  const std::uint64_t i = thread_index();
  if (i < n) copy[i] = *reinterpret_cast<const T *>(data + static_cast<std::ptrdiff_t>(i) * stride);
}

constexpr int ids_at_once = 4;

template <typename T>
__global__ void __launch_bounds__(match_threads)
    find_moved(const char *data, std::ptrdiff_t stride, const T *copy, std::uint64_t n, std::uint32_t *moved) {
  const std::uint64_t first = static_cast<std::uint64_t>(blockIdx.x) * (match_threads * ids_at_once) + threadIdx.x;
  bool differs = false;
#pragma unroll
  for (int k = 0; k < ids_at_once; ++k) {
    const std::uint64_t i = first + static_cast<std::uint64_t>(k) * match_threads;
    if (i < n) differs |= copy[i] != *reinterpret_cast<const T *>(data + static_cast<std::ptrdiff_t>(i) * stride);
  }
  if (__syncthreads_or(differs ? 1 : 0) != 0 && threadIdx.x == 0) *moved = 1;
}

struct HasParticle {
  const std::uint32_t *particle_of_slot;
  bool wanted;
  __device__ bool operator()(std::uint32_t slot) const { return (particle_of_slot[slot] != nowhere) == wanted; }
};

struct HasNoSlot {
  const std::uint8_t *taken;
  __device__ bool operator()(std::uint32_t particle) const { return taken[particle] == 0; }
};

using Numbers = thrust::counting_iterator<std::uint32_t>;

template <typename Condition>
cudaError_t select(void *workspace, std::size_t &bytes, std::uint64_t items, const Condition &condition,
                   std::uint32_t *out, int *count, Stream stream) {
  return cub::DeviceSelect::If(workspace, bytes, Numbers(0), out, count, static_cast<int>(items), condition, stream);
}

__global__ void __launch_bounds__(match_threads)
    write_rows(DeviceIdentity identity, const std::uint32_t *staying, std::uint64_t stay, const std::uint32_t *arriving,
               std::uint64_t arrive, const int *rows, std::uint32_t *row, std::uint32_t *particle_of) {
  const std::uint64_t i = thread_index();
  if (i >= stay + arrive) return;
  const std::uint32_t particle =
      i >= stay ? arriving[i - stay] : identity.particle_of_slot[staying == nullptr ? i : staying[i]];
  row[i] = rows == nullptr ? particle : static_cast<std::uint32_t>(rows[particle]);
  particle_of[i] = particle;
}

}  // namespace

void match_guess(const DeviceIdentity &identity, const std::uint32_t *guess, std::uint32_t *matched, Stream stream) {
  check(cudaMemsetAsync(matched, 0, sizeof(*matched), stream), "clearing");
  if (identity.particles != 0) check(cudaMemsetAsync(identity.taken, 0, identity.particles, stream), "clearing");
  if (identity.slots == 0) return;
  check_guesses<<<grid_for(identity.slots), match_threads, 0, stream>>>(identity, guess, matched);
  check(cudaGetLastError(), "matching of particles");
}

void copy_ids(const ConstArray &ids, std::uint64_t n, void *copy, Stream stream) {
  if (n == 0) return;
  const auto *data = static_cast<const char *>(ids.data);
  if (size_of(ids.type) == sizeof(std::int32_t))
    take_ids<<<grid_for(n), match_threads, 0, stream>>>(data, ids.stride, n, static_cast<std::int32_t *>(copy));
  else
    take_ids<<<grid_for(n), match_threads, 0, stream>>>(data, ids.stride, n, static_cast<std::int64_t *>(copy));
  check(cudaGetLastError(), "copy of ids");
}

void compare_ids(const ConstArray &ids, const void *copy, std::uint64_t n, std::uint32_t *moved, Stream stream) {
  if (n == 0) return;
  const auto *data = static_cast<const char *>(ids.data);
  const unsigned ctas = grid_for((n + ids_at_once - 1) / ids_at_once);
  if (size_of(ids.type) == sizeof(std::int32_t))
    find_moved<<<ctas, match_threads, 0, stream>>>(data, ids.stride, static_cast<const std::int32_t *>(copy), n, moved);
  else
    find_moved<<<ctas, match_threads, 0, stream>>>(data, ids.stride, static_cast<const std::int64_t *>(copy), n, moved);
  check(cudaGetLastError(), "comparison of ids");
}

std::uint64_t match_table_size(std::uint64_t left) {
  return (std::uint64_t{1} << table_bits(left)) * sizeof(std::uint32_t);
}

void match_by_hash(const DeviceIdentity &identity, std::uint64_t left, std::uint32_t *table, Stream stream) {
  if (left == 0 || identity.particles == 0) return;
  const int bits = table_bits(left);
  check(cudaMemsetAsync(table, 0xFF, match_table_size(left), stream), "clearing");
  insert_slots<<<grid_for(identity.slots), match_threads, 0, stream>>>(identity, table, bits);
  find_slots<<<grid_for(identity.particles), match_threads, 0, stream>>>(identity, table, bits);
  check(cudaGetLastError(), "matching of particles");
}

std::size_t list_workspace(std::uint64_t slots, std::uint64_t particles) {
  std::size_t of_slots = 0;
  std::size_t of_particles = 0;
  check(select(nullptr, of_slots, slots, HasParticle{nullptr, true}, nullptr, nullptr, nullptr), "size of a selection");
  check(select(nullptr, of_particles, particles, HasNoSlot{nullptr}, nullptr, nullptr, nullptr), "size of a selection");
  return std::max(of_slots, of_particles);
}

void list_matches(const DeviceIdentity &identity, const MatchLists &lists, void *workspace, std::size_t workspace_size,
                  Stream stream) {
  check(cudaMemsetAsync(lists.counts, 0, 3 * sizeof(int), stream), "clearing");
  std::size_t bytes = workspace_size;
  const auto with = [&](bool particle) { return HasParticle{identity.particle_of_slot, particle}; };
  if (identity.slots != 0) {
    check(select(workspace, bytes, identity.slots, with(true), lists.staying, lists.counts, stream), "selection");
    check(select(workspace, bytes, identity.slots, with(false), lists.leaving, lists.counts + 1, stream), "selection");
  }
  if (identity.particles != 0)
    check(select(workspace, bytes, identity.particles, HasNoSlot{identity.taken}, lists.arriving, lists.counts + 2,
                 stream),
          "selection");
}

void list_rows(const DeviceIdentity &identity, const std::uint32_t *staying, std::uint64_t stay,
               const std::uint32_t *arriving, std::uint64_t arrive, const int *rows, std::uint32_t *row,
               std::uint32_t *particle, Stream stream) {
  if (stay + arrive == 0) return;
  write_rows<<<grid_for(stay + arrive), match_threads, 0, stream>>>(identity, staying, stay, arriving, arrive, rows,
                                                                    row, particle);
  check(cudaGetLastError(), "rows of particles");
}

}  // namespace gpz::cuda
