// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/match.hpp"

#include "gpz/core/block.hpp"
#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/trajectory/fields.hpp"

namespace gpz::cuda {
namespace {

struct Scratch {
  std::int64_t *ids;
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
  out.ids = carver.take<std::int64_t>(particles);
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
  lists.window_slots = carver.take<std::uint16_t>(capacity);
  lists.ids = carver.take<std::int64_t>(capacity);
  for (std::int8_t *&axis : lists.crossings) axis = carver.take<std::int8_t>(capacity);
  lists.counts = carver.take<Counts>(1);
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
  return {slot_ids_, slots_, memory.ids, particles_, lists_.particle_of_slot, memory.taken};
}

void FrameMatch::find(const std::int64_t *slot_ids, std::uint64_t slots, const ConstArray &ids, std::uint64_t particles,
                      const int *rows, void *scratch, Counts *counts, cudaStream_t stream) {
  reserve(slots < particles ? particles : slots);
  slot_ids_ = slot_ids;
  slots_ = slots;
  particles_ = particles;
  const auto fetch = [&] {
    check(cudaMemcpyAsync(counts, lists_.counts, sizeof(Counts), cudaMemcpyDeviceToHost, stream), "counts");
    check(cudaStreamSynchronize(stream), "matching of particles");
  };
  const Scratch memory = carve_scratch(scratch, slots, particles);
  load_integers(ids, rows, particles, memory.ids, stream);
  match_guess(identity(scratch), guesses_ == slots ? lists_.guess : nullptr, &lists_.counts->matched, stream);
  guesses_ = 0;
  fetch();
  staying_ = counts->matched;
  arriving_ = 0;
  leaving_.clear();
  if (staying_ == slots && staying_ == particles) return;
  match_by_hash(identity(scratch), slots - staying_, memory.table, stream);
  list_matches(identity(scratch), {lists_.staying, memory.leaving, memory.arriving, lists_.counts->listed},
               memory.select, memory.select_bytes, stream);
  fetch();
  staying_ = static_cast<std::uint64_t>(counts->listed[0]);
  leaving_.resize(static_cast<std::size_t>(counts->listed[1]));
  arriving_ = static_cast<std::uint64_t>(counts->listed[2]);
}

bool FrameMatch::may_repeat(std::uint64_t slots, const ConstArray &ids, std::uint64_t particles,
                            const int *rows) const {
  return repeats_ && slots != 0 && rows == nullptr && guesses_ == slots && slots == particles && ids.type == id_type_;
}

void FrameMatch::compare(const ConstArray &ids, std::uint32_t *moved, cudaStream_t stream) const {
  compare_ids(ids, lists_.ids, guesses_, moved, stream);
}

void FrameMatch::repeat() {
  slots_ = particles_ = staying_ = guesses_;
  arriving_ = 0;
  leaving_.clear();
}

void FrameMatch::list(const ConstArray &ids, const int *rows, void *scratch, cudaStream_t stream) {
  const Scratch memory = carve_scratch(scratch, slots_, particles_);
  list_rows(identity(scratch), leaving_.empty() ? nullptr : lists_.staying, staying_, memory.arriving, arriving_, rows,
            lists_.rows, lists_.guess, stream);
  guesses_ = staying_ + arriving_;
  find_windows(lists_.rows, staying_, lists_.first_rows, lists_.window_slots, stream);
  // After arrivals, the rows of a slot are others in the next frame's first blocks than `windows` says.
  repeats_ = rows == nullptr && arriving_ == 0;
  id_type_ = ids.type;
  if (repeats_) copy_ids(ids, particles_, lists_.ids, stream);
  if (leaving_.empty()) return;
  check(cudaMemcpyAsync(leaving_.data(), memory.leaving, leaving_.size() * sizeof(std::uint32_t),
                        cudaMemcpyDeviceToHost, stream),
        "leaving particles");
  check(cudaStreamSynchronize(stream), "leaving particles");
}

}  // namespace gpz::cuda
