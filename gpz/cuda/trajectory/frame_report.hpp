// SPDX-License-Identifier: BSD-3-Clause
// Reports of kernels to TrajectoryCodec while a frame is encoded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda/trajectory/identity.hpp"

namespace gpz::cuda {

// Flags in device memory, with a copy on the host, and results that kernels write directly to the host.
class FrameReport {
 public:
  struct Flags {
    std::uint32_t wide;                 // an index did not fit, since the history began
    std::uint32_t moved;                // a particle changed its row since the last frame
    std::uint32_t changed[max_fields];  // fields without prediction that changed in this frame
  };
  struct Results {
    DifferenceResult section;  // of the section that was encoded last
    MatchCounts counts;
    std::uint64_t lengths[max_fields];  // lengths of the sections of the key frame
    std::uint32_t damaged;              // not 0: the history could not be decoded
  };

  // Allocates pinned memory, which give_back() frees.
  void make() { host_.make(); }
  void give_back() { host_.release(); }

  // Allocates device memory for the flags. Throws out_of_memory.
  void reserve() {
    if (memory_.data() != nullptr) return;
    memory_.allocate(sizeof(Flags));
    ++allocations_;
  }
  void release() { memory_.release(); }

  // Clears the flags of a frame, which are all except `wide`.
  void clear(cudaStream_t stream) const {
    check(cudaMemsetAsync(moved(), 0, sizeof(Flags) - offsetof(Flags, moved), stream), "clearing");
  }
  void queue_copy(cudaStream_t stream) const {
    check(cudaMemcpyAsync(&host_->flags, on_device(), sizeof(Flags), cudaMemcpyDeviceToHost, stream), "results");
  }
  // Also waits for all queued work.
  void fetch(cudaStream_t stream) const {
    queue_copy(stream);
    check(cudaStreamSynchronize(stream), "differences");
  }

  // Device addresses for kernels.
  std::uint32_t *wide() const { return &on_device()->wide; }
  std::uint32_t *moved() const { return &on_device()->moved; }
  std::uint32_t *changed(std::size_t field) const { return &on_device()->changed[field]; }
  // The last copy.
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
