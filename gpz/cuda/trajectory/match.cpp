// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/match.hpp"

#include "gpz/core/block.hpp"
#include "gpz/cuda/common/carver.hpp"

namespace gpz::cuda {
namespace {

struct Scratch {
  std::uint8_t *taken;
  std::uint32_t *table;
  std::uint32_t *leaving;
  std::uint32_t *arriving;
  char *select;
  std::size_t select_bytes;
  std::size_t used;
};

Scratch carve_scratch(void *memory, std::uint64_t slots, std::uint64_t particles) {
  Carver carver(memory);
  Scratch out{};
  out.taken = carver.take<std::uint8_t>(particles);
  out.table = carver.take<std::uint32_t>(match_table_size(slots) / sizeof(std::uint32_t));
  out.leaving = carver.take<std::uint32_t>(slots);
  out.arriving = carver.take<std::uint32_t>(particles);
  out.select_bytes = list_workspace(slots, particles);
  out.select = carver.take<char>(out.select_bytes);
  out.used = carver.used();
  return out;
}

}  // namespace

std::size_t FrameMatch::scratch_size(std::uint64_t slots, std::uint64_t particles) {
  return carve_scratch(nullptr, slots, particles).used;
}

FrameMatch::Lists FrameMatch::carve(void *memory, std::uint64_t capacity, std::size_t &used) {
  Carver carver(memory);
  Lists lists;
  for (std::uint32_t **list : {&lists.guess, &lists.particle_of_slot, &lists.staying, &lists.rows})
    *list = carver.take<std::uint32_t>(capacity);
  lists.first_rows = carver.take<std::uint32_t>(core::blocks_of(capacity));
  lists.window_slots = carver.take<std::uint16_t>(capacity + capacity % 2);
  for (std::int8_t *&axis : lists.crossings) axis = carver.take<std::int8_t>(capacity);
  lists.counts = carver.take<MatchCounts>(1);
  used = carver.used();
  return lists;
}

void FrameMatch::reserve(std::uint64_t particles) {
  if (memory_.data() != nullptr && particles <= capacity_) return;
  release();
  const std::uint64_t capacity = particles + particles / 8;
  std::size_t used = 0;
  carve(nullptr, capacity, used);
  memory_.allocate(used, 0);
  ++allocations_;
  lists_ = carve(memory_.data(), capacity, used);
  capacity_ = capacity;
}

void FrameMatch::release() {
  guesses_ = 0;
  capacity_ = 0;
  memory_.release();
}

DeviceIdentity FrameMatch::identity(void *scratch) const {
  const Scratch memory = carve_scratch(scratch, slots_, particles_);
  return {slot_ids_, slots_, ids_, caller_rows_, particles_, lists_.particle_of_slot, memory.taken};
}

void FrameMatch::find(const std::int64_t *slot_ids, std::uint64_t slots, const ConstArray &ids, std::uint64_t particles,
                      const int *rows, void *scratch, MatchCounts *counts, cudaStream_t stream) {
  reserve(slots < particles ? particles : slots);
  slot_ids_ = slot_ids;
  slots_ = slots;
  ids_ = ids;
  caller_rows_ = rows;
  particles_ = particles;
  const auto fetch = [&] {
    check(cudaMemcpyAsync(counts, lists_.counts, sizeof(MatchCounts), cudaMemcpyDeviceToHost, stream), "counts");
    check(cudaStreamSynchronize(stream), "matching of particles");
    staying_ = counts->matched;
    return staying_ == slots && staying_ == particles;
  };
  const Scratch memory = carve_scratch(scratch, slots, particles);
  arriving_ = 0;
  leaving_.clear();
  listed_ = false;
  if (guesses_ != slots) {
    guess_by_blocks(identity(scratch), {lists_.guess, lists_.first_rows, lists_.window_slots, lists_.counts}, stream);
    guessed_all_ = listed_ = rows == nullptr && slots == particles && fetch();
  }
  if (!listed_) {
    match_guess(identity(scratch), lists_.guess, lists_.counts, stream);
    guessed_all_ = fetch();
  }
  guesses_ = 0;
  if (guessed_all_) return;
  match_by_table(identity(scratch), slots - staying_, ~counts->inverted_least, counts->largest, memory.table,
                 lists_.counts, stream);
  if (fetch()) return;
  list_matches(identity(scratch), {lists_.staying, memory.leaving, memory.arriving, lists_.counts}, memory.select,
               memory.select_bytes, stream);
  fetch();
  staying_ = counts->listed[0];
  leaving_.resize(counts->listed[1]);
  arriving_ = counts->listed[2];
}

void FrameMatch::repeat() {
  slots_ = particles_ = staying_ = guesses_;
  arriving_ = 0;
  leaving_.clear();
}

void FrameMatch::list(void *scratch, cudaStream_t stream) {
  const Scratch memory = carve_scratch(scratch, slots_, particles_);
  if (!listed_) {
    list_rows(identity(scratch), leaving_.empty() ? nullptr : lists_.staying, staying_, memory.arriving, arriving_,
              caller_rows_, lists_.rows, lists_.guess, stream);
    find_windows(staying_rows(), staying_, lists_.first_rows, lists_.window_slots, stream);
  }
  guesses_ = staying_ + arriving_;
  repeats_ = caller_rows_ == nullptr && guessed_all_;
  if (leaving_.empty()) return;
  check(cudaMemcpyAsync(leaving_.data(), memory.leaving, leaving_.size() * sizeof(std::uint32_t),
                        cudaMemcpyDeviceToHost, stream),
        "leaving particles");
  check(cudaStreamSynchronize(stream), "leaving particles");
}

}  // namespace gpz::cuda
