// SPDX-License-Identifier: BSD-3-Clause
// The thread that writes behind the simulation: order, waiting, errors, end.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <vector>

#include "gpz_writer_thread.h"

namespace lammps_writer_thread_test {
namespace {

using LAMMPS_NS::GPZWriterThread;

// Holds the thread until it is opened.
class Gate {
 public:
  GPZWriterThread::Job job() {
    return [this] {
      reached_.set_value();
      opened_.get_future().wait();
    };
  }
  void wait_until_reached() { reached_.get_future().wait(); }
  void open() { opened_.set_value(); }

 private:
  std::promise<void> reached_, opened_;
};

TEST(WriterThread, DoesJobsInOrder) {
  GPZWriterThread thread;
  std::vector<int> done;  // only the thread touches it until wait_all
  std::vector<int> expected;
  for (int i = 0; i < 1000; ++i) {
    thread.submit([&done, i] { done.push_back(i); });
    expected.push_back(i);
  }
  thread.wait_all();
  EXPECT_EQ(done, expected);
  EXPECT_EQ(thread.problem(), "");
}

TEST(WriterThread, TakesSmallJobsFirst) {
  GPZWriterThread thread;
  Gate gate;
  std::vector<int> done;
  thread.submit(gate.job());
  gate.wait_until_reached();
  thread.submit([&done] { done.push_back(3); });
  thread.submit_first([&done] { done.push_back(1); });
  thread.submit([&done] { done.push_back(4); });
  const auto second = thread.submit_first([&done] { done.push_back(2); });
  EXPECT_FALSE(thread.ended(second));
  gate.open();
  thread.wait_all();
  EXPECT_EQ(done, (std::vector<int>{1, 2, 3, 4}));
}

TEST(WriterThread, WorksBehindTheCaller) {
  GPZWriterThread thread;
  Gate gate;
  const auto held = thread.submit(gate.job());
  const auto next = thread.submit([] {});
  gate.wait_until_reached();  // submit() has not waited for the job
  EXPECT_FALSE(thread.ended(held));
  EXPECT_FALSE(thread.ended(next));
  gate.open();
  thread.wait(next);
  EXPECT_TRUE(thread.ended(held));
  EXPECT_TRUE(thread.ended(next));
  EXPECT_TRUE(thread.ended({}));
}

// As the dump uses it: who waits for the job that had a buffer last never has more than that many under way.
TEST(WriterThread, BuffersBoundWhatIsUnderWay) {
  constexpr int buffers = 3;
  GPZWriterThread thread;
  std::atomic<int> running{0};
  std::vector<int> contents(buffers, -1);
  GPZWriterThread::Ticket tickets[buffers];
  for (int i = 0; i < 500; ++i) {
    const int buffer = i % buffers;
    thread.wait(tickets[buffer]);
    contents[buffer] = i;
    EXPECT_LE(++running, buffers);
    tickets[buffer] = thread.submit([&contents, &running, buffer, i] {
      EXPECT_EQ(contents[buffer], i);
      --running;
    });
  }
  thread.wait_all();
  EXPECT_EQ(running, 0);
}

TEST(WriterThread, DropsWhatFollowsAnError) {
  GPZWriterThread thread;
  Gate gate;
  int done = 0;
  thread.submit(gate.job());
  gate.wait_until_reached();
  thread.submit([&done] { ++done; });
  const auto failing = thread.submit([] { throw std::runtime_error("disk full"); });
  thread.submit([&done] { done += 10; });
  EXPECT_EQ(thread.problem(), "");
  gate.open();
  thread.wait(failing);
  EXPECT_EQ(thread.problem(), "disk full");
  const auto late = thread.submit_first([] { throw std::runtime_error("another one"); });
  thread.wait(late);  // a dropped job ends as well
  thread.wait_all();
  EXPECT_EQ(done, 1);
  EXPECT_EQ(thread.problem(), "disk full");
}

TEST(WriterThread, ErrorsWithoutWordsCount) {
  GPZWriterThread silent, odd;
  silent.submit([] { throw std::runtime_error(""); });
  silent.wait_all();
  EXPECT_NE(silent.problem(), "");
  odd.submit([] { throw 1; });
  odd.wait_all();
  EXPECT_NE(odd.problem(), "");
}

TEST(WriterThread, DestructorDoesWhatIsQueued) {
  int done = 0;
  {
    GPZWriterThread thread;
    for (int i = 0; i < 100; ++i) thread.submit([&done] { ++done; });
  }
  EXPECT_EQ(done, 100);
  {
    GPZWriterThread thread;
    thread.submit([] { throw std::runtime_error("disk full"); });
    for (int i = 0; i < 100; ++i) thread.submit([&done] { ++done; });
  }
  EXPECT_EQ(done, 100);
  GPZWriterThread{};  // without any job
}

TEST(WriterThread, AJobIsGoneWhenItHasEnded) {
  GPZWriterThread thread;
  auto held = std::make_shared<int>(1);
  thread.wait(thread.submit([held] {}));
  EXPECT_EQ(held.use_count(), 1);
  thread.submit([] { throw std::runtime_error("disk full"); });
  thread.wait(thread.submit([held] {}));
  EXPECT_EQ(held.use_count(), 1);
}

TEST(WriterThread, CountsTheTimeOfJobsOnce) {
  GPZWriterThread thread;
  EXPECT_EQ(thread.take_seconds(), 0.0);
  thread.submit([] {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() == start) continue;
  });
  thread.wait_all();
  EXPECT_GT(thread.take_seconds(), 0.0);
  EXPECT_EQ(thread.take_seconds(), 0.0);
}

}  // namespace
}  // namespace lammps_writer_thread_test
