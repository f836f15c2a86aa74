// SPDX-License-Identifier: BSD-3-Clause
// Where the machine code of the kernels comes from. GPZ_CUDA_MACHINE_CODE and GPZ_CUDA_PTX are lists of
// gpz_cuda_code (cmake/GpzCuda.cmake): CUDA itself does not tell machine code of the library from what its driver made.
#include <cuda_runtime_api.h>

#include "gpz/c/c_api.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/host/architectures.hpp"
#include "gpz/cuda_transfer.hpp"
#include "gpz/gpz_cuda.h"

namespace gpz::cuda {

KernelCode kernel_code(int device) {
  require_device(device);
  int major = 0;
  int minor = 0;
  check_handled(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "device attribute");
  check_handled(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "device attribute");
  return code_for(10 * major + minor, {GPZ_CUDA_MACHINE_CODE}, {GPZ_CUDA_PTX});
}

static_assert(static_cast<int>(KernelCode::native) == GPZ_CUDA_CODE_NATIVE &&
              static_cast<int>(KernelCode::compiled_by_driver) == GPZ_CUDA_CODE_COMPILED_BY_DRIVER &&
              static_cast<int>(KernelCode::none) == GPZ_CUDA_CODE_NONE);

}  // namespace gpz::cuda

extern "C" gpz_status gpz_cuda_kernel_code(int device, gpz_cuda_code *code) {
  return gpz::c::guarded([&] {
    gpz::c::require(code != nullptr, "code is a null pointer");
    *code = GPZ_CUDA_CODE_NONE;
    *code = static_cast<gpz_cuda_code>(gpz::cuda::kernel_code(device));
  });
}
