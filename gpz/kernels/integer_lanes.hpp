// SPDX-License-Identifier: BSD-3-Clause
// Vectors of integers with the width of the instruction set (GPZ_ISA); a single lane for others. All operations are
// exact modulo 2^32 or 2^64, so results do not depend on the number of lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gpz/core/config.hpp"
#include "gpz/kernels/pair_lines.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

#if defined(__AVX512F__)

// Masked intrinsics are used with all lanes, because GCC 12 warns about some of the others.
inline constexpr std::uint32_t wide_lanes = 8;
using Wide = __m512i;  // std::int64_t
inline constexpr __mmask8 every_wide = 255;
inline constexpr __mmask16 every_half = 65535;

inline Wide all(std::int64_t x) { return _mm512_set1_epi64(x); }
inline Wide add(Wide a, Wide b) { return _mm512_add_epi64(a, b); }
inline Wide subtract(Wide a, Wide b) { return _mm512_sub_epi64(a, b); }
// Product of the lower halves, as signed integers.
inline Wide product(Wide a, Wide b) { return _mm512_maskz_mul_epi32(every_wide, a, b); }
inline Wide both(Wide a, Wide b) { return _mm512_and_si512(a, b); }
inline Wide shift_down(Wide x, int bits) { return _mm512_maskz_srl_epi64(every_wide, x, _mm_cvtsi32_si128(bits)); }
template <int bits>
Wide shift_up(Wide x) {
  return _mm512_maskz_slli_epi64(every_wide, x, bits);
}
// The smaller of two numbers below 2^63; `most` in lanes from `count` on.
inline Wide least(Wide x, Wide most, std::uint32_t count) {
  const auto mask = static_cast<__mmask8>(count >= wide_lanes ? 255u : (1u << count) - 1);
  return _mm512_mask_min_epi64(most, mask, x, most);
}
inline Wide load_wide(const std::int16_t *from) {
  return _mm512_maskz_cvtepi16_epi64(every_wide, _mm_loadu_si128(reinterpret_cast<const __m128i *>(from)));
}
inline Wide gather(const core::PairLine *from, Wide at) {
  return _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), every_wide, at, from, 8);
}
inline __m128i four_at(const std::int32_t *from, std::uint32_t index) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + std::size_t{4} * index));
}
inline Wide every_other(const std::int32_t *from, const std::uint32_t *index) {
  Wide x = _mm512_castsi128_si512(four_at(from, index[0]));
  x = _mm512_maskz_inserti32x4(every_half, x, four_at(from, index[2]), 1);
  x = _mm512_maskz_inserti32x4(every_half, x, four_at(from, index[4]), 2);
  return _mm512_maskz_inserti32x4(every_half, x, four_at(from, index[6]), 3);
}
template <int half>
__m256i half_of(Wide x) {
  return _mm512_maskz_extracti64x4_epi64(15, x, half);
}
inline Wide low_halves(Wide a, Wide b) { return _mm512_maskz_unpacklo_epi64(every_wide, a, b); }
inline Wide high_halves(Wide a, Wide b) { return _mm512_maskz_unpackhi_epi64(every_wide, a, b); }

#elif defined(__AVX2__)

inline constexpr std::uint32_t wide_lanes = 4;
using Wide = __m256i;  // std::int64_t

