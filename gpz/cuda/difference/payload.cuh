// SPDX-License-Identifier: BSD-3-Clause
// Writes the payload of a block of a difference section from its residuals in shared memory (docs/decisions/0010):
// flags, planes, the unary bitmap and exceptions. All lanes of a warp call these functions together.
#pragma once

#include "gpz/core/pack.hpp"
#include "gpz/cuda/block/lane_packer.cuh"
#include "gpz/cuda/difference/residuals.cuh"

namespace gpz::cuda {

// Adds values that are too long for the code to the exceptions, one bit per particle of the lane's row. Sets the bits
// that unary codes take in the row.
__device__ __forceinline__ void find_exceptions(const std::uint32_t *u, std::uint32_t *exception, std::uint32_t n,
                                                ChosenCode &chosen) {
  const auto lane = this_lane();
  const OwnRow row{u + lane * padded_row, exception[lane], own_row_particles(n)};
  const core::ResidualCode code = chosen.code;
  const int low = core::low_bits(code);
  const std::uint32_t end = core::head_end(code);
  const std::uint32_t beyond = end + core::quotient_end(code);
  std::uint32_t mask = row.forced;
  std::uint32_t bits = 0;
  for (int k = 0; k < row.particles; ++k) {
    const std::uint32_t value = row[k];
    const bool is_exception = value == core::widest_residual || value >> low >= beyond;
    mask |= is_exception ? 1u << k : 0;
    bits += core::unary_cost(is_exception ? 0 : value, low, end);
  }
  exception[lane] = mask;
  chosen.row_bits = code.head == 1 ? 0 : bits;
}

// Writes one flag to memory.flags for each value with another image within the margin. Exceptions must still have their
// residuals. Returns the number of flags.
inline __device__ __noinline__ std::uint32_t write_flags(const DifferenceHistory &history, std::uint64_t first,
                                                         std::uint32_t n, int components, ResidualMemory &memory) {
  std::uint32_t *flags = memory.flags;
  const std::uint32_t bit = 1u << this_lane();
  for (int w = 0; w < core::max_components; ++w) flags[w * warp_size + static_cast<int>(this_lane())] = 0;
  __syncwarp();
  std::uint32_t count = 0;
  for (int d = 0; d < components; ++d) {
    const DeviceAxis &axis = history.axis[d];
    for (int row = 0; row < difference_rows; ++row) {
      const std::uint32_t i = static_cast<std::uint32_t>(row) * warp_size + this_lane();
      std::int64_t q = 0;
      std::int64_t other = 0;
      bool has_other = false;
      if (i < n) {
        q = history.last[d][first + i];
        std::int64_t expected = q;
        if ((memory.images.above[d][row] & bit) != 0) expected += axis.grid.period;
        if ((memory.images.below[d][row] & bit) != 0) expected -= axis.grid.period;
        // Modulo 2^32, as the residual is. The expectation itself fits.
        if ((memory.exception[d][row] & bit) != 0)
          expected = static_cast<std::int32_t>(static_cast<std::uint32_t>(expected) -
                                               static_cast<std::uint32_t>(numbered_residual32(
                                                   memory.u[d][row * padded_row + static_cast<int>(this_lane())],
                                                   (memory.u[d][row * padded_row + warp_size] & bit) != 0)));
        expected = core::wrap(expected, axis.grid);
        other = core::other_image(expected, axis.grid, memory.margin);
        has_other = other != expected;
      }
      const std::uint32_t voters = __ballot_sync(full_mask, has_other);
      const std::uint32_t at = count + static_cast<std::uint32_t>(__popc(voters & (bit - 1)));
      if (has_other && q == other) atomicOr(&flags[at / 32], 1u << at % 32);
      count += static_cast<std::uint32_t>(__popc(voters));
    }
  }
  __syncwarp();
  return count;
}

__device__ __forceinline__ void clear_exceptions(std::uint32_t *u, std::uint32_t mask) {
  for (; mask != 0; mask &= mask - 1) u[this_lane() * padded_row + static_cast<unsigned>(__ffs(mask)) - 1] = 0;
}

__device__ __forceinline__ std::uint32_t in_plane(std::uint32_t u, std::uint32_t mask, std::uint32_t top) {
  return top == 0 || u >= top ? top | (u & mask) : u;
}

// Writes the plane of an axis. Returns its words.
__device__ __forceinline__ std::uint32_t write_plane(const std::uint32_t *u, core::ResidualCode code, std::uint32_t n,
                                                     std::uint32_t *out) {
  const int width = code.width;
  if (width == 0) return 0;
  const auto lane = static_cast<int>(this_lane());
  const int low = core::low_bits(code);
  const std::uint32_t end = code.head == 1 ? 0 : core::head_end(code);
  const auto mask = static_cast<std::uint32_t>(core::low_mask(low));
  const std::uint32_t top = end << low;
  if (n == difference_block) {
    LanePacker packer(out);
#pragma unroll 8
    for (int row = 0; row < difference_rows; ++row) packer.put(in_plane(u[row * padded_row + lane], mask, top), width);
    return static_cast<std::uint32_t>(width) * warp_size;
  }
  const std::uint32_t words = core::packed_words(n, width, 1);
  for (std::uint32_t w = this_lane(); w < words; w += warp_size) out[w] = 0;
  __syncwarp();
  for (std::uint32_t i = this_lane(); i < n; i += warp_size) {
    const std::uint32_t value = in_plane(u[i / warp_size * padded_row + i % warp_size], mask, top);
    const std::uint32_t bit = i * static_cast<std::uint32_t>(width);
    atomicOr(&out[bit / 32], value << bit % 32);
    if (bit % 32 + static_cast<std::uint32_t>(width) > 32) atomicOr(&out[bit / 32 + 1], value >> (32 - bit % 32));
  }
  return words;
}

// Writes the unary codes of an axis. This lane's row begins at bit `at` of the bitmap.
__device__ __forceinline__ void set_quotients(const std::uint32_t *u, core::ResidualCode code, std::uint32_t n,
                                              std::uint32_t at, std::uint32_t *bitmap) {
  if (code.head == 1) return;
  const std::uint32_t *row = u + this_lane() * padded_row;
  const int low = core::low_bits(code);
  const std::uint32_t end = core::head_end(code);
  const int particles = own_row_particles(n);
#pragma unroll 4
  for (int k = 0; k < particles; ++k) {
    const std::uint32_t h = row[k] >> low;
    if (h < end) continue;
    at += h - end;
    atomicOr(&bitmap[at / 32], 1u << at % 32);
    ++at;
  }
}

// set_quotients, not inlined, for bitmaps that are assembled in staging.
inline __device__ __noinline__ void set_far_quotients(const std::uint32_t *u, core::ResidualCode code, std::uint32_t n,
                                                      std::uint32_t at, std::uint32_t *bitmap) {
  set_quotients(u, code, n, at, bitmap);
}

// Writes which values the `count` exceptions are, then their grid indices. index(d, i) is that of particle i of the
// block.
template <typename Index>
__device__ __noinline__ void write_exceptions(int components, const ResidualMemory &memory, std::uint32_t count,
                                              const Index &index, std::uint32_t *out) {
  std::uint32_t done = 0;
  for (int d = 0; d < components; ++d) {
    std::uint32_t mask = memory.exception[d][this_lane()];
    std::uint32_t total;
    std::uint32_t at = done + warp_exclusive_sum(static_cast<std::uint32_t>(__popc(mask)), &total);
    for (; mask != 0; mask &= mask - 1, ++at) {
      const std::uint32_t i = this_lane() * warp_size + static_cast<std::uint32_t>(__ffs(mask)) - 1;
      const std::int32_t q = index(d, i);
      out[at] = i | static_cast<std::uint32_t>(d) << 16;
      out[count + 2 * at] = static_cast<std::uint32_t>(q);
      out[count + 2 * at + 1] = static_cast<std::uint32_t>(q >> 31);
    }
    done += total;
  }
}

}  // namespace gpz::cuda
