// SPDX-License-Identifier: BSD-3-Clause
// Reading into the caller's arrays: the values of Reader::read, of which other tests know that they are right, in the
// stored order or sorted here.
#include <limits>
#include <numeric>

#include "trajectory_support.hpp"

namespace gpz::test::read_columns_test {
namespace {

using Type = ConstArray::Type;

// Row of the frame that is at each place: as stored, or by ascending id.
std::vector<std::size_t> rows_of(const Frame &frame, bool sorted) {
  std::vector<std::size_t> rows(frame.info.particles);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const Frame::Column *ids = frame.find("id");
  if (sorted)
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::size_t a, std::size_t b) { return ids->integers[a] < ids->integers[b]; });
  return rows;
}

// How the arrays of a read lie in memory.
struct Layout {
  const char *name;
  bool narrow;               // 32 bits
  std::ptrdiff_t particle;   // bytes from one particle to the next; 0: columns of their own, packed
  std::ptrdiff_t component;  // bytes from one column to the next
  bool mixed = false;        // every third column is packed
};
// 20 columns or fewer: 160 bytes a particle are room for all.
constexpr Layout layouts[] = {
    {"packed columns of 64 bits", false, 0, 0}, {"packed columns of 32 bits", true, 0, 0},
    {"rows of 64 bits", false, 160, 8},         {"rows of 32 bits", true, 80, 4},
    {"rows at odd addresses", true, 167, 7},    {"columns in reverse", false, -8, 0},
    {"rows in reverse", true, -163, 5},         {"columns of many kinds", false, 24, 0, true}};

class Output {
 public:
  static constexpr unsigned char untouched = 0xA5;

  Output(const Layout &layout, std::size_t particles, std::size_t columns) : layout_(layout) {
    const auto n = static_cast<std::ptrdiff_t>(particles + 1);
    step_ = layout.particle == 0 ? (layout.narrow ? 4 : 8) : layout.particle;
    apart_ = layout.component == 0 ? n * std::abs(step_) : layout.component;
    memory_.assign(static_cast<std::size_t>(n * std::abs(step_) * (layout.component == 0 ? columns : 1) + 256),
                   untouched);
    start_ = step_ < 0 ? -step_ * static_cast<std::ptrdiff_t>(particles) : 0;
  }

  Array array(std::size_t column, bool integer) {
    const Type type = integer          ? layout_.narrow ? Type::int32 : Type::int64
                      : layout_.narrow ? Type::float32
                                       : Type::float64;
    return {memory_.data() + start_ + static_cast<std::ptrdiff_t>(column) * apart_, step_of(column), type};
  }
  template <typename T>
  T at(std::size_t column, std::size_t i) const {
    T value;
    std::memcpy(&value,
                memory_.data() + start_ + static_cast<std::ptrdiff_t>(column) * apart_ +
                    static_cast<std::ptrdiff_t>(i) * step_of(column),
                sizeof value);
    return value;
  }
  std::size_t untouched_bytes() const {
    return static_cast<std::size_t>(std::count(memory_.begin(), memory_.end(), untouched));
  }

 private:
  std::ptrdiff_t step_of(std::size_t column) const {
    return layout_.mixed && column % 3 == 2 ? layout_.narrow ? 4 : 8 : step_;
  }

  Layout layout_;
  std::ptrdiff_t step_ = 0;
  std::ptrdiff_t apart_ = 0;
  std::ptrdiff_t start_ = 0;
  std::vector<unsigned char> memory_;
};

template <typename T, typename U>
bool same_bits(T a, U b) {
  const T c = static_cast<T>(b);
  return std::memcmp(&a, &c, sizeof a) == 0;
}

// All columns of frame i, or those whose number is in `which`, like those of `frame`.
void expect_columns(const Reader &reader, std::size_t i, const Frame &frame, const Layout &layout, bool sorted,
                    const std::vector<std::size_t> &which, int threads = 1) {
  SCOPED_TRACE(std::string(layout.name) + (sorted ? ", sorted, frame " : ", frame ") + std::to_string(i));
  const std::size_t n = frame.info.particles;
  Output output(layout, n, which.size());
  std::vector<ColumnOutput> columns;
  for (std::size_t k = 0; k < which.size(); ++k) {
    const Frame::Column &column = frame.columns[which[k]];
    columns.push_back({frame.name(column), output.array(k, !column.integers.empty())});
  }
  const FrameInfo info = reader.read_columns(i, columns, n, {threads, sorted});
  EXPECT_EQ(info.particles, n);
  EXPECT_EQ(info.timestep, frame.info.timestep);
  const std::vector<std::size_t> rows = rows_of(frame, sorted);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < which.size(); ++k) {
    const Frame::Column &column = frame.columns[which[k]];
    for (std::size_t r = 0; r < n; ++r) {
      bool right = false;
      if (!column.integers.empty())
        right = layout.narrow ? same_bits(output.at<std::int32_t>(k, r), column.integers[rows[r]])
                              : same_bits(output.at<std::int64_t>(k, r), column.integers[rows[r]]);
      else
        right = layout.narrow ? same_bits(output.at<float>(k, r), column.floats[rows[r]])
                              : same_bits(output.at<double>(k, r), column.floats[rows[r]]);
      wrong += right ? 0 : 1;
    }
  }
  EXPECT_EQ(wrong, 0u);
}