inline Wide all(std::int64_t x) { return _mm256_set1_epi64x(x); }
inline Wide add(Wide a, Wide b) { return _mm256_add_epi64(a, b); }
inline Wide subtract(Wide a, Wide b) { return _mm256_sub_epi64(a, b); }
inline Wide product(Wide a, Wide b) { return _mm256_mul_epi32(a, b); }
inline Wide both(Wide a, Wide b) { return _mm256_and_si256(a, b); }
inline Wide shift_down(Wide x, int bits) { return _mm256_srl_epi64(x, _mm_cvtsi32_si128(bits)); }
template <int bits>
Wide shift_up(Wide x) {
  return _mm256_slli_epi64(x, bits);
}
inline Wide least(Wide x, Wide most, std::uint32_t count) {
  const Wide beyond = _mm256_cmpgt_epi64(_mm256_set_epi64x(3, 2, 1, 0), all(static_cast<std::int64_t>(count) - 1));
  return _mm256_blendv_epi8(x, most, _mm256_or_si256(beyond, _mm256_cmpgt_epi64(x, most)));
}
inline Wide load_wide(const std::int16_t *from) {
  return _mm256_cvtepi16_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(from)));
}
inline Wide gather(const core::PairLine *from, Wide at) {
  const auto line = [&](std::int64_t k) {
    std::int64_t bits;
    std::memcpy(&bits, from + k, sizeof bits);
    return bits;
  };
  const __m128i low = _mm256_castsi256_si128(at);
  const __m128i high = _mm256_extracti128_si256(at, 1);
  return _mm256_set_epi64x(line(_mm_extract_epi64(high, 1)), line(_mm_cvtsi128_si64(high)),
                           line(_mm_extract_epi64(low, 1)), line(_mm_cvtsi128_si64(low)));
}
inline Wide every_other(const std::int32_t *from, const std::uint32_t *index) {
  const auto four = [&](std::uint32_t k) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + std::size_t{4} * index[k]));
  };
  return _mm256_inserti128_si256(_mm256_castsi128_si256(four(0)), four(2), 1);
}
inline Wide low_halves(Wide a, Wide b) { return _mm256_unpacklo_epi64(a, b); }
inline Wide high_halves(Wide a, Wide b) { return _mm256_unpackhi_epi64(a, b); }

#else

inline constexpr std::uint32_t wide_lanes = 1;
using Wide = std::int64_t;

