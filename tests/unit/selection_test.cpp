// SPDX-License-Identifier: BSD-3-Clause
// Some of the particles: the values of whole frames without the rows of the others, however few blocks are decoded.
#include "gpz/selection.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "difference_support.hpp"
#include "gpz/trajectory/chunk_reader.hpp"
#include "matter_snapshot.hpp"
#include "trajectory_support.hpp"

namespace gpz::test::selection_test {
namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

std::shared_ptr<const Selection> of_ids(std::vector<std::int64_t> ids) {
  auto selection = std::make_shared<Selection>();
  selection->ids.emplace(std::move(ids));
  return selection;
}

void expect_same(const Frame &a, const Frame &b, const std::string &what) {
  ASSERT_EQ(a.info.particles, b.info.particles) << what;
  ASSERT_EQ(a.columns.size(), b.columns.size()) << what;
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    EXPECT_EQ(a.columns[c].integers, b.columns[c].integers) << what << ", column " << a.name(a.columns[c]);
    const auto &x = a.columns[c].floats;
    const auto &y = b.columns[c].floats;
    ASSERT_EQ(x.size(), y.size());
    EXPECT_TRUE(x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0)
        << what << ", column " << a.name(a.columns[c]);
  }
}

// Every frame in ascending order and some at random, against whole frames without the other rows.
void expect_reads(const Bytes &bytes, const std::shared_ptr<const Selection> &selection, const std::string &what) {
  const Reader whole = reader_of(bytes);
  for (const bool sort_by_id : {false, true})
    for (const int threads : {1, 3}) {
      const Reader part = reader_of(bytes);
      Random random(5);
      for (std::size_t k = 0; k < 2 * whole.frames(); ++k) {
        const std::size_t i = k < whole.frames() ? k : random.below(whole.frames());
        Frame expected = whole.read(i, {1, sort_by_id});
        keep_particles(expected, *selection);
        expect_same(part.read(i, {threads, sort_by_id, selection}), expected, what + ", frame " + std::to_string(i));
        std::vector<bool> wanted(expected.info.fields.size());
        wanted[0] = true;
        Frame positions = part.read(i, {threads, sort_by_id, selection}, wanted);
        for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(positions.columns[c].floats, expected.columns[c].floats) << what;
      }
    }
}

TEST(Ranges, OfNumbers) {
  const NumberRanges numbers(std::vector<std::int64_t>{7, most, 5, 6, 7, least, -3, most - 1});
  const std::vector<NumberRanges::Range> expected = {{least, least}, {-3, -3}, {5, 7}, {most - 1, most}};
  EXPECT_EQ(numbers.ranges(), expected);
  for (const std::int64_t in : {least, std::int64_t{-3}, std::int64_t{5}, std::int64_t{6}, most})
    EXPECT_TRUE(numbers.has(in)) << in;
  for (const std::int64_t out : {least + 1, std::int64_t{-2}, std::int64_t{4}, std::int64_t{8}, most - 2})
    EXPECT_FALSE(numbers.has(out)) << out;
  EXPECT_FALSE(NumberRanges(std::vector<std::int64_t>{}).has(0));
  NumberRanges added;
  added.add(5, 3);
  EXPECT_TRUE(added.ranges().empty());
  added.add(6, 8);
  EXPECT_EQ(added.ranges(), (std::vector<NumberRanges::Range>{{6, 8}}));
}

// In slots near each other, far from each other, all over, one, none, and all.
TEST(PositionColumns, AreOfTheFormThatHasMostOfThem) {
  using Names = std::vector<std::string>;
  const std::vector<std::pair<Names, Names>> cases = {
      {{"id", "z", "x", "y"}, {"x", "y", "z"}},
      {{"xsu", "ysu", "zsu", "xs", "ys", "zs"}, {"xs", "ys", "zs"}},
      {{"x", "y", "xs", "ys", "zs"}, {"xs", "ys", "zs"}},
      {{"xu", "yu", "z"}, {"xu", "yu", "z"}},
      {{"zs", "y", "x"}, {"x", "y", "zs"}},
      {{"x", "xu", "yu", "zs"}, {"xu", "yu", "zs"}},
      {{"xs", "ys", "xu"}, {"xs", "ys"}},
      {{"x", "ysu"}, {"x", "ysu"}},
      {{"x", "z", "vy"}, {}},
      {{}, {}},
  };
  for (const auto &[columns, expected] : cases) EXPECT_EQ(position_columns(columns), expected);
}

