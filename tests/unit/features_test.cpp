// SPDX-License-Identifier: BSD-3-Clause
// Required features: the file header names them, writers keep to them, readers refuse what it does not name.
#include <fcntl.h>

#include <memory>

#include "chunk_kinds.hpp"
#include "container_support.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/opened_chunk.hpp"

namespace gpz::test::features_test {
namespace {

constexpr std::size_t required_features_at = 12;

Metadata with_features(std::uint32_t features) {
  Metadata metadata = small_metadata();
  metadata.features = features;
  return metadata;
}

std::uint32_t named(const Bytes &file) { return reader_of(file).metadata().features; }

// Bytes that only look like a section of a coding: the first one of the chunk has its number.
EncodedChunk with_coding(ChunkKind kind, std::uint8_t number) {
  EncodedChunk chunk = ChunkKinds().chunk(kind);
  std::uint64_t end = chunk.bytes.size();
  for (std::size_t f = 2; f-- > 0;)
    end -= format::load_little<std::uint64_t>(chunk.bytes.data() + format::section_length_at(kind, f));
  EXPECT_EQ(chunk.bytes[end], kind == ChunkKind::difference ? 1 : 3);
  chunk.bytes[end] = number;
  chunk.checksum = chunk_checksum(chunk.bytes.data(), chunk.bytes.size());
  return chunk;
}
EncodedChunk modelled() { return with_coding(ChunkKind::difference, 4); }
EncodedChunk in_steps() { return with_coding(ChunkKind::ordered, 13); }

EncodedChunk looks_like(ChunkKind kind) {
  EncodedChunk chunk = ChunkKinds().chunk(ChunkKind::block);
  chunk.bytes[4] = static_cast<std::uint8_t>(kind);
  chunk.checksum = chunk_checksum(chunk.bytes.data(), chunk.bytes.size());
  return chunk;
}

FrameInfo info_of_kinds() {
  FrameInfo info;
  for (const FieldInput &input : ChunkKinds().fields()) info.fields.push_back(input.field);
  info.particles = ChunkKinds::particles;
  return info;
}

Bytes written(const Metadata &metadata, const EncodedChunk &chunk) {
  Bytes bytes;
  Writer writer(bytes, metadata);
  set_plain(writer);
  writer.write(info_of_kinds(), {chunk});
  writer.close();
  return bytes;
}

TEST(Features, OfEachEffort) {
  for (const bool ids : {false, true})
    for (const Order order : {Order::place, Order::id}) {
      const bool in_order = ids && order == Order::id;
      const std::uint32_t of_order = in_order ? feature::steps : 0u;
      EXPECT_EQ(features_of(Effort::fast, order, ids), 0u);
      EXPECT_EQ(features_of(Effort::standard, order, ids), in_order ? of_order | feature::classed_sections : 0u);
      EXPECT_EQ(features_of(Effort::dense, order, ids),
                of_order | feature::modelled_sections | feature::classed_sections | feature::cell_chunks);
    }
  for (const Effort effort : {Effort::fast, Effort::standard, Effort::dense})
    EXPECT_EQ(features_of(effort, Order::memory, false),
              features_of(effort, Order::place, false) | feature::sequence_chunks);
  for (const Effort effort : {Effort::fast, Effort::standard, Effort::dense})
    EXPECT_EQ(effort_within(features_of(effort, Order::id, true)), effort);
}

TEST(Features, StandInTheFileHeader) {
  for (std::uint32_t features = 0; features <= feature::known; ++features) {
    if ((features & ~feature::known) != 0) continue;
    const Bytes header = file_header(with_features(features));
    EXPECT_EQ(format::load_little<std::uint32_t>(header.data() + required_features_at), features);
    EXPECT_EQ(named(header), features);
    // Nothing else of the header depends on them.
    Bytes without = header;
    put_u32(without, required_features_at, 0);
    mend_file_header(without);
    EXPECT_EQ(without, file_header(small_metadata()));
  }
  for (std::uint32_t bit = 1; bit != 0; bit <<= 1)
    if ((bit & feature::known) == 0) {
      EXPECT_EQ(status_of([&] { file_header(with_features(bit)); }), Status::invalid_argument);
    }
}

// Checksums hold, and the head cannot be opened: frames are copied, decoders refuse them.
TEST(Features, AreNotAskedOfWhatCannotBeOpened) {
  EncodedChunk chunk = ChunkKinds().chunk(ChunkKind::ordered);
  chunk.bytes[0] ^= 1;  // the size of blocks
  chunk.checksum = chunk_checksum(chunk.bytes.data(), chunk.bytes.size());
  const Bytes file = written(small_metadata(), chunk);
  const Reader reader = reader_of(file);
  EXPECT_EQ(reader.stored(0).bytes, chunk.bytes);
  EXPECT_EQ(status_of([&] { reader.read(0); }), Status::corrupt);
}

TEST(Features, AreFoundInTheBytesOfAChunk) {
  const auto of = [](const EncodedChunk &chunk) {
    return format::needed_features(format::read_from(chunk.bytes.data()), chunk.bytes.size(), 2);
  };
  ChunkKinds kinds;
  for (const ChunkKind kind : {ChunkKind::block, ChunkKind::difference, ChunkKind::ordered})
    EXPECT_EQ(of(kinds.chunk(kind)), 0u);
  EXPECT_EQ(of(modelled()), feature::modelled_sections);
  EXPECT_EQ(of(in_steps()), feature::steps);
  EXPECT_EQ(of(looks_like(ChunkKind::cells)), feature::cell_chunks);
  EXPECT_EQ(of(looks_like(ChunkKind::sequence)), feature::sequence_chunks);
  for (const EncodedChunk &chunk : {modelled(), in_steps(), looks_like(ChunkKind::cells)})
    for (std::size_t size = 0; size < 200; ++size) {
      const std::unique_ptr<std::uint8_t[]> torn(new std::uint8_t[size]);  // for a sanitizer to see what is read behind
      std::copy_n(chunk.bytes.begin(), size, torn.get());
      EXPECT_EQ(format::needed_features(format::read_from(torn.get()), size, 2) & ~feature::known, 0u);
    }
}

TEST(Features, ThatTheHeaderDoesNotNameAreCorrupt) {
  for (const auto &[chunk, needed] :
       {std::pair(in_steps(), feature::steps), std::pair(looks_like(ChunkKind::cells), feature::cell_chunks),
        std::pair(looks_like(ChunkKind::sequence), feature::sequence_chunks)}) {
    Bytes bytes = written(with_features(feature::known), chunk);
    put_u32(bytes, required_features_at, feature::known & ~needed);
    mend_file_header(bytes);
    const auto cause = [&] {
      try {
        reader_of(bytes).read(0);
      } catch (const Error &error) {
        EXPECT_EQ(error.status(), Status::corrupt);
        return error.cause();
      }
      return std::string();
    };
    EXPECT_EQ(cause(), "a coding that the file header does not name as a required feature");
    EXPECT_EQ(stream(bytes).status, Status::corrupt);
    EXPECT_EQ(status_of([&] { reader_of(bytes).stored(0); }), Status::corrupt);
  }
}

// Coding 9, coding 12, and the first forms of steps, whose features were bits 5 to 7.
TEST(Features, ThatLeftTheFormatAreRefused) {
  const auto expect_refused = [](const Bytes &bytes, std::size_t frame, const std::string &found,
                                 const char *commit = format::molecules_left_behind) {
    try {
      reader_of(bytes).read(frame);
      ADD_FAILURE();
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), Status::unsupported_version);
      EXPECT_EQ(error.cause(), format::left_the_format(found, commit, 0).cause());
      EXPECT_NE(error.cause().find(found + ", which left the format"), std::string::npos);
    }
    EXPECT_EQ(stream(bytes).status, Status::unsupported_version);
  };
  Bytes molecules;
  Writer writer(molecules, small_metadata());
  set_plain(writer);
  FrameInfo info = info_of_kinds();
  writer.write(info, {ChunkKinds().chunk(ChunkKind::block)});
  info.since_key = 1;
  writer.write(info, {with_coding(ChunkKind::difference, 9)});
  writer.close();
  expect_refused(molecules, 1, "a section of coding 9");
  Bytes steps = written(small_metadata(), ChunkKinds().chunk(ChunkKind::block));
  put_u32(steps, required_features_at, feature::known | 1U << 6);
  mend_file_header(steps);
  expect_refused(steps, 0, "the first form of steps");
  put_u32(steps, required_features_at, feature::known | 1U << 7);
  mend_file_header(steps);
  expect_refused(steps, 0, "the second form of steps", format::bonds_left_behind);
  put_u32(steps, required_features_at, feature::known | 1U << 5);
  mend_file_header(steps);
  expect_refused(steps, 0, "the order of ids in segments", format::segments_left_behind);
}

