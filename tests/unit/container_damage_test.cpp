// SPDX-License-Identifier: BSD-3-Clause
// Files that are cut, damaged or made to mislead: what comes out is whole frames or an error, never wrong data.
#include "container_support.hpp"

namespace gpz::test::container_damage_test {
namespace {

constexpr std::uint8_t changes[] = {0x01, 0x80, 0xFF};

// Where each record of a file with true lengths begins, and its end.
std::vector<std::size_t> record_positions(const Bytes &bytes) {
  std::vector<std::size_t> positions;
  const FileScan found = scan_bytes(bytes, false);
  for (const IndexEntry &frame : found.frames) positions.push_back(frame.offset);
  positions.push_back(found.frames_end);
  return positions;
}

std::vector<std::uint8_t> slice(const Bytes &bytes, std::size_t from, std::size_t to) {
  return {bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.begin() + static_cast<std::ptrdiff_t>(to)};
}

TEST(Truncation, AtEveryLengthLeavesTheCompleteFrames) {
  for (const bool with_index : {true, false}) {
    const Bytes whole = small_file(3, with_index);
    const std::vector<Frame> frames = read_all(whole);
    ASSERT_EQ(frames.size(), 3u);
    const std::vector<std::size_t> positions = record_positions(whole);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      SCOPED_TRACE(size);
      const Bytes cut = slice(whole, 0, size);
      if (size < positions[0]) {
        EXPECT_EQ(status_of([&] { reader_of(cut); }), Status::truncated);
        EXPECT_EQ(stream(cut).status, Status::truncated);
        continue;
      }
      std::size_t complete = 0;
      while (complete < 3 && positions[complete + 1] <= size) ++complete;

      for (const bool use_index : {true, false}) {
        const FileScan found = scan_bytes(cut, use_index);
        ASSERT_EQ(found.frames.size(), complete);
        EXPECT_EQ(found.frames_end, positions[complete]);
        EXPECT_EQ(found.torn, size != positions[complete]);
        EXPECT_FALSE(found.damaged);
        EXPECT_FALSE(found.has_index);
      }
      const Streamed streamed = stream(cut);
      ASSERT_EQ(streamed.frames.size(), complete);
      EXPECT_EQ(streamed.status, size == positions[complete] ? Status::ok : Status::truncated);
      const Reader reader = reader_of(cut);
      for (std::size_t f = 0; f < complete; ++f) {
        EXPECT_TRUE(same(streamed.frames[f], frames[f]));
        EXPECT_TRUE(same(reader.read(f), frames[f]));
      }
    }
  }
}

// Every frame that can be read from `bytes` is one of `frames`. Returns how many there were.
std::size_t expect_only(const std::vector<Frame> &frames, const Bytes &bytes) {
  std::size_t found = 0;
  const auto is_known = [&](const Frame &frame) {
    return std::any_of(frames.begin(), frames.end(), [&](const Frame &known) { return same(frame, known); });
  };
  status_of([&] {
    const Reader reader = reader_of(bytes);
    EXPECT_EQ(reader.metadata().units, "lj");
    for (std::size_t i = 0; i < reader.frames(); ++i) {
      status_of([&] {
        EXPECT_TRUE(is_known(reader.read(i)));
        ++found;
      });
    }
  });
  for (const Frame &frame : stream(bytes).frames) EXPECT_TRUE(is_known(frame));
  return found;
}

TEST(Corruption, OfAnyByteIsNeverDataAndCostsOneFrame) {
  for (const bool with_index : {true, false}) {
    const Bytes whole = small_file(3, with_index);
    const std::vector<Frame> frames = read_all(whole);
    const std::size_t first = record_positions(whole)[0];
    for (std::size_t position = 0; position < whole.size(); ++position) {
      for (const std::uint8_t change : changes) {
        SCOPED_TRACE(testing::Message() << "byte " << position << " ^ " << int{change});
        Bytes bytes = whole;
        bytes[position] ^= change;
        const std::size_t found = expect_only(frames, bytes);
        if (position < first) {
          EXPECT_EQ(found, 0u);  // the file header
        } else {
          EXPECT_GE(found, 2u);
        }
      }
    }
  }
}

// The reason for which a file is refused, or nothing.
bool blames_the_bytes(Status status) {
  return status == Status::ok || status == Status::not_gpz || status == Status::unsupported_version ||
         status == Status::corrupt || status == Status::truncated || status == Status::limit_exceeded;
}

// With true checksums over false content only the parsers can find the fault: a frame, or an error that says what is
// wrong with the bytes, but no crash (for the sanitizers).
TEST(Corruption, WithTrueChecksumsIsAnErrorOrAFrame) {
  const Bytes whole = small_file(2);
  const std::vector<std::size_t> positions = record_positions(whole);
  std::size_t refused = 0;
  for (std::size_t record = 0; record < positions.size(); ++record) {
    const std::size_t end = record + 1 < positions.size() ? positions[record + 1] : whole.size();
    for (std::size_t position = positions[record]; position < end; ++position) {
      for (const std::uint8_t change : changes) {
        Bytes bytes = whole;
        bytes[position] ^= change;
        mend_record(bytes, positions[record]);
        const Status opened = status_of([&] {
          const Reader reader = reader_of(bytes);
          for (std::size_t i = 0; i < reader.frames(); ++i) {
            const Status verified = status_of([&] { reader.verify(i); });
            EXPECT_TRUE(blames_the_bytes(verified)) << position << ": " << to_string(verified);
            refused += verified == Status::ok ? 0 : 1;
          }
        });
        EXPECT_TRUE(blames_the_bytes(opened)) << position << ": " << to_string(opened);
        refused += opened == Status::ok ? 0 : 1;
        const Status streamed = stream(bytes).status;
        EXPECT_TRUE(blames_the_bytes(streamed)) << position << ": " << to_string(streamed);
      }
    }
  }
  for (std::size_t position = 0; position < positions[0]; ++position) {
    Bytes bytes = whole;
    bytes[position] ^= 0x01;
    mend_file_header(bytes);
    const Status opened = status_of([&] { reader_of(bytes); });
    EXPECT_TRUE(blames_the_bytes(opened)) << position << ": " << to_string(opened);
    EXPECT_EQ(stream(bytes).status, opened) << position;
  }
  EXPECT_GT(refused, 100u);
}

TEST(Corruption, OfTheTrailerMakesAFrameIncomplete) {
  const Bytes whole = small_file(2, false);
  for (std::size_t position = whole.size() - format::trailer_size; position < whole.size(); ++position) {
    Bytes bytes = whole;
    bytes[position] ^= 0x10;
    const FileScan found = scan_bytes(bytes);
    EXPECT_EQ(found.frames.size(), 1u) << position;
    EXPECT_TRUE(found.torn);
    const Streamed streamed = stream(bytes);
    EXPECT_EQ(streamed.frames.size(), 1u) << position;
    EXPECT_EQ(streamed.status, Status::corrupt);
  }
}

TEST(Resync, FindsTheFramesAfterDamage) {
  const Bytes whole = small_file(3, false);
  const std::vector<Frame> frames = read_all(whole);
  const std::vector<std::size_t> at = record_positions(whole);
  const Bytes garbage(4096 + 8, 0xF5);

  Bytes no_head = whole;
  std::fill(no_head.begin() + static_cast<std::ptrdiff_t>(at[1]),
            no_head.begin() + static_cast<std::ptrdiff_t>(at[1] + 200), 0);
  const Bytes inserted = joined({slice(whole, 0, at[2]), garbage, slice(whole, at[2], at[3])});
  const Bytes half_gone = joined({slice(whole, 0, at[1] + 64), slice(whole, at[2], at[3])});
  struct Case {
    const char *name;
    Bytes bytes;
    std::vector<std::size_t> left;
  };
  const Case cases[] = {{"head", no_head, {0, 2}}, {"inserted", inserted, {0, 1, 2}}, {"half", half_gone, {0, 2}}};
  for (const Case &c : cases) {
    SCOPED_TRACE(c.name);
    const FileScan found = scan_bytes(c.bytes);
    EXPECT_TRUE(found.damaged);
    EXPECT_FALSE(found.torn);
    EXPECT_EQ(found.frames_end, c.bytes.size());
    const Reader reader = reader_of(c.bytes);
    ASSERT_EQ(reader.frames(), c.left.size());
    for (std::size_t i = 0; i < c.left.size(); ++i) EXPECT_TRUE(same(reader.read(i), frames[c.left[i]]));
    EXPECT_NE(stream(c.bytes).status, Status::ok);
  }
  // The marker alone is not enough: it counts at multiples of 8 only, and with a checksum.
  const Bytes shifted = joined({slice(whole, 0, at[2]), Bytes(4, 0), slice(whole, at[2], at[3])});
  EXPECT_EQ(scan_bytes(shifted).frames.size(), 2u);
  EXPECT_TRUE(scan_bytes(shifted).torn);
}

TEST(Resync, GoesThroughFilesPutTogether) {
  const Bytes a = small_file(2);
  const Bytes b = small_file(3);
  const FileScan found = scan_bytes(joined({a, b}));
  EXPECT_EQ(found.frames.size(), 5u);
  EXPECT_TRUE(found.damaged);  // the file header in the middle is no record
  EXPECT_TRUE(found.has_index);
  std::vector<Frame> frames = read_all(a);
  for (Frame &frame : read_all(b)) frames.push_back(frame);
  EXPECT_EQ(expect_only(frames, joined({a, b})), 5u);
}

// Lengths in true heads, with true checksums.
TEST(Hostile, LengthsOfRecords) {
  const Bytes whole = small_file(2, false);
  const std::vector<std::size_t> at = record_positions(whole);
  const std::uint64_t good = at[2] - at[1];
  for (const std::uint64_t length :
       {std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{56}, good - 8, good + 8, good + 1, std::uint64_t{1} << 32,
        std::uint64_t{1} << 62, std::uint64_t{1} << 63, ~std::uint64_t{0}, ~std::uint64_t{7}}) {
    SCOPED_TRACE(length);
    Bytes bytes = whole;
    put_u64(bytes, at[1] + 16, length);
    mend_record(bytes, at[1]);
    EXPECT_EQ(reader_of(bytes).frames(), 1u);
    const Streamed streamed = stream(bytes);
    EXPECT_EQ(streamed.frames.size(), 1u);
    EXPECT_NE(streamed.status, Status::ok);
  }
  for (const std::uint32_t head : {0u, 4u, 8u, 0x7FFFFFF8u, 0xFFFFFFF8u, 0xFFFFFFFFu}) {
    SCOPED_TRACE(head);
    Bytes bytes = whole;
    put_u32(bytes, at[1] + 12, head);
    mend_record(bytes, at[1]);
    EXPECT_EQ(reader_of(bytes).frames(), 1u);
    EXPECT_EQ(stream(bytes).frames.size(), 1u);
  }
}

// A true head that promises a terabyte: nothing of that size is allocated before the bytes are there.
TEST(Hostile, LengthsThatTheStreamDoesNotHave) {
  FrameInfo info;
  info.particles = 1;
  const FrameRecord frame = frame_record(info, {{1, std::uint64_t{1} << 40, 0}});
  EXPECT_EQ(stream(joined({file_header({}), frame.prefix, Bytes(100)})).status, Status::truncated);
  Bytes other = frame.prefix;
  put_u32(other, 8, 0x80000009u);
  mend_record(other, 0);
  EXPECT_EQ(stream(joined({file_header({}), other, Bytes(100)})).status, Status::truncated);
  Bytes long_head = make_record(1, {}, {});
  put_u32(long_head, 12, 0xFFFFFFF8u);
  put_u64(long_head, 16, std::uint64_t{1} << 40);
  EXPECT_EQ(stream(joined({file_header({}), long_head})).status, Status::truncated);
}

TEST(Hostile, ChunkTable) {
  const Bytes whole = small_file(1, false);
  const std::size_t start = record_positions(whole)[0];
  std::vector<ChunkEntry> chunks;
  const FrameInfo info = reader_of(whole).info(0, &chunks);
  ASSERT_EQ(chunks.size(), 1u);
  // The table is found by its particles and length.
  Bytes entry(16);
  put_u64(entry, 0, chunks[0].particles);
  put_u64(entry, 8, chunks[0].length);
  const auto found =
      std::search(whole.begin() + static_cast<std::ptrdiff_t>(start + 160), whole.end(), entry.begin(), entry.end());
  ASSERT_NE(found, whole.end());
  const auto table = static_cast<std::size_t>(found - whole.begin());

  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{4}, std::uint64_t{1} << 40, ~std::uint64_t{7}, ~std::uint64_t{0}}) {
    for (const std::size_t offset : {0, 8}) {
      Bytes bytes = whole;
      put_u64(bytes, table + offset, value);
      mend_record(bytes, start);
      EXPECT_EQ(reader_of(bytes).frames(), 0u) << value;
      EXPECT_EQ(stream(bytes).status, Status::corrupt) << value;
      // The particles of the frame in agreement with those of the chunk: now the chunk itself has to refuse them.
      if (offset == 0) {
        put_u64(bytes, start + 24, value);
        mend_record(bytes, start);
        const Reader reader = reader_of(bytes);
        ASSERT_EQ(reader.frames(), 1u);
        EXPECT_NE(status_of([&] { reader.read(0); }), Status::ok) << value;
        EXPECT_NE(stream(bytes).status, Status::ok) << value;
      }
    }
  }
}

