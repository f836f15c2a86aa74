// SPDX-License-Identifier: BSD-3-Clause
// Trajectories as differences, from the caller's arrays to the reader's frames: whatever particles, ids, boxes and
// fields do, every frame is within its bounds of what was given.
#include "gpz/format/grid_box.hpp"
#include "gpz/trajectory/key_interval_choice.hpp"
#include "trajectory_support.hpp"

namespace gpz::test::trajectory_test {
namespace {

std::size_t difference_frames(const Bytes &bytes) {
  const Reader reader = reader_of(bytes);
  std::size_t count = 0;
  for (std::size_t i = 0; i < reader.frames(); ++i) count += reader.info(i).since_key != 0 ? 1 : 0;
  return count;
}

TEST(Trajectory, StaysWithinTheBoundForLong) {
  for (const ValueType type : {ValueType::float64, ValueType::float32}) {
    Style style;
    style.type = type;
    const auto snapshots = trajectory(500, 250, style);
    expect_round_trip(snapshots, 1000);
    EXPECT_EQ(difference_frames(file_of(snapshots, 1000)), 249u);
  }
}

TEST(Trajectory, OfAnyNumberOfParticles) {
  for (const std::size_t n : {0u, 1u, 2u, 31u, 32u, 33u, 1023u, 1024u, 1025u, 4000u}) {
    SCOPED_TRACE(n);
    expect_round_trip(trajectory(n, 6), 4);
  }
}

TEST(Trajectory, HasAKeyFrameEverySoOften) {
  const auto snapshots = trajectory(100, 11);
  for (const unsigned interval : {1u, 2u, 3u, 65535u}) {
    const Bytes bytes = file_of(snapshots, interval);
    const Reader reader = reader_of(bytes);
    for (std::size_t i = 0; i < reader.frames(); ++i) EXPECT_EQ(reader.info(i).since_key, i % interval);
  }
  const TemporaryFile file;
  Writer writer(file.path(), {});
  set_plain(writer);
  EXPECT_EQ(status_of([&] { writer.set_key_interval(0); }), Status::invalid_argument);
  EXPECT_EQ(status_of([&] { writer.set_key_interval(65536); }), Status::invalid_argument);
  write_all(writer, {snapshots[0], snapshots[1]});
  writer.set_key_interval(2);
  write_all(writer, {snapshots[2], snapshots[3]});
  writer.set_key_interval(5);
  write_all(writer, {snapshots[4], snapshots[5]});
  const Reader reader(file.path());
  std::vector<int> since;
  for (std::size_t i = 0; i < reader.frames(); ++i) since.push_back(reader.info(i).since_key);
  EXPECT_EQ(since, (std::vector<int>{0, 0, 0, 1, 0, 1}));
  for (std::size_t i = 0; i < reader.frames(); ++i) expect_true(snapshots[i], reader.read(i));
}

std::vector<int> since_key(const Bytes &bytes) {
  const Reader reader = reader_of(bytes);
  std::vector<int> result;
  for (std::size_t i = 0; i < reader.frames(); ++i) result.push_back(reader.info(i).since_key);
  return result;
}

// The sizes of a key frame and of the next frames, and the interval that they give.
TEST(KeyIntervalChoice, IsTheShortestOfTwoPercent) {
  const auto of = [](const std::vector<std::uint64_t> &sizes) {
    trajectory::KeyIntervalChoice choice;
    std::optional<unsigned> found;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      EXPECT_FALSE(found);
      found = choice.add(sizes[k], k == 0);
    }
    return found;
  };
  EXPECT_EQ(of({100, 100, 100, 100, 100, 100}), 1u);
  EXPECT_EQ(of({90, 100, 100, 100, 100, 100}), 1u);
  EXPECT_EQ(of({104, 100, 100, 100, 100, 100}), 2u);
  // 100 bytes more for each interval: 1 % with 100 frames, 3.02 % with 34.
  EXPECT_EQ(of({200, 100, 100, 100, 100, 100}), 34u);
  EXPECT_EQ(of({150, 130, 120, 100, 100, 100}), 34u);
  // One larger frame, such as one that states constants, does not count.
  EXPECT_EQ(of({200, 100, 100, 100, 100, 104}), 34u);
  EXPECT_EQ(of({100'000'000, 100, 100, 100, 100, 100}), 99u);
  EXPECT_EQ(of({100, 110, 120, 130, 140, 150}), 1u);
  EXPECT_FALSE(of({200, 100, 100, 100, 100}));
}

TEST(KeyIntervalChoice, BeginsAnewWithAKeyFrame) {
  trajectory::KeyIntervalChoice choice;
  for (int k = 0; k < 4; ++k) choice.add(1000, k == 0);
  for (int k = 0; k < 5; ++k) EXPECT_FALSE(choice.add(k == 0 ? 200 : 100, k == 0));
  EXPECT_EQ(choice.add(100, false), 34u);
  EXPECT_TRUE(choice.is_final());
}

// A liquid whose ids tell less of positions in each key frame.
TEST(KeyIntervalChoice, BeginsAnewWhileKeyFramesGrow) {
  trajectory::KeyIntervalChoice choice;
  const auto add = [&](std::uint64_t key) {
    std::optional<unsigned> found = choice.add(key, true);
    EXPECT_EQ(found, key == 1000 ? std::nullopt : std::optional(default_key_interval));
    for (int k = 1; k < 6; ++k) found = choice.add(1000, false);
    return found;
  };
  EXPECT_EQ(add(1000), 1u);
  EXPECT_FALSE(choice.is_final());
  EXPECT_EQ(add(1030), 2u);
  EXPECT_FALSE(choice.is_final());
  EXPECT_EQ(add(1080), 4u);
  EXPECT_FALSE(choice.is_final());
  EXPECT_FALSE(choice.add(1085, true));
  EXPECT_TRUE(choice.is_final());
}

const Style positions_and_ids{ValueType::float64, 3, 0.001, false, false, false, false};

// The first interval has six frames at least, by which the others are chosen.
TEST(Trajectory, HasAKeyIntervalByTheSizesOfItsFrames) {
  const auto expected = [](const Bytes &bytes, std::size_t first, std::size_t count) {
    const FileScan scan = scan_bytes(bytes);
    trajectory::KeyIntervalChoice choice;
    std::optional<unsigned> found;
    for (std::size_t k = 0; k < 6; ++k) found = choice.add(scan.frames[first + k].length, k == 0);
    const auto interval = static_cast<int>(found.value());
    const int begins = std::max(interval, 6);
    std::vector<int> since;
    for (int k = 0; k < static_cast<int>(count); ++k) since.push_back(k < begins ? k : (k - begins) % interval);
    return since;
  };
  const auto smooth = trajectory(300, 90, positions_and_ids);
  // Positions without a past.
  std::vector<Snapshot> random;
  for (int f = 0; f < 20; ++f) random.push_back(Gas(300, f + 1U).snapshot(positions_and_ids));
  Bytes bytes;
  Writer writer(bytes, small_metadata());
  set_plain(writer);
  writer.set_order(Order::id);
  writer.choose_key_interval();
  // A frame that fails does not count.
  Particles bad(1);
  bad.fields[0].field.bound = -1;
  EXPECT_EQ(status_of([&] { writer.write(bad.info, bad.fields); }), Status::invalid_argument);
  write_all(writer, smooth);
  std::vector<int> since = expected(bytes, 0, 90);
  EXPECT_EQ(since_key(bytes), since);
  EXPECT_GT(std::count(since.begin(), since.end(), 0), 1);
  EXPECT_GT(since[9], 5);
  // By the next frames.
  writer.choose_key_interval();
  write_all(writer, random);
  const std::vector<int> rest = expected(bytes, 90, 20);
  EXPECT_EQ(rest[7], 0) << "each frame is a key frame";
  since.insert(since.end(), rest.begin(), rest.end());
  EXPECT_EQ(since_key(bytes), since);
  // A number replaces the choice.
  writer.choose_key_interval();
  writer.set_key_interval(2);
  write_all(writer, {smooth.begin(), smooth.begin() + 8});
  for (int k = 0; k < 8; ++k) since.push_back(k % 2);
  EXPECT_EQ(since_key(bytes), since);
}

TEST(Trajectory, HasAKeyIntervalByTheSizesOfTheFramesThatContinueAFile) {
  const TemporaryFile file;
  for (int run = 0; run < 2; ++run) {
    Writer writer(file.path(), small_metadata(), Writer::Mode::append);
    set_plain(writer);
    writer.set_order(Order::id);
    writer.choose_key_interval();
    write_all(writer, trajectory(300, 60, positions_and_ids));
    writer.close();
  }
  const std::vector<int> since = since_key(file.bytes());
  EXPECT_GT(since[6], 0);
  EXPECT_TRUE(std::equal(since.begin(), since.begin() + 60, since.begin() + 60));
  EXPECT_GT(std::count(since.begin(), since.end(), 0), 2);
}

// All of them are key frames, and none is measured.
TEST(Trajectory, WithoutIdsHasNoKeyIntervalToChoose) {
  Bytes bytes;
  Writer writer(bytes, small_metadata(), 2);
  set_plain(writer);
  writer.set_order(Order::place);
  writer.set_pending(std::uint64_t{1} << 20);
  writer.choose_key_interval();
  std::vector<Snapshot> snapshots = trajectory(100, 9);
  for (Snapshot &snapshot : snapshots) snapshot.quantities.erase(snapshot.quantities.begin() + 1);
  write_all(writer, snapshots);
  writer.close();
  EXPECT_EQ(since_key(bytes), std::vector<int>(9));
}

TEST(Trajectory, HasKeyFramesInTheOrderOfIds) {
  Gas gas(2500);
  for (std::size_t i = 0; i < gas.particles.size(); ++i)
    for (double &position : gas.particles[i].position) position = static_cast<double>(i) / 2500;
  const auto snapshots = trajectory(gas, 8, {}, [&](int f) {
    gas.shuffle();
    if (f % 3 == 2) gas.thin(0.05);
    if (f % 3 == 2) gas.add(40);
  });
  const Bytes bytes = file_of(snapshots, 4, 1, true, Order::id);
  const Reader reader = reader_of(bytes);
  EXPECT_EQ(reader.chunk(0, 0)[4], 2);  // kind
  for (std::size_t i = snapshots.size(); i-- > 0;) expect_true(snapshots[i], reader.read(i));
  EXPECT_LT(bytes.size(), file_of(snapshots, 4).size());
}

TEST(Trajectory, IsSmallerThanFramesThatStandAlone) {
  const auto snapshots = trajectory(4000, 12);
  EXPECT_LT(file_of(snapshots, 100).size(), file_of(snapshots, 1).size() * 6 / 10);
}

TEST(Particles, LeaveAndArrive) {
  Gas gas(1500);
  const auto snapshots = trajectory(gas, 30, {}, [&](int f) {
    gas.thin(f % 10 == 7 ? 0.4 : 0.03);
    gas.add(f % 10 == 3 ? 700 : gas.random.below(40));
    if (f % 3 != 0) gas.shuffle();
  });
  expect_round_trip(snapshots, 100);
}

TEST(Particles, AllLeaveAndOthersCome) {
  Gas gas(300);
  const int count[] = {300, 0, 0, 5, 5, 0, 2000, 2000, 1, 1, 1, 0};
  const auto snapshots = trajectory(gas, 12, {}, [&](int f) {
    const auto n = static_cast<std::size_t>(count[f]);
    if (gas.particles.size() > n) gas.particles.resize(n);
    gas.add(n - gas.particles.size());
  });
  expect_round_trip(snapshots, 100);
}

TEST(Ids, NeedNotBeUnique) {
  using Rule = std::int64_t (*)(std::size_t, std::int64_t);
  const Rule rules[] = {[](std::size_t, std::int64_t) { return std::int64_t{0}; },
                        [](std::size_t, std::int64_t tag) { return tag / 2; },
                        [](std::size_t, std::int64_t tag) { return tag % 7; },
                        [](std::size_t i, std::int64_t) { return static_cast<std::int64_t>(i); },
                        [](std::size_t, std::int64_t tag) { return tag % 2 == 0 ? INT64_MIN + tag : INT64_MAX - tag; },
                        [](std::size_t, std::int64_t tag) { return -tag * 1000000007; }};
  for (const Rule rule : rules) {
    SCOPED_TRACE(&rule - rules);
    for (const std::size_t n : {60u, 1300u}) {
      Gas gas(n);
      const auto snapshots = trajectory(gas, 6, {}, [&](int f) {
        gas.shuffle();
        if (f == 3) gas.thin(0.1);
        if (f == 4) gas.add(20);
        for (std::size_t i = 0; i < gas.particles.size(); ++i) gas.particles[i].id = rule(i, gas.particles[i].tag);
      });
      expect_round_trip(snapshots, 100);
    }
  }
}

TEST(Ids, AreNeededForDifferences) {
  auto snapshots = trajectory(200, 4);
  for (Snapshot &snapshot : snapshots) snapshot.quantities.erase(snapshot.quantities.begin() + 1);
  EXPECT_FALSE(has_identity({snapshots[0].quantities[0].field, snapshots[0].quantities[1].field}));
  const Bytes bytes = file_of(snapshots, 100);
  EXPECT_EQ(difference_frames(bytes), 0u);
  const Reader reader = reader_of(bytes);
  for (std::size_t i = 0; i < snapshots.size(); ++i) expect_true(snapshots[i], reader.read(i));

  Field field;
  field.components = {{"id", 0}};
  EXPECT_FALSE(has_identity({field}));  // a float
  field.type = ValueType::integer;
  EXPECT_TRUE(has_identity({field}));
  field.components.push_back({"mol", 1});
  EXPECT_FALSE(has_identity({field}));
}

TEST(Positions, InTwoDimensions) {
  Style style;
  style.dimension = 2;
  expect_round_trip(trajectory(700, 10, style), 100);
}

TEST(Positions, WithoutABound) {
  for (const ValueType type : {ValueType::float64, ValueType::float32}) {
    Style style;
    style.type = type;
    style.bound = 0;
    expect_round_trip(trajectory(300, 6, style), 100);
  }
}

TEST(Positions, OnAGridOfTheCallers) {
  auto snapshots = trajectory(300, 8);
  for (Snapshot &snapshot : snapshots) snapshot.quantities[0].field.step = 0.0015;
  expect_round_trip(snapshots, 100);
}

// Values of particles that stay, and of those that arrive.
TEST(Values, ThatNoGridHolds) {
  const double odd[] = {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e300, -1e300, 1e15, -3e12, 5e-324, -0.0};
  for (const ValueType type : {ValueType::float64, ValueType::float32}) {
    Style style;
    style.type = type;
    for (const double bound : {0.001, 0.0}) {
      style.bound = bound;
      Gas gas(1200);
      auto snapshots = trajectory(gas, 8, style, [&](int) {
        gas.thin(0.03);
        gas.add(40);
      });
      Random random(4);
      for (Snapshot &snapshot : snapshots)
        for (const char *name : {"x", "vx", "q"}) {
          Quantity &q = snapshot.named(name);
          for (int k = 0; k < 40; ++k) {
            const double value = odd[random.below(std::size(odd))];
            if (q.field.type == ValueType::float32)
              q.single[random.below(q.single.size())] = static_cast<float>(value);
            else
              q.real[random.below(q.real.size())] = value;
          }
        }
      expect_round_trip(snapshots, 100);
    }
  }
}

TEST(Values, IntegersOfAnySize) {
  Gas gas(600);
  auto snapshots = trajectory(gas, 6, {}, [](int) {});
  for (Snapshot &snapshot : snapshots)
    for (std::int64_t &image : snapshot.named("ix").integer)
      if (gas.random.below(3) == 0) image = static_cast<std::int64_t>(gas.random.bits());
  expect_round_trip(snapshots, 100);
}

TEST(Boxes, ChangeTheirSize) {
  Gas gas(800);
  const auto snapshots = trajectory(gas, 40, {}, [&](int f) {
    const double factor = 1 + 0.02 * std::sin(0.3 * f);
    gas.box.values = {-5 * factor, 5 * factor, -6 * factor, 6 * factor, 2, 10 * factor};
  });
  expect_round_trip(snapshots, 100);
}

TEST(Boxes, Triclinic) {
  Gas gas(800);
  gas.box.kind = Box::Kind::triclinic;
  const auto snapshots = trajectory(gas, 20, {}, [&](int f) {
    gas.box.values[6] = f < 10 ? 0 : 3;
    gas.box.values[7] = f < 5 ? 0 : -1.5;
    gas.box.values[8] = f % 2 == 0 ? 2 : 0;
  });
  expect_round_trip(snapshots, 100);
}

TEST(Boxes, ThatAreUnknownOpenOrNonsense) {
  Gas gas(300);
  auto snapshots = trajectory(gas, 12, {}, [](int) {});
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    Box &box = snapshots[i].info.box;
    if (i % 6 == 1) box = Box();
    if (i % 6 == 2) box.boundary = {'f', 'f', 'p', 's', 'm', 'p'};
    if (i % 6 == 3) box.values = {5, -5, 0, 0, 1e300, -1e300};
    if (i % 6 == 4) box.values = {0, 1e-12, -1e300, 1e300, 0, 0.004};
    if (i % 6 == 5) box.kind = Box::Kind::general_triclinic;
  }
  expect_round_trip(snapshots, 100);
}

