// SPDX-License-Identifier: BSD-3-Clause
// Bonds of fixed length: found where there are some and nowhere else, stored and read, and what they say of a particle
// is right for every way that a rigid molecule may lie.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "damage_support.hpp"
#include "difference_support.hpp"
#include "gpz/model/bonds.hpp"
#include "gpz/model/local_frame.hpp"

namespace gpz::model::model_bonds_test {
namespace {

using codec::Frame;
using codec::gaussian;
using codec::normal;
using test::Random;
using Vector = std::array<double, 3>;

constexpr double hydrogen = 0.9572;  // of oxygen; hydrogens of each other: 1.5139
const double half_angle = std::asin(1.5139 / 2 / hydrogen);

double dot(const Vector &a, const Vector &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector direction(Random &random) {
  Vector v{normal(random), normal(random), normal(random)};
  const double length = std::sqrt(dot(v, v));
  for (double &x : v) x /= length;
  return v;
}
Vector normal_to(const Vector &a, Random &random) {
  Vector v = direction(random);
  const double along = dot(v, a);
  for (std::size_t d = 0; d < 3; ++d) v[d] -= along * a[d];
  const double length = std::sqrt(dot(v, v));
  for (double &x : v) x /= length;
  return v;
}

// Rigid waters O H H, with `others` particles that are bound to nobody behind each.
Frame waters(std::size_t count, std::size_t others, double step, const core::GridBox &box, Random &random) {
  Frame q;
  const auto put = [&](const Vector &place) {
    for (std::size_t d = 0; d < 3; ++d) {
      std::int64_t index = std::llround(place[d] / step);
      if (box[d].period != 0) index = core::wrap(index, box[d]);
      q[d].push_back(index);
    }
  };
  const auto anywhere = [&] {
    Vector place;
    for (std::size_t d = 0; d < 3; ++d)
      place[d] = box[d].period != 0
                     ? (static_cast<double>(box[d].lo) + random.uniform() * static_cast<double>(box[d].period)) * step
                     : random.uniform(-20, 20);
    return place;
  };
  for (std::size_t m = 0; m < count; ++m) {
    const Vector oxygen = anywhere();
    const Vector axis = direction(random);
    const Vector side = normal_to(axis, random);
    put(oxygen);
    for (const double sign : {1.0, -1.0}) {
      Vector place = oxygen;
      for (std::size_t d = 0; d < 3; ++d)
        place[d] += hydrogen * (std::cos(half_angle) * axis[d] + sign * std::sin(half_angle) * side[d]);
      put(place);
    }
    for (std::size_t k = 0; k < others; ++k) put(anywhere());
  }
  return q;
}

core::GridBox periodic(double step) {
  core::GridBox box;
  for (auto &axis : box) axis = {std::llround(-20 / step), std::llround(40 / step)};
  return box;
}

// At a fixed distance, which particles without bonds are not, although they may have neighbours.
bool is_bound(const Bonds &bonds, std::size_t slot) { return bonds.kind(slot) != 0 && bonds.of(slot)->is_fixed(); }

Way place(const Frame &q, std::size_t i) { return {q[0][i], q[1][i], q[2][i]}; }

// Root mean square of the remainder of each component of particle i, by step, of all that are bound, if it is expected
// `error` away from where it is.
std::array<double, 3> left_over(const Bonds &bonds, const Frame &q, const core::GridBox &box, bool circles,
                                double error, Random &random) {
  std::array<double, 3> sum{};
  double count = 0;
  for (std::size_t i = 0; i < bonds.particles(); ++i) {
    if (!is_bound(bonds, i)) continue;
    const BondKind &kind = *bonds.of(i);
    if (kind.is_circle() != circles) continue;
    Way way;
    Way between{};
    EXPECT_TRUE(find_way(place(q, i - kind.lag[0]), place(q, i), box, way));
    if (circles) {
      EXPECT_TRUE(find_way(place(q, i - kind.lag[0]), place(q, i - kind.lag[1]), box, between));
    }
    Way expected;
    for (std::size_t d = 0; d < 3; ++d) expected[d] = way[d] * 64 + std::llround(64 * error * random.uniform(-1, 1));
    BoundWay bound(kind, expected, between);
    for (int step = 0; step < 3; ++step) {
      const double off = static_cast<double>(way[bound.axis(step)]) - static_cast<double>(bound.expected(step)) / 64;
      sum[static_cast<std::size_t>(step)] += off * off;
      EXPECT_GE(bound.class_of(step), 0);
      EXPECT_LT(bound.class_of(step), BoundWay::classes);
      bound.update(step, way[bound.axis(step)]);
    }
    EXPECT_NE(bound.axis(0), bound.axis(1));
    EXPECT_NE(bound.axis(1), bound.axis(2));
    EXPECT_NE(bound.axis(0), bound.axis(2));
    ++count;
  }
  EXPECT_GT(count, 0);
  for (double &x : sum) x = std::sqrt(x / count);
  return sum;
}

TEST(Bonds, OfRigidWaterSayWhereItsHydrogensAre) {
  Random random(1);
  for (const double step : {0.1, 0.01, 0.001, 0.0002, 0.0000123}) {
    for (const bool open : {false, true}) {
      const core::GridBox box = open ? core::GridBox{} : periodic(step);
      const Frame q = waters(1500, 1, step, box, random);
      const Bonds bonds = Bonds::find(codec::columns(q), q[0].size(), box);
      std::size_t bound[2] = {};
      for (std::size_t i = 0; i < bonds.particles(); ++i) bound[0] += i % 4 == 1 && is_bound(bonds, i) ? 1 : 0;
      for (std::size_t i = 0; i < bonds.particles(); ++i) bound[1] += i % 4 == 2 && is_bound(bonds, i) ? 1 : 0;
      EXPECT_GT(bound[0], 1480U) << step;
      EXPECT_GT(bound[1], 1480U) << step;
      // The temporal expectation is a tenth of the bond off, as that of a vibration is.
      const double error = 0.05 / step;
      const auto sphere = left_over(bonds, q, box, false, error, random);
      EXPECT_GT(sphere[0], error / 4);
      EXPECT_LT(sphere[2], 1.5) << step;
      if (step < 0.0002) continue;  // lengths beyond longest_of_circle are spheres
      const auto circle = left_over(bonds, q, box, true, error, random);
      EXPECT_LT(circle[1], 1.5) << step;
      EXPECT_LT(circle[2], 1.5) << step;
    }
  }
}

TEST(Bonds, AreNotFoundWhereDistancesVary) {
  Random random(2);
  for (const double spread : {0.02, 0.1, 0.5}) {
    // A crystal with rows of 16 and a gas.
    for (const bool gas : {false, true}) {
      Frame q = codec::empty_frame(8192);
      const auto place_of = [&](std::size_t cell) {
        return gas ? codec::rounded(random.uniform() * 16000)
                   : static_cast<std::int64_t>(cell) * 1000 + gaussian(random, spread * 1000);
      };
      for (std::size_t i = 0; i < q[0].size(); ++i) {
        q[0][i] = place_of(i % 16);
        q[1][i] = place_of(i / 16 % 16);
        q[2][i] = place_of(i / 256);
      }
      EXPECT_TRUE(Bonds::find(codec::columns(q), q[0].size(), {}).empty()) << spread;
    }
  }
  EXPECT_TRUE(Bonds::find({}, 0, {}).empty());
  const Frame none = codec::empty_frame(5);
  EXPECT_TRUE(Bonds::find(codec::columns(none), 5, {}).empty());
}

void expect_equal(const Bonds &a, const Bonds &b) {
  ASSERT_EQ(a.particles(), b.particles());
  ASSERT_EQ(a.kinds().size(), b.kinds().size());
  for (std::size_t k = 0; k < a.kinds().size(); ++k) {
    EXPECT_EQ(a.kinds()[k].lag, b.kinds()[k].lag);
    EXPECT_EQ(a.kinds()[k].length, b.kinds()[k].length);
  }
  for (std::size_t i = 0; i < a.particles(); ++i) ASSERT_EQ(a.kind(i), b.kind(i)) << i;
}

TEST(Bonds, AreReadAsTheyWereStored) {
  Random random(3);
  const core::GridBox box = periodic(0.01);
  const Frame q = waters(500, 2, 0.01, box, random);
  const Bonds bonds = Bonds::find(codec::columns(q), q[0].size(), box);
  std::vector<std::uint8_t> bytes;
  bonds.append(Bonds::Stream::whole, bytes);
  EXPECT_EQ(bytes.size() % 8, 0U);
  EXPECT_LT(bytes.size(), q[0].size() / 8);
  Bonds read;
  EXPECT_EQ(read.read(bytes.data(), bytes.size(), q[0].size(), Bonds::Stream::whole), bytes.size());
  expect_equal(bonds, read);

  test::expect_damage_is_refused_or_read(bytes, [&](const std::vector<std::uint8_t> &damaged) {
    read.read(damaged.data(), damaged.size(), q[0].size(), Bonds::Stream::whole);
    for (std::size_t slot = 0; slot < read.particles(); ++slot) {
      ASSERT_LE(read.kind(slot), read.kinds().size());
      if (read.kind(slot) == 0) continue;
      for (const std::uint32_t lag : read.kinds()[read.kind(slot) - 1u].lag) ASSERT_LE(lag, slot);
    }
    read.end(read.broken(codec::columns(q), box));
  });
}

// Of 100,000 particles, a quarter of which are near others at no fixed distance.
TEST(Bonds, DoNotDependOnThreads) {
  Random random(6);
  constexpr double step = 0.01;
  const core::GridBox box = periodic(step);
  Frame q = waters(25000, 1, step, box, random);
  for (std::size_t i = 7; i < q[0].size(); i += 4) {
    const Vector way = direction(random);
    const double length = random.uniform(0.8, 2) / step;
    for (std::size_t d = 0; d < 3; ++d) q[d][i] = core::wrap(q[d][i - 4] + std::llround(length * way[d]), box[d]);
  }
  const Bonds alone = Bonds::find(codec::columns(q), q[0].size(), box);
  std::size_t loose = 0;
  for (std::size_t i = 0; i < alone.particles(); ++i) loose += alone.kind(i) != 0 && !is_bound(alone, i) ? 1 : 0;
  EXPECT_GT(loose, 5000U);
  for (const int threads : {2, 3, 6}) {
    const Bonds together = Bonds::find(codec::columns(q), q[0].size(), box, threads);
    expect_equal(alone, together);
    for (const Bonds::Stream stream : {Bonds::Stream::whole, Bonds::Stream::segments}) {
      Bonds stored = alone;
      if (stream == Bonds::Stream::segments) stored.cut();
      std::vector<std::uint8_t> expected;
      std::vector<std::uint8_t> bytes;
      stored.append(stream, expected);
      stored.append(stream, bytes, threads);
      EXPECT_EQ(bytes, expected);
    }
  }
}

TEST(Bonds, EndWhereTheyDoNotHold) {
  Random random(4);
  const core::GridBox box = periodic(0.01);
  Frame q = waters(400, 0, 0.01, box, random);
  Bonds bonds = Bonds::find(codec::columns(q), q[0].size(), box);
  Bonds confirmed = bonds;
  confirmed.end(confirmed.broken(codec::columns(q), box));
  expect_equal(bonds, confirmed);
  for (std::size_t i = 1; i < q[0].size(); i += 30) q[0][i] = core::wrap(q[0][i] + 40, box[0]);
  confirmed.end(confirmed.broken(codec::columns(q), box));
  std::size_t ended = 0;
  for (std::size_t i = 0; i < q[0].size(); ++i) {
    if (bonds.kind(i) != 0 && confirmed.kind(i) == 0) ++ended;
    if (i % 30 > 2 || bonds.kind(i) == 0) {
      EXPECT_EQ(bonds.kind(i), confirmed.kind(i)) << i;
    }
  }
  EXPECT_GT(ended, 35U);
  EXPECT_LE(ended, 80U);
}

TEST(Bonds, FollowTheParticlesThatStay) {
  Random random(5);
  const core::GridBox box = periodic(0.01);
  const Frame q = waters(400, 0, 0.01, box, random);
  const Bonds all = Bonds::find(codec::columns(q), q[0].size(), box);
  Bonds bonds = all;
  // Of every tenth molecule the second hydrogen leaves, of every other tenth the oxygen.
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < q[0].size(); ++i)
    if (i % 30 != 2 && i % 30 != 15) kept.push_back(i);
  bonds.keep(kept.data(), kept.size());
  bonds.add(3);
  ASSERT_EQ(bonds.particles(), kept.size() + 3);
  for (std::size_t slot = 0; slot < kept.size(); ++slot) {
    if (all.kind(kept[slot]) != 0 && !is_bound(all, kept[slot])) continue;
    const bool orphan = kept[slot] % 30 == 16 || kept[slot] % 30 == 17;
    EXPECT_EQ(bonds.kind(slot), orphan ? 0 : all.kind(kept[slot])) << slot;
  }
  for (std::size_t slot = kept.size(); slot < bonds.particles(); ++slot) EXPECT_EQ(bonds.kind(slot), 0);
}

TEST(BoundWay, TakesAnything) {
  Random random(6);
  const std::int64_t extreme[] = {codec::min64, codec::max64, 0, 1, -1, 1 << 20, -(1 << 20), std::int64_t{1} << 40};
  const auto any = [&] { return extreme[random.below(8)]; };
  for (int round = 0; round < 20000; ++round) {
    BondKind kind{{1, 0}, {static_cast<std::uint32_t>(random.below(longest_bond)), 0}};
    if (round % 2 == 1)
      kind = {{2, 1},
              {static_cast<std::uint32_t>(random.below(longest_of_circle)),
               static_cast<std::uint32_t>(random.below(round % 4 == 1 ? 100 : longest_of_circle))}};
    Way expected;
    Way between;
    for (std::size_t d = 0; d < 3; ++d) {
      expected[d] = static_cast<std::int64_t>(random.below(std::uint64_t{1} << 41)) - (std::int64_t{1} << 40);
      between[d] = round % 3 == 0 ? 0 : static_cast<std::int64_t>(random.below(1 << 21)) - (1 << 20);
      if (round % 5 == 0) between[d] /= 1 << random.below(20);
    }
    BoundWay bound(kind, expected, between);
    for (int step = 0; step < 3; ++step) {
      EXPECT_LT(std::llabs(bound.expected(step)), std::int64_t{1} << 41);
      bound.update(step, any());
    }
  }
}

TEST(LocalFrame, GivesBackWhatItTook) {
  Random random(8);
  for (const double length : {12.0, 150.0, 1500.0, 40000.0}) {
    const FrameUnits units = FrameUnits::of(static_cast<std::uint32_t>(length * 64));
    const auto way = [&] {
      const Vector v = direction(random);
      return Way{std::llround(v[0] * length), std::llround(v[1] * length), std::llround(v[2] * length)};
    };
    std::size_t valid = 0;
    for (int round = 0; round < 2000; ++round) {
      const LocalFrame frame(way(), way(), units);
      if (!frame.valid()) continue;
      ++valid;
      const Way actual = way();
      const Way back = frame.way_of(frame.coordinates_of(actual));
      // Units of 2^shift steps, and what a flat frame makes of them and of coordinates in 1/4096.
      for (std::size_t d = 0; d < 3; ++d)
        EXPECT_NEAR(static_cast<double>(back[d]) / 64, static_cast<double>(actual[d]),
                    2 + 8 * std::ldexp(1, units.shift));
    }
    EXPECT_GT(valid, 1500U);
  }
  EXPECT_FALSE(LocalFrame(Way{100, 0, 0}, Way{-200, 0, 0}, FrameUnits::of(100 * 64)).valid());
  EXPECT_FALSE(LocalFrame(Way{}, Way{1, 2, 3}, FrameUnits::of(100 * 64)).valid());
  EXPECT_FALSE(LocalFrame(Way{codec::max64, codec::min64, 0}, Way{1, 2, 3}, FrameUnits::of(100 * 64)).valid());
}

TEST(IntegerRoot, IsExact) {
  Random random(7);
  EXPECT_EQ(crystal::integer_root(codec::min64), 0);
  for (int round = 0; round < 100000; ++round) {
    const auto root = static_cast<std::int64_t>(random.below(std::uint64_t{1} << (1 + random.below(31))));
    const std::int64_t square = root * root;
    EXPECT_EQ(crystal::integer_root(square), root);
    EXPECT_EQ(crystal::integer_root(square + 2 * root), root);
    if (root > 0) {
      EXPECT_EQ(crystal::integer_root(square - 1), root - 1);
    }
  }
}

}  // namespace
}  // namespace gpz::model::model_bonds_test