std::vector<std::size_t> all_columns(const Frame &frame) {
  std::vector<std::size_t> out(frame.columns.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

// Every frame in every layout, sorted or not; each reader goes on from frame to frame.
void expect_all(const Bytes &bytes) {
  const std::vector<Frame> frames = read_all(bytes);
  for (const Layout &layout : layouts)
    for (const bool sorted : {false, true}) {
      const Reader reader = reader_of(bytes);
      for (std::size_t i = 0; i < frames.size(); ++i) {
        expect_columns(reader, i, frames[i], layout, sorted, all_columns(frames[i]));
        if (testing::Test::HasFailure()) return;
      }
    }
}

bool has_kind(const Bytes &bytes, ChunkKind kind) {
  const Reader reader = reader_of(bytes);
  for (std::size_t i = 0; i < reader.frames(); ++i) {
    const Bytes chunk = reader.chunk(i, 0);
    if (chunk_kind(chunk.data(), chunk.size()) == kind) return true;
  }
  return false;
}

// Positions in the order of the ids of a row of particles, so that the order of ids is the smaller.
Gas in_a_row(std::size_t n) {
  Gas gas(n);
  for (std::size_t i = 0; i < n; ++i)
    for (double &position : gas.particles[i].position) position = static_cast<double>(i) / static_cast<double>(n);
  gas.shuffle();
  return gas;
}

TEST(ReadColumns, OfEveryKindAndTypeInAnyLayout) {
  Style narrow;
  narrow.type = ValueType::float32;
  Style flat;
  flat.dimension = 2;
  Style lossless;
  lossless.bound = 0;
  Style narrow_lossless = lossless;
  narrow_lossless.type = ValueType::float32;
  for (const Style &style : {Style(), narrow, flat, lossless, narrow_lossless})
    for (const Order order : {Order::place, Order::id})
      for (const unsigned interval : {1u, 4u}) {
        Gas gas = in_a_row(1100);
        const auto snapshots = trajectory(gas, 3, style, [&](int) { gas.shuffle(); });
        const Bytes bytes = file_of(snapshots, interval, 1, true, order);
        EXPECT_TRUE(has_kind(bytes, order == Order::id ? ChunkKind::ordered : ChunkKind::block));
        EXPECT_EQ(has_kind(bytes, ChunkKind::difference), interval > 1);
        expect_all(bytes);
        if (testing::Test::HasFailure()) return;
      }
}

TEST(ReadColumns, OfParticlesThatLeaveAndArrive) { expect_all(chained_file(9, 5)); }

// Frames of three chunks, between which particles move; values that no grid holds among them.
Bytes file_of_chunks(int frames) {
  constexpr std::size_t count = 3;
  const TemporaryFile file;
  Metadata metadata = small_metadata();
  metadata.features = features_of(default_effort, Order::automatic, true);
  Writer writer(file.path(), metadata);
  TrajectoryEncoder encoders[count];
  Gas gas(2500);
  for (int f = 0; f < frames; ++f) {
    gas.move();
    gas.shuffle();
    if (f == 2) gas.thin(0.05);
    if (f == 3) gas.add(40);
    Snapshot snapshot = gas.snapshot();
    auto &x = snapshot.named("x").real;
    x[7] = std::nan("");
    x[3000] = -std::numeric_limits<double>::infinity();
    x[4001] = 1e300;
    x[5] = -0.0;
    snapshot.named("vx").single[10] = std::numeric_limits<float>::infinity();
    std::vector<EncodedChunk> chunks(count);
    FrameInfo info = snapshot.info;
    for (const FieldInput &input : snapshot.inputs()) info.fields.push_back(input.field);
    for (Field &field : info.fields) fill_step(field);
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<int> rows;
      for (std::size_t i = 0; i < gas.particles.size(); ++i)
        if ((gas.particles[i].tag + (gas.particles[i].tag % 50 == 0 ? f : 0)) % 3 == static_cast<std::int64_t>(k))
          rows.push_back(static_cast<int>(i));
      encoders[k].encode(snapshot.inputs(), rows.size(), rows.data(), snapshot.info.box, f == 0, chunks[k]);
    }
    info.since_key = static_cast<std::uint16_t>(f);
    writer.write(info, chunks);
  }
  writer.close();
  return file.bytes();
}

TEST(ReadColumns, OfSeveralChunksAndValuesThatNoGridHolds) {
  const Bytes bytes = file_of_chunks(5);
  EXPECT_TRUE(has_kind(bytes, ChunkKind::difference));
  expect_all(bytes);
  const std::vector<Frame> frames = read_all(bytes);
  const Reader reader = reader_of(bytes);
  for (std::size_t i = 0; i < frames.size(); ++i)
    expect_columns(reader, i, frames[i], layouts[3], true, all_columns(frames[i]), 3);
}

TEST(ReadColumns, WithAnyIds) {
  const std::function<std::int64_t(std::int64_t, Random &)> makers[] = {
      [](std::int64_t tag, Random &) { return 1200 - tag; },
      [](std::int64_t, Random &) { return std::int64_t{7}; },
      [](std::int64_t tag, Random &) { return tag / 3; },
      [](std::int64_t tag, Random &) { return tag * 2 - 1000; },
      [](std::int64_t tag, Random &) { return tag * 1000003; },
      [](std::int64_t tag, Random &) { return tag == 5 ? 6 : tag; },  // one is missing, one occurs twice
      [](std::int64_t, Random &random) { return static_cast<std::int64_t>(random.bits()); },
      [](std::int64_t tag, Random &) {
        return tag % 2 == 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
      }};
  for (const auto &id : makers) {
    Gas gas(1200);
    for (Gas::Particle &particle : gas.particles) particle.id = id(particle.tag, gas.random);
    for (const Order order : {Order::place, Order::id}) {
      const Bytes bytes = file_of(trajectory(gas, 3, {}, [&](int) { gas.shuffle(); }), 3, 1, true, order);
      const std::vector<Frame> frames = read_all(bytes);
      const Reader reader = reader_of(bytes);
      for (std::size_t i = 0; i < frames.size(); ++i)
        expect_columns(reader, i, frames[i], layouts[0], true, all_columns(frames[i]));
    }
  }
}

TEST(ReadColumns, WritesWhatIsAskedForAndNothingElse) {
  const Bytes bytes = chained_file(6, 6);
  const std::vector<Frame> frames = read_all(bytes);
  const Reader reader = reader_of(bytes);
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    const std::size_t i = random.below(frames.size());
    std::vector<std::size_t> which;
    for (std::size_t c = 0; c < frames[i].columns.size(); ++c)
      if (random.below(3) == 0)
        which.insert(which.begin() + static_cast<std::ptrdiff_t>(random.below(which.size() + 1)), c);
    expect_columns(reader, i, frames[i], layouts[random.below(std::size(layouts))], random.below(2) == 0, which);
  }
  // Bytes between the elements and behind the last.
  const std::size_t n = frames[2].info.particles;
  Output output({"sparse", true, 160, 8}, n, 2);
  const std::size_t before = output.untouched_bytes();
  reader.read_columns(2, {{"z", output.array(0, false)}, {"id", output.array(1, true)}}, n + 5, {1, true});
  EXPECT_GE(output.untouched_bytes(), before - 8 * n);
}

