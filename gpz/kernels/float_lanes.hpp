// SPDX-License-Identifier: BSD-3-Clause
// Vectors of floats and of 32-bit integers with the width of the instruction set (GPZ_ISA), for core/steps.hpp. Every
// operation is a single one of IEEE 754, so each lane gets the bits that core::OneLane would give.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gpz/core/steps.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

#if defined(__AVX512F__)
inline constexpr int float_lanes = 16;
#elif defined(__AVX2__)
inline constexpr int float_lanes = 8;
#else
inline constexpr int float_lanes = 4;
#endif

struct Floats {
  using V = float __attribute__((vector_size(float_lanes * sizeof(float))));
  V v;
  Floats() = default;
  explicit Floats(V x) : v(x) {}
  explicit Floats(float x) : v(V{} + x) {}
};
struct Integers {
  using V = std::int32_t __attribute__((vector_size(float_lanes * sizeof(std::int32_t))));
  using U = std::uint32_t __attribute__((vector_size(float_lanes * sizeof(std::uint32_t))));
  V v;
  Integers() = default;
  explicit Integers(V x) : v(x) {}
  explicit Integers(std::int32_t x) : v(V{} + x) {}
  U u() const { return reinterpret_cast<U>(v); }
};
inline Floats::V floats_of_bits(Integers::V x) { return reinterpret_cast<Floats::V>(x); }
inline Integers::V bits_of_floats(Floats::V x) { return reinterpret_cast<Integers::V>(x); }

#if defined(__AVX512F__)
struct Choice {
  __mmask16 m;
  Choice() = default;
  explicit Choice(__mmask16 x) : m(x) {}
};
inline Choice less(Floats a, Floats b) { return Choice{_mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ)}; }
inline Choice both(Choice a, Choice b) { return Choice{static_cast<__mmask16>(a.m & b.m)}; }
inline Choice either(Choice a, Choice b) { return Choice{static_cast<__mmask16>(a.m | b.m)}; }
inline Choice differ(Choice a, Choice b) { return Choice{static_cast<__mmask16>(a.m ^ b.m)}; }
inline Choice equal(Integers a, Integers b) {
  return Choice{_mm512_cmpeq_epi32_mask(reinterpret_cast<__m512i>(a.v), reinterpret_cast<__m512i>(b.v))};
}
inline Choice more(Integers a, Integers b) {
  return Choice{_mm512_cmpgt_epi32_mask(reinterpret_cast<__m512i>(a.v), reinterpret_cast<__m512i>(b.v))};
}
inline Floats select(Choice c, Floats a, Floats b) {
  return Floats{reinterpret_cast<Floats::V>(_mm512_mask_blend_ps(c.m, b.v, a.v))};
}
inline Integers select(Choice c, Integers a, Integers b) {
  return Integers{reinterpret_cast<Integers::V>(
      _mm512_mask_blend_epi32(c.m, reinterpret_cast<__m512i>(b.v), reinterpret_cast<__m512i>(a.v)))};
}
inline unsigned bits_of(Choice c) { return c.m; }
inline Choice choice_of(unsigned bits) { return Choice{static_cast<__mmask16>(bits)}; }
// The masked intrinsics are used with all lanes, because GCC 12 warns about the others.
inline Floats root_of(Floats x) { return Floats{reinterpret_cast<Floats::V>(_mm512_maskz_sqrt_ps(0xFFFF, x.v))}; }
#else
struct Choice {
  Integers::V m;
  Choice() = default;
  explicit Choice(Integers::V x) : m(x) {}
};
inline Choice less(Floats a, Floats b) { return Choice{a.v < b.v}; }
inline Choice both(Choice a, Choice b) { return Choice{a.m & b.m}; }
inline Choice either(Choice a, Choice b) { return Choice{a.m | b.m}; }
inline Choice differ(Choice a, Choice b) { return Choice{a.m ^ b.m}; }
inline Choice equal(Integers a, Integers b) { return Choice{a.v == b.v}; }
inline Choice more(Integers a, Integers b) { return Choice{a.v > b.v}; }
#if defined(__AVX2__)
inline Floats select(Choice c, Floats a, Floats b) {
  return Floats{reinterpret_cast<Floats::V>(_mm256_blendv_ps(b.v, a.v, floats_of_bits(c.m)))};
}
inline Integers select(Choice c, Integers a, Integers b) {
  return Integers{reinterpret_cast<Integers::V>(_mm256_blendv_epi8(
      reinterpret_cast<__m256i>(b.v), reinterpret_cast<__m256i>(a.v), reinterpret_cast<__m256i>(c.m)))};
}
inline unsigned bits_of(Choice c) { return static_cast<unsigned>(_mm256_movemask_ps(floats_of_bits(c.m))); }
inline Floats root_of(Floats x) { return Floats{reinterpret_cast<Floats::V>(_mm256_sqrt_ps(x.v))}; }
#else
inline Integers select(Choice c, Integers a, Integers b) { return Integers{(a.v & c.m) | (b.v & ~c.m)}; }
inline Floats select(Choice c, Floats a, Floats b) {
  return Floats{floats_of_bits((bits_of_floats(a.v) & c.m) | (bits_of_floats(b.v) & ~c.m))};
}
#if defined(__SSE2__)
inline unsigned bits_of(Choice c) { return static_cast<unsigned>(_mm_movemask_ps(floats_of_bits(c.m))); }
inline Floats root_of(Floats x) { return Floats{reinterpret_cast<Floats::V>(_mm_sqrt_ps(x.v))}; }
#else
inline unsigned bits_of(Choice c) {
  unsigned bits = 0;
  for (int l = 0; l < float_lanes; ++l) bits |= (c.m[l] != 0 ? 1U : 0U) << l;
  return bits;
}
inline Floats root_of(Floats x) {
  for (int l = 0; l < float_lanes; ++l) x.v[l] = __builtin_sqrtf(x.v[l]);
  return x;
}
#endif
#endif
#endif
inline bool any(Choice c) { return bits_of(c) != 0; }
inline bool all(Choice c) { return bits_of(c) == (1U << float_lanes) - 1; }

