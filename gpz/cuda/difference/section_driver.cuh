// SPDX-License-Identifier: BSD-3-Clause
// Host side of all sections: arrays of blocks in a workspace, offsets of payloads, status of a call.
#pragma once

#include "gpz/core/block.hpp"
#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/scan.cuh"
#include "gpz/cuda/difference/params.hpp"

namespace gpz::cuda {

// Arrays of encoders and decoders. With a Carver that measures, all pointers are nullptr.
template <typename Layout, typename Record>
class BlockArrays {
 public:
  BlockArrays(Carver &carver, std::uint64_t blocks)
      : blocks_(blocks),
        layout_(carver.take<Layout>(1)),
        records_(carver.take<Record>(blocks)),
        words_(carver.take<std::uint32_t>(blocks + 1)),
        word_offsets_(carver.take<std::uint64_t>(blocks + 1)),
        scan_bytes_(scan_size(blocks + 1)),
        scan_(carver.take<char>(scan_bytes_)) {}

  template <typename Params>
  void give(Params &params) const {
    params.layout = layout_;
    params.records = records_;
    params.words = words_;
    params.word_offsets = word_offsets_;
  }

  // The scan includes an element after the last block, whose offset is the total.
  void clear_last(cudaStream_t stream) const {
    check(cudaMemsetAsync(words_ + blocks_, 0, sizeof(std::uint32_t), stream), "clearing");
  }
  void place_payloads(cudaStream_t stream) const {
    std::size_t bytes = scan_bytes_;
    check(exclusive_sum(scan_, bytes, words_, word_offsets_, blocks_ + 1, stream), "scan");
  }

 private:
  std::uint64_t blocks_;
  Layout *layout_;
  Record *records_;
  std::uint32_t *words_;
  std::uint64_t *word_offsets_;
  std::size_t scan_bytes_;
  char *scan_;
};

template <typename Layout, typename Record>
class DecodeArrays : public BlockArrays<Layout, Record> {
 public:
  DecodeArrays(Carver &carver, std::uint64_t particles)
      : BlockArrays<Layout, Record>(carver, core::blocks_of(particles)), status_(carver.take<std::uint32_t>(1)) {}

  template <typename Params>
  void give(Params &params) const {
    BlockArrays<Layout, Record>::give(params);
    params.status = status_;
  }

 private:
  std::uint32_t *status_;
};

// `arguments`: constructor arguments of Arrays after the Carver.
template <typename Arrays, typename... Arguments>
std::size_t workspace_of(const Arguments &...arguments) {
  Carver carver(nullptr);
  const Arrays arrays(carver, arguments...);
  return carver.used();
}

// Completes the parameters, and queues open() for header and records, the scan of payload offsets, and decode() for
// values. Sections without particles have no bytes.
template <typename Arrays, typename Params, typename Open, typename Decode, typename... Arguments>
void decode_section(const SectionDecoding &call, Params &params, const Open &open, const Decode &decode,
                    std::uint64_t particles, const Arguments &...arguments) {
  check_memory(call.section, call.size, chunk_alignment, "the section");
  if (particles == 0) {
    const std::uint32_t empty = call.size == 0 ? 0 : section_damaged;
    check(cudaMemcpyAsync(call.status, &empty, sizeof(empty), cudaMemcpyDefault, call.stream), "result");
    return;
  }
  Carver carver(call.workspace);
  const Arrays arrays(carver, particles, arguments...);
  check_workspace(call.workspace, call.workspace_size, carver.used());
  arrays.give(params);
  params.section = static_cast<const std::uint32_t *>(call.section);
  params.size = call.size;
  open();
  arrays.place_payloads(call.stream);
  decode();
  check(cudaMemcpyAsync(call.status, params.status, sizeof(std::uint32_t), cudaMemcpyDefault, call.stream), "result");
}

}  // namespace gpz::cuda