TEST(ReadColumns, RoundsToTheNearestFloat) {
  const double half = 0x1p-24;  // of the distance of floats above 1
  const std::vector<double> given = {1 + half, 1 + half + 0x1p-50, 1 + 3 * half, -1 - half, 1e39,        -1e300,
                                     1e-46,    0x1.fffffep127,     0.1,          -0.0,      std::nan("")};
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> expected = {1, 1 + 0x1p-23f,    1 + 0x1p-22f, -1,    inf,          -inf,
                                       0, 0x1.fffffep127f, 0.1f,         -0.0f, std::nanf("")};
  const TemporaryFile file;
  Writer writer(file.path(), {});
  FieldInput q = field("q", given, 1, 0, false);
  FrameInfo info;
  info.particles = given.size();
  writer.write(info, {q});
  writer.close();
  std::vector<float> got(given.size());
  Reader(file.path()).read_columns(0, {{"q0", {got.data(), 4, Type::float32}}}, got.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (std::isnan(expected[i]))
      EXPECT_TRUE(std::isnan(got[i]));
    else
      EXPECT_TRUE(same_bits(got[i], expected[i])) << i << ": " << got[i];
  }
}

TEST(ReadColumns, RefusesIntegersThatDoNotFit) {
  for (const std::int64_t value : {std::int64_t{INT32_MAX}, std::int64_t{INT32_MIN}, std::int64_t{INT32_MAX} + 1,
                                   std::int64_t{INT32_MIN} - 1, std::numeric_limits<std::int64_t>::max()})
    for (const unsigned interval : {1u, 10u}) {
      Gas gas(1300);
      auto snapshots = trajectory(gas, 2, {}, [](int) {});
      for (Snapshot &snapshot : snapshots) snapshot.named("tag").integer[1234] = value;
      const Bytes bytes = file_of(snapshots, interval);
      const Reader reader = reader_of(bytes);
      const bool fits = value == INT32_MAX || value == INT32_MIN;
      for (std::size_t i = 0; i < 2; ++i)
        for (const bool sorted : {false, true}) {
          std::vector<std::int32_t> tags(1300);
          std::string message;
          const Status status = status_of([&] {
            try {
              reader.read_columns(i, {{"tag", {tags.data(), 4, Type::int32}}}, 1300, {1, sorted});
            } catch (const Error &error) {
              message = error.what();
              throw;
            }
          });
          EXPECT_EQ(status, fits ? Status::ok : Status::limit_exceeded);
          EXPECT_EQ(message.find("tag") != std::string::npos, !fits) << message;
          EXPECT_TRUE(!fits || std::count(tags.begin(), tags.end(), static_cast<std::int32_t>(value)) == 1);
          expect_true(snapshots[i], reader.read(i), "id");
        }
    }
}

