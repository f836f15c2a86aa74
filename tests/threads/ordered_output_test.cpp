// SPDX-License-Identifier: BSD-3-Clause
// The text that threads of `gpz decode` make, written in the order of the frames.
#include "ordered_output.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace {

using gpz::tool::OrderedOutput;
using gpz::tool::OutputFile;

class OrderedOutputTest : public testing::TestWithParam<int> {
 public:
  OrderedOutputTest()
      : path_(testing::TempDir() + "gpz_ordered_" + std::to_string(getpid()) + "_" + std::to_string(GetParam())) {}
  ~OrderedOutputTest() override { std::remove(path_.c_str()); }

 protected:
  std::string written() const {
    std::ifstream in(path_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

  std::string path_;
};

// Jobs of very different lengths end in another order than they begin.
std::string text_of(int job) { return std::string(static_cast<std::size_t>(job * 7919 % 5000), 'a') + "\n"; }

TEST_P(OrderedOutputTest, IsInTheOrderOfSubmission) {
  constexpr int jobs = 300;
  std::string expected;
  {
    OutputFile file(path_);
    OrderedOutput output(file, GetParam());
    for (int job = 0; job < jobs; ++job) {
      expected += text_of(job);
      output.submit([job](std::string &text) { text = text_of(job); });
    }
    output.finish();
    EXPECT_EQ(file.bytes(), expected.size());
    file.commit();
  }
  EXPECT_EQ(written(), expected);
}

TEST_P(OrderedOutputTest, EndsWithTheFirstJobThatFails) {
  std::string expected;
  {
    OutputFile file(path_);
    OrderedOutput output(file, GetParam());
    std::atomic<int> begun{0};
    const auto submit_all = [&] {
      for (int job = 0; job < 100; ++job)
        output.submit([&begun, job](std::string &text) {
          ++begun;
          if (job >= 20) throw std::runtime_error("job " + std::to_string(job));
          text = text_of(job);
        });
      output.finish();
    };
    for (int job = 0; job < 20; ++job) expected += text_of(job);
    try {
      submit_all();
      FAIL() << "the error is lost";
    } catch (const std::runtime_error &error) {
      EXPECT_STREQ(error.what(), "job 20");
    }
    EXPECT_GT(begun, 20);
    EXPECT_EQ(file.bytes(), expected.size());
    // Jobs are still under way here: the destructor waits for those that have begun.
  }
  EXPECT_EQ(written(), "");  // without commit() there is no file
}

INSTANTIATE_TEST_SUITE_P(Threads, OrderedOutputTest, testing::Values(1, 2, 5));

}  // namespace
