// The kernels of difference sections, in the order they run.
#pragma once

#include <cuda_runtime.h>

#include "gpz/core/triples.hpp"
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
// (decode.cu).
void launch_open_differences(const DifferenceDecode &params, int components, cudaStream_t stream);
void launch_decode_differences(const DifferenceDecode &params, cudaStream_t stream);

#if defined(__CUDACC__)
// Item `i` of a block's record.
__device__ __forceinline__ std::uint32_t record_item(const DifferenceRecord &record, int components, int i) {
  const int k = i < components ? i : i - components;
  if (i < 2 * components) {
    const core::ResidualCode code = k == 0 ? record.code[0] : k == 1 ? record.code[1] : record.code[2];
    const std::uint32_t head = code.head + (k == 0 && record.triples ? core::triples_head : 0u);
    return i < components ? code.width : head;
  }
  i -= 2 * components;
  return i == 0 ? record.bitmap : i == 1 ? record.margin : i == 2 ? record.flags : record.exceptions;
}
#endif

}  // namespace gpz::cuda
