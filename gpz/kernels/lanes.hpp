// SPDX-License-Identifier: BSD-3-Clause
// Vectors of doubles with the width of the instruction set (GPZ_ISA); each lane is one particle. Every operation is a
// single IEEE 754 operation, so each lane gets the bits that a loop over doubles would give.
#pragma once

#include <cstdint>
#include <cstring>

#include "gpz/core/config.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

#if defined(__AVX512F__)
inline constexpr int lanes = 8;
#elif defined(__AVX__)
inline constexpr int lanes = 4;
#else
inline constexpr int lanes = 2;
#endif

using Real = double __attribute__((vector_size(lanes * sizeof(double))));
using Bits = std::int64_t __attribute__((vector_size(lanes * sizeof(std::int64_t))));

inline Real load(const double *from) {
  Real x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
inline void store(double *to, Real x) { std::memcpy(to, &x, sizeof x); }
// Vectors of other types with the same number of lanes. Conversions from doubles go to the nearest float, or towards 0.
using Floats = float __attribute__((vector_size(lanes * sizeof(float))));
using Integers = std::int32_t __attribute__((vector_size(lanes * sizeof(std::int32_t))));
inline Real load(const float *from) {
  Floats x;
  std::memcpy(&x, from, sizeof x);
  return __builtin_convertvector(x, Real);
}
inline Real load(const std::int32_t *from) {
  Integers x;
  std::memcpy(&x, from, sizeof x);
  return __builtin_convertvector(x, Real);
}
inline void store(float *to, Real x) {
  const Floats converted = __builtin_convertvector(x, Floats);
  std::memcpy(to, &converted, sizeof converted);
}
inline void store(std::int32_t *to, Real x) {
  const Integers converted = __builtin_convertvector(x, Integers);
  std::memcpy(to, &converted, sizeof converted);
}
inline Real all(double x) { return Real{} + x; }

#if defined(__AVX512F__)

using Mask = __mmask8;

inline Mask less(Real a, Real b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
inline Mask equal(Real a, Real b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
inline Real select(Mask mask, Real a, Real b) { return _mm512_mask_blend_pd(mask, b, a); }
inline bool any(Mask mask) { return mask != 0; }
inline Mask both(Mask a, Mask b) { return static_cast<Mask>(a & b); }
inline Mask either(Mask a, Mask b) { return static_cast<Mask>(a | b); }
inline Mask no(Mask a) { return static_cast<Mask>(~a); }
// As std::min and std::max of doubles. The masked intrinsics are used with all lanes, because GCC 12 warns about the
// others.
inline constexpr Mask every = 255;
inline Real min(Real a, Real b) { return _mm512_maskz_min_pd(every, b, a); }
inline Real max(Real a, Real b) { return _mm512_maskz_max_pd(every, b, a); }
inline Real root(Real x) { return _mm512_maskz_sqrt_pd(every, x); }

#else

using Mask = Bits;

inline Mask less(Real a, Real b) { return a < b; }
inline Mask equal(Real a, Real b) { return a == b; }
inline Real select(Mask mask, Real a, Real b) { return mask ? a : b; }
inline Mask both(Mask a, Mask b) { return a & b; }
inline Mask either(Mask a, Mask b) { return a | b; }
inline Mask no(Mask a) { return ~a; }

#if defined(__AVX__)
inline bool any(Mask mask) { return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask)) != 0; }
inline Real min(Real a, Real b) { return _mm256_min_pd(b, a); }
inline Real max(Real a, Real b) { return _mm256_max_pd(b, a); }
inline Real root(Real x) { return _mm256_sqrt_pd(x); }
#elif defined(__SSE2__)
inline bool any(Mask mask) { return _mm_movemask_pd(reinterpret_cast<__m128d>(mask)) != 0; }
inline Real min(Real a, Real b) { return _mm_min_pd(b, a); }
inline Real max(Real a, Real b) { return _mm_max_pd(b, a); }
inline Real root(Real x) { return _mm_sqrt_pd(x); }
#else
inline bool any(Mask mask) { return (mask[0] | mask[1]) != 0; }
inline Real min(Real a, Real b) { return select(less(b, a), b, a); }
inline Real max(Real a, Real b) { return select(less(a, b), b, a); }
inline Real root(Real x) { return Real{__builtin_sqrt(x[0]), __builtin_sqrt(x[1])}; }
#endif

#endif

inline Bits bits_of(Real x) { return reinterpret_cast<Bits>(x); }
inline Real magnitude(Real x) { return reinterpret_cast<Real>(bits_of(x) & INT64_MAX); }
inline Real select(Mask mask, double a, double b) { return select(mask, all(a), all(b)); }

}  // namespace
}  // namespace GPZ_ISA
}  // namespace gpz::codec
