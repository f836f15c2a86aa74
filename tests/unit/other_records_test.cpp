// SPDX-License-Identifier: BSD-3-Clause
// Records that are neither frames nor indices (docs/format.md, sections 2 and 11): where an index is used although they
// lie between frames, and how they are read, written and kept when a file is continued.
#include "container_support.hpp"
#include "counting_source.hpp"
#include "gpz/gpz.h"

namespace gpz::test::other_records_test {
namespace {

constexpr std::uint32_t type = 0x80000009u;

// Two types, heads of 8 bytes, bodies of 0 to 32.
StoredRecord other(int number) {
  return {type + static_cast<std::uint32_t>(number % 2), Bytes(8, static_cast<std::uint8_t>(number)),
          Bytes(static_cast<std::size_t>(8 * (number % 5)), static_cast<std::uint8_t>(100 + number))};
}

Bytes bytes_of(const StoredRecord &record) { return make_record(record.type, record.head, record.body); }

// A file of bare frames: pieces[k] in front of frame k, the last one behind the last frame, then an index.
Bytes file_with(const std::vector<Bytes> &pieces, std::vector<IndexEntry> *entries = nullptr) {
  Bytes bytes = file_header({});
  std::vector<IndexEntry> frames;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    bytes = joined({bytes, pieces[k]});
    if (k + 1 == pieces.size()) break;
    FrameInfo info;
    info.timestep = static_cast<std::int64_t>(k);
    const FrameRecord frame = frame_record(info, {});
    frames.push_back({bytes.size(), frame.length, info.timestep, info.time, 0});
    bytes = joined({bytes, frame.prefix, frame.trailer});
  }
  if (entries != nullptr) *entries = frames;
  return joined({bytes, index_record(frames)});
}

std::vector<Bytes> between(std::size_t frames) {
  std::vector<Bytes> pieces(frames + 1);
  for (std::size_t k = 1; k < frames; ++k) pieces[k] = bytes_of(other(static_cast<int>(k)));
  return pieces;
}

TEST(OtherRecords, AnIndexIsUsedWithAFewReadsHoweverManyThereAre) {
  std::vector<std::size_t> reads;
  for (const std::size_t frames : {100u, 1000u}) {
    const Bytes bytes = file_with(between(frames));
    CountingSource::Counts counts;
    const CountingSource source(bytes, counts);
    const FileScan found = api::scan(source, true);
    EXPECT_TRUE(found.from_index && found.has_index);
    EXPECT_FALSE(found.torn || found.damaged);
    ASSERT_EQ(found.frames.size(), frames);
    for (std::size_t k = 0; k < frames; ++k) EXPECT_EQ(found.frames[k].timestep, static_cast<std::int64_t>(k));
    reads.push_back(counts.requests);

    const FileScan walked = api::scan(source, false);
    EXPECT_FALSE(walked.from_index || walked.torn || walked.damaged);
    EXPECT_EQ(walked.records.size(), frames - 1);
    EXPECT_EQ(walked.frames_begin, found.frames_begin);
    EXPECT_EQ(walked.frames_end, found.frames_end);
    ASSERT_EQ(walked.frames.size(), frames);
    for (std::size_t k = 0; k < frames; ++k) EXPECT_EQ(walked.frames[k].offset, found.frames[k].offset);
  }
  EXPECT_EQ(reads[0], reads[1]);
  EXPECT_LT(reads[0], 60u);
}

// An index is not used where the first or last space, or one of few, has anything but other records. The walk then
// finds what there is.
TEST(OtherRecords, WhatIsNoOtherRecordBetweenFramesMakesTheIndexUseless) {
  const Bytes record = bytes_of(other(1));
  const FrameRecord bare = frame_record({}, {});
  Bytes broken = record;
  broken[broken.size() - 1] ^= 1;  // its trailer
  struct Case {
    const char *name;
    Bytes piece;
    std::size_t frames;  // that the walk finds
    bool damaged;
  };
  const std::vector<Case> cases = {
      {"zeros", Bytes(64), 3, true},
      {"too short for a record", Bytes(8), 3, true},
      {"a record that is damaged", joined({record, broken}), 3, true},
      {"a frame that is not in the index", joined({bare.prefix, bare.trailer}), 4, false},
      {"an index", joined({record, index_record({})}), 3, false},
      {"another file", joined({record, file_header({}), record}), 3, true},
  };
  for (const Case &one : cases)
    for (std::size_t k = 0; k < 4; ++k) {
      SCOPED_TRACE(testing::Message() << one.name << " " << k);
      std::vector<Bytes> pieces(4);
      pieces[k] = one.piece;
      const FileScan found = scan_bytes(file_with(pieces));
      EXPECT_FALSE(found.from_index);
      EXPECT_EQ(found.frames.size(), one.frames);
      EXPECT_EQ(found.damaged, one.damaged);
    }
}

TEST(OtherRecords, ATypeThatMustBeKnownIsRefusedWhereItIsSeen) {
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<Bytes> pieces(3);
    pieces[k] = make_record(9, Bytes(8), {});
    EXPECT_EQ(status_of([&] { scan_bytes(file_with(pieces)); }), Status::unsupported_version);
  }
}

