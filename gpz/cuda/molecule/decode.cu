// SPDX-License-Identifier: BSD-3-Clause
// Decodes the segments of molecules, one thread each.
#include <algorithm>

#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/molecule/kernels.hpp"
#include "gpz/cuda/molecule/segment_pass.cuh"

namespace gpz::cuda {
namespace {

constexpr unsigned warp_threads = 32;

__global__ void __launch_bounds__(warp_threads) decode_segments(const __grid_constant__ MoleculeDecode params) {
  const std::uint32_t segment = blockIdx.x * blockDim.x + threadIdx.x;
  if (segment >= params.tree.segments) return;
  const std::uint32_t status = SegmentPass(params, segment).run();
  if (status != 0) atomicOr(params.status, status);
}

const KernelFile kernels(reinterpret_cast<const void *>(decode_segments));

}  // namespace

void launch_decode_segments(const MoleculeDecode &params, cudaStream_t stream) {
  if (params.tree.segments == 0) return;
  int device = 0;
  int processors = 1;
  check(cudaGetDevice(&device), "current device");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "device attribute");
  int resident = 1;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, decode_segments, warp_threads, 0), "occupancy");
  // Few threads a warp as long as there are warps to spare: threads of a warp wait for each other where they branch.
  const unsigned warps = static_cast<unsigned>(processors * std::max(resident, 1));
  const unsigned threads = std::min(std::max((params.tree.segments + warps - 1) / warps, 1u), warp_threads);
  const unsigned blocks = (params.tree.segments + threads - 1) / threads;
  decode_segments<<<blocks, threads, 0, stream>>>(params);
  check(cudaGetLastError(), "decoding of molecules");
}

}  // namespace gpz::cuda