TEST(PointsInBox, OfEachMixtureAreTheSame) {
  // Not of LAMMPS's simplest form: every coordinate depends on every fraction.
  const BoxVectors box{{8, 1, -1}, {1, 6, 2}, {-2, 1, 4}, {1, 2, 3}};
  const std::array<double, 3> fractions{0.5, 0.25, -0.75};
  const std::array<double, 3> point{1 + 4 + 0.25 + 1.5, 2 + 0.5 + 1.5 - 0.75, 3 - 0.5 + 0.5 - 3};
  for (unsigned mask = 0; mask < 8; ++mask) {
    std::array<bool, 3> scaled{};
    std::array<double, 3> given{};
    for (unsigned axis = 0; axis < 3; ++axis) {
      scaled[axis] = (mask >> axis & 1U) != 0;
      given[axis] = scaled[axis] ? fractions[axis] : point[axis];
    }
    const auto found = PointsInBox(box, scaled).cartesian(given);
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(found[axis], point[axis], 1e-14) << mask;
  }
}

TEST(PointsInBox, NeedNoExtentWhereCoordinatesAreGiven) {
  const BoxVectors plane{{10, 0, 0}, {0, 20, 0}, {0, 0, 0}, {1, 2, 3}};
  EXPECT_EQ(PointsInBox(plane, {true, true, false}).cartesian({0.5, 0.25, 0}), (std::array<double, 3>{6, 7, 0}));
}

TEST(SelectedParticles, AreThoseOfWholeFrames) {
  constexpr std::int64_t n = 5000;
  Gas gas(static_cast<std::size_t>(n), 3);
  const auto snapshots = trajectory(gas, 11, {}, [&](int) { gas.shuffle(); });
  std::vector<std::vector<std::int64_t>> choices(6);
  Random random(1);
  for (std::int64_t id = 1; id <= n; ++id) {
    if (id > 1100 && id < 1300) choices[0].push_back(id);
    if (id < 40 || id > n - 40) choices[1].push_back(id);
    if (random.below(100) == 0) choices[2].push_back(id);
    choices[5].push_back(id);
  }
  choices[3] = {2345};
  for (const Effort effort : {Effort::fast, Effort::standard, Effort::dense})
    for (const Order order : {Order::place, Order::id}) {
      Bytes bytes;
      Writer writer(bytes, small_metadata());
      writer.set_key_interval(4);
      writer.set_order(order);
      writer.set_effort(effort);
      write_all(writer, snapshots);
      writer.close();
      // Other efforts decode everything: two choices show it.
      for (const std::size_t k :
           effort == Effort::fast ? std::vector<std::size_t>{0, 1, 2, 3, 4, 5} : std::vector<std::size_t>{0, 2})
        expect_reads(bytes, of_ids(choices[k]),
                     "choice " + std::to_string(k) + ", effort " + std::to_string(static_cast<int>(effort)) +
                         ", order " + std::to_string(static_cast<int>(order)));
    }
}

// Slots of the particles that stay move, so that a history of some blocks no longer suffices.
TEST(SelectedParticles, LeaveAndArriveWithinAKeyInterval) {
  Gas gas(4000, 4);
  const auto snapshots = trajectory(gas, 12, {}, [&](int f) {
    gas.shuffle();
    if (f % 4 == 2) gas.thin(0.01);
    if (f % 4 == 3) gas.add(20);
  });
  for (const Order order : {Order::place, Order::id}) {
    const Bytes bytes = file_of(snapshots, 6, 1, true, order);
    std::vector<std::int64_t> ids;
    for (std::int64_t id = 2040; id < 2100; ++id) ids.push_back(id);
    for (std::int64_t id = 4000; id < 4030; ++id) ids.push_back(id);
    expect_reads(bytes, of_ids(ids), "order " + std::to_string(static_cast<int>(order)));
  }
}

