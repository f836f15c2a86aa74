// SPDX-License-Identifier: BSD-3-Clause
// Which particle of a frame is which of the previous frame, found on the device: the results of trajectory::Identity,
// as long as ids are unique. Everything is queued on the caller's stream; nothing is allocated, nothing waits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/cuda.hpp"

namespace gpz::cuda {

inline constexpr std::uint32_t nowhere = UINT32_MAX;

// All in device memory.
struct DeviceIdentity {
  const std::int64_t *slot_ids = nullptr;  // of each slot of the previous frame
  std::uint64_t slots = 0;
  ConstArray ids;             // of each particle of this frame, int32 or int64: that of particle i is element rows[i]
  const int *rows = nullptr;  // nullptr: element i
  std::uint64_t particles = 0;
  std::uint32_t *particle_of_slot = nullptr;  // what is found; `nowhere`: it left
  std::uint8_t *taken = nullptr;              // of each particle, whether it has a slot
};

// What is found, counted in device memory.
struct MatchCounts {
  std::uint32_t matched;
  std::uint32_t listed[3];       // slots that have a particle, slots that have none, particles that have no slot
  std::uint64_t largest;         // of the slots' ids, as keys (core::key_of)
  std::uint64_t inverted_least;  // the smallest key, inverted
};

// Guesses for the slots of a key frame, in whose blocks particles are in another order only: of each block of slots,
// from the particles of its rows, if the order is still that of the key frame.
void guess_by_blocks(const DeviceIdentity &identity, std::uint32_t *guess, Stream stream);

// Starts anew: particle guess[slot] has the slot if its id is that of the slot. Writes all
// counts but `listed`.
void match_guess(const DeviceIdentity &identity, const std::uint32_t *guess, MatchCounts *counts, Stream stream);

// Particles for the `left` slots that have none yet, by a table in device memory: by id, if the keys of the slots, from
// `least` to `largest`, are few enough, else by hash. `matched` becomes that of all. Ids that are not unique are paired
// as they come, and most of many that are the same not at all.
std::uint64_t match_table_size(std::uint64_t left);  // bytes
void match_by_table(const DeviceIdentity &identity, std::uint64_t left, std::uint64_t least, std::uint64_t largest,
                    std::uint32_t *table, MatchCounts *counts, Stream stream);

// Slots with and without a particle, and particles without a slot, all ascending; `listed` of the counts is written. At
// most 2^31 - 1 slots and particles.
struct MatchLists {
  std::uint32_t *staying = nullptr;
  std::uint32_t *leaving = nullptr;
  std::uint32_t *arriving = nullptr;
  MatchCounts *counts = nullptr;
};
std::size_t list_workspace(std::uint64_t slots, std::uint64_t particles);
void list_matches(const DeviceIdentity &identity, const MatchLists &lists, void *workspace, std::size_t workspace_size,
                  Stream stream);

// For the slots of the next frame, which are this frame's slots listed in `staying` (nullptr: all) and then `arriving`:
// the row of each in the caller's arrays (`rows` as in encode()) and its particle.
void list_rows(const DeviceIdentity &identity, const std::uint32_t *staying, std::uint64_t stay,
               const std::uint32_t *arriving, std::uint64_t arrive, const int *rows, std::uint32_t *row,
               std::uint32_t *particle, Stream stream);

}  // namespace gpz::cuda
