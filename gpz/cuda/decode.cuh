// Kernels of decoding; see decode.cu.
#pragma once

#include "gpz/cuda/decode_params.hpp"

namespace gpz::cuda {

__global__ void open_chunk(DecodeParams params);
__global__ void read_records(DecodeParams params);
__global__ void decode_blocks(const __grid_constant__ DecodeParams params);

}  // namespace gpz::cuda
