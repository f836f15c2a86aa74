// SPDX-License-Identifier: BSD-3-Clause
// Molecules of a chunk in device memory, since its independent chunk: decodes sections of coding 9 as molecule::decode
// does, and keeps what an encoder (molecule_encoder.hpp) needs. The tree is built on the host, and stays for sections
// with the same lags, as those of the next key interval usually are: for them the device finds the classes. Work is
// queued on the caller's stream; a section with a tree, and growth, wait for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/common/pinned_ring.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda/molecule/params.hpp"
#include "gpz/cuda/trajectory/chunk_bytes.hpp"
#include "gpz/molecule/opened_section.hpp"
#include "gpz/molecule/section.hpp"

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

  // Encoders: goes on from the state of a CPU, which is not empty.
  void start_from(const molecule::State &state, cudaStream_t stream);
  // Encoders, for a section without a tree. Begins a section; its pass may be repeated. The pass reads and writes the
  // indices, which the caller sets before.
  MoleculePass begin(DeviceDifferenceState &state, const molecule::Cell &cell, cudaStream_t stream);
  void clear_sums(const MoleculePass &pass, cudaStream_t stream) const;
  // Ends the section: advances molecules and history.
  void finish(DeviceDifferenceState &state, const MoleculePass &pass, const core::GridBox &box,
              const DeviceCrossings &crossings, cudaStream_t stream);

  // Particles leave or arrive, as in DeviceHistory::keep and add. `kept` on the host, and on the device.
  void keep(const std::uint32_t *kept, const std::uint32_t *on_device, std::size_t count, cudaStream_t stream);
  void add(std::size_t count, cudaStream_t stream);

  bool empty() const { return !is_valid_ || tree_.empty(); }
  std::size_t particles() const { return tree_.particles(); }
  // Ends of the segments.
  const std::vector<std::uint32_t> &segment_ends() const { return tree_.segment_ends(); }
  // The tree is kept, and is used if a section has the same lags.
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
  template <typename Values>
  void send(DeviceBuffer &buffer, const Values &from, cudaStream_t stream) {
    reserve(buffer, from.size() * sizeof(from[0]));
    if (!from.empty()) sent_.send(from.data(), from.size() * sizeof(from[0]), buffer.data(), stream);
  }
  // Builds the tree of a section, unless it has the lags of the last tree. Returns the bytes of its lags.
  std::size_t take_tree(const DeviceDifferenceState &state, const molecule::Cell &cell, const ChunkBytes &section,
                        cudaStream_t stream);
  void send_tree(cudaStream_t stream);
  // Classes of the section's tree; `section` begins behind its lags. Returns the bytes of their levels.
  std::size_t take_classes(const DeviceDifferenceState &state, const molecule::Cell &cell, const ChunkBytes &section,
                           cudaStream_t stream);
  // The classes of the last tree's particles in other places, on the device.
  std::vector<molecule::ClassRecord> classify(const DeviceDifferenceState &state, const molecule::Cell &cell,
                                              cudaStream_t stream);
  // Start values of the classes, from the lengths of all bonds, which are added in the order of particles.
  std::vector<molecule::ClassRecord> classes_by_lengths(cudaStream_t stream);
  // Copies classes that the device found to the tree.
  void fetch_classes(cudaStream_t stream);
  void send_members(cudaStream_t stream);
  MoleculeTree tree_on_device() const;
  DeviceParticle *states(int k) const { return static_cast<DeviceParticle *>(particles_[k].data()); }

  molecule::Tree tree_;
  bool is_valid_ = false;               // a section since the independent chunk has named the tree
  std::vector<std::uint8_t> lags_;      // of the tree, as its section had them; empty: particles left or arrived
  bool has_lags_of_before_ = false;     // for the section that is decoded
  bool has_classes_on_device_ = false;  // and those of tree_ are older
  std::uint64_t frames_ = 0;            // of the history, including the last section
  int last_ = 0;                        // which of particles_ has the state after the last section
  DeviceBuffer particles_[2];
  DeviceBuffer links_;
  DeviceBuffer ends_;
  DeviceBuffer members_;
  DeviceBuffer classes_;
  DeviceBuffer sums_;
  DeviceBuffer index_;
  DeviceBuffer tables_;
  DeviceBuffer lengths_;
  DeviceBuffer keys_;  // of classes
  PinnedRing sent_;
  std::uint64_t allocations_ = 0;
};

}  // namespace gpz::cuda