inline Wide all(std::int64_t x) { return x; }
inline Wide add(Wide a, Wide b) {
  return static_cast<Wide>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline Wide subtract(Wide a, Wide b) {
  return static_cast<Wide>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline Wide product(Wide a, Wide b) { return Wide{static_cast<std::int32_t>(a)} * static_cast<std::int32_t>(b); }
inline Wide both(Wide a, Wide b) { return a & b; }
inline Wide shift_down(Wide x, int bits) { return static_cast<Wide>(static_cast<std::uint64_t>(x) >> bits); }
template <int bits>
Wide shift_up(Wide x) {
  return static_cast<Wide>(static_cast<std::uint64_t>(x) << bits);
}
inline Wide least(Wide x, Wide most, std::uint32_t /*count*/) { return core::min_of(x, most); }
inline Wide load_wide(const std::int16_t *from) { return *from; }
inline Wide gather(const core::PairLine *from, Wide at) {
  Wide line;
  std::memcpy(&line, from + at, sizeof line);
  return line;
}

#endif

// A vector per lane; only the lower halves are used.
struct WideVector {
  Wide x, y, z;
};

// Loads four integers per particle: x, y, z and an unused one.
inline WideVector load_vectors(const std::int32_t *from, const std::uint32_t *index) {
#if defined(__AVX2__)
  const Wide even = every_other(from, index);
  const Wide odd = every_other(from, index + 1);
  const Wide x = low_halves(even, odd);
  return {x, shift_down(x, 32), high_halves(even, odd)};
#else
  const std::int32_t *const at = from + std::size_t{4} * *index;
  return {at[0], at[1], at[2]};
#endif
}

#if defined(__AVX2__)
inline void change(std::uint64_t *sum, __m256i by) {
  auto *const at = reinterpret_cast<__m256i *>(sum);
  _mm256_storeu_si256(at, _mm256_add_epi64(_mm256_loadu_si256(at), by));
}
inline void change_down(std::uint64_t *sum, __m256i by) {
  auto *const at = reinterpret_cast<__m256i *>(sum);
  _mm256_storeu_si256(at, _mm256_sub_epi64(_mm256_loadu_si256(at), by));
}
// Combine x, y and z of the first or second of two lanes to four sums.
inline __m256i first_of(__m256i xy, __m256i z) { return _mm256_permute2x128_si256(xy, z, 0x20); }
inline __m256i second_of(__m256i xy, __m256i z) { return _mm256_permute2x128_si256(xy, z, 0x31); }
#endif

// Subtracts the vector of each lane from the four sums of a particle: lane k belongs to index[k]. Indices may be equal.
inline void subtract_at(std::uint64_t *sums, const std::uint32_t *index, const WideVector &v) {
  const auto at = [&](std::uint32_t k) { return sums + std::size_t{4} * index[k]; };
#if defined(__AVX512F__)
  const Wide zero = _mm512_setzero_si512();
  const Wide to_first = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
  const Wide to_second = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
  const Wide even_xy = low_halves(v.x, v.y);
  const Wide even_z = low_halves(v.z, zero);
  const Wide odd_xy = high_halves(v.x, v.y);
  const Wide odd_z = high_halves(v.z, zero);
  const Wide four[4] = {
      _mm512_permutex2var_epi64(even_xy, to_first, even_z), _mm512_permutex2var_epi64(odd_xy, to_first, odd_z),
      _mm512_permutex2var_epi64(even_xy, to_second, even_z), _mm512_permutex2var_epi64(odd_xy, to_second, odd_z)};
  for (std::uint32_t k = 0; k < 4; ++k) {
    const std::uint32_t first = k % 2 + k / 2 * 4;
    change_down(at(first), half_of<0>(four[k]));
    change_down(at(first + 2), half_of<1>(four[k]));
  }
#elif defined(__AVX2__)
  const Wide zero = _mm256_setzero_si256();
  const Wide even_xy = low_halves(v.x, v.y);
  const Wide even_z = low_halves(v.z, zero);
  const Wide odd_xy = high_halves(v.x, v.y);
  const Wide odd_z = high_halves(v.z, zero);
  change_down(at(0), first_of(even_xy, even_z));
  change_down(at(1), first_of(odd_xy, odd_z));
  change_down(at(2), second_of(even_xy, even_z));
  change_down(at(3), second_of(odd_xy, odd_z));
#else
  std::uint64_t *const sum = at(0);
  sum[0] -= static_cast<std::uint64_t>(v.x);
  sum[1] -= static_cast<std::uint64_t>(v.y);
  sum[2] -= static_cast<std::uint64_t>(v.z);
#endif
}

// Adds all lanes to the four sums of one particle.
inline void add_lanes(std::uint64_t *sum, const WideVector &v) {
#if defined(__AVX2__)
  const Wide zero = all(0);
  const Wide wide_xy = add(low_halves(v.x, v.y), high_halves(v.x, v.y));
  const Wide wide_z = add(low_halves(v.z, zero), high_halves(v.z, zero));
#if defined(__AVX512F__)
  const auto narrow = [](Wide x) { return _mm256_add_epi64(half_of<0>(x), half_of<1>(x)); };
  const __m256i xy = narrow(wide_xy);
  const __m256i z = narrow(wide_z);
#else
  const __m256i xy = wide_xy;
  const __m256i z = wide_z;
#endif
  change(sum, _mm256_add_epi64(first_of(xy, z), second_of(xy, z)));
#else
  sum[0] += static_cast<std::uint64_t>(v.x);
  sum[1] += static_cast<std::uint64_t>(v.y);
  sum[2] += static_cast<std::uint64_t>(v.z);
#endif
}

// Lanes of std::int32_t, and the lanes of a condition.
#if defined(__AVX512F__)

inline constexpr std::uint32_t narrow_lanes = 16;
inline constexpr __mmask16 every_narrow = 65535;
using Narrow = std::int32_t __attribute__((vector_size(64)));
using Unsigned = std::uint32_t __attribute__((vector_size(64)));

inline __m512i bits(Narrow x) { return reinterpret_cast<__m512i>(x); }
inline __m512i bits(Unsigned x) { return reinterpret_cast<__m512i>(x); }
inline std::uint32_t below(Unsigned x, std::uint32_t limit) {
  const __mmask16 mask = _mm512_cmplt_epu32_mask(bits(x), _mm512_set1_epi32(static_cast<int>(limit)));
  // Not a conversion: GCC 12 may store 16 bits of the mask to the stack and read 32.
  std::uint32_t set;
  asm("kmovw %1, %0" : "=r"(set) : "k"(mask));
  return set;
}
inline Narrow load_narrow(const std::int32_t *from) {
  Narrow x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
inline Narrow load_narrow(const std::int16_t *from) {
  return reinterpret_cast<Narrow>(
      _mm512_maskz_cvtepi16_epi32(every_narrow, _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from))));
}
inline void set_lane(Narrow &x, std::uint32_t lane, std::int32_t value) { x[lane] = value; }
// Packs the selected lanes. Writes a whole vector.
class Selection {
 public:
  explicit Selection(std::uint32_t mask) : mask_(static_cast<__mmask16>(mask)) {}
  std::uint32_t count() const { return static_cast<std::uint32_t>(__builtin_popcount(mask_)); }
  void store(std::uint32_t *to, const std::uint32_t *from) const {
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(mask_, _mm512_loadu_si512(from)));
  }
  void store(std::int16_t *to, Narrow x) const {
    const __m512i selected = _mm512_maskz_compress_epi32(mask_, bits(x));
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(to), _mm512_maskz_cvtepi32_epi16(every_narrow, selected));
  }

 private:
  __mmask16 mask_;
};

