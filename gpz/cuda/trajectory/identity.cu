// SPDX-License-Identifier: BSD-3-Clause
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cub/device/device_select.cuh>

#include "gpz/core/block.hpp"
#include "gpz/core/keys.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/common/warp.cuh"
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

// Fibonacci hashing, because ids are mostly consecutive.
__device__ std::uint64_t hash(std::int64_t id, int bits) {
  return static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15u >> (64 - bits);
}

__device__ std::uint64_t thread_index() { return static_cast<std::uint64_t>(blockIdx.x) * match_threads + threadIdx.x; }

__device__ std::int64_t id_of(const DeviceIdentity &identity, std::uint64_t particle) {
  const std::int64_t row = identity.rows == nullptr ? static_cast<std::int64_t>(particle) : identity.rows[particle];
  const char *at = static_cast<const char *>(identity.ids.data) + row * identity.ids.stride;
  return identity.ids.type == ConstArray::Type::int32 ? *reinterpret_cast<const std::int32_t *>(at)
                                                      : *reinterpret_cast<const std::int64_t *>(at);
}

constexpr std::uint32_t guess_block = core::default_block_size;
constexpr int guess_bits = 11;  // of a table that is at most half full

// One thread block per block of slots.
__global__ void __launch_bounds__(match_threads)
    guess_in_block(const __grid_constant__ DeviceIdentity identity, const BlockGuesses guesses) {
  constexpr std::uint32_t entries = 1u << guess_bits;
  static_assert(entries >= 2 * guess_block);
  __shared__ std::int64_t ids[guess_block];
  __shared__ std::uint32_t table[entries];
  __shared__ std::uint32_t slot_of[guess_block];  // of each row; guess_block: none
  __shared__ std::uint32_t found;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * guess_block;
  const auto rest = [first](std::uint64_t all) {
    return first < all ? static_cast<std::uint32_t>(min(all - first, std::uint64_t{guess_block})) : 0;
  };
  const std::uint32_t slots = rest(identity.slots);
  const std::uint32_t particles = rest(identity.particles);
  for (std::uint32_t i = threadIdx.x; i < entries; i += match_threads) table[i] = nowhere;
  for (std::uint32_t i = threadIdx.x; i < particles; i += match_threads) {
    ids[i] = id_of(identity, first + i);
    slot_of[i] = guess_block;
  }
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < particles; i += match_threads)
    for (auto at = static_cast<std::uint32_t>(hash(ids[i], guess_bits)); atomicCAS(&table[at], nowhere, i) != nowhere;)
      at = (at + 1) % entries;
  __syncthreads();
  std::uint32_t matched = 0;
  for (std::uint32_t s = threadIdx.x; s < slots; s += match_threads) {
    const std::int64_t id = identity.slot_ids[first + s];
    auto at = static_cast<std::uint32_t>(hash(id, guess_bits));
    // Particles with equal ids go to one slot each.
    while (table[at] != nowhere &&
           (ids[table[at]] != id || atomicCAS(&slot_of[table[at]], guess_block, s) != guess_block))
      at = (at + 1) % entries;
    guesses.guess[first + s] = table[at] == nowhere ? nowhere : static_cast<std::uint32_t>(first) + table[at];
    matched += table[at] == nowhere ? 0 : 1;
  }
  matched = warp_sum(matched);
  if (this_lane() == 0) atomicAdd(&found, matched);
  __syncthreads();
  if (threadIdx.x == 0) {
    guesses.first_rows[blockIdx.x] = static_cast<std::uint32_t>(first);
    atomicAdd(&guesses.counts->matched, found);
  }
  // The guess is used only if all slots of all blocks are found.
  for (std::uint32_t i = threadIdx.x; i < slots && found == slots && i < particles; i += match_threads)
    guesses.window_slots[first + i] = static_cast<std::uint16_t>(slot_of[i]);
}

constexpr unsigned most_range_blocks = 1024;