// The offsets in the index of the second file are places in the first one. Of many spaces between frames only a few are
// looked at; the last one, which shows that, is among them.
TEST(OtherRecords, FilesPutTogetherAreWalked) {
  for (const std::vector<Bytes> &pieces : {between(5), between(20), std::vector<Bytes>(6)}) {
    const Bytes one = file_with(pieces);
    const FileScan found = scan_bytes(joined({one, one}));
    EXPECT_FALSE(found.from_index);
    EXPECT_TRUE(found.damaged);  // the header in the middle
    EXPECT_EQ(found.frames.size(), 2 * (pieces.size() - 1));
  }
}

// With any number in it changed, an index is used as it says or not at all.
TEST(OtherRecords, FalseEntriesOfAnIndex) {
  std::vector<IndexEntry> entries;
  const Bytes bytes = file_with(between(4), &entries);
  const std::size_t index = bytes.size() - index_record(entries).size();
  for (std::size_t k = 0; k < entries.size(); ++k)
    for (const std::size_t member : {0u, 8u})
      for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{48}, std::uint64_t{1} << 63,
                                        ~std::uint64_t{0}, ~std::uint64_t{7}, std::uint64_t{bytes.size()}}) {
        Bytes changed = bytes;
        put_u64(changed, index + 24 + 8 + 40 * k + member, value);
        mend_record(changed, index);
        const FileScan found = scan_bytes(changed);
        EXPECT_FALSE(found.from_index) << k << " " << member << " " << value;
        EXPECT_EQ(found.frames.size(), entries.size());
      }
}

std::vector<StoredRecord> records_at(const Reader &reader, std::size_t i) {
  std::vector<StoredRecord> records;
  for (const RecordEntry &entry : reader.records(i)) records.push_back(reader.stored(entry));
  return records;
}

void expect_same(const std::vector<StoredRecord> &records, const std::vector<int> &numbers) {
  ASSERT_EQ(records.size(), numbers.size());
  for (std::size_t k = 0; k < records.size(); ++k) EXPECT_EQ(bytes_of(records[k]), bytes_of(other(numbers[k])));
}

// Two records in front of frame 0, none before frame 1, one before frame 2, one behind it.
Bytes written(Effort effort = Effort::standard) {
  Bytes memory;
  Writer writer(memory, small_metadata());
  writer.set_effort(effort);
  writer.write(other(1));
  writer.write(other(2));
  for (int f = 0; f < 3; ++f) {
    if (f == 2) writer.write(other(3));
    const Particles particles(f);
    writer.write(particles.info, particles.fields);
  }
  writer.write(other(4));
  writer.close();
  return memory;
}

TEST(OtherRecords, AreReadWhereTheyWereWritten) {
  const Bytes bytes = written();
  const Bytes no_index(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(scan_bytes(bytes).frames_end));
  for (const Bytes *const file : {&bytes, &no_index}) {
    const Reader reader = reader_of(*file);
    EXPECT_EQ(reader.scan().from_index, file == &bytes);
    expect_same(records_at(reader, 0), {1, 2});
    expect_same(records_at(reader, 1), {});
    expect_same(records_at(reader, 2), {3});
    expect_same(records_at(reader, 3), {4});
    EXPECT_EQ(status_of([&] { reader.records(4); }), Status::not_found);
  }
}

