// SPDX-License-Identifier: BSD-3-Clause
// Chunks in the order of ids: every value comes back, whatever the ids are.
#include <set>

#include "gpz/format/bytes.hpp"
#include "gpz/format/section_head.hpp"
#include "molecule_trajectory_support.hpp"
#include "ordered_support.hpp"

namespace gpz::test::ordered_chunk_test {
namespace {

constexpr std::int64_t least_id = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t largest_id = std::numeric_limits<std::int64_t>::max();

ChunkKind kind_of(const EncodedChunk &chunk) { return chunk_kind(chunk.bytes.data(), chunk.bytes.size()); }

EncodedChunk key_chunk(const Snapshot &snapshot, Order order) {
  TrajectoryEncoder encoder;
  encoder.set_order(order);
  EncodedChunk chunk;
  encoder.encode(snapshot.inputs(), snapshot.info.particles, nullptr, snapshot.info.box, true, chunk);
  return chunk;
}

void append(const Bytes &bytes, std::uint64_t particles, Frame &frame, const std::vector<bool> &wanted = {}) {
  decode_chunk(bytes.data(), bytes.size(), particles, frame, wanted);
}

Frame decoded(const Snapshot &snapshot, const EncodedChunk &chunk) {
  Frame frame = frame_for(snapshot.inputs());
  append(chunk.bytes, chunk.particles, frame);
  frame.info.particles = chunk.particles;
  frame.info.timestep = snapshot.info.timestep;
  for (std::size_t f = 0; f < frame.info.fields.size(); ++f) {
    frame.info.fields[f].largest_error = chunk.largest_error[f];
    EXPECT_LE(chunk.largest_error[f], frame.info.fields[f].bound);
  }
  return frame;
}

void expect_ordered(const Snapshot &snapshot) {
  for (const std::uint32_t features : {0u, feature::steps}) {
    const Frame frame = decoded(snapshot, ordered_chunk(snapshot, snapshot.info.particles, nullptr, features));
    expect_true(snapshot, frame);
    const auto &ids = frame.find("id")->integers;
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  }
}

// Kinds of ids.
const std::vector<std::pair<std::string, std::function<void(Gas &)>>> &changes() {
  static const std::vector<std::pair<std::string, std::function<void(Gas &)>>> all{
      {"as they are", [](Gas &) {}},
      {"shuffled rows", [](Gas &gas) { gas.shuffle(); }},
      {"gaps", [](Gas &gas) { gas.thin(0.3); }},
      {"molecules that are not here",
       [](Gas &gas) {
         gas.particles.erase(std::remove_if(gas.particles.begin(), gas.particles.end(),
                                            [](const Gas::Particle &p) { return p.tag / 16 % 3 == 1; }),
                             gas.particles.end());
       }},
      {"that say nothing",
       [](Gas &gas) {
         for (Gas::Particle &p : gas.particles) p.id = static_cast<std::int64_t>(gas.random.bits());
       }},
      {"doubled",
       [](Gas &gas) {
         for (Gas::Particle &p : gas.particles) p.id /= 2;
         gas.shuffle();
       }},
      {"all the same",
       [](Gas &gas) {
         for (Gas::Particle &p : gas.particles) p.id = 7;
       }},
      {"from end to end",
       [](Gas &gas) {
         for (Gas::Particle &p : gas.particles)
           p.id = p.tag % 3 == 0 ? least_id + p.tag : p.tag % 3 == 1 ? largest_id - p.tag : -p.tag;
       }},
  };
  return all;
}

TEST(OrderedChunk, ReturnsEveryParticle) {
  for (const auto &[name, change] : changes())
    for (const std::size_t n : {1u, 2u, 31u, 33u, 1023u, 1024u, 1025u, 2600u}) {
      SCOPED_TRACE(name + ", " + std::to_string(n));
      Gas gas(n, n);
      change(gas);
      if (!gas.particles.empty()) expect_ordered(gas.snapshot());
    }
}

TEST(OrderedChunk, ReturnsCrystalsOfAnyStyle) {
  for (const auto &[name, change] : changes())
    for (const ValueType type : {ValueType::float32, ValueType::float64})
      for (const double bound : {1.0, 0.001, 1e-5, 0.0}) {
        SCOPED_TRACE(name + ", bound " + std::to_string(bound));
        Style style;
        style.type = type;
        style.bound = bound;
        style.dimension = bound == 1.0 ? 2 : 3;
        style.scaled = bound == 1e-5;
        Gas gas = crystal(11);
        change(gas);
        expect_ordered(gas.snapshot(style));
      }
}

TEST(OrderedChunk, ReturnsMolecules) {
  for (const auto &[name, change] : changes())
    for (const double bound : {0.1, 0.001, 1e-5, 1e-8}) {
      SCOPED_TRACE(name + ", bound " + std::to_string(bound));
      Style style;
      style.bound = bound;
      Gas gas = waters(200, 1);
      change(gas);
      expect_ordered(gas.snapshot(style));
    }
}

// Molecules in steps, some particles of which are missing or have exact values.
TEST(OrderedChunk, MoleculesInSteps) {
  Liquid liquid(molecule::chain(12), 600, 1);
  liquid.make_helices(12);
  Snapshot snapshot = liquid.snapshot(0, 0.001, true);
  std::vector<double> &real = snapshot.quantities[0].real;
  real[300] = std::nan("");
  real[301] = 1e300;
  const EncodedChunk chunk = ordered_chunk(snapshot, snapshot.info.particles, nullptr, feature::steps);
  EXPECT_EQ(chunk.bytes[16 + 8 * snapshot.quantities.size()], format::steps);
  EXPECT_LT(chunk.bytes.size(), ordered_chunk(snapshot).bytes.size());
  expect_true(snapshot, decoded(snapshot, chunk), "id");
}

TEST(OrderedChunk, ReturnsWhatNoGridHolds) {
  const double odd[] = {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e300, -1e16,    -0.0,
                        5e-324,       1e12,     9.0000001, -1.2,  8.9999999};
  for (const std::size_t n : {40u, 1500u}) {
    Gas gas(n);
    gas.shuffle();
    Snapshot snapshot = gas.snapshot();
    auto &x = snapshot.named("x").real;
    auto &v = snapshot.named("vx").single;
    for (std::size_t k = 0; k < n; ++k) {
      x[gas.random.below(x.size())] = odd[k % std::size(odd)];
      v[gas.random.below(v.size())] = static_cast<float>(odd[(k + 3) % std::size(odd)]);
    }
    for (auto &image : snapshot.named("ix").integer)
      if (gas.random.below(9) == 0) image = static_cast<std::int64_t>(gas.random.bits());
    expect_ordered(snapshot);
    for (double &value : x) value = std::nan("");
    expect_ordered(snapshot);
  }
  Snapshot molecules = waters(300).snapshot();
  auto &x = molecules.named("x").real;
  for (std::size_t k = 0; k < 100; ++k) x[k * k % x.size()] = odd[k % std::size(odd)];
  expect_ordered(molecules);
}

// Particles outside the box, as they are between two re-neighborings of a simulation.
TEST(OrderedChunk, ReturnsParticlesBeyondTheEdges) {
  for (const double beyond : {0.001, 0.3, 2.0, 30.0}) {
    Gas gas = crystal(11);
    Snapshot snapshot = gas.snapshot();
    const double edges[3] = {10, 12, 8};
    auto &x = snapshot.named("x").real;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (gas.random.below(4) == 0) x[i] += edges[i % 3] * (x[i] < 4 ? beyond : -beyond);
    expect_ordered(snapshot);
  }
}

TEST(OrderedChunk, LosslessFloats) {
  Gas gas = crystal(11);
  gas.shuffle();
  Snapshot snapshot = gas.snapshot();
  for (double &q : snapshot.named("q").real) q = gas.random.uniform();
  expect_ordered(snapshot);
  for (double &q : snapshot.named("q").real) q = -0.0;
  expect_ordered(snapshot);
}

TEST(OrderedChunk, EqualIdsKeepTheirOrder) {
  Gas gas(3000);
  for (Gas::Particle &p : gas.particles) p.id = p.tag % 5;
  const Frame frame = decoded(gas.snapshot(), ordered_chunk(gas.snapshot()));
  const auto &ids = frame.find("id")->integers;
  const auto &tags = frame.find("tag")->integers;
  for (std::size_t i = 1; i < tags.size(); ++i) ASSERT_TRUE(ids[i - 1] != ids[i] || tags[i - 1] < tags[i]) << i;
}

TEST(OrderedChunk, OfSomeRows) {
  Gas gas = crystal(11);
  gas.shuffle();
  const Snapshot all = gas.snapshot();
  std::vector<int> rows;
  for (int i = 0; i < 1331; i += 1 + static_cast<int>(gas.random.below(3))) rows.push_back(i);
  std::reverse(rows.begin(), rows.end());
  Gas some = gas;
  some.particles.clear();
  for (const int row : rows) some.particles.push_back(gas.particles[static_cast<std::size_t>(row)]);
  const Snapshot picked = some.snapshot();
  const EncodedChunk chunk = ordered_chunk(all, rows.size(), rows.data());
  EXPECT_EQ(chunk.bytes, ordered_chunk(picked).bytes);
  EXPECT_EQ(chunk.checksum, chunk_checksum(chunk.bytes.data(), chunk.bytes.size()));
  expect_true(picked, decoded(picked, chunk));
}

TEST(OrderedChunk, IdsOf32Bits) {
  Gas gas(1500);
  gas.shuffle();
  const Snapshot snapshot = gas.snapshot();
  std::vector<std::int32_t> ids;
  for (const std::int64_t id : snapshot.integers("id")) ids.push_back(static_cast<std::int32_t>(id));
  std::vector<FieldInput> fields = snapshot.inputs();
  fields[1].components[0] = {ids.data(), 4, ConstArray::Type::int32};
  TrajectoryEncoder encoder;
  encoder.set_order(Order::id);
  encoder.set_effort(Effort::standard, 0);  // as ordered_chunk
  EncodedChunk chunk;
  encoder.encode(fields, 1500, nullptr, snapshot.info.box, true, chunk);
  EXPECT_EQ(chunk.bytes, ordered_chunk(snapshot).bytes);
}

TEST(OrderedChunk, GivesTheFieldsThatAreWanted) {
  Gas gas = crystal(11);
  gas.thin(0.2);
  const Snapshot snapshot = gas.snapshot();
  const EncodedChunk chunk = ordered_chunk(snapshot);
  const Frame whole = decoded(snapshot, chunk);
  const std::size_t fields = snapshot.quantities.size();
  for (unsigned mask = 0; mask < 1u << fields; ++mask) {
    std::vector<bool> wanted;
    for (std::size_t f = 0; f < fields; ++f) wanted.push_back((mask >> f & 1) != 0);
    // Twice, the second time behind the first.
    Frame part = frame_for(snapshot.inputs());
    append(chunk.bytes, chunk.particles, part, wanted);
    append(chunk.bytes, chunk.particles, part, wanted);
    for (std::size_t c = 0; c < part.columns.size(); ++c) {
      Frame::Column expected = whole.columns[c];
      expected.integers.insert(expected.integers.end(), whole.columns[c].integers.begin(),
                               whole.columns[c].integers.end());
      expected.floats.insert(expected.floats.end(), whole.columns[c].floats.begin(), whole.columns[c].floats.end());
      const bool is_wanted = wanted[part.columns[c].field];
      EXPECT_EQ(part.columns[c].integers, is_wanted ? expected.integers : std::vector<std::int64_t>());
      EXPECT_EQ(part.columns[c].floats, is_wanted ? expected.floats : std::vector<double>());
    }
  }
}

// Particles of equal ids keep the order of their rows, whatever that takes.
TEST(OrderedChunk, IsHardlyLargerThanByPlaceIfIdsDiffer) {
  std::set<ChunkKind> kinds;
  for (const auto &[name, change] : changes())
    for (const std::size_t edge : {1u, 2u, 3u, 5u, 11u}) {
      Gas gas = crystal(edge);
      change(gas);
      const Snapshot snapshot = gas.snapshot();
      const EncodedChunk by_place = key_chunk(snapshot, Order::place);
      const EncodedChunk smaller = key_chunk(snapshot, Order::id);
      EXPECT_EQ(kind_of(by_place), ChunkKind::block);
      kinds.insert(kind_of(smaller));
      const std::vector<std::int64_t> ids = snapshot.integers("id");
      const bool differ = std::set<std::int64_t>(ids.begin(), ids.end()).size() == ids.size();
      // With steps, which follow the order of ids, it may be a little larger.
      const std::size_t most = by_place.bytes.size() + by_place.bytes.size() / 15;
      EXPECT_TRUE(!differ || smaller.bytes == by_place.bytes || smaller.bytes.size() <= most);
      EXPECT_TRUE(differ || kind_of(smaller) == ChunkKind::ordered);
      expect_true(snapshot, decoded(snapshot, smaller));
    }
  EXPECT_EQ(kinds.size(), 2u);
  const Snapshot solid = crystal(16).snapshot();
  EXPECT_LT(5 * key_chunk(solid, Order::id).bytes.size(), 4 * key_chunk(solid, Order::place).bytes.size());
}

TEST(OrderedChunk, NeedsIdsAndParticles) {
  Snapshot nameless = crystal(11).snapshot();
  nameless.named("id").field.components[0].name = "number";
  EXPECT_EQ(key_chunk(nameless, Order::id).bytes, key_chunk(nameless, Order::place).bytes);
  const Snapshot none = Gas(0).snapshot();
  EXPECT_EQ(key_chunk(none, Order::id).bytes, key_chunk(none, Order::place).bytes);
}

TEST(OrderedFile, KeyFramesAndWhatBuildsOnThem) {
  for (const auto &[name, change] : changes()) {
    for (const unsigned interval : {1u, 3u}) {
      SCOPED_TRACE(name + ", key frames " + std::to_string(interval));
      Gas gas = crystal(11);
      const auto snapshots = trajectory(gas, 7, {}, [&, &then = change](int f) {
        if (f == 0) then(gas);
        if (f % 2 == 1) gas.shuffle();
      });
      const Bytes bytes = file_of(snapshots, interval, 1, true, Order::id);
      const Reader reader = reader_of(bytes);
      ASSERT_EQ(reader.frames(), snapshots.size());
      for (std::size_t i = reader.frames(); i-- > 0;) {
        expect_true(snapshots[i], reader.read(i));
        const Bytes chunk = reader.chunk(i, 0);
        if (name == "gaps") {
          EXPECT_EQ(chunk_kind(chunk.data(), chunk.size()),
                    i % interval == 0 ? ChunkKind::ordered : ChunkKind::difference);
        }
      }
    }
  }
}

}  // namespace
}  // namespace gpz::test::ordered_chunk_test
