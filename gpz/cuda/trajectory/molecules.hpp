// SPDX-License-Identifier: BSD-3-Clause
// Molecules of a chunk in device memory, since its independent chunk: decodes sections of coding 9 as molecule::decode
// does. The tree is built on the host. Work is queued on the caller's stream; a section with a new tree, and growth,
// wait for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda/molecule/params.hpp"
#include "gpz/cuda/trajectory/chunk_bytes.hpp"
#include "gpz/cuda/trajectory/pinned_ring.hpp"
#include "gpz/molecule/opened_section.hpp"

namespace gpz::cuda {

class DeviceMolecules {
 public:
  struct Call {
    const ChunkBytes &section;  // behind coding, axes and exact values
    core::GridBox box;
    DeviceCrossings crossings;
    std::uint32_t *status;  // device memory, as that of SectionDecoding
    cudaStream_t stream;
  };
  // Decodes the next section, and advances the state. Throws corrupt, std::bad_alloc, out_of_memory.
  void decode(DeviceDifferenceState &state, const Call &call);

  // Particles leave or arrive, as in DeviceHistory::keep and add. `kept` on the host, and on the device.
  void keep(const std::uint32_t *kept, const std::uint32_t *on_device, std::size_t count, cudaStream_t stream);
  void add(std::size_t count, cudaStream_t stream);

  bool empty() const { return tree_.empty(); }
  void forget();
  // The caller has waited for all work.
  void release();
  std::size_t device_bytes() const;
  std::uint64_t allocations() const { return allocations_; }

 private:
  using Indices = const std::int32_t *const *;

  void reserve(DeviceBuffer &buffer, std::size_t size);
  template <typename T>
  T *reserve(DeviceBuffer &buffer, std::size_t count) {
    reserve(buffer, count * sizeof(T));
    return static_cast<T *>(buffer.data());
  }
  // Builds the tree of a section. Returns the bytes of its lags.
  std::size_t take_tree(const DeviceDifferenceState &state, const molecule::Cell &cell, const std::uint8_t *bytes,
                        std::size_t size, cudaStream_t stream);
  void send_tree(cudaStream_t stream);
  // Classes of a new tree; `levels` are behind its lags. Returns the bytes of the levels.
  std::size_t take_classes(const std::uint8_t *levels, std::size_t size, cudaStream_t stream);
  MoleculeTree tree_on_device() const;
  DeviceParticle *particles(int k) const { return static_cast<DeviceParticle *>(particles_[k].data()); }

  molecule::Tree tree_;
  std::uint64_t frames_ = 0;  // of the history, including the last section
  int last_ = 0;              // which of particles_ has the state after the last section
  DeviceBuffer particles_[2];
  DeviceBuffer links_;
  DeviceBuffer ends_;
  DeviceBuffer members_;
  DeviceBuffer classes_;
  DeviceBuffer sums_;
  DeviceBuffer index_;
  DeviceBuffer tables_;
  DeviceBuffer lengths_;
  PinnedRing sent_;
  std::uint64_t allocations_ = 0;
};

}  // namespace gpz::cuda
