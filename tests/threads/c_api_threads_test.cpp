// SPDX-License-Identifier: BSD-3-Clause
// The C interface in several threads: handles of their own, and the message of a thread's own last error.
#include <string>

#include "tests/unit/c_api_support.hpp"
#include "together.hpp"

namespace gpz::test {
namespace {

TEST(CApiThreads, HaveALastErrorEach) {
  constexpr int count = 6;
  together(count, [](int t) {
    EXPECT_STREQ(gpz_last_error(), "");
    for (int round = 0; round < 100; ++round) {
      const std::string path = "/nonexistent." + std::to_string(t) + "/" + std::to_string(round);
      gpz_reader *reader = nullptr;
      EXPECT_EQ(gpz_reader_open(path.c_str(), 1, &reader), GPZ_IO_ERROR);
      EXPECT_EQ(gpz_last_error(), path + ": cannot open: No such file or directory");
    }
  });
  EXPECT_STREQ(gpz_last_error(), "");
}

TEST(CApiThreads, HaveHandlesOfTheirOwn) {
  const Motion motion(1500, 4);
  Image alone;
  motion.write_to(alone);
  const auto *const expected = static_cast<const std::uint8_t *>(alone.bytes);
  together(3, [&](int) {
    Image image;
    motion.write_to(image);
    const auto *const bytes = static_cast<const std::uint8_t *>(image.bytes);
    EXPECT_TRUE(std::equal(bytes, bytes + image.size, expected, expected + alone.size));
    // One image serves all, each through a reader of its own.
    const OpenReader reader = open_image(alone);
    ASSERT_EQ(gpz_reader_frames(reader.get()), motion.frames.size());
    for (std::size_t i = 0; i < motion.frames.size(); ++i) EXPECT_EQ(gpz_reader_verify(reader.get(), i), GPZ_OK);
    EXPECT_EQ(gpz_reader_verify(reader.get(), motion.frames.size()), GPZ_NOT_FOUND);
  });
}

}  // namespace
}  // namespace gpz::test