TEST(Boxes, ArePeriodicWhereParticlesComeBackAtTheSamePlace) {
  const Gas gas(0);
  Field field = gas.snapshot().quantities[0].field;
  field.step = 0.5;
  const auto periods = [&](const Box &box) {
    std::vector<std::int64_t> out;
    for (const core::GridAxis &axis : format::grid_box(box, field)) out.push_back(axis.period);
    return out;
  };
  using Periods = std::vector<std::int64_t>;
  EXPECT_EQ(periods(gas.box), (Periods{20, 24, 16}));
  EXPECT_EQ(format::grid_box(gas.box, field)[0].lo, -2);
  EXPECT_EQ(periods(Box()), (Periods{0, 0, 0}));
  Box box = gas.box;
  box.boundary = {'p', 'f', 's', 's', 'p', 'p'};
  EXPECT_EQ(periods(box), (Periods{0, 0, 16}));
  box = gas.box;
  box.kind = Box::Kind::triclinic;
  EXPECT_EQ(periods(box), (Periods{20, 24, 16}));
  box.values[6] = 1;  // xy
  EXPECT_EQ(periods(box), (Periods{0, 24, 16}));
  box.values[8] = 1;  // yz
  EXPECT_EQ(periods(box), (Periods{0, 0, 16}));
  field.step = 0.125;
  for (auto &component : field.components) component.name += 's';
  EXPECT_EQ(periods(box), (Periods{8, 8, 8}));
  for (auto &component : field.components) component.name[1] = 'u';
  EXPECT_EQ(periods(gas.box), (Periods{0, 0, 0}));
}