Snapshot water_at(const Waters &waters, int frame, bool with_velocities) {
  Snapshot out = snapshot_of(waters, frame, 0.01, false);
  if (!with_velocities) out.quantities.pop_back();
  for (const Quantity &quantity : out.quantities) out.info.fields.push_back(quantity.field);
  return out;
}
// Without inertia, so that steps are the smallest coding in all frames.
void move(Waters &waters) {
  for (Vector &v : waters.velocity)
    for (double &x : v) x = 0.1 * waters.normal();
  waters.move();
}

// Molecules in two blocks of steps, ions between them, and two key intervals.
TEST(SelectedParticles, OfMoleculesInSteps) {
  Waters waters(4700, 1, 2);
  const auto n = static_cast<std::int64_t>(waters.position.size());
  std::vector<Snapshot> snapshots[2];
  for (int f = 0; f < 5; ++f, move(waters))
    for (const bool with_velocities : {false, true})
      snapshots[with_velocities ? 1 : 0].push_back(water_at(waters, f, with_velocities));
  // Near each other, in both blocks, all over, and none.
  std::vector<std::vector<std::int64_t>> choices(4);
  Random random(3);
  for (std::int64_t id = 1; id <= n; ++id) {
    if (id > 3000 && id < 3100) choices[0].push_back(id);
    if (id < 40 || id > n - 40) choices[1].push_back(id);
    if (random.below(50) == 0) choices[2].push_back(id);
  }
  for (const auto &given : snapshots) {
    Bytes bytes;
    Writer writer(bytes, small_metadata());
    writer.set_key_interval(3);
    writer.set_order(Order::id);
    writer.set_effort(Effort::standard);
    write_all(writer, given);
    writer.close();
    const Reader reader = reader_of(bytes);
    std::vector<Frame> whole;
    for (std::size_t i = 0; i < given.size(); ++i) whole.push_back(reader.read(i));
    int threads = 1;
    for (const auto &choice : choices) {
      const auto selection = of_ids(choice);
      const Reader part = reader_of(bytes);
      for (const std::size_t i : {0U, 1U, 2U, 3U, 4U, 2U, 1U}) {
        Frame expected = whole[i];
        keep_particles(expected, *selection);
        expect_same(part.read(i, {threads, true, selection}), expected, "frame " + std::to_string(i));
      }
      threads = 4 - threads;
    }
    // Others in turn: all, and those of another selection.
    const auto few = of_ids(choices[0]);
    const auto others = of_ids(choices[1]);
    const Reader in_turn = reader_of(bytes);
    for (const auto &selection : {few, others, std::shared_ptr<const Selection>(), few}) {
      Frame expected = whole[2];
      if (selection != nullptr) keep_particles(expected, *selection);
      expect_same(in_turn.read(2, {1, true, selection}), expected, "in turn");
    }
  }
}

// All slots are followed until the first section of steps, and then some, unless something needs all of them.
TEST(SelectedParticles, OfStepsAreFollowedInBlocks) {
  Waters waters(6200, 0, 3);
  TrajectoryEncoder encoder;
  encoder.set_order(Order::id);
  encoder.set_effort(Effort::standard);
  const auto selection = of_ids({3, 4, 5});
  trajectory::ChunkReader reader;
  trajectory::ChunkReader whole;
  EncodedChunk chunk;
  const std::uint64_t n = waters.position.size();
  for (int f = 0; f < 3; ++f, move(waters)) {
    const Snapshot snapshot = water_at(waters, f, false);
    encoder.encode(snapshot.inputs(), n, nullptr, snapshot.info.box, f == 0, chunk);
    const std::vector<Field> fields = frame_for(snapshot.inputs()).info.fields;
    const auto opened = format::open_chunk(chunk.bytes.data(), chunk.bytes.size(), fields.size());
    reader.next(opened, n, fields, {}, 1, selection.get());
    whole.next(opened, n, fields, {}, 1, selection.get());
    EXPECT_TRUE(reader.is_limited());
    EXPECT_EQ(reader.has_all_slots(), f == 0);
    if (f == 0) whole.follow_all_slots();
    std::vector<double> x(2 * n);
    for (trajectory::ChunkReader *one : {&reader, &whole}) {
      codec::Target target;
      target.components[0] = {x.data() + (one == &whole ? n : 0), sizeof(double), ConstArray::Type::float64};
      one->write(0, target);
    }
    EXPECT_TRUE(std::equal(x.begin(), x.begin() + 1024, x.begin() + static_cast<std::ptrdiff_t>(n)));
    EXPECT_EQ(std::equal(x.begin() + 1024, x.begin() + static_cast<std::ptrdiff_t>(n),
                         x.begin() + static_cast<std::ptrdiff_t>(n) + 1024),
              f == 0);
  }
  EXPECT_THROW(reader.follow_all_slots(), trajectory::AllSlotsNeeded);
}

