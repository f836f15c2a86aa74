// SPDX-License-Identifier: BSD-3-Clause
// The smaller of two codings stays, and a costly one is tried as often as the effort says.
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

TEST(SectionChoice, FastNeverTriesAndDenseAlwaysDoes) {
  SectionChoice fast(Effort::fast);
  SectionChoice dense(Effort::dense);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(fast.next(), Try::usual);
    EXPECT_EQ(dense.next(), Try::both);
    fast.encoded(true);
    dense.encoded(i % 2 == 0);
  }
}

// The sum of the sizes of a standard encoder, if the costly coding wins from some section on.
TEST(SectionChoice, StandardTakesTheOneThatWonLast) {
  SectionChoice standard(Effort::standard);
  int trials = 0;
  bool won = false;
  for (int i = 0; i < 320; ++i) {
    const Try what = standard.next();
    if (what == Try::both) {
      ++trials;
      won = i / 100 % 2 == 1;
    } else {
      EXPECT_EQ(what, won ? Try::costly : Try::usual) << i;
    }
    standard.encoded(what == Try::both && won);
  }
  EXPECT_GE(trials, 10);
  EXPECT_LE(trials, 40);
}

}  // namespace
}  // namespace gpz::trajectory
