// SPDX-License-Identifier: BSD-3-Clause
// How core functions are compiled: for the host, for GPUs, and once per instruction set.
#pragma once

#include <cstdint>
#include <cstring>

#include "gpz/core/machine.hpp"

// Host and device function. It may use only correctly rounded operations, because CPU and GPU must produce the same
// bytes (docs/decisions/0002).
#if defined(__CUDACC__)
#define GPZ_HD __host__ __device__ __forceinline__
#else
#define GPZ_HD inline
#endif

// Functions of core live in an inline namespace named after the instruction set of their translation unit; otherwise
// the linker could keep the AVX-512 copy of an inline function for machines without AVX-512.
#ifndef GPZ_ISA
#define GPZ_ISA generic
#endif

namespace gpz::core {
inline namespace GPZ_ISA {

template <typename To, typename From>
GPZ_HD To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

// Number of bits of x; 0 for 0.
GPZ_HD int bit_length(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return 64 - __clzll(static_cast<long long>(x));
#else
  return x == 0 ? 0 : 64 - __builtin_clzll(x);
#endif
}

GPZ_HD int bit_length(std::uint32_t x) {
#if defined(__CUDA_ARCH__)
  return 32 - __clz(static_cast<int>(x));
#else
  return x == 0 ? 0 : 32 - __builtin_clz(x);
#endif
}

template <typename T>
GPZ_HD constexpr T min_of(T a, T b) {
  return b < a ? b : a;
}

template <typename T>
GPZ_HD T max_of(T a, T b) {
  return a < b ? b : a;
}

// A mask of the `width` lowest bits, 0 <= width <= 64.
GPZ_HD std::uint64_t low_mask(int width) { return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }

}  // namespace GPZ_ISA
}  // namespace gpz::core