// A type that changes selects particles of blocks that were not followed.
TEST(SelectedParticles, OfTypesThatChange) {
  Gas gas(4000, 6);
  auto snapshots = trajectory(gas, 8, {}, [](int) {});
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    Quantity &tag = snapshots[f].named("tag");
    tag.field.components[0].name = "type";
    for (std::size_t i = 0; i < tag.integer.size(); ++i) tag.integer[i] = i < 500 || (f > 2 && i == 3900) ? 2 : 1;
  }
  auto selection = std::make_shared<Selection>();
  selection->types.emplace(std::vector<std::int64_t>{2});
  for (const Order order : {Order::place, Order::id})
    expect_reads(file_of(snapshots, 8, 1, true, order), selection, "types");
}

TEST(SelectedParticles, OfARegionAreOthersInEachFrame) {
  const Bytes bytes = file_of(trajectory(3000, 6), 3);
  auto selection = std::make_shared<Selection>();
  selection->region.emplace();
  (*selection->region)[0] = {1, 3};
  (*selection->region)[2].to = 4;
  expect_reads(bytes, selection, "a region");
  EXPECT_NE(reader_of(bytes).read(0, {1, false, selection}).info.particles,
            reader_of(bytes).read(5, {1, false, selection}).info.particles);
}

// One reader, whose callers want other particles from call to call.
TEST(SelectedParticles, OfSelectionsInTurn) {
  const Bytes bytes = file_of(trajectory(4000, 9), 9, 1, true, Order::id);
  const Reader whole = reader_of(bytes);
  const Reader reader = reader_of(bytes);
  const auto few = of_ids({5, 6, 7});
  const auto others = of_ids({3999});
  for (std::size_t i = 0; i < 9; ++i)
    for (const auto &selection : {few, others, std::shared_ptr<const Selection>()}) {
      Frame expected = whole.read(i, {1, true});
      if (selection != nullptr) keep_particles(expected, *selection);
      expect_same(reader.read(i, {1, true, selection}), expected, "frame " + std::to_string(i));
    }
}

