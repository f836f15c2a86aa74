// SPDX-License-Identifier: BSD-3-Clause
// Trajectories by every effort: the same values, in files that are no larger than those of less effort.
#include "trajectory_support.hpp"

namespace gpz::test::effort_test {
namespace {

constexpr Effort efforts[] = {Effort::fast, Effort::standard, Effort::dense};

Bytes file_by(const std::vector<Snapshot> &snapshots, Effort effort, Order order, unsigned interval, int threads = 1) {
  Bytes bytes;
  Writer writer(bytes, small_metadata(), threads);
  writer.set_effort(effort);
  writer.set_order(order);
  writer.set_key_interval(interval);
  write_all(writer, snapshots);
  writer.close();
  return bytes;
}

std::vector<Snapshot> coming_and_going(std::size_t n, int frames, const Style &style) {
  Gas gas(n, n + 3);
  return trajectory(gas, frames, style, [&](int) {
    gas.thin(0.01);
    gas.add(4);
    gas.shuffle();
  });
}

struct Case {
  std::string name;
  std::vector<Snapshot> snapshots;
};

std::vector<Case> cases() {
  Style single;
  single.type = ValueType::float32;
  single.bound = 0.01;
  Style lossless;
  lossless.bound = 0;
  Style scaled;
  scaled.scaled = true;
  Style flat;
  flat.dimension = 2;
  return {{"gas", trajectory(1500, 6)},
          {"single", trajectory(700, 6, single)},
          {"lossless", trajectory(300, 4, lossless)},
          {"scaled", trajectory(300, 4, scaled)},
          {"flat", trajectory(300, 5, flat)},
          {"coming and going", coming_and_going(1200, 6, {})},
          {"few", coming_and_going(3, 6, {})}};
}

// A frame in the order of its tags, each of which is another one.
Frame in_order(const Frame &frame) {
  Frame sorted = frame;
  const std::vector<std::int64_t> &tags = frame.find("tag")->integers;
  std::vector<std::size_t> rows(tags.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return tags[a] < tags[b]; });
  for (std::size_t c = 0; c < frame.columns.size(); ++c)
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!frame.columns[c].floats.empty()) sorted.columns[c].floats[i] = frame.columns[c].floats[rows[i]];
      if (!frame.columns[c].integers.empty()) sorted.columns[c].integers[i] = frame.columns[c].integers[rows[i]];
    }
  return sorted;
}

TEST(Efforts, DecodeToTheSameValues) {
  for (const Case &here : cases())
    for (const Order order : {Order::place, Order::id}) {
      SCOPED_TRACE(here.name + (order == Order::id ? ", by id" : ", by place"));
      const Bytes plain = file_by(here.snapshots, Effort::fast, order, 4);
      for (const Effort effort : efforts) {
        const Bytes bytes = file_by(here.snapshots, effort, order, 4);
        const Reader reader = reader_of(bytes);
        ASSERT_EQ(reader.frames(), here.snapshots.size());
        const std::vector<Frame> streamed = stream(bytes).frames;
        ASSERT_EQ(streamed.size(), here.snapshots.size());
        for (std::size_t f = 0; f < here.snapshots.size(); ++f) {
          SCOPED_TRACE(f);
          const Frame frame = reader.read(f);
          expect_true(here.snapshots[f], frame);
          EXPECT_TRUE(same(frame, streamed[f]));
          EXPECT_TRUE(same(in_order(frame), in_order(reader_of(plain).read(f))));
          reader.verify(f);
        }
        // In another order of reading.
        if (reader.frames() > 3) {
          EXPECT_TRUE(same(reader_of(bytes).read(3), streamed[3]));
        }
      }
    }
}

TEST(Efforts, MakeNoFileLarger) {
  for (const Case &here : cases())
    for (const Order order : {Order::place, Order::id})
      for (const unsigned interval : {1u, 100u}) {
        SCOPED_TRACE(here.name + (order == Order::id ? ", by id" : ", by place"));
        const std::size_t fast = file_by(here.snapshots, Effort::fast, order, interval).size();
        EXPECT_LE(file_by(here.snapshots, Effort::standard, order, interval).size(), fast);
        EXPECT_LE(file_by(here.snapshots, Effort::dense, order, interval).size(), fast);
      }
}

TEST(Efforts, DoNotDependOnThreads) {
  for (const Case &here : cases())
    for (const Effort effort : efforts)
      EXPECT_EQ(file_by(here.snapshots, effort, Order::id, 3, 2), file_by(here.snapshots, effort, Order::id, 3, 1));
}

TEST(Efforts, MayChangeFromFrameToFrame) {
  const auto snapshots = coming_and_going(500, 9, {});
  Bytes bytes;
  Writer writer(bytes, small_metadata());
  writer.set_order(Order::id);
  writer.set_key_interval(4);
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    writer.set_effort(efforts[(f + 2) % 3]);  // dense first, so that the header has all features
    writer.write(snapshots[f].info, snapshots[f].inputs());
  }
  writer.close();
  const Reader reader = reader_of(bytes);
  for (std::size_t f = 0; f < snapshots.size(); ++f) expect_true(snapshots[f], reader.read(f));
}

TEST(Efforts, AreCopiedAsTheyStand) {
  const auto snapshots = coming_and_going(500, 6, {});
  for (const Effort effort : efforts) {
    const Bytes bytes = file_by(snapshots, effort, Order::id, 3);
    const Reader reader = reader_of(bytes);
    Bytes copy;
    Writer writer(copy, reader.metadata());
    for (std::size_t f = 0; f < reader.frames(); ++f) writer.write(reader.stored(f));
    writer.close();
    EXPECT_EQ(copy, bytes);
  }
}

}  // namespace
}  // namespace gpz::test::effort_test
