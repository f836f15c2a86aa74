// SPDX-License-Identifier: BSD-3-Clause
// A file is scanned while a program writes it: several frames are on their way, and are completed in their order by
// their trailers, between any two reads of the scan.
#include "container_support.hpp"

namespace gpz::test::scan_growing_test {
namespace {

constexpr std::size_t count = 5;

// All but the first of the frames lack their trailers. From the read number `first` on, each read finds one more of
// them.
class GrowingSource final : public api::Source {
 public:
  GrowingSource(Bytes bytes, std::vector<IndexEntry> frames, std::size_t first)
      : bytes_(std::move(bytes)), frames_(std::move(frames)), first_(first), name_("memory") {}
  const std::string &name() const override { return name_; }
  std::uint64_t size() const override { return bytes_.size(); }
  void read_at(std::uint64_t position, void *data, std::size_t size) const override {
    ++reads_;
    const std::size_t complete = reads_ < first_ ? 1 : std::min(count, 1 + reads_ - first_);
    Bytes now = bytes_;
    for (std::size_t i = complete; i < count; ++i) {
      const std::uint64_t end = frames_[i].offset + frames_[i].length;
      std::fill(now.begin() + static_cast<std::ptrdiff_t>(end - format::trailer_size),
                now.begin() + static_cast<std::ptrdiff_t>(end), std::uint8_t{0});
    }
    api::MemorySource(now.data(), now.size(), name_).read_at(position, data, size);
  }
  std::size_t reads() const { return reads_; }

 private:
  Bytes bytes_;
  std::vector<IndexEntry> frames_;
  std::size_t first_;
  std::string name_;
  mutable std::size_t reads_ = 0;
};

TEST(ScanGrowing, FindsCompleteFramesAndNoDamage) {
  Bytes bytes = file_header({});
  std::vector<IndexEntry> frames;
  for (std::size_t i = 0; i < count; ++i) {
    const FrameRecord frame = frame_record({}, {});
    frames.push_back({bytes.size(), frame.length, 0, 0, 0});
    bytes.insert(bytes.end(), frame.prefix.begin(), frame.prefix.end());
    bytes.insert(bytes.end(), frame.trailer.begin(), frame.trailer.end());
  }
  std::size_t most = 0, fewest = count;
  for (std::size_t first = 1, reads = 1; first <= reads + 1; ++first) {
    const GrowingSource source(bytes, frames, first);
    const FileScan found = api::scan(source, true);
    reads = source.reads();
    EXPECT_FALSE(found.damaged) << first;
    ASSERT_LE(found.frames.size(), count) << first;
    for (std::size_t i = 0; i < found.frames.size(); ++i) EXPECT_EQ(found.frames[i].offset, frames[i].offset) << first;
    most = std::max(most, found.frames.size());
    fewest = std::min(fewest, found.frames.size());
  }
  EXPECT_EQ(most, count);
  EXPECT_EQ(fewest, 1U);
}

}  // namespace
}  // namespace gpz::test::scan_growing_test
