// SPDX-License-Identifier: BSD-3-Clause
// Encodes a frame as an ordered chunk (docs/format.md, section 10) with fields in coding 3, positions of molecules in
// steps. Sections are those of codec::encode_ordered, but for ids with gaps, of which a CPU may make runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/core/ordered.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda/trajectory/frame_call.hpp"
#include "gpz/cuda/trajectory/id_ranks.hpp"
#include "gpz/cuda/trajectory/output.hpp"
#include "gpz/cuda/trajectory/step_encoder.hpp"

namespace gpz::cuda {

class OrderedEncoder {
 public:
  // Written to pinned memory.
  struct Report {
    DifferenceResult section;
    std::uint64_t id_bits;
    std::uint32_t flags[2];  // an index of the sample does not fit; ids repeat
  };

  // Allocates pinned memory, which give_back() frees.
  void make() { report_.make(); }
  void give_back() { report_.release(); }

  // Sorts the particles by the ids of field `id`. Returns false if ids repeat. Waits. Throws out_of_memory.
  bool sort(const FrameCall &call, std::size_t id);
  // Results of sort(), in device memory, in the order of ids.
  const std::int64_t *ids() const { return ranks_.sorted_ids(); }
  const std::uint32_t *rows() const { return static_cast<const std::uint32_t *>(rows_.data()); }

  // Molecules of all particles, and an encoder of their positions.
  struct Molecules {
    std::shared_ptr<lanes::Plan> plan;
    StepEncoder &encoder;
    int threads;
  };
  // Encodes the chunk of sorted particles to `out`, with `lengths` of its sections and the largest errors of its
  // fields. `axes`: of positions, field 0; `molecules`: of these; nullptr: none. Returns false if values or indices are
  // not for ordered sections on a GPU. Waits. Throws out_of_memory.
  bool encode(const FrameCall &call, std::size_t id, const core::GridBox &axes, const Molecules *molecules,
              ChunkOutput &out, DeviceBuffer &scratch, std::vector<std::uint64_t> &lengths,
              std::vector<double> &largest_error);
  // Values of a field of the sorted frame.
  DeviceValues values(const FrameCall &call, std::size_t field) const;

  // The caller has waited for all work.
  void release();
  std::size_t device_bytes() const;
  std::uint64_t allocations() const { return allocations_ + ranks_.allocations(); }

 private:
  // Append the section of a field after its start. Return false if it cannot have the values.
  bool append_ordered(const FrameCall &call, std::size_t field, bool is_id, const core::GridBox &axes, ChunkOutput &out,
                      DeviceBuffer &scratch, double &largest_error);
  bool append_steps(const FrameCall &call, const Molecules &molecules, ChunkOutput &out, double &largest_error);
  core::OrderedPredictor choose_predictor(const FrameCall &call, std::size_t field, bool is_id,
                                          const core::GridBox &axes);
  void fetch(void *to, const void *from, std::size_t size, cudaStream_t stream);

  PinnedReport<Report> report_;
  IdRanks ranks_;
  DeviceBuffer unsorted_;  // ids; later the sample
  DeviceBuffer rows_;
  std::uint64_t allocations_ = 0;
};

}  // namespace gpz::cuda