// Fractions of a box that changes: their bound does too, and no difference is of use.
TEST(Boxes, ChangeTheGridOfScaledPositions) {
  Gas gas(500);
  Style style;
  style.scaled = true;
  auto snapshots = trajectory(gas, 12, style, [&](int f) { gas.box.values[1] = 9 + (f < 6 ? 0 : 0.01 * f); });
  for (Snapshot &snapshot : snapshots)
    snapshot.quantities[0].field.bound = 0.001 / (snapshot.info.box.values[1] - snapshot.info.box.values[0]);
  const Bytes bytes = file_of(snapshots, 100);
  const Reader reader = reader_of(bytes);
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    expect_true(snapshots[i], reader.read(i));
    const Bytes chunk = reader.chunk(i, 0);
    EXPECT_EQ(chunk[4], i == 0 || i >= 6 ? 0 : 1) << "kind of chunk " << i;
  }
}

TEST(ImageFlags, OfParticlesThatCrossEdgesCostNothing) {
  Gas gas(3000);
  Style style;
  style.velocities = false;
  style.tags = false;
  std::vector<Snapshot> with;
  std::vector<Snapshot> without;
  std::size_t crossings = 0;
  for (int f = 0; f < 10; ++f) {
    gas.move();
    style.images = true;
    with.push_back(gas.snapshot(style));
    style.images = false;
    without.push_back(gas.snapshot(style));
    for (std::size_t k = 0; f > 0 && k < 9000; ++k)
      crossings += with[f].integers("ix")[k] != with[f - 1].integers("ix")[k] ? 1 : 0;
  }
  EXPECT_GT(crossings, 300u);
  const Bytes a = file_of(with, 100);
  const Bytes b = file_of(without, 100);
  const Reader more = reader_of(a);
  const Reader less = reader_of(b);
  for (std::size_t i = 1; i < with.size(); ++i)
    EXPECT_EQ(more.chunk(i, 0).size(), less.chunk(i, 0).size() + 16) << i;  // length and coding of a section
  expect_round_trip(with, 100, "id");
}

