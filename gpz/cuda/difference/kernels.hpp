// SPDX-License-Identifier: BSD-3-Clause
// The kernels of difference sections, in the order they run.
#pragma once

#include <cuda_runtime.h>

#include "gpz/cuda/difference/params.hpp"

namespace gpz::cuda {

// The prediction: fitted, then compared with none (fit.cu).
void launch_fit_differences(const DifferenceEncode &params, int components, ConstArray::Type type, cudaStream_t stream);
// Payloads to staging, records, history (encode.cu).
void launch_encode_differences(const DifferenceEncode &params, int components, ConstArray::Type type,
                               cudaStream_t stream);
// The section from them, once their places are known (write.cu).
void launch_write_differences(const DifferenceEncode &params, int components, cudaStream_t stream);

// Header and records (open.cu); then, once the places of payloads are known, the blocks
// (decode.cu, of a field of integers to PackedIndices; decode_keys.cu).
void launch_open_differences(const DifferenceDecode &params, int components, cudaStream_t stream);
void launch_decode_differences(const DifferenceDecode &params, cudaStream_t stream);
void launch_decode_keys(const DifferenceDecode &params, int components, cudaStream_t stream);

}  // namespace gpz::cuda