__device__ void raise(std::uint64_t *all, std::uint64_t value) {
  atomicMax(reinterpret_cast<unsigned long long *>(all), static_cast<unsigned long long>(value));
}

// Few thread blocks, because all of them update two numbers.
__global__ void __launch_bounds__(match_threads)
    find_range(const std::int64_t *slot_ids, std::uint64_t slots, MatchCounts *counts) {
  std::uint64_t largest = 0;
  std::uint64_t inverted = 0;
  for (std::uint64_t slot = thread_index(); slot < slots; slot += std::uint64_t{gridDim.x} * match_threads) {
    const std::uint64_t key = core::key_of(slot_ids[slot]);
    largest = core::max_of(largest, key);
    inverted = core::max_of(inverted, ~key);
  }
  largest = warp_max(largest);
  inverted = warp_max(inverted);
  if (this_lane() == 0) raise(&counts->largest, largest);
  if (this_lane() == 1) raise(&counts->inverted_least, inverted);
}

// Called by all threads of a thread block.
__device__ void count_matched(bool good, MatchCounts *counts) {
  const int count = __syncthreads_count(good ? 1 : 0);
  if (threadIdx.x == 0 && count != 0) atomicAdd(&counts->matched, static_cast<std::uint32_t>(count));
}

// Requires that guesses of slots differ.
__global__ void __launch_bounds__(match_threads)
    check_guesses(const __grid_constant__ DeviceIdentity identity, const std::uint32_t *guess, MatchCounts *counts) {
  const std::uint64_t slot = thread_index();
  bool good = false;
  if (slot < identity.slots) {
    const std::uint32_t particle = guess[slot];
    good = particle < identity.particles && id_of(identity, particle) == identity.slot_ids[slot];
    identity.particle_of_slot[slot] = good ? particle : nowhere;
    if (good) identity.taken[particle] = 1;
  }
  count_matched(good, counts);
}

// Slots by id. `direct`: one entry for each key from `least` on, so that its position gives the id.
struct SlotTable {
  std::uint32_t *entries;
  std::uint64_t least;
  int bits;
  bool direct;

  __device__ std::uint64_t bucket(std::int64_t id) const { return direct ? core::key_of(id) - least : hash(id, bits); }
  __device__ std::uint64_t mask() const { return (std::uint64_t{1} << bits) - 1; }
};

__global__ void __launch_bounds__(match_threads)
    insert_slots(const __grid_constant__ DeviceIdentity identity, SlotTable table) {
  const std::uint64_t slot = thread_index();
  if (slot >= identity.slots || identity.particle_of_slot[slot] != nowhere) return;
  std::uint64_t at = table.bucket(identity.slot_ids[slot]);
  if (table.direct) {
    table.entries[at] = static_cast<std::uint32_t>(slot);
    return;
  }
  for (int probes = 0; probes < longest_probe; ++probes, at = (at + 1) & table.mask())
    if (atomicCAS(&table.entries[at], nowhere, static_cast<std::uint32_t>(slot)) == nowhere) return;
}

// Returns true if the particle found a slot.
__device__ bool find_slot(const DeviceIdentity &identity, const SlotTable &table, std::uint32_t particle) {
  const std::int64_t id = id_of(identity, particle);
  std::uint64_t at = table.bucket(id);
  if (table.direct && at > table.mask()) return false;
  const int most_probes = table.direct ? 1 : longest_probe;
  for (int probes = 0; probes < most_probes; ++probes, at = (at + 1) & table.mask()) {
    const std::uint32_t slot = table.entries[at];
    if (slot == nowhere) return false;
    if (!table.direct && identity.slot_ids[slot] != id) continue;
    if (atomicCAS(&identity.particle_of_slot[slot], nowhere, particle) != nowhere) continue;
    identity.taken[particle] = 1;
    return true;
  }
  return false;
}

