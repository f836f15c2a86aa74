// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/kernels/spring_kernels.hpp"

#include "gpz/core/config.hpp"
#include "gpz/core/machine.hpp"
#include "gpz/kernels/rounding.hpp"
#include "gpz/kernels/springs.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

using core::field_stride;

#if defined(__AVX2__)

// Four numbers of 32 bits.
using Four = __m128i;

Four widen(const std::int16_t *from) {
  return _mm_cvtepi16_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(from)));
}

__m128i two_fields(const std::int16_t *field, const std::uint32_t *near) {
  const auto bits = [&](std::uint32_t particle) {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i *>(field + field_stride * particle));
  };
  return _mm_unpacklo_epi64(bits(near[0]), bits(near[1]));
}

// Sums of weight times field over the neighbours, one for each component. Products of two weights with two numbers are
// added up in 32 bits, which do not overflow: no number of a field is -32,768.
Four pull(const Springs &springs, const std::uint32_t *near, const std::int16_t *field) {
  __m256i sum[core::max_components] = {};
  std::size_t k = 0;
  for (; k + 4 <= springs.degree; k += 4) {
    const __m256i around = _mm256_inserti128_si256(_mm256_castsi128_si256(two_fields(field, near + k)),
                                                   two_fields(field, near + k + 2), 1);
    for (int r = 0; r < core::max_components; ++r) {
      const auto *const row = reinterpret_cast<const __m256i *>(springs.rows[r] + field_stride * k);
      sum[r] = _mm256_add_epi32(sum[r], _mm256_madd_epi16(_mm256_loadu_si256(row), around));
    }
  }
  __m128i part[core::max_components];
  for (int r = 0; r < core::max_components; ++r)
    part[r] = _mm_add_epi32(_mm256_castsi256_si128(sum[r]), _mm256_extracti128_si256(sum[r], 1));
  if (k < springs.degree) {
    const __m128i around = two_fields(field, near + k);
    for (int r = 0; r < core::max_components; ++r) {
      const auto *const row = reinterpret_cast<const __m128i *>(springs.rows[r] + field_stride * k);
      part[r] = _mm_add_epi32(part[r], _mm_madd_epi16(_mm_loadu_si128(row), around));
    }
  }
  return _mm_hadd_epi32(_mm_hadd_epi32(part[0], part[1]), _mm_hadd_epi32(part[2], _mm_setzero_si128()));
}

template <bool has_before>
void step(const Springs &springs, std::size_t first, std::size_t last, const std::int16_t *in,
          const std::int16_t *before, std::int16_t *out) {
  Four column[core::max_components];  // of the matrix of all neighbours
  for (int c = 0; c < core::max_components; ++c)
    column[c] = _mm_set_epi32(0, springs.total[2][c], springs.total[1][c], springs.total[0][c]);
  const Four half = _mm_set1_epi32(1 << (core::spring_bits - 1));
  const Four least = _mm_set1_epi32(-core::field_limit);
  for (std::size_t i = first; i < last; ++i) {
    const Four pulled = pull(springs, springs.neighbours + i * springs.degree, in);
    const Four own = widen(in + field_stride * i);
    Four sum = _mm_mullo_epi32(column[0], _mm_shuffle_epi32(own, 0x00));
    sum = _mm_add_epi32(sum, _mm_mullo_epi32(column[1], _mm_shuffle_epi32(own, 0x55)));
    sum = _mm_add_epi32(sum, _mm_mullo_epi32(column[2], _mm_shuffle_epi32(own, 0xAA)));
    sum = _mm_sub_epi32(sum, pulled);
    Four result = _mm_sub_epi32(_mm_srai_epi32(_mm_add_epi32(sum, half), core::spring_bits), own);
    if constexpr (has_before) result = _mm_sub_epi32(_mm_add_epi32(result, result), widen(before + field_stride * i));
    const Four limited = _mm_packs_epi32(_mm_max_epi32(result, least), result);
    _mm_storel_epi64(reinterpret_cast<__m128i *>(out + field_stride * i), limited);
  }
}

#else

template <bool has_before>
void step(const Springs &springs, std::size_t first, std::size_t last, const std::int16_t *in,
          const std::int16_t *before, std::int16_t *out) {
  for (std::size_t i = first; i < last; ++i) {
    const auto pulled = core::weighted_sums(springs.rows, springs.neighbours + i * springs.degree, springs.degree, in);
    const std::int16_t *const own = in + field_stride * i;
    std::int16_t *const result = out + field_stride * i;
    for (std::size_t r = 0; r < core::max_components; ++r) {
      const auto &total = springs.total[r];
      const std::int32_t sum = total[0] * own[0] + total[1] * own[1] + total[2] * own[2] - pulled[r];
      const std::int32_t half_step = core::rounded_shift(sum, core::spring_bits) - own[r];
      const std::int32_t whole = has_before ? 2 * half_step - before[field_stride * i + r] : half_step;
      result[r] = static_cast<std::int16_t>(core::max_of(core::min_of(whole, core::field_limit), -core::field_limit));
    }
    result[3] = 0;
  }
}

#endif

void any_step(const Springs &springs, std::size_t first, std::size_t last, const std::int16_t *in,
              const std::int16_t *before, std::int16_t *out) {
  before == nullptr ? step<false>(springs, first, last, in, before, out)
                    : step<true>(springs, first, last, in, before, out);
}

}  // namespace

constexpr SpringKernels spring_kernels{any_step};

}  // namespace GPZ_ISA
}  // namespace gpz::codec
