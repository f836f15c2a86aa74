// SPDX-License-Identifier: BSD-3-Clause
// Decodes the chunks of one writer, frame after frame: the counterpart of trajectory::ChunkReader. All work is queued
// on the caller's stream; growth allocates and may wait.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/common/pinned_ring.hpp"
#include "gpz/cuda/trajectory/history.hpp"
#include "gpz/cuda/trajectory/id_ranks.hpp"
#include "gpz/cuda/trajectory/independent.hpp"
#include "gpz/cuda/trajectory/rows.hpp"
#include "gpz/cuda/trajectory/steps.hpp"
#include "gpz/cuda_trajectory_decoder.hpp"
#include "gpz/format/leaving_slots.hpp"
#include "gpz/format/opened_chunk.hpp"

namespace gpz::cuda {

class ChunkDecoder {
 public:
  // Report of the device, in pinned memory.
  struct Report {
    std::uint32_t status = 0;  // joined over all chunks since it was cleared
    std::uint64_t id_bits = 0;
  };
  struct Call {
    const ChunkBytes &bytes;
    std::uint64_t particles;
    const std::vector<FieldOutput> &outputs;  // checked, with steps
    bool by_id;
    Report *report;
    cudaStream_t stream;
  };

  void follow(const std::vector<bool> &fields) { wanted_ = fields; }
  void allow(std::uint32_t features) { features_ = features; }
  // Queues the next chunk; its status is joined to report->status. Throws as TrajectoryDecoder::queue, which makes the
  // history unusable.
  void decode(const Call &call);

  void forget();
  void release();
  std::size_t device_bytes() const;
  std::uint64_t allocations() const;

 private:
  // Destination of a field's decoded values: the caller's arrays, the keys of the history, or scratch memory.
  struct Landing {
    FieldOutput output;  // without arrays: not decoded
    bool is_callers = false;
  };
  // Whether the caller's arrays of a field already have the values of staying particles (0), and of all others (1).
  using Written = std::array<bool, 2>;

  void begin(const Call &call);
  // Reads the head, once for each chunk. Throws corrupt, truncated.
  format::OpenedChunk open(const Call &call) const;
  void start(const Call &call, const ChunkBytes &bytes, const IndependentDecoder &decoder);
  void next(const Call &call);

  void let_leave(const Call &call, const format::Column<std::uint32_t> &leaving);
  // Finds the rows of particles in the order of ids, unless they are known.
  void rank(const Call &call);

  // Decode particles from `first` on, from an independent chunk. decode_ids writes to the ids of all particles.
  // decode_others decodes the fields, without ids that were decoded before.
  void decode_ids(const Call &call, const ChunkBytes &chunk, const IndependentDecoder &decoder, std::uint64_t first,
                  std::uint64_t count);
  void decode_others(const Call &call, const ChunkBytes &chunk, const IndependentDecoder &decoder, std::uint64_t first,
                     std::uint64_t count);
  Landing land(const Call &call, std::size_t f, std::uint64_t first, std::uint64_t count, Carver &carver) const;
  // Copies values from scratch memory if necessary. Returns true if the caller's arrays have the values.
  bool take_landed(const Call &call, std::size_t f, std::uint64_t first, std::uint64_t count);
  void decode_into(const Call &call, const ChunkBytes &chunk, const IndependentDecoder &decoder, std::uint64_t count,
                   const std::vector<FieldOutput> &outputs);

  void decode_section(const Call &call, std::size_t f, const ChunkBytes &section, std::uint64_t staying);
  void decode_predicted(const Call &call, std::size_t f, const ChunkBytes &section, std::uint64_t staying);
  void decode_steps(const Call &call, std::size_t f, const ChunkBytes &section, std::uint64_t staying);
  void decode_block_coded(const Call &call, std::size_t f, const ChunkBytes &chunk, std::uint64_t staying);
  void count_crossings(const Call &call, std::uint64_t staying);

  // Writes all values that are not written yet.
  void write_fields(const Call &call, std::uint64_t staying);
  void write_history(const Call &call, std::size_t f, const RowRange &range);

  static const Field &field(const Call &call, std::size_t f) { return call.outputs[f].field; }
  RowRange range_of(const Call &call, std::uint64_t first, std::uint64_t count) const;
  DeviceKeys keys(const Call &call, std::size_t f) const;
  DeviceValues values(const Call &call, std::size_t f) const;  // where they were decoded to
  std::int64_t *ids() const;
  bool is_followed(std::size_t f) const { return history_.kept(f) != Kept::nothing; }
  std::uint32_t *next_status();
  void reserve(DeviceBuffer &buffer, std::size_t size);
  // Makes room for what `cut` takes. Calls `cut` twice, to measure and to cut. Returns the bytes.
  template <typename Cut>
  std::size_t carve(DeviceBuffer &buffer, const Cut &cut) {
    Carver measured(nullptr);
    cut(measured);
    reserve(buffer, measured.used());
    Carver carver(buffer.data());
    cut(carver);
    return carver.used();
  }
  std::uint32_t *wide() const { return static_cast<std::uint32_t *>(flags_.data()); }
  std::uint32_t *statuses() const { return wide() + 1; }

  static constexpr std::uint32_t all_features = UINT32_MAX;

  std::vector<bool> wanted_;
  std::uint32_t features_ = all_features;  // features that chunks may need
  DeviceHistory history_;
  DeviceSteps steps_;           // of field 0
  bool has_no_values_ = false;  // starts with a sequence chunk, whose values are not kept
  std::size_t id_ = 0;
  IdRanks ranks_;
  bool ranked_ = false;  // ranks_ belong to the ids in the history

  DeviceBuffer flags_;      // `wide` of the history, and the statuses of a chunk
  DeviceBuffer workspace_;  // of the decoding call
  DeviceBuffer landing_;    // values that cannot go to the caller's arrays
  DeviceBuffer ids_;        // for sorting, if the history has none
  DeviceBuffer lists_;      // leaving slots, staying slots
  DeviceBuffer crossings_;
  DeviceBuffer packed_;  // indices to be sorted by id
  PinnedRing leaving_;
  std::uint64_t allocations_ = 0;

  // State of the chunk that is decoded.
  std::vector<Field> fields_;
  int statuses_used_ = 0;
  std::vector<Written> written_;
  std::vector<Landing> landings_;
  DeviceCrossings crossed_{};  // edges crossed in field 0; null: no field counts them
};

}  // namespace gpz::cuda