// They change neither the frames nor the features that the header gets from the first frame.
TEST(OtherRecords, LeaveFramesAsTheyAre) {
  for (const Effort effort : {Effort::fast, Effort::standard, Effort::dense}) {
    Bytes plain;
    Writer writer(plain, small_metadata());
    writer.set_effort(effort);
    for (int f = 0; f < 3; ++f) {
      const Particles particles(f);
      writer.write(particles.info, particles.fields);
    }
    writer.close();
    const Bytes mixed = written(effort);
    const Reader a = reader_of(plain), b = reader_of(mixed);
    EXPECT_EQ(a.metadata().features, b.metadata().features);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(a.stored(i).bytes, b.stored(i).bytes);
      EXPECT_TRUE(same(a.read(i), b.read(i)));
    }
    EXPECT_EQ(stream(mixed).frames.size(), 3u);
  }
}

TEST(OtherRecords, ComeOutOfAPipe) {
  const Bytes bytes = written();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  close(ends[1]);
  StreamReader reader(ends[0], "pipe");
  std::vector<StoredRecord> records;
  reader.on_record([&](const StoredRecord &record) { records.push_back(record); });
  Frame frame;
  const std::vector<std::vector<int>> expected = {{1, 2}, {}, {3}, {4}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    records.clear();
    EXPECT_EQ(reader.next(frame), i < 3);
    expect_same(records, expected[i]);
  }
  close(ends[0]);
}

TEST(OtherRecords, OfTypesAndLengthsThatNoReaderSkipsAreRefused) {
  Bytes memory;
  Writer writer(memory, small_metadata());
  const std::size_t before = memory.size();
  for (const StoredRecord &wrong : {StoredRecord{1, Bytes(8), {}}, StoredRecord{9, Bytes(8), {}},
                                    StoredRecord{type, Bytes(7), {}}, StoredRecord{type, {}, Bytes(12)}}) {
    EXPECT_EQ(status_of([&] { writer.write(wrong); }), Status::invalid_argument);
    EXPECT_EQ(status_of([&] { record_bytes(wrong); }), Status::invalid_argument);
  }
  writer.close();
  EXPECT_EQ(memory.size(), before + index_record({}).size());
  EXPECT_EQ(record_bytes(other(1)), bytes_of(other(1)));
}

// A file without frames has them after sync() or close(); from sync() on the header stays as it is.
TEST(OtherRecords, WaitForTheFirstFrameOrSync) {
  Bytes memory;
  Writer writer(memory, small_metadata());
  const std::size_t header = memory.size();
  writer.write(other(1));
  EXPECT_EQ(memory.size(), header);
  EXPECT_EQ(writer.size(), header + bytes_of(other(1)).size());
  writer.sync();
  EXPECT_EQ(memory.size(), writer.size());
  const Particles particles(0);
  writer.write(particles.info, particles.fields);
  writer.close();
  EXPECT_EQ(reader_of(memory).metadata().features, 0u);
  EXPECT_TRUE(same(reader_of(memory).read(0), read_all(small_file(1))[0]));

  Writer none(memory, small_metadata());
  none.write(other(1));
  none.write(other(2));
  none.close();
  EXPECT_TRUE(scan_bytes(memory).from_index);
  expect_same(records_at(reader_of(memory), 0), {1, 2});
}

TEST(OtherRecords, StayWhenAFileIsContinued) {
  for (const bool with_index : {true, false}) {
    Bytes bytes = written();
    if (!with_index) bytes.resize(scan_bytes(bytes).frames_end + 4);  // torn
    const TemporaryFile file;
    file.set(bytes);
    {
      Writer writer(file.path(), small_metadata(), Writer::Mode::append);
      writer.write(other(5));
      const Particles particles(3);
      writer.write(particles.info, particles.fields);
      writer.close();
    }
    const Reader reader(file.path());
    EXPECT_TRUE(reader.scan().from_index);
    ASSERT_EQ(reader.frames(), 4u);
    expect_same(records_at(reader, 0), {1, 2});
    expect_same(records_at(reader, 3), {4, 5});
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(same(reader.read(i), reader_of(written()).read(i)));
  }
}

// A file that gets a record and no frame has an index again.
TEST(OtherRecords, AreAllThatAFileGets) {
  const TemporaryFile file;
  file.set(written());
  Writer writer(file.path(), {}, Writer::Mode::append);
  writer.write(other(5));
  Particles refused(3);
  refused.fields[0].field.bound = 0.5;
  EXPECT_EQ(status_of([&] { writer.write(refused.info, refused.fields); }), Status::invalid_argument);
  writer.close();
  const Reader reader(file.path());
  EXPECT_TRUE(reader.scan().from_index);
  EXPECT_EQ(reader.frames(), 3u);
  expect_same(records_at(reader, 3), {4, 5});
}

