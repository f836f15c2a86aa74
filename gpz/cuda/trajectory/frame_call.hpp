// SPDX-License-Identifier: BSD-3-Clause
// A frame as passed to TrajectoryCodec.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda.hpp"
#include "gpz/frame.hpp"

namespace gpz::cuda {

struct FrameCall {
  std::vector<FieldInput> fields;  // checked, with steps
  std::uint64_t particles;
  const int *rows;
  const Box &box;
  cudaStream_t stream;

  const Field &field(std::size_t f) const { return fields[f].field; }
  int components(std::size_t f) const { return static_cast<int>(fields[f].field.components.size()); }
};

}  // namespace gpz::cuda