// The chunks of later frames do not depend on earlier ones, and have few particles of the selection that the reader
// began with: all of the others' are followed nevertheless.
TEST(SelectedParticles, OfAnotherSelectionThanThatOfTheKeyFrame) {
  std::vector<Snapshot> snapshots;
  for (unsigned f = 0; f < 8; ++f) {
    Gas gas(20000);
    // Each frame is another walk from particle to particle, so that an independent chunk is the smaller one.
    Random random(20 + f);
    double walk[3] = {};
    for (Gas::Particle &particle : gas.particles)
      for (int d = 0; d < 3; ++d) {
        walk[d] += 1e-5 * (static_cast<double>(random.below(1001)) - 500);
        particle.position[d] = walk[d];
      }
    snapshots.push_back(trajectory(gas, 1, {}, [](int) {}).front());
    snapshots.back().info.timestep = 10 * f;
    Quantity &tag = snapshots.back().named("tag");
    tag.field.components[0].name = "type";
    for (std::size_t i = 0; i < tag.integer.size(); ++i) tag.integer[i] = f < 4 || gas.particles[i].id <= 1000 ? 1 : 2;
    auto &quantities = snapshots.back().quantities;
    const auto others = [](const Quantity &quantity) {
      const std::string &name = quantity.field.components[0].name;
      return name != "x" && name != "id" && name != "type";
    };
    quantities.erase(std::remove_if(quantities.begin(), quantities.end(), others), quantities.end());
    snapshots.back().info.fields.clear();
    for (const Quantity &quantity : quantities) snapshots.back().info.fields.push_back(quantity.field);
  }
  std::shared_ptr<Selection> of_type[2];
  for (const int type : {1, 2}) {
    of_type[type - 1] = std::make_shared<Selection>();
    of_type[type - 1]->types.emplace(std::vector<std::int64_t>{type});
  }
  for (const Order order : {Order::place, Order::id}) {
    Bytes bytes;
    Writer writer(bytes, small_metadata());
    writer.set_order(order);
    writer.set_effort(Effort::fast);
    write_all(writer, snapshots);
    writer.close();
    const Reader whole = reader_of(bytes);
    for (const std::shared_ptr<const Selection> &later : {std::shared_ptr<const Selection>(of_type[1]), {}}) {
      const Reader reader = reader_of(bytes);
      for (std::size_t i = 0; i < 8; ++i) {
        const std::shared_ptr<const Selection> now = i < 4 ? of_type[0] : later;
        Frame expected = whole.read(i);
        if (now != nullptr) keep_particles(expected, *now);
        std::vector<bool> wanted(expected.info.fields.size());
        wanted[0] = true;
        const Frame positions = reader.read(i, {1, false, now}, wanted);
        ASSERT_EQ(positions.info.particles, expected.info.particles) << i;
        for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(positions.columns[c].floats, expected.columns[c].floats) << i;
      }
    }
  }
}

TEST(SelectedParticles, NeedRoomForThemselvesOnly) {
  const Bytes bytes = file_of(trajectory(2000, 2), 2);
  const Reader reader = reader_of(bytes);
  std::vector<double> x(3);
  const std::vector<ColumnOutput> columns = {{"x", {x.data(), sizeof(double), ConstArray::Type::float64}}};
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(reader.read_columns(i, columns, 3, {1, true, of_ids({1, 9, 1500})}).particles, 3u);
    EXPECT_EQ(x, reader.read(i, {1, true, of_ids({1, 9, 1500})}).columns[0].floats);
    EXPECT_EQ(status_of([&] {
                reader.read_columns(i, columns, 3, {1, true, of_ids({1, 9, 1500, 7})});
              }),
              Status::limit_exceeded);
  }
}

// In order for a while, then not.
TEST(SelectedParticles, OfFramesInAnyOrder) {
  const Bytes bytes = file_of(trajectory(3000, 8), 4);
  const Reader whole = reader_of(bytes);
  const auto selection = of_ids({1, 2, 2999});
  for (const auto &chosen : {selection, std::shared_ptr<const Selection>()}) {
    const Reader reader = reader_of(bytes);
    for (const std::size_t i : {0u, 1u, 2u, 4u, 0u, 3u, 7u, 4u, 4u, 5u}) {
      Frame expected = whole.read(i, {1, true});
      if (chosen != nullptr) keep_particles(expected, *chosen);
      expect_same(reader.read(i, {1, true, chosen}), expected, "frame " + std::to_string(i));
    }
  }
}

TEST(SelectedParticles, NeedTheirColumns) {
  const Bytes bytes = file_of(trajectory(50, 2), 2);
  const Reader reader = reader_of(bytes);
  auto types = std::make_shared<Selection>();
  types->types.emplace(std::vector<std::int64_t>{1});
  EXPECT_EQ(status_of([&] { reader.read(0, {1, false, types}); }), Status::not_found);
  std::vector<bool> wanted(reader.info(0).fields.size());
  wanted[0] = true;
  Frame positions = reader.read(0, {}, wanted);
  EXPECT_EQ(status_of([&] { keep_particles(positions, *of_ids({1})); }), Status::invalid_argument);
}

