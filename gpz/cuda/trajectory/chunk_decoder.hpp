// SPDX-License-Identifier: BSD-3-Clause
// Decodes the chunks of one writer, frame after frame: the counterpart of trajectory::ChunkReader. Everything is queued
// on the caller's stream; growing allocates and may wait.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/trajectory/history.hpp"
#include "gpz/cuda/trajectory/id_ranks.hpp"
#include "gpz/cuda/trajectory/independent.hpp"
#include "gpz/cuda/trajectory/pinned_ring.hpp"
#include "gpz/cuda/trajectory/rows.hpp"
#include "gpz/cuda_trajectory_decoder.hpp"
#include "gpz/format/leaving_slots.hpp"
#include "gpz/format/opened_chunk.hpp"

namespace gpz::cuda {

class ChunkDecoder {
 public:
  // What the device reports, in pinned memory.
  struct Report {
    std::uint32_t status = 0;  // of all chunks since it was cleared
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
  // Queues the next chunk; its status is joined to report->status. Throws what TrajectoryDecoder::queue does; the
  // history is of no use then.
  void decode(const Call &call);

  void forget();
  void release();
  std::size_t device_bytes() const;
  std::uint64_t allocations() const;

 private:
  // Where a field's values are decoded to: the caller's arrays, the keys of the history, or scratch memory.
  struct Landing {
    FieldOutput output;  // no arrays: it is not decoded
    bool is_callers = false;
  };
  // Which of the particles, those that stay (0) and others (1), the caller's arrays of a field have.
  using Written = std::array<bool, 2>;

  void begin(const Call &call);
  void start(const Call &call, const IndependentDecoder &decoder);
  void next(const Call &call);

  void let_leave(const Call &call, const format::Column<std::uint32_t> &leaving);
  // Finds the rows of particles in the order of ids, if they are not known.
  void rank(const Call &call);

  // Particles from `first` on, of a chunk that is decoded without others: their ids, to the ids of all; the fields but
  // the ids if they were decoded before.
  void decode_ids(const Call &call, const ChunkBytes &chunk, const IndependentDecoder &decoder, std::uint64_t first,
                  std::uint64_t count);
  void decode_others(const Call &call, const ChunkBytes &chunk, const IndependentDecoder &decoder, std::uint64_t first,
                     std::uint64_t count);
  Landing land(const Call &call, std::size_t f, std::uint64_t first, std::uint64_t count, Carver &carver) const;
  // Writes what has landed in scratch memory and has to; whether the caller's arrays have it.
  bool take_landed(const Call &call, std::size_t f, std::uint64_t first, std::uint64_t count);
  void decode_into(const Call &call, const ChunkBytes &chunk, const IndependentDecoder &decoder, std::uint64_t count,
                   const std::vector<FieldOutput> &outputs);

  void decode_section(const Call &call, std::size_t f, const ChunkBytes &section, std::uint64_t staying);
  void decode_predicted(const Call &call, std::size_t f, const ChunkBytes &section, std::uint64_t staying);
  void decode_block_coded(const Call &call, std::size_t f, const ChunkBytes &chunk, std::uint64_t staying);
  void count_crossings(const Call &call, const std::vector<format::Span> &sections, std::uint64_t staying);

  // What is not written yet.
  void write_fields(const Call &call, std::uint64_t staying);
  void write_history(const Call &call, std::size_t f, const RowRange &range);

  static const Field &field(const Call &call, std::size_t f) { return call.outputs[f].field; }
  RowRange range_of(const Call &call, std::uint64_t first, std::uint64_t count) const;
  DeviceKeys keys(const Call &call, std::size_t f) const;
  DeviceValues values(const Call &call, std::size_t f) const;  // that have landed
  std::int64_t *ids() const;
  bool is_followed(std::size_t f) const { return history_.kept(f) != Kept::nothing; }
  std::uint32_t *next_status();
  void reserve(DeviceBuffer &buffer, std::size_t size);
  // Makes room for what `cut` takes, and lets it take it: `cut` is called twice. Returns the bytes.
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

  std::vector<bool> wanted_;
  DeviceHistory history_;
  bool has_no_values_ = false;  // it begins with a sequence chunk, and has nothing of it
  std::size_t id_ = 0;
  IdRanks ranks_;
  bool ranked_ = false;  // ranks_ are those of the history's ids

  DeviceBuffer flags_;      // of the history, and the statuses of a chunk
  DeviceBuffer workspace_;  // of the call that decodes
  DeviceBuffer landing_;    // values that cannot go to the caller's arrays
  DeviceBuffer ids_;        // for their order, if there is no history
  DeviceBuffer lists_;      // slots that leave, slots that stay
  DeviceBuffer crossings_;
  DeviceBuffer packed_;  // indices on their way to the order of ids
  PinnedRing leaving_;
  std::uint64_t allocations_ = 0;

  // Of the chunk that is decoded.
  std::vector<Field> fields_;
  int statuses_used_ = 0;
  std::vector<Written> written_;
  std::vector<Landing> landings_;
  DeviceCrossings crossed_{};  // by field 0; nullptr: nobody counts them
};

}  // namespace gpz::cuda
