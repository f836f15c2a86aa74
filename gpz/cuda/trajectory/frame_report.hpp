// SPDX-License-Identifier: BSD-3-Clause
// What kernels report to TrajectoryCodec while a frame is encoded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda/trajectory/identity.hpp"

namespace gpz::cuda {

// Flags in device memory, whose last copy the host has, and results that kernels write to the host themselves.
class FrameReport {
 public:
  struct Flags {
    std::uint32_t wide;                 // an index that does not fit, since the history began
    std::uint32_t moved;                // a particle is in another row than in the last frame
    std::uint32_t changed[max_fields];  // fields that are not predicted, in this frame
  };
  struct Results {
    DifferenceResult section;  // of the section that was encoded last
    MatchCounts counts;
    std::uint64_t lengths[max_fields];  // of the sections of the key frame
  };

  // Takes pinned memory, of which it has some until give_back().
  void make() { host_.make(); }
  void give_back() { host_.release(); }

  // Device memory for the flags. Throws out_of_memory.
  void reserve() {
    if (memory_.data() != nullptr) return;
    memory_.allocate(sizeof(Flags));
    ++allocations_;
  }
  void release() { memory_.release(); }

  // Those of a frame: all but `wide`.
  void clear(cudaStream_t stream) const {
    check(cudaMemsetAsync(moved(), 0, sizeof(Flags) - offsetof(Flags, moved), stream), "clearing");
  }
  void queue_copy(cudaStream_t stream) const {
    check(cudaMemcpyAsync(&host_->flags, on_device(), sizeof(Flags), cudaMemcpyDeviceToHost, stream), "results");
  }
  // Waits for all that is queued, too.
  void fetch(cudaStream_t stream) const {
    queue_copy(stream);
    check(cudaStreamSynchronize(stream), "differences");
  }

  // Where kernels set them.
  std::uint32_t *wide() const { return &on_device()->wide; }
  std::uint32_t *moved() const { return &on_device()->moved; }
  std::uint32_t *changed(std::size_t field) const { return &on_device()->changed[field]; }
  // As they were copied.
  const Flags &flags() const { return host_->flags; }
  Results &results() const { return host_->results; }

  std::size_t device_bytes() const { return memory_.capacity(); }
  std::uint64_t allocations() const { return allocations_; }

 private:
  struct OnHost {
    Flags flags;
    Results results;
  };

  Flags *on_device() const { return static_cast<Flags *>(memory_.data()); }

  PinnedReport<OnHost> host_;
  DeviceBuffer memory_;
  std::uint64_t allocations_ = 0;
};

}  // namespace gpz::cuda
