// SPDX-License-Identifier: BSD-3-Clause
// Errors of the CUDA runtime as gpz::Error.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "gpz/error.hpp"

namespace gpz::cuda {

inline void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  const Status status = error == cudaErrorMemoryAllocation ? Status::out_of_memory : Status::internal;
  throw Error(status, std::string(what) + ": " + cudaGetErrorString(error));
}

}  // namespace gpz::cuda