#elif defined(__AVX2__)

inline constexpr std::uint32_t narrow_lanes = 8;
using Narrow = std::int32_t __attribute__((vector_size(32)));
using Unsigned = std::uint32_t __attribute__((vector_size(32)));

inline __m256i bits(Narrow x) { return reinterpret_cast<__m256i>(x); }
inline __m256i bits(Unsigned x) { return reinterpret_cast<__m256i>(x); }
inline std::uint32_t below(Unsigned x, std::uint32_t limit) {
  const __m256i sign = _mm256_set1_epi32(INT32_MIN);
  const __m256i most = _mm256_set1_epi32(static_cast<int>(limit ^ 0x80000000u));
  const __m256i is_below = _mm256_cmpgt_epi32(most, _mm256_xor_si256(bits(x), sign));
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(is_below)));
}
inline Narrow load_narrow(const std::int32_t *from) {
  Narrow x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
inline Narrow load_narrow(const std::int16_t *from) {
  return reinterpret_cast<Narrow>(_mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i *>(from))));
}

inline void set_lane(Narrow &x, std::uint32_t lane, std::int32_t value) { x[lane] = value; }

// For each set of lanes, their numbers in ascending order.
constexpr std::array<std::array<std::uint8_t, 8>, 256> selected_lanes() {
  std::array<std::array<std::uint8_t, 8>, 256> all_sets{};
  for (unsigned set = 0; set < 256; ++set) {
    unsigned count = 0;
    for (unsigned lane = 0; lane < 8; ++lane)
      if ((set >> lane & 1) != 0) all_sets[set][count++] = static_cast<std::uint8_t>(lane);
  }
  return all_sets;
}
inline constexpr std::array<std::array<std::uint8_t, 8>, 256> lanes_of_set = selected_lanes();

class Selection {
 public:
  explicit Selection(std::uint32_t mask)
      : count_(static_cast<std::uint32_t>(__builtin_popcount(mask))),
        lanes_(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(lanes_of_set[mask].data())))) {}
  std::uint32_t count() const { return count_; }
  void store(std::uint32_t *to, const std::uint32_t *from) const {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from));
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(to), _mm256_permutevar8x32_epi32(x, lanes_));
  }
  void store(std::int16_t *to, Narrow x) const {
    const __m256i selected = _mm256_permutevar8x32_epi32(bits(x), lanes_);
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packs_epi32(selected, selected), 0x08);
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to), _mm256_castsi256_si128(packed));
  }

 private:
  std::uint32_t count_;
  __m256i lanes_;
};

#else

inline constexpr std::uint32_t narrow_lanes = 1;
using Narrow = std::int32_t;
using Unsigned = std::uint32_t;

inline std::uint32_t below(Unsigned x, std::uint32_t limit) { return x < limit ? 1 : 0; }
inline Narrow load_narrow(const std::int32_t *from) { return *from; }
inline Narrow load_narrow(const std::int16_t *from) { return *from; }
inline void set_lane(Narrow &x, std::uint32_t /*lane*/, std::int32_t value) { x = value; }
class Selection {
 public:
  explicit Selection(std::uint32_t mask) : mask_(mask) {}
  std::uint32_t count() const { return mask_; }
  void store(std::uint32_t *to, const std::uint32_t *from) const { *to = *from; }
  void store(std::int16_t *to, Narrow x) const { *to = static_cast<std::int16_t>(x); }

 private:
  std::uint32_t mask_;
};

#endif

// Lanes of the set below `count`.
inline std::uint32_t among(std::uint32_t set, std::uint32_t count) {
  return count >= narrow_lanes ? set : set & ((1u << count) - 1);
}

inline void store(std::int32_t *to, Narrow x) { std::memcpy(to, &x, sizeof x); }
inline void store(std::uint32_t *to, Narrow x) { std::memcpy(to, &x, sizeof x); }

}  // namespace
}  // namespace GPZ_ISA
}  // namespace gpz::codec
