// SPDX-License-Identifier: BSD-3-Clause
// Frames written behind a simulation, without LAMMPS: the file is the one that a single thread writes. Runs on any
// number of ranks.
#include <mpi.h>

#include <stdexcept>

#include "background_support.hpp"

namespace gpz::test {
namespace {

TEST(Background, WritesWholeFramesWithAWriter) {
  const Group alone(MPI_COMM_SELF);
  Bytes bytes;
  Writer writer(bytes, small_metadata());
  Buffers buffers;
  GPZBackground background(writer);
  for (int f = 0; f < frame_count; ++f) {
    FrameInfo info;
    const std::vector<EncodedChunk> chunks = alone.chunks(f, info);
    const int buffer = background.next_buffer();
    GPZChunk chunk = buffers.fill(buffer, chunks[0]);
    chunk.records = records_of(f);
    background.submit(info, entries_of(chunks), 0, 0, 0, chunk);
    if (f % 5 == 4) background.poll();
    // As after a run: what is in the file can be looked at.
    if (f % 4 == 3) {
      EXPECT_EQ(background.settle(), "");
      EXPECT_EQ(writer.frames().size(), static_cast<std::size_t>(f) + 1);
    }
  }
  EXPECT_EQ(background.settle(), "");
  EXPECT_EQ(bytes, expected_file(alone, frame_count));
}

class BackgroundOfAGroup : public GroupTest {
 protected:
  // Writes the frames; `failing`: the one whose chunk the last rank cannot get.
  std::string write(GPZBackground &background, Buffers &buffers, int failing = frame_count) const {
    std::uint64_t offset = header_.size();
    for (int f = 0; f < frame_count; ++f) {
      FrameInfo info;
      const std::vector<EncodedChunk> chunks = group_.chunks(f, info);
      const int buffer = background.next_buffer();
      GPZChunk mine = buffers.fill(buffer, chunks[static_cast<std::size_t>(group_.me)]);
      if (f == failing && group_.me == group_.size - 1)
        mine.bytes = []() -> const std::uint8_t * { throw std::runtime_error("no chunk"); };
      const GPZRecords records = records_of(f);
      if (group_.me == 0) mine.records = records;
      offset += records.length() + background.submit(info, entries_of(chunks), static_cast<std::size_t>(group_.me),
                                                     offset, records.length(), mine);
      if (f % 5 == 4) background.poll();
    }
    return background.settle();
  }
};

TEST_P(BackgroundOfAGroup, WritesTheSameFile) {
  GPZBackground background(group_.comm, path_);
  ASSERT_EQ(background.problem(), "");
  Buffers buffers;
  EXPECT_EQ(write(background, buffers), "");
  MPI_Barrier(group_.comm);
  background.close();
  if (group_.me == 0) {
    EXPECT_EQ(file_.bytes(), expected_file(group_, frame_count));
  }
}

// The frames before it are complete, on whichever rank it fails, and nothing is behind them.
TEST_P(BackgroundOfAGroup, EndsBeforeAFrameThatFails) {
  constexpr int failing = 7;
  GPZBackground background(group_.comm, path_);
  ASSERT_EQ(background.problem(), "");
  Buffers buffers;
  EXPECT_EQ(write(background, buffers, failing), group_.me == group_.size - 1 ? "no chunk" : "");
  MPI_Barrier(group_.comm);
  background.close();
  if (group_.me == 0) {
    EXPECT_EQ(file_.bytes(), expected_file(group_, failing));
  }
}

INSTANTIATE_TEST_SUITE_P(OfAllRanks, BackgroundOfAGroup, testing::Values(false, true));

}  // namespace
}  // namespace gpz::test

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  MPI_Finalize();
  return failed;
}
