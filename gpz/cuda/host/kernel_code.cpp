// SPDX-License-Identifier: BSD-3-Clause
// Where the machine code of the kernels comes from. GPZ_CUDA_MACHINE_CODE and GPZ_CUDA_PTX are lists of
// architectures (cmake/GpzCuda.cmake): CUDA itself does not tell machine code of the library from what its driver made.
#include <cuda_runtime_api.h>

#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/host/architectures.hpp"
#include "gpz/cuda_transfer.hpp"

namespace gpz::cuda {

KernelCode kernel_code(int device) {
  require_device(device);
  int major = 0;
  int minor = 0;
  check_handled(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "device attribute");
  check_handled(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "device attribute");
  return code_for(10 * major + minor, {GPZ_CUDA_MACHINE_CODE}, {GPZ_CUDA_PTX});
}

}  // namespace gpz::cuda
