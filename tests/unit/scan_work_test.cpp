// SPDX-License-Identifier: BSD-3-Clause
// Files full of what looks like records: finding the true ones reads, and so hashes, every byte a few times at most.
// The scan hashes nothing that it has not read for the purpose.
#include "container_support.hpp"
#include "counting_source.hpp"

namespace gpz::test::scan_work_test {
namespace {

// The result of scanning. Scanning may read every byte once in search of markers, twice as part of a head, and 24 bytes
// at the start and at the end of what looks like a record, which takes 24 bytes at least.
FileScan scan_in_proportion(const Bytes &bytes, bool use_index) {
  constexpr std::uint64_t times = 5;
  CountingSource::Counts counts;
  const CountingSource source(bytes, counts);
  FileScan found;
  try {
    found = api::scan(source, use_index);
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), Status::corrupt);
    EXPECT_EQ(error.cause(), "too many false records");
    found.damaged = true;
  }
  EXPECT_LE(counts.bytes, times * bytes.size());
  return found;
}

constexpr std::size_t megabyte = std::size_t{1} << 20;
constexpr std::uint32_t skipped_type = 0x80000009u;
constexpr std::uint32_t unknown_type = 9;

void append(Bytes &bytes, const Bytes &piece) { bytes.insert(bytes.end(), piece.begin(), piece.end()); }

Bytes repeated(const Bytes &piece) {
  Bytes all = file_header({});
  while (all.size() < megabyte) append(all, piece);
  return all;
}

// A file of starts of records and nothing else, whose heads reach nearly to its end.
Bytes false_heads(std::uint32_t type) {
  Bytes bytes = file_header({});
  while (bytes.size() < megabyte) {
    const std::uint64_t length = (megabyte - bytes.size()) / 8 * 8 + 56;
    Bytes start = make_record(type, {}, {});
    start.resize(format::record_start_size);
    put_u32(start, 12, static_cast<std::uint32_t>(length - 56));
    put_u64(start, 16, length);
    append(bytes, start);
  }
  append(bytes, Bytes(56));
  return bytes;
}

TEST(ScanWork, SearchesOnceAmongFragments) {
  const FrameRecord frame = frame_record({}, {});
  const Bytes whole = joined({frame.prefix, frame.trailer});
  for (const Bytes &record : {make_record(skipped_type, {}, {}), frame.prefix, whole}) {
    const Bytes bytes = repeated(joined({record, Bytes(8)}));
    const FileScan found = scan_in_proportion(bytes, true);
    EXPECT_TRUE(found.torn);  // the last 8 bytes
    const std::size_t frames = (bytes.size() - file_header({}).size()) / (whole.size() + 8);
    EXPECT_EQ(found.frames.size(), record == whole ? frames : 0);
  }
}

TEST(ScanWork, HeadsWithoutTrailersAreNotRead) {
  const FileScan found = scan_in_proportion(false_heads(format::frame_type), true);
  EXPECT_TRUE(found.frames.empty());
  EXPECT_TRUE(found.torn);
}

// Only its checksum tells whether there is such a record, which no reader may skip.
TEST(ScanWork, GivesUpOnHeadsOfUnknownTypes) {
  EXPECT_TRUE(scan_in_proportion(false_heads(unknown_type), true).damaged);
}

// Heads that all end in the middle of the file, with trailers of their own that agree with all but their bytes.
TEST(ScanWork, GivesUpOnHeadsThatOverlap) {
  constexpr std::uint64_t count = megabyte / 48;
  Bytes bytes = file_header({});
  Bytes trailers(8, 0x55);
  for (std::uint64_t i = 0; i < count; ++i) {
    Bytes record = make_record(skipped_type, {}, {});
    const std::uint64_t head_length = 24 * (count - i - 1);
    const std::uint64_t length = 24 + head_length + 8 + 24 * (i + 1);
    put_u32(record, 12, static_cast<std::uint32_t>(head_length));
    put_u64(record, 16, length);
    bytes.insert(bytes.end(), record.begin(), record.begin() + format::record_start_size);
    put_u64(record, record.size() - 24, length);
    put_u64(record, record.size() - 16, 0x5555555555555555);
    trailers.insert(trailers.end(), record.end() - format::trailer_size, record.end());
  }
  append(bytes, trailers);
  EXPECT_TRUE(scan_in_proportion(bytes, true).damaged);
}

// Short frames, says the index; where they should be, heads begin that reach to the end of the file.
TEST(ScanWork, RecordsOfAnIndexAreNotReadBeyondTheirEnd) {
  Bytes bytes = false_heads(format::frame_type);
  std::vector<IndexEntry> entries;
  constexpr std::uint64_t length = 72;
  for (std::uint64_t position = file_header({}).size(); position + length <= bytes.size(); position += length)
    entries.push_back({position, length, 0, 0, 0});
  bytes.resize(entries.back().offset + length);
  append(bytes, index_record(entries));
  EXPECT_EQ(scan_in_proportion(bytes, true).frames.size(), entries.size());

  CountingSource::Counts counts;
  const CountingSource source(bytes, counts);
  Bytes prefix;
  for (const IndexEntry &entry : entries)
    EXPECT_FALSE(api::complete_record_at(source, entry.offset, entry.offset + entry.length, prefix));
  EXPECT_LE(counts.bytes, bytes.size());
}

// It lists frames at places where no record can be: the records are walked instead.
TEST(ScanWork, AnIndexThatIsNotUsedIsReadOnce) {
  std::vector<IndexEntry> entries(megabyte / 40);
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = {8 * i, 56, 0, 0, 0};
  const FileScan found = scan_in_proportion(joined({file_header({}), index_record(entries)}), true);
  EXPECT_TRUE(found.frames.empty());
  EXPECT_TRUE(found.has_index);
}

}  // namespace
}  // namespace gpz::test::scan_work_test