TEST(Features, OfTheFirstFrameGoIntoANewFile) {
  EXPECT_EQ(named(written(small_metadata(), ChunkKinds().chunk(ChunkKind::ordered))), 0u);
  EXPECT_EQ(named(written(small_metadata(), in_steps())), feature::steps);
  EXPECT_EQ(named(written(small_metadata(), looks_like(ChunkKind::cells))), feature::cell_chunks);
}

TEST(Features, OfALaterFrameAreRefused) {
  const FrameInfo info = info_of_kinds();
  const EncodedChunk plain = ChunkKinds().chunk(ChunkKind::block);
  Bytes bytes;
  Writer writer(bytes, small_metadata());
  set_plain(writer);
  writer.write(info, {plain});
  EXPECT_EQ(status_of([&] { writer.write(info, {looks_like(ChunkKind::cells)}); }), Status::invalid_argument);
  writer.write(info, {plain});
  const Bytes from = written(small_metadata(), looks_like(ChunkKind::cells));
  EXPECT_EQ(status_of([&] { writer.write(reader_of(from).stored(0)); }), Status::invalid_argument);
  writer.close();
  EXPECT_EQ(reader_of(bytes).frames(), 2u);
  EXPECT_EQ(named(bytes), 0u);

  // A file that is opened with them takes both.
  Writer both(bytes, with_features(feature::cell_chunks));
  set_plain(both);
  both.write(info, {plain});
  both.write(reader_of(from).stored(0));
  both.close();
  EXPECT_EQ(reader_of(bytes).stored(1).bytes, looks_like(ChunkKind::cells).bytes);
}