inline Floats operator+(Floats a, Floats b) { return Floats{a.v + b.v}; }
inline Floats operator-(Floats a, Floats b) { return Floats{a.v - b.v}; }
inline Floats operator*(Floats a, Floats b) { return Floats{a.v * b.v}; }
inline Floats operator/(Floats a, Floats b) { return Floats{a.v / b.v}; }
// Integers are modulo 2^32.
inline Integers operator+(Integers a, Integers b) { return Integers{reinterpret_cast<Integers::V>(a.u() + b.u())}; }
inline Integers operator-(Integers a, Integers b) { return Integers{reinterpret_cast<Integers::V>(a.u() - b.u())}; }
inline Integers operator*(Integers a, Integers b) { return Integers{reinterpret_cast<Integers::V>(a.u() * b.u())}; }
inline Integers operator&(Integers a, Integers b) { return Integers{a.v & b.v}; }
inline Integers operator|(Integers a, Integers b) { return Integers{a.v | b.v}; }
inline Integers operator^(Integers a, Integers b) { return Integers{a.v ^ b.v}; }
inline Integers shifted_up(Integers a, int n) { return Integers{reinterpret_cast<Integers::V>(a.u() << n)}; }
inline Integers shifted_up(Integers a, Integers n) { return Integers{reinterpret_cast<Integers::V>(a.u() << n.u())}; }
inline Integers shifted_down(Integers a, int n) { return Integers{reinterpret_cast<Integers::V>(a.u() >> n)}; }
inline Integers shifted_down(Integers a, Integers n) { return Integers{reinterpret_cast<Integers::V>(a.u() >> n.u())}; }
inline Integers signed_down(Integers a, int n) { return Integers{a.v >> n}; }
inline Integers signed_down(Integers a, Integers n) { return Integers{a.v >> n.v}; }
inline Integers smaller(Integers a, Integers b) { return select(more(b, a), a, b); }
inline Integers larger(Integers a, Integers b) { return select(more(a, b), a, b); }
inline Floats magnitude(Floats x) { return Floats{floats_of_bits(bits_of_floats(x.v) & INT32_MAX)}; }
#if defined(__AVX512F__)
inline Floats smaller(Floats a, Floats b) {
  return Floats{reinterpret_cast<Floats::V>(_mm512_maskz_min_ps(0xFFFF, a.v, b.v))};
}
inline Floats larger(Floats a, Floats b) {
  return Floats{reinterpret_cast<Floats::V>(_mm512_maskz_max_ps(0xFFFF, a.v, b.v))};
}
#elif defined(__AVX2__)
inline Floats smaller(Floats a, Floats b) { return Floats{reinterpret_cast<Floats::V>(_mm256_min_ps(a.v, b.v))}; }
inline Floats larger(Floats a, Floats b) { return Floats{reinterpret_cast<Floats::V>(_mm256_max_ps(a.v, b.v))}; }
#elif defined(__SSE2__)
inline Floats smaller(Floats a, Floats b) { return Floats{reinterpret_cast<Floats::V>(_mm_min_ps(a.v, b.v))}; }
inline Floats larger(Floats a, Floats b) { return Floats{reinterpret_cast<Floats::V>(_mm_max_ps(a.v, b.v))}; }
#else
inline Floats smaller(Floats a, Floats b) { return select(less(a, b), a, b); }
inline Floats larger(Floats a, Floats b) { return select(less(b, a), a, b); }
#endif
inline Floats real_of(Integers x) { return Floats{__builtin_convertvector(x.v, Floats::V)}; }
// For floats that an integer can hold.
inline Integers whole_part(Floats x) { return Integers{__builtin_convertvector(x.v, Integers::V)}; }
inline Integers integers_of_bits(Floats x) { return Integers{bits_of_floats(x.v)}; }

