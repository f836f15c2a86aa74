// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/printable.hpp"

#include <gtest/gtest.h>

#include <string>

#include "gpz/error.hpp"

namespace gpz::test::printable_test {
namespace {

TEST(Printable, LeavesTextAlone) {
  for (const char *text : {"", "x", "c_pe[2] a\\b \"quoted\"", "\u00c5ngstr\u00f6m", "\u6c34 \U0001F4A7"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesControlsAndWhatHidesText) {
  EXPECT_EQ(printable("a\x1b[2J\r\n\t\x7f"), "a\\x1b[2J\\x0d\\x0a\\x09\\x7f");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\u009b31m"), "\\xc2\\x9b31m");
  EXPECT_EQ(printable("\u202e\u2028\ufeff\U000E0041"),
            "\\xe2\\x80\\xae\\xe2\\x80\\xa8\\xef\\xbb\\xbf\\xf3\\xa0\\x81\\x81");
}

// Unicode, table 3-7: each first byte allows only some second ones.
TEST(Printable, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(printable("\xff\xfe\x80"), "\\xff\\xfe\\x80");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xc3z"), "\\xc3z");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
  EXPECT_EQ(printable("\xc0\xaf\xc1\xbf"), "\\xc0\\xaf\\xc1\\xbf");
  EXPECT_EQ(printable("\xe0\x9f\xbf"), "\\xe0\\x9f\\xbf");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xf0\x8f\xbf\xbf"), "\\xf0\\x8f\\xbf\\xbf");
  EXPECT_EQ(printable("\xf4\x90\x80\x80\xf5"), "\\xf4\\x90\\x80\\x80\\xf5");
  EXPECT_EQ(printable("\xf4\x8f\xbf\xbd"), "\xf4\x8f\xbf\xbd");
}

TEST(Printable, ErrorsAre) {
  const Error error(Status::corrupt, "field \x1b[2J", "file\nname", 5);
  EXPECT_EQ(error.cause(), "field \\x1b[2J");
  EXPECT_EQ(error.file(), "file\nname");
  EXPECT_STREQ(error.what(), "file\\x0aname: byte 5: field \\x1b[2J");
}

}  // namespace
}  // namespace gpz::test::printable_test