TEST(ReadColumns, RefusesWhatCannotBe) {
  const Bytes bytes = chained_file(3, 3);
  const Reader reader = reader_of(bytes);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t n = reader.info(i).particles;
    std::vector<double> floats(n);
    std::vector<std::int64_t> integers(n);
    const Array f{floats.data(), 8, Type::float64};
    const Array k{integers.data(), 8, Type::int64};
    const auto refused = [&](const std::vector<ColumnOutput> &columns, std::size_t capacity) {
      return status_of([&] { reader.read_columns(i, columns, capacity); });
    };
    EXPECT_EQ(refused({{"x", f}, {"id", k}}, n), Status::ok);
    EXPECT_EQ(refused({{"x", f}}, n - 1), Status::limit_exceeded);
    EXPECT_EQ(refused({{"x", f}, {"id", k}, {"x", f}}, n), Status::invalid_argument);
    EXPECT_EQ(refused({{"x", k}}, n), Status::invalid_argument);
    EXPECT_EQ(refused({{"id", f}}, n), Status::invalid_argument);
    EXPECT_EQ(refused({{"x", {}}}, n), Status::invalid_argument);
    EXPECT_EQ(refused({}, n), Status::ok);
    EXPECT_EQ(refused({{"fx", f}}, n), Status::not_found);
    try {
      reader.read_columns(i, {{"fx", f}}, n);
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find("fx"), std::string::npos);
      EXPECT_NE(std::string(error.what()).find(" x y z id tag ix iy iz"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(status_of([&] { reader.read_columns(3, {}, 1000); }), Status::not_found);
}

TEST(ReadColumns, NeedsIdsToSort) {
  auto snapshots = trajectory(50, 1);
  snapshots[0].named("id").field.components[0].name = "number";
  const Bytes bytes = file_of(snapshots, 1);
  const Reader reader = reader_of(bytes);
  std::vector<double> x(50);
  const std::vector<ColumnOutput> columns = {{"x", {x.data(), 8, Type::float64}}};
  EXPECT_EQ(status_of([&] { reader.read_columns(0, columns, 50, {1, true}); }), Status::not_found);
  EXPECT_EQ(status_of([&] { reader.read(0, ReadOptions{1, true}); }), Status::not_found);
  EXPECT_EQ(status_of([&] { reader.read_columns(0, columns, 50); }), Status::ok);
}

Frame sorted_by_id(const Frame &frame) {
  Frame out = frame;
  const std::vector<std::size_t> rows = rows_of(frame, true);
  for (std::size_t c = 0; c < out.columns.size(); ++c)
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (!out.columns[c].floats.empty()) out.columns[c].floats[r] = frame.columns[c].floats[rows[r]];
      if (!out.columns[c].integers.empty()) out.columns[c].integers[r] = frame.columns[c].integers[rows[r]];
    }
  return out;
}

TEST(SortedFrames, AreThoseOfTheFileSorted) {
  for (const Bytes &bytes : {chained_file(8, 3), file_of_chunks(4), small_file()}) {
    const std::vector<Frame> frames = read_all(bytes);
    const Reader reader = reader_of(bytes);
    for (std::size_t i = 0; i < frames.size(); ++i)
      EXPECT_TRUE(same(reader.read(i, ReadOptions{1, true}), sorted_by_id(frames[i]))) << i;
    const TemporaryFile file;
    file.set(bytes);
    std::FILE *const input = std::fopen(file.path().c_str(), "rb");
    ASSERT_NE(input, nullptr);
    StreamReader stream(fileno(input), "stream");
    Frame frame;
    std::size_t i = 0;
    for (; stream.next(frame, ReadOptions{1, i % 2 == 0}); ++i)
      EXPECT_TRUE(same(frame, i % 2 == 0 ? sorted_by_id(frames[i]) : frames[i])) << i;
    EXPECT_EQ(i, frames.size());
    std::fclose(input);
  }
  // Ids that are not wanted themselves.
  const Bytes bytes = chained_file(3, 3);
  const Reader reader = reader_of(bytes);
  const Frame positions = reader.read(2, ReadOptions{1, true}, {true, false, false, false, false, false});
  EXPECT_EQ(positions.columns[0].floats, sorted_by_id(reader.read(2)).columns[0].floats);
  EXPECT_TRUE(positions.find("id")->integers.empty());
}

// Columns of a frame one after the other, of frames in any order, by several threads.
TEST(ReadColumns, MayBeMixedWithOtherReads) {
  const Bytes bytes = chained_file(12, 5);
  const std::vector<Frame> frames = read_all(bytes);
  const Reader reader = reader_of(bytes);
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      Random random(t);
      for (int round = 0; round < 60; ++round) {
        const std::size_t i = random.below(frames.size());
        for (const std::size_t column : {std::size_t{0}, 3 + random.below(5), random.below(12)})
          expect_columns(reader, i, frames[i], layouts[random.below(3)], random.below(2) == 0, {column});
        EXPECT_TRUE(round % 4 != 0 || same(reader.read(i), frames[i]));
      }
    });
  for (std::thread &thread : threads) thread.join();
}