TEST(SelectedParticles, OfAKeyFrameInFrontOfADamagedFrame) {
  Bytes bytes = file_of(trajectory(3000, 4), 4);
  const FileScan scan = reader_of(bytes).scan();
  bytes[static_cast<std::size_t>(scan.frames[1].offset) + 20] ^= 1;
  const Reader reader = reader_of(bytes);
  ASSERT_EQ(reader.frames(), 4u);
  EXPECT_EQ(reader.read(0, {1, false, nullptr}).info.particles, 3000u);
}

TEST(WantedBlocks, AreFollowedAndNoOthers) {
  const auto walk = codec::random_walk(3000, 4, 40, 9);
  codec::DifferenceState state;
  state.start(codec::columns(walk.frames[0]), 3000, 3);
  for (std::size_t f = 1; f < 3; ++f) state.advance(codec::columns(walk.frames[f]), walk.box);
  std::vector<std::uint8_t> bytes;
  codec::encode_difference(state, codec::columns(walk.frames[3]), walk.box, bytes);
  codec::DifferenceState all = state;
  codec::follow_difference(all, bytes.data(), bytes.size(), walk.box);
  std::vector<std::uint32_t> rows(3000, codec::no_row);
  rows[2047] = 0;
  codec::Target target;
  target.rows = rows.data();
  target.is_partial = true;
  codec::DifferenceState some = state;
  codec::follow_difference(some, bytes.data(), bytes.size(), walk.box, codec::kernels(), 1, {target, 3000});
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t i = 0; i < 3000; ++i) {
      const codec::DifferenceState &expected = i / 1024 == 1 ? all : state;
      ASSERT_EQ(some.axes[d].last[i], expected.axes[d].last[i]) << i;
      ASSERT_EQ(some.axes[d].velocity[i], expected.axes[d].velocity[i]) << i;
    }
}

// A chain of chunks followed for some particles, one byte of which is another: values or an error.
TEST(WantedBlocks, OfDamagedChunksAreHarmless) {
  Gas gas(2200, 8);
  TrajectoryEncoder encoder;
  set_plain(encoder);
  std::vector<EncodedChunk> chunks(4);
  std::vector<Field> fields;
  for (std::size_t f = 0; f < chunks.size(); ++f) {
    gas.move();
    const Snapshot snapshot = gas.snapshot();
    encoder.encode(snapshot.inputs(), snapshot.info.particles, nullptr, snapshot.info.box, f == 0, chunks[f]);
    if (f == 0) fields = frame_for(snapshot.inputs()).info.fields;
  }
  const auto selection = of_ids({10, 20, 1000});
  std::vector<double> x(2200);
  const auto decode = [&](std::size_t damaged, const Bytes &bytes) {
    trajectory::ChunkReader reader;
    bool was_limited = false;
    const Status status = status_of([&] {
      try {
        for (std::size_t f = 0; f < chunks.size(); ++f) {
          const Bytes &of_frame = f == damaged ? bytes : chunks[f].bytes;
          reader.next(format::open_chunk(of_frame.data(), of_frame.size(), fields.size()), 2200, fields, {}, 1,
                      selection.get());
          was_limited |= reader.is_limited();
          codec::Target target;
          target.components[0] = {x.data(), sizeof(double), ConstArray::Type::float64};
          reader.write(0, target);
        }
      } catch (const trajectory::AllSlotsNeeded &) {
        // A reader begins again.
      }
    });
    EXPECT_TRUE(status == Status::ok || status == Status::corrupt || status == Status::truncated);
    return was_limited;
  };
  ASSERT_TRUE(decode(0, chunks[0].bytes));
  Random random(2);
  for (std::size_t f = 0; f < 3; ++f)
    for (int k = 0; k < 1500; ++k) {
      Bytes damaged = chunks[f].bytes;
      const std::size_t at = k < 400 ? static_cast<std::size_t>(k) % damaged.size() : random.below(damaged.size());
      damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ (1 + random.below(255)));
      decode(f, damaged);
    }
}

}  // namespace
}  // namespace gpz::test::selection_test