TEST(Hostile, IndexThatLies) {
  const Bytes whole = small_file(3);
  const std::vector<Frame> frames = read_all(whole);
  const std::vector<std::size_t> at = record_positions(whole);
  const std::size_t index = at[3];
  const auto changed = [&](std::size_t position, std::uint64_t value) {
    Bytes bytes = whole;
    put_u64(bytes, index + position, value);
    mend_record(bytes, index);
    return bytes;
  };
  // Count, offset, length: not used, the records are walked.
  for (const std::size_t position : {24, 32, 40, 72, 80}) {
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{8}, std::uint64_t{1} << 61,
                                      ~std::uint64_t{0}, ~std::uint64_t{7}}) {
      EXPECT_EQ(expect_only(frames, changed(position, value)), 3u) << position << " " << value;
    }
  }
  // Timestep, time, particles: the frame itself says otherwise.
  for (const std::size_t position : {48, 56, 64}) {
    const Bytes bytes = changed(position, 12345);
    const Reader reader = reader_of(bytes);
    EXPECT_EQ(status_of([&] { reader.read(0); }), Status::corrupt);
    EXPECT_EQ(status_of([&] { reader.info(0); }), Status::corrupt);
    EXPECT_TRUE(same(reader.read(1), frames[1]));
  }
}

