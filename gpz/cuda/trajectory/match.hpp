// SPDX-License-Identifier: BSD-3-Clause
// Matches the particles of a frame with those of the next one, as lists for TrajectoryCodec.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda/trajectory/identity.hpp"

namespace gpz::cuda {

class FrameMatch {
 public:
  static std::size_t scratch_size(std::uint64_t slots, std::uint64_t particles);

  // Finds the particles of the slots, whose ids are in device memory, in a frame of the caller. Waits for the stream.
  // `counts` is pinned memory. Throws out_of_memory.
  void find(const std::int64_t *slot_ids, std::uint64_t slots, const ConstArray &ids, std::uint64_t particles,
            const int *rows, void *scratch, MatchCounts *counts, cudaStream_t stream);

  // True if repeat() can replace find() and list() for a frame with the ids of the last one in the same rows.
  bool may_repeat(std::uint64_t slots, std::uint64_t particles, const int *rows) const {
    return repeats_ && slots != 0 && rows == nullptr && guesses_ == slots && slots == particles;
  }
  void repeat();
  // True if repeat() may apply to the next frame. False after particles moved, because they often move again.
  bool may_be_repeated() const { return repeats_; }

  // Results of find().
  std::uint64_t staying() const { return staying_; }
  std::uint64_t arriving() const { return arriving_; }

  // Lists the slots with which the next frame is compared: this frame's slots that stay, then the arriving particles.
  // Waits if particles leave. `scratch` must be that of find(), unchanged.
  void list(void *scratch, cudaStream_t stream);

  const std::vector<std::uint32_t> &leaving() const { return leaving_; }  // slots, ascending
  // In device memory: staying slots, ascending, if some leave; rows of staying particles; rows of arriving particles.
  const std::uint32_t *staying_slots() const { return lists_.staying; }
  const std::uint32_t *staying_rows() const { return caller_rows_ == nullptr ? lists_.guess : lists_.rows; }
  const std::uint32_t *arriving_rows() const { return staying_rows() + staying_; }
  DeviceWindows windows() const { return {lists_.first_rows, lists_.window_slots}; }  // of staying_rows()
  // Room for crossings of edges: one byte per particle.
  const std::array<std::int8_t *, core::max_components> &crossings() const { return lists_.crossings; }

  // Call if the slots have changed since list().
  void forget() { guesses_ = 0; }
  void release();
  std::size_t device_bytes() const { return memory_.capacity(); }
  std::uint64_t allocations() const { return allocations_; }

 private:
  struct Lists {
    std::uint32_t *guess = nullptr;  // particle of each slot, unless the caller's order changes
    std::uint32_t *particle_of_slot = nullptr;
    std::uint32_t *staying = nullptr;
    std::uint32_t *rows = nullptr;
    std::uint32_t *first_rows = nullptr;
    std::uint16_t *window_slots = nullptr;
    std::array<std::int8_t *, core::max_components> crossings{};
    MatchCounts *counts = nullptr;
  };
  static Lists carve(void *memory, std::uint64_t capacity, std::size_t &used);
  void reserve(std::uint64_t particles);
  DeviceIdentity identity(void *scratch) const;

  DeviceBuffer memory_;
  Lists lists_;
  std::uint64_t capacity_ = 0;
  std::uint64_t guesses_ = 0;  // number of slots with a guess
  bool guessed_all_ = false;   // guesses were right for all particles
  bool listed_ = false;        // find() has done the work of list()
  bool repeats_ = false;
  std::uint64_t allocations_ = 0;

  const std::int64_t *slot_ids_ = nullptr;
  ConstArray ids_;
  const int *caller_rows_ = nullptr;
  std::uint64_t slots_ = 0;
  std::uint64_t particles_ = 0;
  std::uint64_t staying_ = 0;
  std::uint64_t arriving_ = 0;
  std::vector<std::uint32_t> leaving_;
};

}  // namespace gpz::cuda
