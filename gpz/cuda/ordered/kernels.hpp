// SPDX-License-Identifier: BSD-3-Clause
// Kernels of ordered sections: those of a decoder, then those of an encoder, in the order in which they run.
#pragma once

#include <cuda_runtime.h>

#include "gpz/cuda/ordered/params.hpp"

namespace gpz::cuda {

// Opens header and records (open.cu).
void launch_open_ordered(const OrderedDecode &params, cudaStream_t stream);
// Decode the blocks, once the offsets of payloads are known: common blocks (decode.cu), then all others
// (decode_other.cu). They decode values, or runs if `params` comes from as_runs(). A section of the other kind is left
// alone.
void launch_decode_ordered(const OrderedDecode &params, bool runs, cudaStream_t stream);
void launch_decode_other_ordered(const OrderedDecode &params, bool runs, cudaStream_t stream);
// Expands runs to values of particles (runs.cu).
void launch_expand_runs(const OrderedDecode &params, cudaStream_t stream);

// Encode the blocks: records, and payloads to staging (encode.cu). Then write the section, once the offsets of payloads
// are known (write.cu).
void launch_encode_ordered(const OrderedEncode &params, int components, ConstArray::Type type, cudaStream_t stream);
void launch_write_ordered(const OrderedEncode &params, int components, cudaStream_t stream);

}  // namespace gpz::cuda