// Two frames of a crystal at rest.
void write_crystal(Writer &writer, Effort effort, Order order, bool with_ids = true) {
  writer.set_effort(effort);
  writer.set_order(order);
  writer.set_key_interval(2);
  FrameInfo info;
  info.particles = ChunkKinds::particles;
  const ChunkKinds crystal;
  std::vector<FieldInput> fields = crystal.fields();
  if (!with_ids) fields.pop_back();
  for (int f = 0; f < 2; ++f) writer.write(info, fields);
}

Bytes piped_crystal(Effort effort, Order order) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  Bytes bytes;
  std::thread reading([&] {
    std::uint8_t part[4096];
    for (ssize_t got; (got = read(ends[0], part, sizeof part)) > 0;) bytes.insert(bytes.end(), part, part + got);
  });
  Writer writer(ends[1], "pipe", small_metadata());
  set_plain(writer);
  write_crystal(writer, effort, order);
  writer.close();
  close(ends[1]);
  reading.join();
  close(ends[0]);
  return bytes;
}

TEST(Effort, NamesItsFeaturesInNewFilesOfEverySort) {
  for (const Effort effort : {Effort::fast, Effort::standard, Effort::dense})
    for (const Order order : {Order::place, Order::id}) {
      const TemporaryFile file;
      Writer writer(file.path(), small_metadata());
      set_plain(writer);
      write_crystal(writer, effort, order);
      EXPECT_EQ(writer.size(), file.bytes().size());
      writer.close();
      EXPECT_EQ(named(file.bytes()), features_of(effort, order, true));
      Bytes memory;
      Writer in_memory(memory, small_metadata());
      set_plain(in_memory);
      write_crystal(in_memory, effort, order);
      in_memory.close();
      EXPECT_EQ(memory, file.bytes());
      EXPECT_EQ(piped_crystal(effort, order), file.bytes());
    }
}

TEST(Effort, StandardWithoutIdsNeedsNoFeatureForASet) {
  // In the order of ids, the rows are numbered, and have the features of numbered particles.
  for (const auto &[order, features] :
       {std::pair(Order::place, 0u), std::pair(Order::id, features_of(Effort::standard, Order::id, true))}) {
    Bytes bytes;
    Writer writer(bytes, small_metadata());
    set_plain(writer);
    write_crystal(writer, Effort::standard, order, false);
    writer.close();
    EXPECT_EQ(named(bytes), features);
  }
}

TEST(Effort, KeepsToTheHeaderOfAFileThatIsContinued) {
  const TemporaryFile file;
  {
    Writer writer(file.path(), small_metadata());
    set_plain(writer);
    write_crystal(writer, Effort::fast, Order::id);
    writer.close();
  }
  {
    Writer writer(file.path(), {}, Writer::Mode::append);
    set_plain(writer);
    write_crystal(writer, Effort::dense, Order::id);
    writer.close();
  }
  const Reader reader(file.path());
  EXPECT_EQ(reader.metadata().features, 0u);
  ASSERT_EQ(reader.frames(), 4u);
  for (std::size_t f = 0; f < 2; ++f) EXPECT_EQ(reader.stored(f + 2).bytes, reader.stored(f).bytes);
}

TEST(Effort, AFrameThatFailsLeavesAFileWithAHeader) {
  const TemporaryFile file;
  Particles bad(1);
  bad.fields[0].field.bound = -1;
  Writer writer(file.path(), small_metadata());
  set_plain(writer);
  writer.set_effort(Effort::dense);
  EXPECT_EQ(status_of([&] { writer.write(bad.info, bad.fields); }), Status::invalid_argument);
  writer.sync();
  EXPECT_EQ(named(file.bytes()), feature::modelled_sections | feature::cell_chunks | feature::classed_sections);
  writer.close();
  EXPECT_TRUE(scan_file(file.path()).has_index);
}

}  // namespace
}  // namespace gpz::test::features_test
