// SPDX-License-Identifier: BSD-3-Clause
#include "frame_range.hpp"

#include <gtest/gtest.h>

#include "exit_code.hpp"

namespace gpz::tool::frame_range_test {
namespace {

using Frames = std::vector<std::size_t>;

TEST(FrameRange, SelectsAsPythonDoes) {
  EXPECT_EQ(FrameRange(":").select(3), (Frames{0, 1, 2}));
  EXPECT_EQ(FrameRange("1:").select(3), (Frames{1, 2}));
  EXPECT_EQ(FrameRange(":-1").select(3), (Frames{0, 1}));
  EXPECT_EQ(FrameRange("::2").select(5), (Frames{0, 2, 4}));
  EXPECT_EQ(FrameRange("::-1").select(3), (Frames{2, 1, 0}));
  EXPECT_EQ(FrameRange("-2:").select(5), (Frames{3, 4}));
  EXPECT_EQ(FrameRange("-100:100").select(2), (Frames{0, 1}));
  EXPECT_EQ(FrameRange("100:-100:-1").select(2), (Frames{1, 0}));
  EXPECT_EQ(FrameRange("3:1").select(5), Frames{});
  EXPECT_EQ(FrameRange("4:1:-2").select(5), (Frames{4, 2}));
  EXPECT_EQ(FrameRange("::9223372036854775807").select(3), Frames{0});
  EXPECT_EQ(FrameRange("::-9223372036854775808").select(3), Frames{2});
  EXPECT_EQ(FrameRange("-9223372036854775808:9223372036854775807").select(2), (Frames{0, 1}));
  EXPECT_EQ(FrameRange(":").select(0), Frames{});
}

TEST(FrameRange, ASingleNumberIsOneFrame) {
  EXPECT_EQ(FrameRange("1").select(3), Frames{1});
  EXPECT_EQ(FrameRange("-1").select(3), Frames{2});
  EXPECT_EQ(FrameRange("-3").select(3), Frames{0});
  EXPECT_EQ(FrameRange("7").select(3), Frames{});
}

TEST(FrameRange, ForwardRangesAgreeWithSelect) {
  for (const char *text : {":", "2:7", "1::3", "5", ":0", "3:9:2"}) {
    const FrameRange range(text);
    ASSERT_TRUE(range.forward()) << text;
    Frames taken;
    for (std::size_t i = 0; i < 8; ++i)
      if (range.takes(i)) taken.push_back(i);
    EXPECT_EQ(taken, range.select(8)) << text;
  }
  EXPECT_FALSE(FrameRange("-1").forward());
  EXPECT_FALSE(FrameRange("::-1").forward());
  EXPECT_FALSE(FrameRange(":-2").forward());
}

TEST(FrameRange, RefusesWhatIsNoSlice) {
  for (const char *text : {"", "a", "1:b", "1:2:3:4", "1::0", "1.5", " 1", "99999999999999999999"})
    EXPECT_THROW(FrameRange{text}, Failure) << text;
}

}  // namespace
}  // namespace gpz::tool::frame_range_test
