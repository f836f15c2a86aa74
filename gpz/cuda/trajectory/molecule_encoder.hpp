// SPDX-License-Identifier: BSD-3-Clause
// Encodes sections of coding 9 without a tree in device memory, with the bytes of molecule::encode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/common/pinned_ring.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda/numbers/segment_encoder.hpp"
#include "gpz/cuda/trajectory/molecules.hpp"

namespace gpz::cuda {

class MoleculeEncoder {
 public:
  struct Call {
    const DeviceValues &values;  // of all particles of the state
    core::GridBox box;
    DeviceCrossings crossings;
    cudaStream_t stream;
  };
  // Encodes the next section, and advances molecules and history. Waits for the stream. Returns false, and advances
  // neither, if values are not on the grid, indices are too large, particles need exceptions, or a segment is too long:
  // only a CPU encodes those. Throws out_of_memory.
  bool encode(DeviceMolecules &molecules, DeviceDifferenceState &state, const Call &call);

  // Of the last section, behind its head: bytes, a multiple of 8, and the largest error of its values.
  std::size_t size() const { return head_.size() + numbers_size_; }
  double largest_error() const { return largest_error_; }
  // Queues writing to `out` in device memory, aligned to 8, with room for size() bytes.
  void write(void *out, cudaStream_t stream);

  // The caller has waited for all work.
  void release();
  std::size_t device_bytes() const;
  std::uint64_t allocations() const { return allocations_ + numbers_.allocations(); }

 private:
  struct Report {
    IndexReport values;
    MoleculeReport molecules;
  };

  void reserve(DeviceBuffer &buffer, std::size_t size);

  SegmentEncoder numbers_;
  std::vector<std::uint8_t> head_;
  std::size_t numbers_size_ = 0;
  double largest_error_ = 0;
  DeviceBuffer items_;
  DeviceBuffer lists_;  // report, begins and counts of the items
  PinnedRing sent_;
  std::uint64_t allocations_ = 0;
};

}  // namespace gpz::cuda
