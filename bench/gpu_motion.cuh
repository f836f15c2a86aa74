// SPDX-License-Identifier: BSD-3-Clause
// Shared by the programs that time difference frames on a GPU: particles that are made and moved on the device, and
// device memory.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/frame.hpp"

namespace gpz::bench {

using cuda::check;
using U64 = std::uint64_t;

constexpr unsigned threads = 256;

inline __host__ __device__ U64 mixed(U64 z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

inline __device__ double gaussian(U64 seed) {
  double sum = -6;
  for (U64 k = 0; k < 3; ++k) {
    const U64 bits = mixed(seed * 3 + k + 0x9E3779B97F4A7C15u);
    for (int part = 0; part < 4; ++part) sum += static_cast<double>(bits >> (16 * part) & 0xFFFF) / 65536;
  }
  return sum;
}

struct Coordinates {
  double *x[3];
  U64 stride;  // doubles
  double edge;
  U64 side;  // particles along an edge
};

// Frame 0: a simple lattice. Later: where the particle was (liquid) or its place in the lattice (solid), and noise.
// Particle `id` is in row `row` (ids: from 1 on; nullptr: they are in order).
inline __global__ void move(Coordinates coordinates, U64 n, U64 frame, double sigma, bool solid,
                            const std::int32_t *ids = nullptr) {
  const U64 row = static_cast<U64>(blockIdx.x) * threads + threadIdx.x;
  if (row >= n) return;
  const U64 i = ids == nullptr ? row : static_cast<U64>(ids[row] - 1);
  const U64 cell[3] = {i % coordinates.side, i / coordinates.side % coordinates.side,
                       i / coordinates.side / coordinates.side};
  for (unsigned d = 0; d < 3; ++d) {
    double *at = coordinates.x[d] + row * coordinates.stride;
    const double site = (static_cast<double>(cell[d]) + 0.5) * coordinates.edge / static_cast<double>(coordinates.side);
    double x = frame == 0 || solid ? site : *at;
    x += sigma * gaussian((frame * n + i) * 3 + d);
    x -= floor(x / coordinates.edge) * coordinates.edge;
    *at = x;
  }
}

inline unsigned grid_for(U64 n) { return static_cast<unsigned>((n + threads - 1) / threads); }

inline double median(std::vector<double> us) {
  us.erase(us.begin(), us.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(4, us.size() - 1)));
  std::sort(us.begin(), us.end());
  return us[us.size() / 2];
}

class Memory {
 public:
  explicit Memory(std::size_t size) { buffer_.allocate(size, 0); }
  template <typename T>
  T *as() const {
    return static_cast<T *>(buffer_.data());
  }

 private:
  gpz::cuda::DeviceBuffer buffer_;
};

// n particles on a lattice with the density of an LJ liquid, 0.8442; the box is at most 5e8 steps of the grid wide.
inline Coordinates placed(double *x, U64 n, bool separate, double step) {
  U64 side = 1;
  while (side * side * side < n) ++side;
  const double edge = std::min(1.0583 * static_cast<double>(side), 5e8 * step);
  if (separate) return {{x, x + n, x + 2 * n}, 1, edge, side};
  return {{x, x + 1, x + 2}, 3, edge, side};
}

inline Box box_of(const Coordinates &coordinates) {
  Box box;
  box.kind = Box::Kind::orthogonal;
  box.boundary = {'p', 'p', 'p', 'p', 'p', 'p'};
  box.values = {0, coordinates.edge, 0, coordinates.edge, 0, coordinates.edge};
  return box;
}

// The columns x y z, which are columns 2 to 4.
inline FieldInput positions_of(const Coordinates &coordinates, double bound) {
  FieldInput xyz;
  xyz.field.leading = true;
  xyz.field.bound = bound;
  xyz.field.components = {{"x", 2}, {"y", 3}, {"z", 4}};
  const auto stride = static_cast<std::ptrdiff_t>(coordinates.stride * sizeof(double));
  for (std::size_t d = 0; d < 3; ++d) xyz.components[d] = {coordinates.x[d], stride, ConstArray::Type::float64};
  return xyz;
}

inline FieldInput integers(const char *name, std::uint16_t column, const std::int32_t *data) {
  FieldInput input;
  input.field.type = ValueType::integer;
  input.field.components = {{name, column}};
  input.components[0] = {data, sizeof(std::int32_t), ConstArray::Type::int32};
  return input;
}

}  // namespace gpz::bench
