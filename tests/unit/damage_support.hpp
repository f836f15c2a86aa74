// SPDX-License-Identifier: BSD-3-Clause
// Damage to the bytes that a parser reads.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
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

}  // namespace gpz::test
