// SPDX-License-Identifier: BSD-3-Clause
// Encodes sections of coding 13 in device memory, with the bytes of lanes::encode and lanes::encode_key. Molecules are
// found by a CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/common/pinned_ring.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda/trajectory/frame_call.hpp"
#include "gpz/cuda/trajectory/steps.hpp"
#include "gpz/format/grid_box.hpp"
#include "gpz/lanes/model_choice.hpp"

namespace gpz::cuda {

// Edges of the box, for positions, the first field of a frame.
inline lanes::Edges edges_of(const FrameCall &call) {
  return {format::grid_box(call.box, call.field(0)), format::tilted_edges(call.box, call.field(0))};
}

class StepEncoder : private lanes::FrameCoder {
 public:
  struct Call {
    const DeviceValues &values;  // of all particles of the state
    lanes::Edges edges;
    DeviceCrossings crossings;
    cudaStream_t stream;
  };
  // Starts with the next section, with these molecules; nullptr: particles have no bonds. Those of the key frame before
  // it are not stored again. The history knows motion for so many sections at least, as a CPU's does that compares
  // codings.
  void start(const std::shared_ptr<lanes::Plan> &molecules, std::uint64_t sections_with_motion, int threads);
  bool empty() const { return plan_ == nullptr && !begins_; }
  bool have_bonds() const { return plan_ != nullptr && plan_->molecules.have_bonds(); }
  // Begins anew: encode() returns false until the next start().
  void restart();

  // Encodes the next section, and advances the history, whose motion ends. Waits for the stream. Returns false, and
  // advances nothing, if values are not on the grid, or rows or images are too far away: only a CPU encodes those.
  // Throws out_of_memory.
  bool encode(DeviceDifferenceState &state, const Call &call);
  // The same for the section of a key frame with these molecules. restart() or start() follows.
  bool encode_key(const std::shared_ptr<lanes::Plan> &molecules, const Call &call, int threads);

  // The last section: its bytes after the head, a multiple of 8, and the largest error of its values.
  std::size_t size() const { return size_; }
  double largest_error() const { return largest_error_; }
  // Queues writing to `out` in device memory, aligned to 8, with room for size() bytes.
  void write(void *out, cudaStream_t stream);

  // The caller has waited for all work.
  void release();
  std::size_t device_bytes() const;
  std::uint64_t allocations() const { return allocations_ + steps_.allocations(); }

 private:
  struct Report {
    IndexReport values;
    StepReport steps;
  };

  lanes::Fit::Frame sample() override;
  lanes::SampledMotions sample_motions(const std::vector<std::uint32_t> &steps) override;
  std::vector<std::size_t> count_images(const std::vector<lanes::ImageRule> &rules) override;
  lanes::ImageExceptions list_images(std::size_t rule) override;
  void find_items(const std::shared_ptr<lanes::Numbers> &numbers) override;
  lanes::Counts count_items() override;
  std::vector<std::uint32_t> code_items(const std::shared_ptr<const lanes::Codes> &codes) override;

  struct Indices {
    std::int32_t *of[core::max_components];
  };
  Indices reserve_indices(std::uint64_t particles);
  // Starts with the plan of the first section; what is known of motion is in the state then.
  void begin(DeviceDifferenceState &state, const Indices &index, const Call &call);
  std::shared_ptr<lanes::Plan> plan_without_bonds(const DeviceDifferenceState &state, const Indices &index,
                                                  const Call &call);
  // Finds indices, rows and images of the frame. Returns false if they do not fit.
  bool find_rows(const Indices &index, const Call &call);
  // Chooses what the section states, and codes its items.
  bool code(const lanes::Edges &edges, bool is_new, bool rests, lanes::Update &update);
  void queue_items();
  StepItemLists lists() const;
  StepImages images_of(const lanes::ImageRule *rules, std::size_t count) const;
  template <typename T>
  T *reserve(DeviceBuffer &buffer, std::size_t count) {
    if (grow(buffer, count * sizeof(T))) ++allocations_;
    return static_cast<T *>(buffer.data());
  }
  // Copies from the device, and waits.
  void fetch(void *to, const void *from, std::size_t size);

  DeviceSteps steps_;
  lanes::Learned learned_;
  std::shared_ptr<lanes::Plan> plan_;  // of the sections; of the next one, if it begins: nullptr if it has no bonds
  bool begins_ = false;                // with the next section
  bool plan_is_stored_ = false;        // in the key frame before it
  std::uint64_t sections_with_motion_ = 0;
  int threads_ = 1;
  // State of the frame that is encoded.
  cudaStream_t stream_ = nullptr;
  StepRows rows_{};
  bool is_key_ = false;
  lanes::Templates templates_;  // of a key frame
  StepConstants constants_{};
  bool has_items_ = false;  // words overwrite them
  std::vector<lanes::ImageRule> rules_;
  StepReport found_{};
  std::vector<std::size_t> image_counts_;
  std::vector<std::uint64_t> first_word_;
  // Those that the device has.
  std::shared_ptr<const lanes::Numbers> numbers_;
  std::shared_ptr<const lanes::Codes> codes_;

  std::vector<std::uint8_t> head_;
  std::size_t size_ = 0;
  double largest_error_ = 0;
  DeviceBuffer index_;
  DeviceBuffer items_;
  DeviceBuffer counts_;
  DeviceBuffer shares_;
  DeviceBuffer scratch_;  // images, or first words of the blocks
  DeviceBuffer lists_;    // report, words of the blocks
  PinnedBuffer sampled_;  // rows and means
  PinnedBuffer fetched_;  // small results
  PinnedRing sent_;
  std::uint64_t allocations_ = 0;
};

}  // namespace gpz::cuda
