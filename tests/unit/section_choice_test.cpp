// SPDX-License-Identifier: BSD-3-Clause
// Costly codings are tried now and again.
#include "gpz/trajectory/section_choice.hpp"

#include <gtest/gtest.h>

namespace gpz::trajectory {
namespace {

using Try = SectionChoice::Try;

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