TEST(ImageFlags, MayDoWhatTheyLike) {
  Gas gas(500);
  auto snapshots = trajectory(gas, 10, {}, [](int) {});
  for (std::size_t f = 0; f < snapshots.size(); ++f)
    for (std::size_t k = 0; k < 1500; ++k)
      if (f % 3 == 1 || k % 50 == f) snapshots[f].named("ix").integer[k] = -snapshots[f].named("ix").integer[k] + 2;
  expect_round_trip(snapshots, 100);
}

TEST(Fields, ChangeBetweenFrames) {
  Style few;
  few.velocities = false;
  Style narrow;
  narrow.type = ValueType::float32;
  Style coarse;
  coarse.bound = 0.01;
  Style flat;
  flat.dimension = 2;
  const Style styles[] = {{}, {}, few, few, {}, narrow, narrow, coarse, coarse, flat, flat, few};
  Gas gas(400);
  std::vector<Snapshot> snapshots;
  for (const Style &style : styles) {
    gas.move();
    gas.shuffle();
    snapshots.push_back(gas.snapshot(style));
  }
  const Bytes bytes = file_of(snapshots, 100);
  const Reader reader = reader_of(bytes);
  for (std::size_t i = 0; i < snapshots.size(); ++i) expect_true(snapshots[i], reader.read(i));
  for (std::size_t i = snapshots.size(); i-- > 0;) expect_true(snapshots[i], reader.read(i));
  const Frame ids = reader.read(3, 1, {false, true, false, false});
  EXPECT_EQ(ids.columns[3].integers, reader.read(3).columns[3].integers);
  EXPECT_TRUE(ids.columns[0].floats.empty());
}

// Names say which field has the ids; they may move or go while the types stay.
TEST(Fields, ChangeTheirNames) {
  Gas gas(300);
  auto snapshots = trajectory(gas, 9, {}, [&](int f) {
    gas.shuffle();
    if (f % 2 == 1) gas.add(3);
  });
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    if (f >= 3 && f < 6) std::swap(snapshots[f].quantities[1], snapshots[f].quantities[2]);
    if (f >= 6) snapshots[f].named("id").field.components[0].name = "mol";
  }
  TrajectoryEncoder encoder;
  const TemporaryFile file;
  Writer writer(file.path(), {});
  set_plain(writer);
  EncodedChunk chunk;
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    FrameInfo info = snapshots[f].info;
    for (const Quantity &q : snapshots[f].quantities) info.fields.push_back(q.field);
    info.since_key = static_cast<std::uint16_t>(f);
    encoder.encode(snapshots[f].inputs(), info.particles, nullptr, info.box, f == 0, chunk);
    writer.write(info, std::vector<EncodedChunk>{chunk});
  }
  const Reader reader(file.path());
  for (std::size_t f = 0; f < snapshots.size(); ++f) expect_true(snapshots[f], reader.read(f));
}

}  // namespace
}  // namespace gpz::test::trajectory_test
