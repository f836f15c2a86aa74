// SPDX-License-Identifier: BSD-3-Clause
// What decoding kernels ask of a chunk that was opened.
#pragma once

#include "gpz/cuda/sequence/params.hpp"

namespace gpz::cuda {

__device__ inline void fail(const SequenceDecode &params, std::uint32_t how) { atomicMax(&params.report->failed, how); }

__device__ inline core::SequenceRecord record_of(const SequenceDecode &params, std::uint64_t b) {
  const std::uint32_t *const at = params.chunk + sequence_directory(*params.tables, params.field.components) / 4 +
                                  b * (core::sequence_record_size(params.field.components) / 4);
  core::SequenceRecord record;
  record.stream = at[0];
  record.escapes = at[1];
  for (int d = 0; d < params.field.components; ++d)
    record.first[d] = static_cast<std::int64_t>(std::uint64_t{at[2 + 2 * d]} | std::uint64_t{at[3 + 2 * d]} << 32);
  return record;
}

}  // namespace gpz::cuda