inline Floats load_floats(const float *from) {
  Floats x;
  std::memcpy(&x.v, from, sizeof x.v);
  return x;
}
inline Integers load_integers(const std::int32_t *from) {
  Integers x;
  std::memcpy(&x.v, from, sizeof x.v);
  return x;
}
inline void store(std::int32_t *to, Integers x) { std::memcpy(to, &x.v, sizeof x.v); }
inline void store(float *to, Floats x) { std::memcpy(to, &x.v, sizeof x.v); }
// As integers of 64 bits.
inline void store_wide(std::int64_t *to, Integers x) {
  using Wide = std::int64_t __attribute__((vector_size(float_lanes * sizeof(std::int64_t))));
  const Wide wide = __builtin_convertvector(x.v, Wide);
  std::memcpy(to, &wide, sizeof wide);
}
inline Integers counted() {
  Integers x;
  for (int l = 0; l < float_lanes; ++l) x.v[l] = l;
  return x;
}
inline Integers gather(const std::uint32_t *from, Integers index) {
#if defined(__AVX512F__)
  return Integers{reinterpret_cast<Integers::V>(
      _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), 0xFFFF, reinterpret_cast<__m512i>(index.v), from, 4))};
#elif defined(__AVX2__)
  return Integers{reinterpret_cast<Integers::V>(
      _mm256_i32gather_epi32(reinterpret_cast<const int *>(from), reinterpret_cast<__m256i>(index.v), 4))};
#else
  Integers x;
  for (int l = 0; l < float_lanes; ++l) x.v[l] = static_cast<std::int32_t>(from[index.u()[l]]);
  return x;
#endif
}