TEST(UnknownRecords, OptionalOnesAreSkippedAndRequiredOnesRefused) {
  const Bytes whole = small_file(2, false);
  const std::vector<Frame> frames = read_all(whole);
  const std::vector<std::size_t> at = record_positions(whole);
  for (const std::uint32_t type : {0x80000003u, 0x80000001u, 0xFFFFFFFFu}) {
    const Bytes record = make_record(type, Bytes(16, 7), Bytes(40, 9));
    const Bytes bytes = joined({slice(whole, 0, at[1]), record, slice(whole, at[1], at[2]), record});
    const FileScan found = scan_bytes(bytes);
    EXPECT_EQ(found.frames.size(), 2u);
    EXPECT_FALSE(found.damaged || found.torn);
    EXPECT_EQ(found.frames_end, bytes.size());
    EXPECT_EQ(expect_only(frames, bytes), 2u);
    const Streamed streamed = stream(bytes);
    EXPECT_EQ(streamed.status, Status::ok);
    EXPECT_EQ(streamed.frames.size(), 2u);
  }
  for (const std::uint32_t type : {0u, 3u, 0x7FFFFFFFu}) {
    const Bytes bytes = joined({slice(whole, 0, at[1]), make_record(type, {}, {}), slice(whole, at[1], at[2])});
    EXPECT_EQ(status_of([&] { scan_bytes(bytes); }), Status::unsupported_version);
    EXPECT_EQ(stream(bytes).status, Status::unsupported_version);
  }
}