// Bytes between frames that an index promises records in are looked at where they are asked for.
gpz_record record_of(const StoredRecord &from) {
  gpz_record record = gpz_new_record();
  record.type = from.type;
  record.head = from.head.data();
  record.head_size = from.head.size();
  record.body = from.body.data();
  record.body_size = from.body.size();
  return record;
}

Bytes bytes_at(const void *from, std::size_t size) {
  const auto *const bytes = static_cast<const std::uint8_t *>(from);
  return Bytes(bytes, bytes + size);
}

TEST(OtherRecords, InC) {
  gpz_writer *writer = nullptr;
  ASSERT_EQ(gpz_writer_open_memory(nullptr, 1, &writer), GPZ_OK);
  const double x[2] = {1, 2};
  const gpz_field field = gpz_column("x", GPZ_FLOAT64, x);
  // One record in front of the first frame, two behind it, none behind the second, one at the end.
  const std::vector<std::vector<int>> numbers = {{1}, {2, 3}, {}, {4}};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (const int number : numbers[i]) {
      const StoredRecord stored = other(number);
      const gpz_record record = record_of(stored);
      ASSERT_EQ(gpz_writer_write_record(writer, &record), GPZ_OK) << gpz_last_error();
    }
    if (i + 1 == numbers.size()) break;
    const gpz_frame frame = gpz_new_frame(2, static_cast<std::int64_t>(i));
    ASSERT_EQ(gpz_writer_write(writer, &frame, &field, 1), GPZ_OK) << gpz_last_error();
  }
  void *image = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(gpz_writer_close_memory(writer, &image, &size), GPZ_OK);
  gpz_reader *reader = nullptr;
  ASSERT_EQ(gpz_reader_open_memory(image, size, 1, &reader), GPZ_OK);
  EXPECT_EQ(gpz_reader_frames(reader), 3u);
  gpz_record read = gpz_new_record();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::size_t count = 99;
    ASSERT_EQ(gpz_reader_record_count(reader, i, &count), GPZ_OK) << gpz_last_error();
    ASSERT_EQ(count, numbers[i].size());
    for (std::size_t k = 0; k < count; ++k) {
      const StoredRecord stored = other(numbers[i][k]);
      ASSERT_EQ(gpz_reader_record(reader, i, k, &read), GPZ_OK) << gpz_last_error();
      EXPECT_EQ(read.type, stored.type);
      EXPECT_EQ(bytes_at(read.head, read.head_size), stored.head);
      EXPECT_EQ(bytes_at(read.body, read.body_size), stored.body);
    }
    EXPECT_EQ(gpz_reader_record(reader, i, count, &read), GPZ_NOT_FOUND);
  }
  std::size_t count = 0;
  EXPECT_EQ(gpz_reader_record_count(reader, 4, &count), GPZ_NOT_FOUND);
  EXPECT_EQ(gpz_reader_record_count(nullptr, 0, &count), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_reader_record_count(reader, 0, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_reader_record(nullptr, 0, 0, &read), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_reader_record(reader, 0, 0, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_writer_write_record(nullptr, &read), GPZ_INVALID_ARGUMENT);
  gpz_reader_close(reader);
  gpz_free(image);
}

TEST(OtherRecords, DamageBetweenFramesIsFoundWhereItIs) {
  std::vector<IndexEntry> entries;
  Bytes bytes = file_with(between(100), &entries);
  const std::size_t record = static_cast<std::size_t>(entries[40].offset - bytes_of(other(40)).size());
  bytes[record + 30] ^= 1;
  const Reader reader = reader_of(bytes);
  EXPECT_TRUE(reader.scan().from_index);
  EXPECT_EQ(status_of([&] { reader.records(40); }), Status::corrupt);
  expect_same(records_at(reader, 41), {41});
  const FileScan walked = scan_bytes(bytes, false);
  EXPECT_TRUE(walked.damaged);
  EXPECT_EQ(walked.frames.size(), 100u);
  EXPECT_EQ(walked.records.size(), 98u);
}

}  // namespace
}  // namespace gpz::test::other_records_test
