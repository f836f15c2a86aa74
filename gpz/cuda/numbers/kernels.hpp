// SPDX-License-Identifier: BSD-3-Clause
// Launches of the kernels that encode number streams. All work is queued on the stream.
#pragma once

#include <cuda_runtime_api.h>

#include "gpz/cuda/numbers/params.hpp"

namespace gpz::cuda {

// Adds to the counts.
void launch_count_tokens(const TokenCount &params, const DeviceLimits &limits, cudaStream_t stream);
void launch_encode_numbers(const SegmentEncode &params, const DeviceLimits &limits, cudaStream_t stream);
void launch_write_segments(const SegmentWrite &params, cudaStream_t stream);

}  // namespace gpz::cuda