// Frames without chunks have no ids; those of the frames before them do not stay.
TEST(ReadColumns, OfFramesWithoutChunksBehindOthers) {
  Gas gas(300);
  const std::vector<Snapshot> snapshots = trajectory(gas, 2, {}, [](int) {});
  Bytes bytes;
  Writer writer(bytes, small_metadata());
  writer.set_key_interval(2);
  for (const Snapshot &snapshot : snapshots) writer.write(snapshot.info, snapshot.inputs());
  FrameInfo empty;
  for (const FieldInput &input : snapshots[0].inputs()) empty.fields.push_back(input.field);
  writer.write(empty, std::vector<EncodedChunk>());
  empty.since_key = 1;
  writer.write(empty, std::vector<EncodedChunk>());
  writer.close();

  const Reader reader = reader_of(bytes);
  const std::vector<std::int64_t> untouched(300, -7);
  std::vector<std::int64_t> id = untouched;
  const std::vector<ColumnOutput> columns = {{"id", {id.data(), 8, Type::int64}}};
  EXPECT_EQ(reader.read_columns(1, columns, id.size(), {1, true}).particles, 300u);
  id = untouched;
  EXPECT_EQ(reader.read_columns(3, columns, 0, {1, true}).particles, 0u);
  EXPECT_EQ(id, untouched);
}

TEST(ReadColumns, OfADamagedFile) {
  const Bytes good = chained_file(6, 3);
  const std::vector<Frame> frames = read_all(good);
  Bytes bytes = good;
  const auto entries = scan_bytes(good).frames;
  bytes[entries[4].offset + entries[4].length - 40] ^= 1;  // of the chunk
  const Reader reader = reader_of(bytes);
  for (const std::size_t i : {5u, 4u, 3u, 0u, 4u, 1u, 5u}) {
    std::vector<double> x(frames[i].info.particles);
    const Status status = status_of([&] {
      reader.read_columns(i, {{"x", {x.data(), 8, Type::float64}}}, x.size(), {1, true});
    });
    EXPECT_EQ(status, i < 4 ? Status::ok : Status::corrupt) << i;
    EXPECT_TRUE(i >= 4 || x == sorted_by_id(frames[i]).columns[0].floats);
  }
  // The check reads the file, not values that were read before.
  Bytes changing = good;
  const Reader other = reader_of(changing);
  other.read(1);
  changing[entries[1].offset + entries[1].length - 40] ^= 1;
  EXPECT_EQ(status_of([&] { other.verify(1); }), Status::corrupt);
}

}  // namespace
}  // namespace gpz::test::read_columns_test