// Rows of four integers: x, y, z and one more. A row is an eighth of a cache line: particle p of the frames before and
// now are rows 2 p and 2 p + 1, or in reverse order.
using Row = core::Vector<Integers>;
struct FullRow {
  Row row;
  Integers rest;
};
#if defined(__AVX2__)
inline __m256i two_rows(const std::int32_t *first, const std::int32_t *second) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i *>(first))),
                                 _mm_load_si128(reinterpret_cast<const __m128i *>(second)), 1);
}
struct EightRows {
  __m256i x, y, z, rest;
};
// From rows 0 and 4, 1 and 5, ...
inline EightRows transposed(__m256i a, __m256i b, __m256i c, __m256i d) {
  const __m256i ab = _mm256_unpacklo_epi32(a, b), cd = _mm256_unpacklo_epi32(c, d);
  const __m256i ab2 = _mm256_unpackhi_epi32(a, b), cd2 = _mm256_unpackhi_epi32(c, d);
  return {_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd), _mm256_unpacklo_epi64(ab2, cd2),
          _mm256_unpackhi_epi64(ab2, cd2)};
}
template <typename At>
EightRows eight_rows(const At &row) {
  return transposed(two_rows(row(0), row(4)), two_rows(row(1), row(5)), two_rows(row(2), row(6)),
                    two_rows(row(3), row(7)));
}
inline void store_eight(std::int32_t *rows, const EightRows &v) {
  const __m256i xy = _mm256_unpacklo_epi32(v.x, v.y), xy2 = _mm256_unpackhi_epi32(v.x, v.y);
  const __m256i zr = _mm256_unpacklo_epi32(v.z, v.rest), zr2 = _mm256_unpackhi_epi32(v.z, v.rest);
  const __m256i of[4] = {_mm256_unpacklo_epi64(xy, zr), _mm256_unpackhi_epi64(xy, zr), _mm256_unpacklo_epi64(xy2, zr2),
                         _mm256_unpackhi_epi64(xy2, zr2)};
  for (std::size_t i = 0; i < 4; ++i) {
    _mm_store_si128(reinterpret_cast<__m128i *>(rows + 8 * i), _mm256_castsi256_si128(of[i]));
    _mm_store_si128(reinterpret_cast<__m128i *>(rows + 8 * (i + 4)), _mm256_extracti128_si256(of[i], 1));
  }
}
#endif
template <typename At>
FullRow full_rows_of(const At &row) {
#if defined(__AVX512F__)
  const EightRows lower = eight_rows(row), upper = eight_rows([&](int l) { return row(l + 8); });
  const auto joined = [](__m256i a, __m256i b) {
    return Integers{reinterpret_cast<Integers::V>(_mm512_maskz_inserti64x4(255, _mm512_castsi256_si512(a), b, 1))};
  };
  return {{joined(lower.x, upper.x), joined(lower.y, upper.y), joined(lower.z, upper.z)},
          joined(lower.rest, upper.rest)};
#elif defined(__AVX2__)
  const EightRows eight = eight_rows(row);
  const auto integers = [](__m256i x) { return Integers{reinterpret_cast<Integers::V>(x)}; };
  return {{integers(eight.x), integers(eight.y), integers(eight.z)}, integers(eight.rest)};
#else
  FullRow out;
  for (int l = 0; l < float_lanes; ++l) {
    const std::int32_t *const from = row(l);
    out.row.x.v[l] = from[0];
    out.row.y.v[l] = from[1];
    out.row.z.v[l] = from[2];
    out.rest.v[l] = from[3];
  }
  return out;
#endif
}
inline FullRow full_rows_from(const std::int32_t *rows) {
  return full_rows_of([&](int l) { return rows + 8 * static_cast<std::ptrdiff_t>(l); });
}
inline Row rows_from(const std::int32_t *rows) { return full_rows_from(rows).row; }
// `index`: of rows, in integers.
inline Row rows_at(const std::int32_t *rows, const std::uint32_t *index) {
  return full_rows_of([&](int l) { return rows + index[l]; }).row;
}
inline void store_rows(std::int32_t *rows, const FullRow &v) {
#if defined(__AVX512F__)
  const auto part = [](Integers a, int half) {
    const auto whole = reinterpret_cast<__m512i>(a.v);
    return half == 0 ? _mm512_maskz_extracti64x4_epi64(15, whole, 0) : _mm512_maskz_extracti64x4_epi64(15, whole, 1);
  };
  for (int half = 0; half < 2; ++half)
    store_eight(rows + 64 * half, {part(v.row.x, half), part(v.row.y, half), part(v.row.z, half), part(v.rest, half)});
#elif defined(__AVX2__)
  const auto part = [](Integers a) { return reinterpret_cast<__m256i>(a.v); };
  store_eight(rows, {part(v.row.x), part(v.row.y), part(v.row.z), part(v.rest)});
#else
  for (int l = 0; l < float_lanes; ++l) {
    rows[8 * l] = v.row.x.v[l];
    rows[8 * l + 1] = v.row.y.v[l];
    rows[8 * l + 2] = v.row.z.v[l];
    rows[8 * l + 3] = v.rest.v[l];
  }
#endif
}

