// SPDX-License-Identifier: BSD-3-Clause
// Frames that go from one file to another: as bytes, and decoded and encoded again.
#include <limits>
#include <map>

#include "c_api_support.hpp"
#include "trajectory_support.hpp"

namespace gpz::test::frame_copy_test {
namespace {

constexpr unsigned interval = 4;

// Frames `from` on, with the bytes of a writer to memory.
Bytes copied(const Reader &from, std::size_t first, std::size_t last) {
  Bytes bytes;
  Writer writer(bytes, from.metadata());
  for (std::size_t i = first; i < last; ++i) writer.write(from.stored(i));
  writer.close();
  return bytes;
}

TEST(StoredFrame, ACopyOfAllFramesIsTheFile) {
  for (const Order order : {Order::place, Order::id}) {
    Gas gas(150);
    const Bytes bytes = file_of(trajectory(gas, 10, {},
                                           [&](int) {
                                             gas.thin(0.02);
                                             gas.add(3);
                                           }),
                                interval, 1, true, order);
    const Reader reader = reader_of(bytes);
    EXPECT_EQ(copied(reader, 0, reader.frames()), bytes);
  }
}

TEST(StoredFrame, ACopyFromAKeyFrameOnHasItsFrames) {
  const Bytes bytes = chained_file(11, interval);
  const Reader reader = reader_of(bytes);
  const Bytes part = copied(reader, 2 * interval, reader.frames());
  const Reader copy = reader_of(part);
  ASSERT_EQ(copy.frames(), 3u);
  for (std::size_t i = 0; i < copy.frames(); ++i) {
    EXPECT_TRUE(same(copy.read(i), reader.read(2 * interval + i)));
    EXPECT_EQ(copy.stored(i).bytes, reader.stored(2 * interval + i).bytes);
  }
}

// Frames of another file as well: the references between heads are written anew.
TEST(StoredFrame, FilesFollowEachOther) {
  const Bytes a = chained_file(6, interval);
  const Bytes b = file_of(trajectory(90, 5), interval);
  const Reader first = reader_of(a);
  const Reader second = reader_of(b);
  Bytes bytes;
  Writer writer(bytes, first.metadata());
  for (std::size_t i = 0; i < first.frames(); ++i) writer.write(first.stored(i));
  for (std::size_t i = 0; i < second.frames(); ++i) writer.write(second.stored(i));
  writer.close();
  const Reader joined = reader_of(bytes);
  ASSERT_EQ(joined.frames(), 11u);
  for (std::size_t i = 0; i < 11; ++i) EXPECT_TRUE(same(joined.read(i), i < 6 ? first.read(i) : second.read(i - 6)));
}

TEST(StoredFrame, ADifferenceFrameNeedsACopyOfTheFrameThatItBuildsOn) {
  const Bytes bytes = chained_file(7, interval);
  const Reader reader = reader_of(bytes);
  const auto refused = [&](Writer &writer, std::size_t i) {
    return status_of([&] { writer.write(reader.stored(i)); }) == Status::invalid_argument;
  };
  Bytes out;
  Writer writer(out, reader.metadata());
  EXPECT_TRUE(refused(writer, 1));  // behind nothing
  writer.write(reader.stored(0));
  EXPECT_TRUE(refused(writer, 2));
  writer.write(reader.stored(1));
  writer.write(reader.read(2));  // the same values, but not the same bytes
  EXPECT_TRUE(refused(writer, 3));
  writer.write(reader.stored(4));
  writer.write(reader.stored(5));
  writer.write(reader.stored(6));
  writer.close();
  const Reader copy = reader_of(out);
  ASSERT_EQ(copy.frames(), 6u);
  const std::size_t source[] = {0, 1, 2, 4, 5, 6};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(copy.info(i).timestep, reader.info(source[i]).timestep);
  EXPECT_TRUE(same(copy.read(5), reader.read(6)));
}

TEST(StoredFrame, ChecksumsAreChecked) {
  Bytes bytes = chained_file(3, interval);
  const auto entries = scan_bytes(bytes).frames;
  bytes[entries[1].offset + entries[1].length - 40] ^= 1;  // of the chunk
  const Reader reader = reader_of(bytes);
  EXPECT_EQ(status_of([&] { reader.stored(1); }), Status::corrupt);
  EXPECT_EQ(status_of([&] { reader.stored(3); }), Status::not_found);
  StoredFrame frame = reader.stored(0);
  frame.bytes.pop_back();
  Bytes out;
  Writer writer(out, {});
  EXPECT_EQ(status_of([&] { writer.write(frame); }), Status::invalid_argument);
}

TEST(StoredFrame, FieldsAreLeftOutAsBytes) {
  for (const Order order : {Order::place, Order::id}) {
    Gas gas(150);
    const Bytes bytes = file_of(trajectory(gas, 10, {},
                                           [&](int) {
                                             gas.thin(0.02);
                                             gas.add(3);
                                           }),
                                interval, 1, true, order);
    const Reader reader = reader_of(bytes);
    const std::size_t fields = reader.info(0).fields.size();
    ASSERT_EQ(fields, 6u);  // x y z, id, tag, ix iy iz, vx vy vz, q
    for (unsigned choice = 0; choice < 16; ++choice) {
      std::vector<bool> kept = {true, true};  // positions and ids
      for (std::size_t f = 2; f < fields; ++f) kept.push_back((choice >> (f - 2) & 1) != 0);
      Bytes out;
      Writer writer(out, reader.metadata());
      for (std::size_t i = 0; i < reader.frames(); ++i) {
        StoredFrame frame = reader.stored(i);
        keep_fields(frame, kept);
        EXPECT_EQ(frame.bytes == reader.stored(i).bytes, choice == 15);
        writer.write(frame);
      }
      writer.close();
      const Reader part = reader_of(out);
      for (std::size_t i = 0; i < reader.frames(); ++i) {
        const Frame whole = reader.read(i, 1, kept);
        const Frame left = part.read(i);
        for (const Frame::Column &column : left.columns) {
          EXPECT_EQ(column.floats, whole.find(left.name(column))->floats);
          EXPECT_EQ(column.integers, whole.find(left.name(column))->integers);
        }
        EXPECT_EQ(left.info.since_key, whole.info.since_key);
        part.verify(i);
      }
    }
  }
}

TEST(StoredFrame, FieldsThatOthersNeedStay) {
  const auto snapshots = trajectory(3000, 3);
  const auto status = [&](const Reader &reader, std::size_t i, const std::vector<bool> &kept) {
    StoredFrame frame = reader.stored(i);
    const Status result = status_of([&] { keep_fields(frame, kept); });
    EXPECT_TRUE(result == Status::ok || frame.bytes == reader.stored(i).bytes);
    return result;
  };
  const std::vector<bool> no_positions = {false, true, true, true, true, true};
  const std::vector<bool> no_ids = {true, false, true, true, true, true};
  const Bytes by_place = file_of(snapshots, interval);
  const Bytes by_id = file_of(snapshots, interval, 1, true, Order::id);
  const Reader sorted = reader_of(by_place);
  const Reader id = reader_of(by_id);
  ASSERT_EQ(sorted.chunk_kind(0, 0), ChunkKind::block);
  ASSERT_EQ(id.chunk_kind(0, 0), ChunkKind::ordered);
  ASSERT_EQ(sorted.chunk_kind(1, 0), ChunkKind::difference);
  EXPECT_EQ(status(sorted, 0, no_positions), Status::ok);
  EXPECT_EQ(status(sorted, 0, no_ids), Status::ok);
  EXPECT_EQ(status(id, 0, no_positions), Status::ok);
  EXPECT_EQ(status(id, 0, no_ids), Status::unsupported);
  EXPECT_EQ(status(sorted, 1, no_positions), Status::unsupported);
  EXPECT_EQ(status(sorted, 1, no_ids), Status::ok);
  EXPECT_EQ(status(sorted, 0, {true}), Status::invalid_argument);
  EXPECT_EQ(status(sorted, 0, std::vector<bool>(6, false)), Status::invalid_argument);
}

// Checksums that hold over lengths that lie.
TEST(StoredFrame, LengthsOfSectionsAreChecked) {
  const Bytes bytes = file_of(trajectory(200, 3), interval);
  const Reader reader = reader_of(bytes);
  const std::vector<bool> kept = {true, true, false, false, true, true};
  for (const std::size_t i : {0u, 1u}) {
    const StoredFrame good = reader.stored(i);
    const std::size_t first =
        reader.chunk_kind(i, 0) == ChunkKind::block ? 8 : 32;  // the lengths of chunk and sections
    for (std::size_t at = first; at < first + 56 && at < good.bytes.size(); at += 8)
      for (const int change : {0x01, 0x7f, 0xff})
        for (const std::size_t sorted : {at, at + 1, at + 7}) {
          StoredFrame frame = good;
          frame.bytes[sorted] = static_cast<std::uint8_t>(frame.bytes[sorted] ^ change);
          const Status status = status_of([&] { keep_fields(frame, kept); });
          EXPECT_TRUE(status == Status::ok || status == Status::corrupt) << sorted;
        }
    for (std::size_t size = 0; size < 80; ++size) {
      StoredFrame frame = good;
      frame.bytes.resize(size);
      frame.chunks[0].length = size;
      const Status status = status_of([&] { keep_fields(frame, kept); });
      EXPECT_TRUE(status == Status::truncated || status == Status::corrupt) << size;
    }
  }
}

TEST(StoredFrame, InC) {
  const Bytes bytes = chained_file(6, interval);
  gpz_reader *reader = nullptr;
  ASSERT_EQ(gpz_reader_open_memory(bytes.data(), bytes.size(), 1, &reader), GPZ_OK);
  const OpenReader closed(reader);
  gpz_writer *writer = nullptr;
  ASSERT_EQ(gpz_writer_open_memory(nullptr, 1, &writer), GPZ_OK);
  EXPECT_EQ(gpz_writer_copy(writer, reader, 1), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_writer_copy(writer, reader, 6), GPZ_NOT_FOUND);
  EXPECT_EQ(gpz_writer_copy(nullptr, reader, 0), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_writer_copy(writer, nullptr, 0), GPZ_INVALID_ARGUMENT);
  for (std::size_t i = 0; i < 6; ++i) ASSERT_EQ(gpz_writer_copy(writer, reader, i), GPZ_OK) << gpz_last_error();
  Image image;
  ASSERT_EQ(gpz_writer_close_memory(writer, &image.bytes, &image.size), GPZ_OK);
  const Reader copy(static_cast<const std::uint8_t *>(image.bytes), image.size);
  ASSERT_EQ(copy.frames(), 6u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(copy.stored(i).bytes, reader_of(bytes).stored(i).bytes);
}

// The values of each column, by tag.
std::map<std::int64_t, std::vector<double>> values_by_tag(const Frame &frame) {
  std::map<std::int64_t, std::vector<double>> out;
  const auto &tags = frame.find("tag")->integers;
  for (std::size_t i = 0; i < tags.size(); ++i)
    for (const Frame::Column &column : frame.columns)
      out[tags[i]].push_back(column.floats.empty() ? static_cast<double>(column.integers[i]) : column.floats[i]);
  return out;
}

TEST(DecodedFrame, EncodedAgainHasTheSameValues) {
  for (const ValueType type : {ValueType::float32, ValueType::float64}) {
    Style style;
    style.type = type;
    const Bytes bytes = file_of(trajectory(400, 9, style), interval);
    const Reader reader = reader_of(bytes);
    for (const unsigned key : {1u, 3u, 100u})
      for (const Order order : {Order::place, Order::id}) {
        Bytes out;
        Writer writer(out, reader.metadata());
        writer.set_key_interval(key);
        writer.set_order(order);
        for (std::size_t i = 0; i < reader.frames(); ++i) writer.write(reader.read(i));
        writer.close();
        const Reader again = reader_of(out);
        ASSERT_EQ(again.frames(), reader.frames());
        for (std::size_t i = 0; i < again.frames(); ++i) {
          EXPECT_EQ(values_by_tag(again.read(i)), values_by_tag(reader.read(i)));
          EXPECT_EQ(again.info(i).since_key, i % key);
          for (std::size_t f = 0; f < again.info(i).fields.size(); ++f)
            EXPECT_EQ(again.info(i).fields[f].largest_error, reader.info(i).fields[f].largest_error);
        }
      }
  }
}

// One float column, of which the file says that its values are wrong by up to `before`.
Frame column_of(const std::vector<double> &values, double bound, double before) {
  Frame frame;
  frame.info.particles = values.size();
  Field field;
  field.bound = bound;
  field.largest_error = before;
  field.components.push_back({"x", 0});
  frame.info.fields = {field};
  frame.columns.resize(1);
  frame.columns[0].floats = values;
  return frame;
}

Field written(const Frame &frame) {
  Bytes bytes;
  Writer writer(bytes, {});
  writer.write(frame);
  writer.close();
  return reader_of(bytes).info(0).fields[0];
}

TEST(DecodedFrame, ErrorsAddUp) {
  const std::vector<double> values = {0.101, 0.203};
  const double added = written(column_of(values, 0.01, 0)).largest_error;
  ASSERT_GT(added, 0);
  const double both = written(column_of(values, 0.01, 0.002)).largest_error;
  EXPECT_GE(both, added + 0.002);
  EXPECT_LE(both, (added + 0.002) * (1 + 1e-15));
  EXPECT_EQ(written(column_of(values, 0.01, 0.0099)).largest_error, 0.01);  // no value can have more
  EXPECT_EQ(written(column_of(values, 0, 0)).largest_error, 0);
}

TEST(DecodedFrame, ValuesOutsideOfTheGridStay) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, 1e300, -4e18, 0.5};
  Bytes first;
  Writer writer(first, {});
  writer.write(column_of(values, 0.01, 0));
  writer.close();
  const Frame decoded = reader_of(first).read(0);
  Bytes second;
  Writer again(second, {});
  again.write(decoded);
  again.close();
  EXPECT_TRUE(same(reader_of(second).read(0), decoded));
}

TEST(DecodedFrame, EveryColumnNeedsItsValues) {
  Bytes bytes;
  Writer writer(bytes, {});
  const auto status = [&](const Frame &frame) { return status_of([&] { writer.write(frame); }); };
  const Frame good = column_of({1, 2}, 0.01, 0);
  Frame frame = good;
  frame.columns[0].floats.pop_back();
  EXPECT_EQ(status(frame), Status::invalid_argument);
  frame = good;
  frame.columns.clear();
  EXPECT_EQ(status(frame), Status::invalid_argument);
  frame = good;
  frame.columns[0].component = 1;
  EXPECT_EQ(status(frame), Status::invalid_argument);
  frame = good;
  frame.info.fields[0].components.push_back({"y", 1});
  frame.columns.push_back(frame.columns[0]);  // x twice, no y
  EXPECT_EQ(status(frame), Status::invalid_argument);
  EXPECT_EQ(status(good), Status::ok);
  EXPECT_EQ(writer.frames().size(), 1u);
}

}  // namespace
}  // namespace gpz::test::frame_copy_test
