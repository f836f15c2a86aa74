// SPDX-License-Identifier: BSD-3-Clause
// Every device says that it has no memory pools, as that of an old driver does. The linker puts it in between (--wrap).
#include <cuda_runtime_api.h>

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
cudaError_t __real_cudaDeviceGetAttribute(int *, cudaDeviceAttr, int);

cudaError_t __wrap_cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  const cudaError_t error = __real_cudaDeviceGetAttribute(value, attribute, device);
  if (error == cudaSuccess && attribute == cudaDevAttrMemoryPoolsSupported) *value = 0;
  return error;
}
}
// NOLINTEND(bugprone-reserved-identifier)
