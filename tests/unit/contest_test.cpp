// SPDX-License-Identifier: BSD-3-Clause
// Costly codings are tried now and again.
#include "gpz/model/contest.hpp"

#include <gtest/gtest.h>

namespace gpz::model::contest_test {
namespace {

using Try = Contest::Try;

TEST(Contest, TriesBothAtFirstAndThenNowAndAgain) {
  Contest choice;
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(choice.next() == Try::both, i < 6 || (i - 6) % 16 == 0) << i;
    choice.encoded({true});
  }
}

// The costly coding wins in sections 100 to 199, which shows at the next trial. What is said of a section that had one
// coding alone counts for nothing.
TEST(Contest, TakesTheOneThatWonLast) {
  Contest choice;
  bool won = false;
  for (int i = 0; i < 320; ++i) {
    const Try what = choice.next();
    if (what == Try::both)
      won = i / 100 % 2 == 1;
    else
      EXPECT_EQ(what, won ? Try::costly : Try::usual) << i;
    choice.encoded({what == Try::both ? won : !won});
  }
}

// Two contests in a row, by the same side.
TEST(Contest, ClearResultsEndTheTrialsOfLargeSections) {
  for (const bool costly : {false, true}) {
    Contest choice;
    choice.encoded({!costly, true, true});
    choice.encoded({costly, true, true});
    choice.encoded({costly, false, true});
    choice.encoded({costly, true, true});
    EXPECT_FALSE(choice.is_settled());
    EXPECT_EQ(choice.next(), Try::both);
    choice.encoded({costly, true, true});
    EXPECT_TRUE(choice.is_settled());
    EXPECT_EQ(choice.costly_was_smaller(), costly);
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(choice.next(), costly ? Try::costly : Try::usual) << i;
      choice.encoded({!costly, false, true});
    }
    EXPECT_TRUE(choice.is_settled());
  }
}

// Two in a row, also of small sections, once predictions know some frames.
TEST(Contest, ResultsByFarEndTheTrials) {
  for (const bool costly : {false, true}) {
    Contest early;
    for (int i = 0; i < 2; ++i) early.encoded({costly, true, false, false, true});
    EXPECT_EQ(early.next(), Try::both);
    early.encoded({costly, true, false, false, true});
    EXPECT_EQ(early.next(), costly ? Try::costly : Try::usual);
    EXPECT_FALSE(early.is_settled());
    Contest late;
    for (const bool was_far : {true, true, false, true}) late.encoded({costly, true, false, false, was_far});
    EXPECT_EQ(late.next(), Try::both);
    late.encoded({!costly, true, false, false, true});
    EXPECT_EQ(late.next(), Try::both);
    late.encoded({!costly, true, false, false, true});
    for (int i = 0; i < 40; ++i) {
      EXPECT_EQ(late.next(), costly ? Try::usual : Try::costly);
      late.encoded({costly, true, false, false, true});
    }
  }
}

// The contests after the first ones count as well, over the sections between them.
TEST(Contest, ClearResultsCountAtIntervals) {
  Contest choice;
  for (int i = 0; i < 6; ++i) choice.encoded({true, i == 5, true});
  EXPECT_FALSE(choice.is_settled());
  int sections = 6;
  for (; !choice.is_settled() && sections < 100; ++sections) choice.encoded({true, choice.next() == Try::both, true});
  EXPECT_EQ(sections, 7);
  Contest late;
  for (int i = 0; i < 6; ++i) late.encoded({true, false, true});
  for (sections = 6; !late.is_settled() && sections < 100; ++sections)
    late.encoded({true, late.next() == Try::both, true});
  EXPECT_EQ(sections, 6 + 16 + 1);
}

TEST(Contest, SmallSectionsAreTriedAgain) {
  Contest choice;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(choice.next() == Try::both, i < 6 || (i - 6) % 16 == 0) << i;
    choice.encoded({true, true, false});
    EXPECT_FALSE(choice.is_settled());
  }
  // A section that became small, by particles that left.
  Contest shrunk;
  for (int i = 0; i < 2; ++i) shrunk.encoded({true, true, true});
  EXPECT_EQ(shrunk.next(), Try::costly);
  shrunk.encoded({true, true, false});
  EXPECT_EQ(shrunk.next(), Try::both);
}

TEST(Contest, AWinIsClearByA128thOfTheLoser) {
  EXPECT_TRUE(is_clear_win(1269, 1280));
  EXPECT_FALSE(is_clear_win(1270, 1280));
  EXPECT_FALSE(is_clear_win(1280, 1280));
  EXPECT_FALSE(is_clear_win(1300, 1280));  // by its investment
  EXPECT_TRUE(is_clear_win(1280, SIZE_MAX));
}

// Neighbours are tried until a section behind the trials goes without them, as long as sections are large.
TEST(Contest, NeighboursAreLeftOutBehindTrials) {
  Contest choice;
  const auto encoded = [&](bool is_large, bool from_neighbours) {
    choice.encoded({false, true, is_large, from_neighbours});
    return choice.leaves_out_neighbours();
  };
  EXPECT_FALSE(choice.leaves_out_neighbours());
  EXPECT_FALSE(encoded(true, false));  // a trial follows
  EXPECT_FALSE(encoded(true, true));
  ASSERT_TRUE(choice.is_settled());
  EXPECT_FALSE(encoded(true, true));
  for (int i = 0; i < 40; ++i) EXPECT_TRUE(encoded(true, false)) << i;
  EXPECT_FALSE(encoded(false, false));
  Contest small;
  for (int i = 0; i < 40; ++i) {
    small.encoded({false, true, false, false});
    EXPECT_FALSE(small.leaves_out_neighbours()) << i;
  }
}

}  // namespace
}  // namespace gpz::model::contest_test
