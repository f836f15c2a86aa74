// SPDX-License-Identifier: BSD-3-Clause
// State of the particles of a chunk in device memory, for TrajectoryCodec and TrajectoryDecoder: the counterpart of
// ChunkHistory. All work is queued on the caller's stream; growth allocates and may wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda_codec.hpp"

namespace gpz::cuda {

enum class Kept : std::uint8_t {
  nothing,
  state,  // a DeviceDifferenceState
  keys,   // 64-bit integers, or keys of lossless floats
};

class DeviceHistory {
 public:
  // Starts without particles. `wide` (device memory) becomes 1 when an index does not fit, now or later. With `id`, ids
  // and lossless floats have keys and all others have states. With `kept`, each field is kept as its entry says.
  void start(const std::vector<Field> &fields, std::size_t id, std::uint64_t capacity, std::uint32_t *wide,
             Stream stream);
  void start(const std::vector<Field> &fields, const std::vector<Kept> &kept, std::uint64_t capacity,
             std::uint32_t *wide, Stream stream);
  bool started() const { return started_; }
  void forget() { started_ = false; }
  void release();
  const std::vector<Field> &fields() const { return described_; }
  std::uint64_t particles() const { return particles_; }

  // Makes room and keeps the contents. Throws out_of_memory.
  void grow(std::uint64_t capacity, Stream stream);

  // Keeps the particles in slots kept[0] < kept[1] < ..., and removes the others.
  void keep(const std::uint32_t *kept, std::uint64_t count, Stream stream);
  // Adds the particles of a block chunk, decoded as by a reader, after the others. *damaged (pinned memory) becomes
  // what it becomes in decompress().
  void add(const DeviceChunk &chunk, std::uint32_t *damaged, Stream stream);
  // For values of a caller who decodes: `count` decoded values of each remembered field, then count_added().
  void add(std::size_t field, const DeviceValues &decoded, std::uint64_t count, Stream stream);
  // The same for `count` ids in device memory.
  void add_ids(const std::int64_t *ids, std::uint64_t count, Stream stream);
  void count_added(std::uint64_t count) { particles_ += count; }

  const std::int64_t *ids() const { return parts_[id_].exact[0]; }
  // For fields with Kept::state.
  DeviceDifferenceState &state(std::size_t field) { return parts_[field].state; }
  // For fields with Kept::keys: one array per component.
  std::int64_t *const *keys(std::size_t field) const { return parts_[field].exact; }
  bool has_keys(std::size_t field) const { return parts_[field].kept == Kept::keys; }
  Kept kept(std::size_t field) const { return parts_[field].kept; }

  std::size_t device_bytes() const;
  std::uint64_t allocations() const { return allocations_; }

 private:
  struct Part {
    std::unique_ptr<DeviceBuffer> memory;
    DeviceDifferenceState state;
    Kept kept = Kept::nothing;
    std::int64_t *exact[core::max_components] = {};  // keys
    std::int64_t *spare = nullptr;
    int components = 0;
  };
  // Creates a part with this capacity and no contents.
  Part place(const Field &field, Kept kept, std::uint64_t capacity);

  bool started_ = false;
  std::vector<Field> described_;
  std::size_t id_ = 0;
  std::uint64_t particles_ = 0;
  std::uint64_t capacity_ = 0;
  std::uint32_t *wide_ = nullptr;
  std::vector<Part> parts_;
  DeviceBuffer workspace_;  // for decoding
  std::uint64_t allocations_ = 0;
};

}  // namespace gpz::cuda
