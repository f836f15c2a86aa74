// SPDX-License-Identifier: BSD-3-Clause
// Damage to the bytes that a parser reads.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/error.hpp"

namespace gpz::test {

// read(bytes) has to throw for every beginning of `whole`. Where one byte is changed, it may take that for something
// else, or throw corrupt. Bytes are in memory of their size, so that a sanitizer sees what is read beyond it.
template <typename Read>
void expect_damage_is_refused_or_read(const std::vector<std::uint8_t> &whole, const Read &read) {
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(read({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}), Error) << size;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const unsigned change : {0x01U, 0x10U, 0x40U, 0x80U, 0xFFU}) {
      std::vector<std::uint8_t> changed(whole);
      changed[at] = static_cast<std::uint8_t>(changed[at] ^ change);
      try {
        read(changed);
      } catch (const Error &error) {
        EXPECT_EQ(error.status(), Status::corrupt) << at;
      }
    }
}

// No byte behind these can be read, nor one before them.
struct Copy {
  explicit Copy(const std::vector<std::uint8_t> &bytes) : size(bytes.size()), data(new std::uint8_t[bytes.size()]) {
    std::copy(bytes.begin(), bytes.end(), data.get());
  }
  std::size_t size;
  std::unique_ptr<std::uint8_t[]> data;
};

// is_refused(bytes) of every beginning of `whole`, and with more behind it.
template <typename IsRefused>
void expect_cuts_are_refused(const std::vector<std::uint8_t> &whole, const IsRefused &is_refused) {
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_TRUE(is_refused({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)})) << size;
  std::vector<std::uint8_t> longer = whole;
  longer.resize(longer.size() + 8);
  EXPECT_TRUE(is_refused(longer));
}

// Some bytes at once, every second time near the beginning: most of these are refused.
template <typename Random, typename IsRefused>
void expect_damage_is_refused(const std::vector<std::uint8_t> &whole, int turns, Random &random,
                              const IsRefused &is_refused) {
  constexpr std::size_t beginning = 120;  // bytes
  int refused = 0;
  for (int turn = 0; turn < turns; ++turn) {
    std::vector<std::uint8_t> changed = whole;
    for (std::uint64_t k = random.below(6) + 1; k > 0; --k)
      changed[random.below(k % 2 == 0 ? std::min(changed.size(), beginning) : changed.size())] =
          static_cast<std::uint8_t>(random.below(4) == 0 ? 0 : random.bits());
    refused += is_refused(changed) ? 1 : 0;
  }
  EXPECT_GT(refused, turns / 2);
}

}  // namespace gpz::test