__global__ void __launch_bounds__(match_threads)
    find_slots(const __grid_constant__ DeviceIdentity identity, SlotTable table, MatchCounts *counts) {
  const std::uint64_t particle = thread_index();
  const bool found = particle < identity.particles && identity.taken[particle] == 0 &&
                     find_slot(identity, table, static_cast<std::uint32_t>(particle));
  count_matched(found, counts);
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
                   std::uint32_t *out, std::uint32_t *count, Stream stream) {
  return cub::DeviceSelect::If(workspace, bytes, Numbers(0), out, count, static_cast<int>(items), condition, stream);
}

__global__ void __launch_bounds__(match_threads)
    write_rows(const __grid_constant__ DeviceIdentity identity, const std::uint32_t *staying, std::uint64_t stay,
               const std::uint32_t *arriving, std::uint64_t arrive, const int *rows, std::uint32_t *row,
               std::uint32_t *particle_of) {
  const std::uint64_t i = thread_index();
  if (i >= stay + arrive) return;
  const std::uint32_t particle =
      i >= stay ? arriving[i - stay] : identity.particle_of_slot[staying == nullptr ? i : staying[i]];
  if (rows != nullptr) row[i] = static_cast<std::uint32_t>(rows[particle]);
  particle_of[i] = particle;
}

}  // namespace

void guess_by_blocks(const DeviceIdentity &identity, const BlockGuesses &guesses, Stream stream) {
  check(cudaMemsetAsync(guesses.counts, 0, sizeof(*guesses.counts), stream), "clearing");
  if (identity.slots == 0) return;
  guess_in_block<<<static_cast<unsigned>(core::blocks_of(identity.slots)), match_threads, 0, stream>>>(identity,
                                                                                                       guesses);
  check(cudaGetLastError(), "guesses of particles");
}

void match_guess(const DeviceIdentity &identity, const std::uint32_t *guess, MatchCounts *counts, Stream stream) {
  check(cudaMemsetAsync(counts, 0, sizeof(*counts), stream), "clearing");
  if (identity.particles != 0) check(cudaMemsetAsync(identity.taken, 0, identity.particles, stream), "clearing");
  if (identity.slots == 0) return;
  check_guesses<<<grid_for(identity.slots), match_threads, 0, stream>>>(identity, guess, counts);
  find_range<<<std::min(grid_for(identity.slots), most_range_blocks), match_threads, 0, stream>>>(
      identity.slot_ids, identity.slots, counts);
  check(cudaGetLastError(), "matching of particles");
}

std::uint64_t match_table_size(std::uint64_t left) {
  return (std::uint64_t{1} << table_bits(left)) * sizeof(std::uint32_t);
}

void match_by_table(const DeviceIdentity &identity, std::uint64_t left, std::uint64_t least, std::uint64_t largest,
                    std::uint32_t *table, MatchCounts *counts, Stream stream) {
  if (left == 0 || identity.particles == 0) return;
  const int bits = table_bits(left);
  const SlotTable slots{table, least, bits, largest - least < std::uint64_t{1} << bits};
  check(cudaMemsetAsync(table, 0xFF, match_table_size(left), stream), "clearing");
  insert_slots<<<grid_for(identity.slots), match_threads, 0, stream>>>(identity, slots);
  find_slots<<<grid_for(identity.particles), match_threads, 0, stream>>>(identity, slots, counts);
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
  std::uint32_t *counts = lists.counts->listed;
  check(cudaMemsetAsync(counts, 0, sizeof(lists.counts->listed), stream), "clearing");
  std::size_t bytes = workspace_size;
  const auto with = [&](bool particle) { return HasParticle{identity.particle_of_slot, particle}; };
  if (identity.slots != 0) {
    check(select(workspace, bytes, identity.slots, with(true), lists.staying, counts, stream), "selection");
    check(select(workspace, bytes, identity.slots, with(false), lists.leaving, counts + 1, stream), "selection");
  }
  if (identity.particles != 0)
    check(select(workspace, bytes, identity.particles, HasNoSlot{identity.taken}, lists.arriving, counts + 2, stream),
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

namespace {
const KernelFile kernels(reinterpret_cast<const void *>(guess_in_block));
}  // namespace

}  // namespace gpz::cuda
