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
  const std::int64_t *ids = nullptr;  // of each particle of this frame
  std::uint64_t particles = 0;
  std::uint32_t *particle_of_slot = nullptr;  // what is found; `nowhere`: it left
  std::uint8_t *taken = nullptr;              // of each particle, whether it has a slot
};

// Starts anew: particle guess[slot] (nullptr: there is no guess) has the slot if its id is that of the slot. *matched
// (device memory) becomes the number of them.
void match_guess(const DeviceIdentity &identity, const std::uint32_t *guess, std::uint32_t *matched, Stream stream);

// Ids of n particles as they are in the caller's array, 4 or 8 bytes each; and whether another array has others:
// *moved (device memory) becomes 1 then, and is left alone otherwise.
void copy_ids(const ConstArray &ids, std::uint64_t n, void *copy, Stream stream);
void compare_ids(const ConstArray &ids, const void *copy, std::uint64_t n, std::uint32_t *moved, Stream stream);

// Particles for the `left` slots that have none yet, by a table in device memory. Ids that are not unique are paired as
// they come, and most of many that are the same not at all.
std::uint64_t match_table_size(std::uint64_t left);  // bytes
void match_by_hash(const DeviceIdentity &identity, std::uint64_t left, std::uint32_t *table, Stream stream);

// Slots with and without a particle, and particles without a slot, all ascending, and how many they are (device
// memory). At most 2^31 - 1 slots and particles.
struct MatchLists {
  std::uint32_t *staying = nullptr;
  std::uint32_t *leaving = nullptr;
  std::uint32_t *arriving = nullptr;
  int *counts = nullptr;  // 3
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
