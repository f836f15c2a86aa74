// SPDX-License-Identifier: BSD-3-Clause
// Which particle of a frame is which of the next frame: the lists that TrajectoryCodec works with.
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

  // Finds the particles of the slots, whose ids are in device memory, in a frame of the caller's. Waits for the stream.
  // `counts` is pinned memory.
  // Throws out_of_memory.
  void find(const std::int64_t *slot_ids, std::uint64_t slots, const ConstArray &ids, std::uint64_t particles,
            const int *rows, void *scratch, MatchCounts *counts, cudaStream_t stream);

  // Whether find() and list() need not be called for a frame whose ids are those of the last one, in the same rows.
  // Then repeat() comes in their place.
  bool may_repeat(std::uint64_t slots, std::uint64_t particles, const int *rows) const {
    return repeats_ && slots != 0 && rows == nullptr && guesses_ == slots && slots == particles;
  }
  void repeat();
  // Whether it may be called for the next frame. A frame whose particles moved does not say so: often they move again.
  bool may_be_repeated() const { return repeats_; }

  // Results of find().
  std::uint64_t staying() const { return staying_; }
  std::uint64_t arriving() const { return arriving_; }

  // Lists the slots that the next frame is compared with: this frame's slots that stay, then the arriving particles.
  // Waits if particles leave. `scratch` is that of find(), and untouched.
  void list(void *scratch, cudaStream_t stream);

  const std::vector<std::uint32_t> &leaving() const { return leaving_; }  // slots, ascending
  // In device memory: slots that stay, ascending, if some leave; rows of those that stay, and of those that arrive.
  const std::uint32_t *staying_slots() const { return lists_.staying; }
  const std::uint32_t *staying_rows() const { return lists_.rows; }
  const std::uint32_t *arriving_rows() const { return lists_.rows + staying_; }
  DeviceWindows windows() const { return {lists_.first_rows, lists_.window_slots}; }  // of staying_rows()
  // Room for what crosses edges: a byte for each particle.
  const std::array<std::int8_t *, core::max_components> &crossings() const { return lists_.crossings; }

  // Slots are others than those of list().
  void forget() { guesses_ = 0; }
  void release();
  std::size_t device_bytes() const { return memory_.capacity(); }
  std::uint64_t allocations() const { return allocations_; }

 private:
  struct Lists {
    std::uint32_t *guess = nullptr;  // the particle of each slot, if the caller's order has not changed
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
  std::uint64_t guesses_ = 0;  // slots that have one
  bool guessed_all_ = false;   // all particles of the frame
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