TEST(Reader, NamesFileAndPositionOfDamage) {
  Bytes bytes = small_file(2);
  const std::vector<std::size_t> at = record_positions(bytes);
  bytes[at[2] - 40] ^= 1;  // in the last chunk
  const TemporaryFile file;
  file.set(bytes);
  const Reader reader(file.path());
  EXPECT_EQ(status_of([&] { reader.verify(0); }), Status::ok);
  try {
    reader.verify(1);
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), Status::corrupt);
    EXPECT_EQ(error.file(), file.path());
    EXPECT_GT(error.position(), at[1]);
    EXPECT_LT(error.position(), at[2]);
  }
  EXPECT_EQ(status_of([&] { reader.read(2); }), Status::not_found);
}

TEST(Reader, DecodesTheWantedFieldsOnly) {
  const Bytes bytes = small_file(1);
  const Frame whole = reader_of(bytes).read(0);
  const Frame ids = reader_of(bytes).read(0, 1, {false, true, false});
  EXPECT_EQ(ids.find("id")->integers, whole.find("id")->integers);
  EXPECT_TRUE(ids.find("x")->floats.empty());
  EXPECT_EQ(ids.find("none"), nullptr);
  EXPECT_EQ(status_of([&] { reader_of(bytes).read(0, 1, {true}); }), Status::invalid_argument);
}

}  // namespace
}  // namespace gpz::test::container_damage_test
