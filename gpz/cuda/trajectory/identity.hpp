// SPDX-License-Identifier: BSD-3-Clause
// Finds on the device which particle of a frame is which particle of the previous frame. Results are those of
// trajectory::Identity if ids are unique. All work is queued on the caller's stream, without allocating or waiting.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/cuda.hpp"

namespace gpz::cuda {

inline constexpr std::uint32_t nowhere = UINT32_MAX;

// All pointers are to device memory.
struct DeviceIdentity {
  const std::int64_t *slot_ids = nullptr;  // of each slot of the previous frame
  std::uint64_t slots = 0;
  ConstArray ids;             // int32 or int64; the id of particle i of this frame is element rows[i]
  const int *rows = nullptr;  // null: element i
  std::uint64_t particles = 0;
  std::uint32_t *particle_of_slot = nullptr;  // result; `nowhere`: the particle left
  std::uint8_t *taken = nullptr;              // result: whether each particle has a slot
};

// Counts of the results, in device memory.
struct MatchCounts {
  std::uint32_t matched;
  std::uint32_t listed[3];       // slots with a particle, slots without one, particles without a slot
  std::uint64_t largest;         // of the keys (core::key_of) of the slots' ids
  std::uint64_t inverted_least;  // smallest key, inverted
};

// Guesses for the slots of a key frame, which orders particles differently only within blocks. The particles of each
// block of slots are searched in its rows, which is right if the order is still that of the key frame. Clears the
// counts, and counts the particles found in `matched`. If it finds those of all slots, the windows are right, too.
struct BlockGuesses {  // device memory
  std::uint32_t *guess = nullptr;
  std::uint32_t *first_rows = nullptr;    // as DeviceWindows::first
  std::uint16_t *window_slots = nullptr;  // as DeviceWindows::slot
  MatchCounts *counts = nullptr;
};
void guess_by_blocks(const DeviceIdentity &identity, const BlockGuesses &guesses, Stream stream);

// Starts a new matching: particle guess[slot] gets the slot if its id is that of the slot. Writes all counts except
// `listed`.
void match_guess(const DeviceIdentity &identity, const std::uint32_t *guess, MatchCounts *counts, Stream stream);

// Finds particles for the `left` slots that have none, by a table in device memory. The table is by id if the keys of
// the slots, from `least` to `largest`, are few enough, otherwise by hash. `matched` becomes the total. Ids that are
// not unique are paired in any order; of many equal ids, most are not paired.
std::uint64_t match_table_size(std::uint64_t left);  // in bytes
void match_by_table(const DeviceIdentity &identity, std::uint64_t left, std::uint64_t least, std::uint64_t largest,
                    std::uint32_t *table, MatchCounts *counts, Stream stream);

// Lists slots with a particle, slots without one, and particles without a slot, all ascending. Writes `listed` of the
// counts. At most 2^31 - 1 slots and particles.
struct MatchLists {
  std::uint32_t *staying = nullptr;
  std::uint32_t *leaving = nullptr;
  std::uint32_t *arriving = nullptr;
  MatchCounts *counts = nullptr;
};
std::size_t list_workspace(std::uint64_t slots, std::uint64_t particles);
void list_matches(const DeviceIdentity &identity, const MatchLists &lists, void *workspace, std::size_t workspace_size,
                  Stream stream);

// Lists the particle of each slot of the next frame, and its row in the caller's arrays if `rows` of encode() is given.
// The slots are this frame's slots in `staying` (null: all), then `arriving`.
void list_rows(const DeviceIdentity &identity, const std::uint32_t *staying, std::uint64_t stay,
               const std::uint32_t *arriving, std::uint64_t arrive, const int *rows, std::uint32_t *row,
               std::uint32_t *particle, Stream stream);

}  // namespace gpz::cuda
