// SPDX-License-Identifier: BSD-3-Clause
// Fixed-width packing (docs/format.md, section 6). Values are interleaved over 32 lanes, and each lane packs its own
// values. GPUs then write whole cache lines and CPUs use vector registers, without communication between lanes.
#pragma once

#include "gpz/core/config.hpp"

namespace gpz::core {
inline namespace GPZ_ISA {

inline constexpr std::uint32_t warp_lanes = 32;

// Full blocks have 32 lanes. A shorter last block has one lane, which avoids padding every lane.
GPZ_HD std::uint32_t lanes_of(std::uint32_t n, std::uint32_t block_size) { return n == block_size ? warp_lanes : 1; }

GPZ_HD std::uint32_t words_for_bits(std::uint64_t bits) { return static_cast<std::uint32_t>((bits + 31) / 32); }

// Words of n values of `width` <= 64 bits; lanes is 1 or 32.
GPZ_HD std::uint32_t packed_words(std::uint32_t n, int width, std::uint32_t lanes) {
  const std::uint64_t rows = lanes == 1 ? n : (n + warp_lanes - 1) / warp_lanes;
  const int low = min_of(width, 32);
  return lanes * (words_for_bits(rows * static_cast<unsigned>(low)) +
                  words_for_bits(rows * static_cast<unsigned>(width - low)));
}

// Packs n values of width <= 32, shifted right by from_bit. Writes all of words[0 .. packed_words), which need not be
// zero before.
template <std::uint32_t Lanes, typename U>
GPZ_HD void pack_rows(const U *values, int from_bit, std::uint32_t n, int width, std::uint32_t *words) {
  if (width == 0) return;
  const auto mask = static_cast<std::uint32_t>(low_mask(width));
  const std::uint32_t rows = (n + Lanes - 1) / Lanes;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint64_t bit = static_cast<std::uint64_t>(row) * static_cast<unsigned>(width);
    const auto shift = static_cast<int>(bit % 32);
    std::uint32_t *word = words + bit / 32 * Lanes;
    const U *value = values + row * Lanes;
    if (shift == 0) {
      for (std::uint32_t lane = 0; lane < Lanes; ++lane)
        word[lane] = static_cast<std::uint32_t>(value[lane] >> from_bit) & mask;
    } else {
      for (std::uint32_t lane = 0; lane < Lanes; ++lane)
        word[lane] |= (static_cast<std::uint32_t>(value[lane] >> from_bit) & mask) << shift;
      if (shift + width > 32)
        for (std::uint32_t lane = 0; lane < Lanes; ++lane)
          word[Lanes + lane] = (static_cast<std::uint32_t>(value[lane] >> from_bit) & mask) >> (32 - shift);
    }
  }
}

// Unpacks values shifted left by from_bit. ORs them into values[0 .. n) if Add, else overwrites.
template <std::uint32_t Lanes, bool Add, typename U>
GPZ_HD void unpack_rows(const std::uint32_t *words, int from_bit, std::uint32_t n, int width, U *values) {
  const auto mask = static_cast<std::uint32_t>(low_mask(width));
  const std::uint32_t rows = (n + Lanes - 1) / Lanes;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint64_t bit = static_cast<std::uint64_t>(row) * static_cast<unsigned>(width);
    const auto shift = static_cast<int>(bit % 32);
    const std::uint32_t *word = words + bit / 32 * Lanes;
    U *value = values + row * Lanes;
    if (shift + width > 32) {
      for (std::uint32_t lane = 0; lane < Lanes; ++lane) {
        const U got = static_cast<U>(((word[lane] >> shift) | (word[Lanes + lane] << (32 - shift))) & mask) << from_bit;
        value[lane] = Add ? value[lane] | got : got;
      }
    } else {
      for (std::uint32_t lane = 0; lane < Lanes; ++lane) {
        const U got = static_cast<U>((word[lane] >> shift) & mask) << from_bit;
        value[lane] = Add ? value[lane] | got : got;
      }
    }
  }
}

// Packs n values of width <= 64 (<= 32 if U has 32 bits): low 32 bits first, then the rest. Returns the words written.
template <typename U>
GPZ_HD std::uint32_t pack(const U *values, std::uint32_t n, int width, std::uint32_t lanes, std::uint32_t *words) {
  const int low = min_of(width, 32);
  const std::uint32_t low_words = packed_words(n, low, lanes);
  if (lanes == 1) {
    pack_rows<1>(values, 0, n, low, words);
    if (width > 32) pack_rows<1>(values, sizeof(U) > 4 ? 32 : 0, n, width - 32, words + low_words);
  } else {
    pack_rows<warp_lanes>(values, 0, n, low, words);
    if (width > 32) pack_rows<warp_lanes>(values, sizeof(U) > 4 ? 32 : 0, n, width - 32, words + low_words);
  }
  return packed_words(n, width, lanes);
}

template <typename U>
GPZ_HD std::uint32_t unpack(const std::uint32_t *words, std::uint32_t n, int width, std::uint32_t lanes, U *values) {
  const int low = min_of(width, 32);
  if (width == 0) {
    for (std::uint32_t i = 0; i < n; ++i) values[i] = 0;
    return 0;
  }
  const std::uint32_t low_words = packed_words(n, low, lanes);
  if (lanes == 1) {
    unpack_rows<1, false>(words, 0, n, low, values);
    if (width > 32) unpack_rows<1, true>(words + low_words, sizeof(U) > 4 ? 32 : 0, n, width - 32, values);
  } else {
    unpack_rows<warp_lanes, false>(words, 0, n, low, values);
    if (width > 32) unpack_rows<warp_lanes, true>(words + low_words, sizeof(U) > 4 ? 32 : 0, n, width - 32, values);
  }
  return packed_words(n, width, lanes);
}

// get_bits() reads and put_bits() writes `width` <= 64 bits at bit `at`. The bits must be zero before put_bits().
GPZ_HD std::uint64_t get_bits(const std::uint32_t *words, std::uint64_t at, int width) {
  if (width == 0) return 0;
  const std::uint32_t *word = words + at / 32;
  const auto shift = static_cast<int>(at % 32);
  std::uint64_t out = word[0];
  if (shift + width > 32) out |= static_cast<std::uint64_t>(word[1]) << 32;
  out >>= shift;
  if (shift + width > 64) out |= static_cast<std::uint64_t>(word[2]) << (64 - shift);
  return out & low_mask(width);
}

GPZ_HD void put_bits(std::uint32_t *words, std::uint64_t at, int width, std::uint64_t value) {
  for (int done = 0; done < width;) {
    const auto shift = static_cast<int>((at + done) % 32);
    const int take = min_of(32 - shift, width - done);
    words[(at + done) / 32] |= static_cast<std::uint32_t>((value >> done) & low_mask(take)) << shift;
    done += take;
  }
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
