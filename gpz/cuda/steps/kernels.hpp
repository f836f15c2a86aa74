// SPDX-License-Identifier: BSD-3-Clause
// Launches of the kernels of steps. All work is queued on the stream.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpz/cuda/steps/params.hpp"

namespace gpz::cuda {

// Decodes the rows of a frame. *status gets section_damaged if the words of a block do not fit.
void launch_decode_steps(const StepDecode &params, cudaStream_t stream);

// Rows of the frame before, where sections did not follow each other: molecules are made whole. `last`: indices of
// particles.
void launch_start_rows(const StepLayout &layout, const StepRows &rows, const std::int32_t *const *last,
                       const molecule::Cell &cell, cudaStream_t stream);

// Images of this frame, and the indices that rows and images give, in the history. *status gets section_wide if an
// index does not fit.
void launch_place_steps(const StepPlacing &params, cudaStream_t stream);

}  // namespace gpz::cuda
