// SPDX-License-Identifier: BSD-3-Clause
// A system that starts no more threads: work is done by those that there are, or an error says so. The test takes the
// place of pthread_create.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "gpz_writer_thread.h"
#include "ordered_output.hpp"
#include "tests/unit/trajectory_support.hpp"

namespace {

std::atomic<int> threads_left{1 << 30};

}  // namespace

extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                                     const pthread_attr_t *attributes,
                                                                     void *(*work)(void *), void *argument) {
  using Function = int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "pthread_create"));
  if (threads_left.fetch_sub(1) <= 0) return EAGAIN;
  return next(thread, attributes, work, argument);
}

namespace gpz::test {
namespace {

class FewThreads : public testing::TestWithParam<int> {
 protected:
  // So many threads can be started while the object exists.
  struct Limit {
    explicit Limit(int threads) { threads_left = threads; }
    ~Limit() { threads_left = 1 << 30; }
    Limit(const Limit &) = delete;
    Limit &operator=(const Limit &) = delete;
  };
};

TEST_P(FewThreads, EncodeAndDecode) {
  const Snapshot snapshot = trajectory(5000, 1).front();
  const std::vector<FieldInput> fields = snapshot.inputs();
  const EncodedChunk all = encode(fields, 5000, 4);
  const Frame frame = decode(fields, all);
  {
    const Limit limit(GetParam());
    EXPECT_EQ(encode(fields, 5000, 4).bytes, all.bytes);
  }
  const Limit limit(GetParam());
  EXPECT_TRUE(same(decode(fields, all, 4), frame));
}

TEST_P(FewThreads, MakeText) {
  const TemporaryFile file;
  {
    const Limit limit(GetParam());
    tool::OutputFile out(file.path());
    tool::OrderedOutput output(out, 4);
    for (int job = 0; job < 50; ++job) output.submit([job](std::string &text) { text = std::to_string(job) + "\n"; });
    output.finish();
    out.commit();
  }
  std::ifstream in(file.path());
  for (int job = 0, number = -1; job < 50; ++job) {
    ASSERT_TRUE(in >> number);
    EXPECT_EQ(number, job);
  }
}

TEST_P(FewThreads, DecodeAhead) {
  const Bytes bytes = file_of(trajectory(2000, 8), 3);
  const std::vector<Frame> frames = read_all(bytes);
  const Reader reader = reader_of(bytes);
  const Limit limit(GetParam());
  for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_TRUE(same(reader.read(i, 3), frames[i])) << i;
}

TEST_P(FewThreads, EncodeFramesThatWait) {
  const std::vector<Snapshot> snapshots = trajectory(300, 8);
  const Bytes expected = file_of(snapshots, 3);
  Bytes bytes;
  const Limit limit(GetParam());
  Writer writer(bytes, small_metadata(), 3);
  writer.set_key_interval(3);
  writer.set_order(Order::place);
  writer.set_effort(Effort::fast);
  writer.set_pending(1 << 30);
  write_all(writer, snapshots);
  writer.close();
  EXPECT_EQ(bytes, expected);
}

TEST_P(FewThreads, WorkWithinFrames) {
  const std::vector<Snapshot> snapshots = trajectory(40000, 2);
  const Bytes expected = file_of(snapshots, 2, 1, true, Order::id);
  const Frame frame = reader_of(expected).read(1);
  {
    const Limit limit(GetParam());
    EXPECT_EQ(file_of(snapshots, 2, 3, true, Order::id), expected);
  }
  const Reader reader = reader_of(expected);
  const Limit limit(GetParam());
  EXPECT_TRUE(same(reader.read(1, 3), frame));
}

INSTANTIATE_TEST_SUITE_P(Started, FewThreads, testing::Values(0, 1, 2));

// The dump then says that it cannot write in the background (gpz_background.cpp).
TEST(NoThread, IsAnErrorOfTheWriterThread) {
  threads_left = 0;
  EXPECT_THROW(LAMMPS_NS::GPZWriterThread(), std::system_error);
  threads_left = 1 << 30;
}

}  // namespace
}  // namespace gpz::test
