// SPDX-License-Identifier: BSD-3-Clause
// The smaller of two codings stays, and a costly one is tried now and again.
#include "gpz/trajectory/section_choice.hpp"

#include <gtest/gtest.h>

namespace gpz::trajectory {
namespace {

using Bytes = std::vector<std::uint8_t>;

TEST(SectionChoice, TheShorterCodingStays) {
  for (std::size_t first = 0; first < 5; ++first)
    for (std::size_t second = 0; second < 5; ++second) {
      Bytes bytes = {9, 9};
      bytes.insert(bytes.end(), first, 1);
      const bool replaced = replace_if_smaller(bytes, 2, [&] { bytes.insert(bytes.end(), second, 2); });
      EXPECT_EQ(replaced, second < first);
      Bytes expected = {9, 9};
      expected.insert(expected.end(), replaced ? second : first, replaced ? 2 : 1);
      EXPECT_EQ(bytes, expected);
    }
}

using Try = SectionChoice::Try;

// The sections that try both are every one of the first, then one in 16.
TEST(SectionChoice, TriesBothAtFirstAndThenNowAndAgain) {
  SectionChoice choice;
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(choice.next() == Try::both, i < 6 || (i - 6) % 16 == 0) << i;
    choice.encoded(true);
  }
}

// The costly coding wins in sections 100 to 199, which shows at the next trial. What is said of a section that had one
// coding alone counts for nothing.
TEST(SectionChoice, TakesTheOneThatWonLast) {
  SectionChoice choice;
  bool won = false;
  for (int i = 0; i < 320; ++i) {
    const Try what = choice.next();
    if (what == Try::both)
      won = i / 100 % 2 == 1;
    else
      EXPECT_EQ(what, won ? Try::costly : Try::usual) << i;
    choice.encoded(what == Try::both ? won : !won);
  }
}

}  // namespace
}  // namespace gpz::trajectory
