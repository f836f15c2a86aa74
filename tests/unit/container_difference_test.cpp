// SPDX-License-Identifier: BSD-3-Clause
// The heads of difference frames, and what they build on (docs/format.md, section 3).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "container_support.hpp"
#include "gpz/container.hpp"

namespace gpz::test::container_difference_test {
namespace {

FrameInfo difference_info() {
  FrameInfo info = Particles(0).info;
  info.particles = 2;
  info.fields.resize(2);
  info.fields[0].leading = true;
  info.fields[0].bound = info.fields[0].step = 0.5;
  info.fields[0].components = {{"y", 1}};
  info.fields[1].type = ValueType::integer;
  info.fields[1].components = {{"id", 0}};
  info.since_key = 0x0201;
  info.reference = 0x1122334455667788;
  return info;
}

TEST(DifferenceFrame, Head) {
  const FrameRecord record = frame_record(difference_info(), {{2, 8, 5}});
  const Bytes head(record.prefix.begin() + 24, record.prefix.end() - 8);
  EXPECT_EQ(record.checksum, format::load_little<std::uint64_t>(record.prefix.data() + record.prefix.size() - 8));
  EXPECT_EQ(format::load_little<std::uint16_t>(head.data() + 130), 0x0201);

  // All of a key frame's head, except the number and the codecs; then the reference.
  FrameInfo key_info = difference_info();
  key_info.since_key = 0;
  const Bytes key_prefix = frame_record(key_info, {{2, 8, 5}}).prefix;
  const Bytes key(key_prefix.begin() + 24, key_prefix.end() - 8);
  Bytes entry(32);
  put_u64(entry, 0, 2);
  put_u64(entry, 8, 8);
  put_u64(entry, 16, 5);
  put_u64(entry, 24, 0x1122334455667788);
  const auto at = std::search(head.begin(), head.end(), entry.begin(), entry.end());
  ASSERT_NE(at, head.end());
  EXPECT_EQ(head.size(), format::round_up_8(static_cast<std::uint64_t>(at - head.begin()) + entry.size()));
  std::vector<std::ptrdiff_t> changed;
  for (std::ptrdiff_t i = 0; i < at - head.begin() + 24; ++i)
    if (head[static_cast<std::size_t>(i)] != key[static_cast<std::size_t>(i)]) changed.push_back(i);
  ASSERT_EQ(changed.size(), 2 + difference_info().fields.size());
  EXPECT_EQ(changed[2], 136 + 3);
  for (std::size_t i = 2; i < changed.size(); ++i) EXPECT_EQ(head[static_cast<std::size_t>(changed[i])], 2);

  const format::FrameHead parsed = format::parse_frame_head(head.data(), head.size(), 8);
  EXPECT_EQ(parsed.info.since_key, 0x0201);
  EXPECT_EQ(parsed.info.reference, 0x1122334455667788u);
  EXPECT_EQ(parsed.info.fields.size(), difference_info().fields.size());
}

TEST(DifferenceFrame, ReaderRefusesFaultsInTheHead) {
  const Bytes prefix = frame_record(difference_info(), {{2, 8, 0}}).prefix;
  const Bytes head(prefix.begin() + 24, prefix.end() - 8);
  const auto status = [&](std::size_t position, std::uint8_t value) {
    Bytes changed = head;
    changed[position] = value;
    return status_of([&] { format::parse_frame_head(changed.data(), changed.size(), 8); });
  };
  const std::size_t field = 136;
  EXPECT_EQ(status(130, 9), Status::ok);                         // another number: only the previous frame can tell
  EXPECT_EQ(status(field + 3, 1), Status::corrupt);              // codec: that of key frames
  EXPECT_EQ(status(field + 3, 3), Status::unsupported_version);  // unknown
  Bytes key = head;
  key[130] = key[131] = 0;  // then the codecs are wrong
  EXPECT_EQ(status_of([&] { format::parse_frame_head(key.data(), key.size(), 8); }), Status::corrupt);
  for (std::size_t size = 0; size < head.size(); size += 8) {
    EXPECT_EQ(status_of([&] { format::parse_frame_head(head.data(), size, 8); }), Status::corrupt) << size;
  }
  Bytes longer = head;
  longer.resize(head.size() + 8);
  EXPECT_EQ(status_of([&] { format::parse_frame_head(longer.data(), longer.size(), 8); }), Status::corrupt);
}

// Key frame, two that build on it, key frame; `chunks` of no fields each.
std::vector<Bytes> linked_frames(std::size_t chunks = 1) {
  std::vector<Bytes> records;
  std::uint64_t reference = 0;
  for (const int since_key : {0, 1, 2, 0}) {
    FrameInfo info;
    info.timestep = static_cast<std::int64_t>(records.size());
    info.since_key = static_cast<std::uint16_t>(since_key);
    info.reference = reference;
    // A chunk without fields and particles, of kind 0.
    Bytes chunk(8);
    put_u32(chunk, 0, 1024);
    const FrameRecord record =
        frame_record(info, std::vector<ChunkEntry>(chunks, {0, 8, format::xxh3(chunk.data(), chunk.size())}));
    reference = record.checksum;
    records.push_back(record.prefix);
    for (std::size_t k = 0; k < chunks; ++k) records.back().insert(records.back().end(), chunk.begin(), chunk.end());
    records.back().insert(records.back().end(), record.trailer.begin(), record.trailer.end());
  }
  return records;
}

TEST(DifferenceFrame, BuildsOnTheFrameBeforeAlone) {
  const Bytes header = file_header({});
  const std::vector<Bytes> one = linked_frames();
  const std::vector<Bytes> two = linked_frames(2);
  const struct {
    const char *what;
    Bytes bytes;
    std::vector<Status> frames;
  } cases[] = {
      {"sound", joined({header, one[0], one[1], one[2], one[3]}), {Status::ok, Status::ok, Status::ok, Status::ok}},
      {"no key frame", joined({header, one[1], one[3]}), {Status::corrupt, Status::ok}},
      {"one left out", joined({header, one[0], one[2], one[3]}), {Status::ok, Status::corrupt, Status::ok}},
      {"twice the same", joined({header, one[0], one[1], one[1]}), {Status::ok, Status::ok, Status::corrupt}},
      {"another key frame", joined({header, one[3], one[1], one[2]}), {Status::ok, Status::corrupt, Status::corrupt}},
      {"other chunks", joined({header, two[0], one[1]}), {Status::ok, Status::corrupt}},
  };
  for (const auto &c : cases) {
    const Reader reader = reader_of(c.bytes);
    ASSERT_EQ(reader.frames(), c.frames.size()) << c.what;
    for (std::size_t i = c.frames.size(); i-- > 0;)
      EXPECT_EQ(status_of([&] { reader.read(i); }), c.frames[i]) << c.what << ", frame " << i << ", backwards";
    std::size_t whole = 0;  // at the start
    for (std::size_t i = 0; i < c.frames.size(); ++i) {
      EXPECT_EQ(status_of([&] { reader.read(i); }), c.frames[i]) << c.what << ", frame " << i;
      if (c.frames[i] == Status::ok && whole == i) ++whole;
    }
    const Streamed streamed = stream(c.bytes);
    EXPECT_EQ(streamed.frames.size(), whole) << c.what;
    EXPECT_EQ(streamed.status, whole == c.frames.size() ? Status::ok : Status::corrupt) << c.what;
  }
}

}  // namespace
}  // namespace gpz::test::container_difference_test