// States below 2^16 take a word each, in the order of lanes. At least 16 words must be readable.
inline Integers with_words(Integers state, const std::uint16_t *&words) {
#if defined(__AVX512F__)
  const auto x = reinterpret_cast<__m512i>(state.v);
  const __mmask16 need = _mm512_cmplt_epu32_mask(x, _mm512_set1_epi32(1 << 16));
  const __m512i next =
      _mm512_maskz_cvtepu16_epi32(0xFFFF, _mm256_loadu_si256(reinterpret_cast<const __m256i *>(words)));
  const __m512i spread = _mm512_maskz_expand_epi32(need, next);
  words += __builtin_popcount(need);
  const __m512i up = _mm512_maskz_slli_epi32(0xFFFF, x, 16);
  return Integers{reinterpret_cast<Integers::V>(_mm512_mask_or_epi32(x, need, up, spread))};
#elif defined(__AVX2__)
  const auto x = reinterpret_cast<__m256i>(state.v);
  const __m256i need = _mm256_cmpeq_epi32(_mm256_srli_epi32(x, 16), _mm256_setzero_si256());
  const auto mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(need)));
  const __m256i next = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i *>(words)));
  // Byte l: how many of the lanes before l need a word.
  const std::uint64_t ones = _pdep_u64(mask, 0x0101010101010101U);
  const std::uint64_t before = ones * 0x0101010101010100U;
  const __m256i index = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(before)));
  const __m256i spread = _mm256_permutevar8x32_epi32(next, index);
  words += __builtin_popcount(mask);
  return Integers{
      reinterpret_cast<Integers::V>(_mm256_blendv_epi8(x, _mm256_or_si256(_mm256_slli_epi32(x, 16), spread), need))};
#else
  for (int l = 0; l < float_lanes; ++l)
    if (state.u()[l] < 1U << 16) state.v[l] = static_cast<std::int32_t>(state.u()[l] << 16 | *words++);
  return state;
#endif
}

// The inverse: chosen states give their low halves, in the order of lanes, to the words before `words`. At least 16
// words before it must be writable.
inline void put_words(Integers state, Choice chosen, std::uint16_t *&words) {
#if defined(__AVX512F__)
  const auto count = static_cast<unsigned>(__builtin_popcount(chosen.m));
  const __m512i packed = _mm512_maskz_compress_epi32(chosen.m, reinterpret_cast<__m512i>(state.v));
  const auto last = static_cast<__mmask16>(0xFFFFU << (16 - count));
  const __m512i at_end = _mm512_maskz_expand_epi32(last, packed);
  _mm256_storeu_si256(reinterpret_cast<__m256i *>(words - 16), _mm512_maskz_cvtepi32_epi16(0xFFFF, at_end));
  words -= count;
#elif defined(__AVX2__)
  const unsigned mask = bits_of(chosen);
  const auto count = static_cast<unsigned>(__builtin_popcount(mask));
  // Bytes: the numbers of the chosen lanes, after the others.
  const std::uint64_t lanes = _pext_u64(0x0706050403020100U, _pdep_u64(mask, 0x0101010101010101U) * 0xFFU);
  const std::uint64_t at_end = count == 0 ? 0 : lanes << (64 - 8 * count);
  const __m256i index = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(at_end)));
  const __m256i low = _mm256_and_si256(reinterpret_cast<__m256i>(state.v), _mm256_set1_epi32(0xFFFF));
  const __m256i packed = _mm256_permutevar8x32_epi32(low, index);
  const __m128i halves = _mm_packus_epi32(_mm256_castsi256_si128(packed), _mm256_extracti128_si256(packed, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i *>(words - 8), halves);
  words -= count;
#else
  const unsigned mask = bits_of(chosen);
  for (int l = float_lanes; l-- > 0;)
    if ((mask >> l & 1U) != 0) *--words = static_cast<std::uint16_t>(state.u()[l]);
#endif
}

struct FloatLanes {
  using Real = Floats;
  using Integer = Integers;
  using Mask = Choice;
};

}  // namespace
}  // namespace GPZ_ISA
}  // namespace gpz::codec
