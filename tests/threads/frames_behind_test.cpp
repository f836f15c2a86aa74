// SPDX-License-Identifier: BSD-3-Clause
// Frames compressed behind a simulation, without LAMMPS: their places in the file are those that the sizes of all ranks
// say, and no frame that a rank could not compress gets one. Runs on any number of ranks.
#include <gtest/gtest.h>

#include <stdexcept>

#include "background_support.hpp"
#include "gpz_frames_behind.h"

namespace gpz::test {
namespace {

using LAMMPS_NS::GPZFramesBehind;

class FramesBehind : public GroupTest {
 protected:
  // Compresses the frames, as a dump does. `failing`: the one that the last rank cannot compress. Returns how many got
  // a place.
  int write(GPZBackground &background, int failing = frame_count) {
    GPZFramesBehind behind(group_.comm);
    EXPECT_EQ(behind.problem(), "");
    Buffers buffers;
    offset_ = header_.size();
    placed_ = 0;
    lost_ = false;
    for (int f = 0; f < frame_count && !lost_; ++f) {
      while (behind.size() == GPZBackground::nbuffers) place(behind, background, true);
      if (lost_) break;  // which the ranks of a dump tell each other
      const int buffer = background.next_buffer(behind.size());
      FrameInfo info;
      const std::vector<EncodedChunk> chunks = group_.chunks(f, info);
      GPZChunk chunk;
      chunk.compress = [&buffers, buffer, mine = chunks[static_cast<std::size_t>(group_.me)],
                        fails = f == failing && group_.me == group_.size - 1](GPZChunk &result) {
        if (fails) throw std::runtime_error("no chunk");
        const GPZRecords records = result.records;
        result = buffers.fill(buffer, mine);
        result.records = records;
      };
      if (group_.me == 0) chunk.records = records_of(f);
      info.particles = 0;
      behind.add(info, chunk);
      if (f % 5 == 4) place(behind, background, false);
    }
    while (place(behind, background, true)) {
    }
    EXPECT_EQ(behind.size(), 0);
    EXPECT_EQ(background.settle(), "");
    return placed_;
  }

 private:
  std::uint64_t offset_ = 0;
  int placed_ = 0;
  bool lost_ = false;

  bool place(GPZFramesBehind &behind, GPZBackground &background, bool wait) {
    GPZFramesBehind::Frame *const frame = behind.first(wait, "");
    if (!frame) return false;
    if (!frame->good) {
      EXPECT_EQ(frame->problem, group_.me == group_.size - 1 ? "cannot compress: no chunk" : "");
      behind.drop_all();
      lost_ = true;
      return false;
    }
    offset_ += frame->records + background.submit(frame->info, frame->entries, frame->before, offset_, frame->records,
                                                  std::move(frame->chunk));
    behind.drop_first();
    ++placed_;
    return true;
  }
};

TEST_P(FramesBehind, HaveTheirPlaces) {
  GPZBackground background(group_.comm, path_);
  EXPECT_EQ(write(background), frame_count);
  MPI_Barrier(group_.comm);
  background.close();
  if (group_.me == 0) {
    EXPECT_EQ(file_.bytes(), expected_file(group_, frame_count));
  }
}

TEST_P(FramesBehind, EndBeforeOneThatARankCannotCompress) {
  for (const int failing : {0, 1, 7, frame_count - 1}) {
    if (group_.me == 0) file_.set(header_);
    MPI_Barrier(group_.comm);
    GPZBackground background(group_.comm, path_);
    EXPECT_EQ(write(background, failing), failing);
    MPI_Barrier(group_.comm);
    background.close();
    if (group_.me == 0) {
      EXPECT_EQ(file_.bytes(), expected_file(group_, failing));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfAllRanks, FramesBehind, testing::Values(false, true));

}  // namespace
}  // namespace gpz::test
