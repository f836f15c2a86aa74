// SPDX-License-Identifier: BSD-3-Clause
// Kernels of difference sections, in the order in which they run.
#pragma once

#include <cuda_runtime.h>

#include "gpz/cuda/difference/params.hpp"

namespace gpz::cuda {

// Fits the prediction and compares it with none (fit.cu).
void launch_fit_differences(const DifferenceEncode &params, int components, ConstArray::Type type, cudaStream_t stream);
// Writes payloads to staging, records and the new history (encode.cu).
void launch_encode_differences(const DifferenceEncode &params, int components, ConstArray::Type type,
                               cudaStream_t stream);
// Assembles the section, once all offsets are known (write.cu).
void launch_write_differences(const DifferenceEncode &params, int components, cudaStream_t stream);

// Opens header and records (open.cu). Once the offsets of payloads are known, decodes the blocks: decode.cu and
// decode_neighbours.cu (fields of integers to PackedIndices), or decode_keys.cu.
void launch_open_differences(const DifferenceDecode &params, int components, cudaStream_t stream);
void launch_decode_differences(const DifferenceDecode &params, cudaStream_t stream);
void launch_decode_neighbours(const DifferenceDecode &params, cudaStream_t stream);
void launch_decode_keys(const DifferenceDecode &params, int components, cudaStream_t stream);

}  // namespace gpz::cuda
