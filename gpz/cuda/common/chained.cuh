// SPDX-License-Identifier: BSD-3-Clause
// Shortens the gap between kernels by programmatic dependent launch, from compute capability 9.0 on. A chained kernel
// may start when the last thread blocks of the previous kernel have started, and then waits for it.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "gpz/cuda/common/check.hpp"

namespace gpz::cuda {

// First statement of a chained kernel and of the kernel before it. Lets the next kernel start, and returns when all
// earlier work is done.
__device__ __forceinline__ void wait_in_chain() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// True if the current device can chain kernels.
inline bool can_chain() {
  int device = 0;
  int major = 0;
  check(cudaGetDevice(&device), "device");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "device");
  return major >= 9;
}

// Launches kernel<<<grid, block, shared, stream>>>(arguments...), chained to the work queued before it.
template <typename... Parameters, typename... Arguments>
void launch_chained(void (*kernel)(Parameters...), dim3 grid, unsigned block, std::size_t shared, cudaStream_t stream,
                    const Arguments &...arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(block);
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  config.numAttrs = can_chain() ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), "launch");
}

}  // namespace gpz::cuda
