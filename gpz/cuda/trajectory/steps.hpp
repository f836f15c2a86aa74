// SPDX-License-Identifier: BSD-3-Clause
// Steps of a chunk in device memory, since its independent chunk: decodes sections of coding 13 as lanes::decode and
// lanes::decode_key do.
// Molecules, constants and tables are read on the host; the layout stays on the device as long as sections have the
// same molecules. Work is queued on the caller's stream; new molecules, and growth, wait for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/common/pinned_ring.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda/steps/params.hpp"
#include "gpz/cuda/trajectory/chunk_bytes.hpp"
#include "gpz/lanes/section.hpp"

namespace gpz::cuda {

// Molecules, constants, tables and rows on the device.
class DeviceSteps {
 public:
  struct Call {
    const ChunkBytes &section;  // after coding, axes and exact values
    core::GridBox box;
    DeviceCrossings crossings;
    std::uint32_t *status;  // device memory, as that of SectionDecoding
    cudaStream_t stream;
  };
  // Decodes the next section, and advances the state. Throws corrupt, limit_exceeded, std::bad_alloc, out_of_memory.
  void decode(DeviceDifferenceState &state, const Call &call);
  // The same for the section of a key frame of so many particles. Begins anew, and writes `indices` of each component.
  // The state of the next section has one frame.
  void decode_key(std::uint64_t particles, std::int32_t *const *indices, const Call &call);

  // Encoders: where the rows and means of the next frame go. finish() ends the frame; without it nothing changes.
  StepRows begin(cudaStream_t stream);
  const StepLayout &layout() const { return layout_; }
  const StepConstants &send_constants(const std::vector<lanes::ClassConstants> &constants, cudaStream_t stream,
                                      const std::vector<lanes::Heading> *key = nullptr);
  void finish(DeviceDifferenceState &state, const StepRows &found, bool rests, cudaStream_t stream);
  bool empty() const { return models_.plan == nullptr; }
  // Whether the rows are those of the last frame.
  bool goes_on(const DeviceDifferenceState &state) const { return !empty() && frames_ == state.frames; }

  // Starts a key frame of an encoder with this plan.
  void start_key(const std::shared_ptr<lanes::Plan> &plan, cudaStream_t stream);
  // Starts an encoder's state with this plan; `cell`: of the last frame's positions.
  void start(const std::shared_ptr<lanes::Plan> &plan, DeviceDifferenceState &state, const core::GridBox &box,
             const molecule::Cell &cell, cudaStream_t stream);

  // Begins anew: at an independent chunk, and where particles leave or arrive. Keeps memory for what comes.
  void restart();
  // The caller has waited for all work.
  void release();
  std::size_t device_bytes() const;
  std::uint64_t allocations() const { return allocations_; }

 private:
  // `key`: the headings of a key frame; nullptr in others.
  void take(const lanes::Models &models, const std::vector<lanes::Heading> *key, cudaStream_t stream);
  // Images, and the indices that rows and images give.
  void place(const lanes::OpenedSection &section, const StepDecode &decoded, const DifferenceHistory &history,
             bool rests, const Call &call);
  // Room for rows, and means of 0.
  void clear_rows(cudaStream_t stream);
  bool have_bonds() const { return models_.plan->molecules.have_bonds(); }
  std::size_t columns_of_means() const { return models_.plan->molecules.columns_of_means(); }
  void send_plan(cudaStream_t stream);
  // Where items are, in device memory: those of a key frame and of others.
  struct StepItems {
    const std::uint32_t *first_item;
    const StepLayout::Block *blocks;
    std::uint64_t count;
  };
  void use_items(const StepItems &items);
  void send_layout(const lanes::Plan &plan, cudaStream_t stream);
  void start_rows(const DeviceDifferenceState &state, const DifferenceHistory &history, const molecule::Cell &cell,
                  bool is_new, cudaStream_t stream);
  StepDecode decoding(const lanes::OpenedSection &section, const Call &call);
  StepRows rows() const;
  template <typename T>
  T *reserve(DeviceBuffer &buffer, std::size_t count) {
    if (grow(buffer, count * sizeof(T))) ++allocations_;
    return static_cast<T *>(buffer.data());
  }
  // The same; memory that is new has zeros: slots without a particle are copied with others.
  template <typename T>
  T *reserve_cleared(DeviceBuffer &buffer, std::size_t count, cudaStream_t stream) {
    const std::uint64_t before = allocations_;
    T *const to = reserve<T>(buffer, count);
    if (allocations_ != before) check(cudaMemsetAsync(to, 0, buffer.capacity(), stream), "clearing");
    return to;
  }

  lanes::Models models_;
  lanes::KnownPlans known_plans_;
  std::shared_ptr<lanes::Plan> on_device_;  // whose layout the device has
  StepLayout layout_{};
  StepItems items_{}, items_of_key_{};
  StepConstants constants_{};
  std::uint64_t frames_ = 0;     // of the history, when the rows were written
  std::uint64_t sections_ = 0;   // with these molecules
  bool last_is_second_ = false;  // which half of rows_ has those of the last frame
  int last_means_ = 0;           // which of means_
  DeviceBuffer layout_memory_;
  DeviceBuffer rows_;
  DeviceBuffer means_[2];  // the second ones: encoders
  DeviceBuffer constants_memory_;
  DeviceBuffer codes_;
  DeviceBuffer lists_;  // of a section: first words of blocks, images
  PinnedRing sent_;
  std::uint64_t allocations_ = 0;
};

}  // namespace gpz::cuda
