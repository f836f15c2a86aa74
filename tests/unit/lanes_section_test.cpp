// SPDX-License-Identifier: BSD-3-Clause
// Sections of steps: what is encoded is decoded again, index for index, whatever molecules and boxes do.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "lanes_support.hpp"
#include "matter.hpp"

namespace gpz::lanes::lanes_section_test {
namespace {

using codec::empty_frame;
using codec::Frame;
using molecule::box_of;
using molecule::cube;
using molecule::follow;
using molecule::Sections;
using molecule::size_of;
using molecule::tilted_box;

// The first section says everything, no later one the molecules.
void expect_heads(const Sections &run) {
  ASSERT_TRUE(run.are_all());
  constexpr int all = head::molecules | head::constants | head::tables;
  EXPECT_EQ(run.sections[0][0] & all, all);
  for (std::size_t s = 1; s < run.sections.size(); ++s) EXPECT_EQ(run.sections[s][0] & head::molecules, 0) << s;
}

TEST(LanesSection, RigidWater) {
  test::Waters waters(300, 0, 1);
  const double step = 0.002;
  Edges box;
  for (std::size_t d = 0; d < 3; ++d) box.axes[d] = {0, std::llround(waters.edges[d] / step)};
  const Sections run = follow(box, 9, [&](int f) {
    if (f > 0) waters.move();
    Frame q = empty_frame(waters.position.size());
    for (std::size_t i = 0; i < q[0].size(); ++i)
      for (std::size_t d = 0; d < 3; ++d) q[d][i] = core::wrap(std::llround(waters.inside(i)[d] / step), box.axes[d]);
    return q;
  });
  expect_heads(run);
}

// Chains that are cut, branched molecules, ions between them.
TEST(LanesSection, MoleculesOfAllShapesWithStepsOfAllSizes) {
  for (const Pattern &shape : {chain(2), chain(12), chain(140), alkane(6), Pattern{0, 1, 2, 3, 4}, with_ions()})
    for (const double sigma : {0.0, 0.3, 30.0, 1e4, 1e6})
      for (const bool open : {true, false}) {
        SCOPED_TRACE(std::to_string(shape.size()) + " by " + std::to_string(sigma) + (open ? " open" : ""));
        const double bond = 400, size = size_of(140, bond);
        Moving molecules(shape, 140 / shape.size(), bond, size, shape.size());
        const Edges box = open ? Edges{} : box_of(-500, cube(size));
        const Sections run = follow(box, 7, [&](int f) {
          // The first two frames say what hangs on what.
          if (f > 0) molecules.move(f == 1 ? 1 : sigma);
          return molecules.in(box);
        });
        // Displacements of several edges have images that no section can tell.
        if (open || sigma < 1e4) expect_heads(run);
        if (testing::Test::HasFailure()) return;
      }
}

// Soon after the frame that says what hangs on what.
TEST(LanesSection, IsSmallerThanDifferences) {
  const std::size_t n = 12000;
  const double size = size_of(n, 400);
  const Edges box = box_of(0, cube(size));
  for (const auto &[shape, sigma, part] : {std::tuple(chain(12), 10.0, 0.9), std::tuple(chain(12), 100.0, 0.97),
                                           std::tuple(alkane(4), 100.0, 1.0), std::tuple(chain(2), 200.0, 1.0)}) {
    Moving molecules(shape, n / shape.size(), 400, size, 21);
    Followed followed(molecules.in(box));
    for (int f = 1; f < 6; ++f) {
      molecules.move(sigma);
      const Frame q = molecules.in(box);
      const auto differences = static_cast<double>(molecule::size_as_differences(followed.state, q, box));
      const auto bytes = static_cast<double>(followed.next(q, box).size());
      if (f < 4) continue;
      EXPECT_LT(bytes, differences * part) << shape.size() << " by " << sigma << ", frame " << f;
    }
  }
}

// Molecules that stick out at the edges, are brought back as wholes or never, and images that change.
TEST(LanesSection, MoleculesOutsideTheBox) {
  const double bond = 300, size = size_of(400, bond);
  for (const bool tilted : {false, true}) {
    const molecule::GridVector periods = cube(size);
    const Edges box = tilted ? tilted_box(0, periods, {periods[0] / 4, 0, periods[0] / 3}) : box_of(0, periods);
    Moving molecules(chain(4), 100, bond, size, 9);
    for (auto &x : molecules.position) x[0] += 0.6 * size;
    const Sections whole = follow(box, 6, [&](int f) {
      if (f > 0) molecules.move(50);
      return molecules.open();
    });
    expect_heads(whole);
    EXPECT_EQ(whole.flags & head::wraps, 0);
    const Sections far = follow(box, 8, [&](int f) {
      if (f > 0) molecules.move(50);
      Frame q = molecules.open();
      for (std::size_t i = 0; i < q[0].size(); ++i)
        for (std::size_t d = 0; d < 3; ++d)
          if (f > 2 && molecules.random.below(10) == 0)
            q[d][i] += (static_cast<std::int64_t>(molecules.random.below(7)) - 3) * periods[d];
      return q;
    });
    EXPECT_FALSE(far.sections.empty());
  }
}

TEST(LanesSection, TiltedBoxes) {
  for (const bool to_brick : {false, true})
    for (const double sigma : {20.0, 300.0}) {
      const double bond = 300, size = size_of(600, bond);
      const auto part = [&](double x) { return std::llround(x * size); };
      const Edges box = tilted_box(-1234, {part(1), part(0.9), part(1.1)}, {part(0.45), part(-0.3), part(0.4)});
      Moving molecules(chain(5), 120, bond, size, 4);
      const Sections run = follow(box, 8, [&](int f) {
        if (f > 0) molecules.move(sigma);
        return molecules.in(box, to_brick);
      });
      expect_heads(run);
      for (const Bytes &bytes : run.sections) EXPECT_NE(bytes[0] & head::tilted, 0);
      EXPECT_EQ((run.flags & head::brick) != 0, to_brick);
      // Without the edges, every particle that crosses one jumps.
      Moving again(chain(5), 120, bond, size, 4);
      Edges blind;
      blind.axes = box.axes;
      const Sections without = follow(blind, 8, [&](int f) {
        if (f > 0) again.move(sigma);
        return again.in(box, to_brick);
      });
      EXPECT_LT(run.size, without.size);
    }
}

// Some axes open; a box that grows with its molecules, as a barostat makes it, or leans more and more.
TEST(LanesSection, OpenAxesAndBoxesThatChange) {
  const double bond = 300, size = size_of(400, bond);
  for (const int kind : {0, 1, 2, 3}) {
    SCOPED_TRACE(kind);
    Moving molecules(alkane(2), 50, bond, size, 5);
    const auto box_at = [&](int f) {
      Edges box = box_of(-70, cube(size * (kind == 2 ? 1 + 0.01 * f : 1)));
      if (kind == 3) box = tilted_box(-70, cube(size), {std::llround(0.02 * size * f), 0, std::llround(-9.0 * f)});
      if (kind == 0) box.axes[2] = {};
      if (kind == 1) box.axes[0] = box.axes[1] = {};
      return box;
    };
    Followed followed(molecules.in(box_at(0)));
    for (int f = 1; f < 9; ++f) {
      if (kind == 2)
        for (auto &x : molecules.position)
          for (double &of : x) of *= 1.005;
      molecules.move(40);
      EXPECT_FALSE(followed.next(molecules.in(box_at(f)), box_at(f)).empty()) << f;
    }
  }
}

// Escapes of all 32 bits: of roots, of those that hang on something, and of those on which others hang.
TEST(LanesSection, HugeDisplacements) {
  const double bond = 300, size = size_of(300, bond);
  for (const bool open : {true, false}) {
    const Edges box = open ? Edges{} : box_of(0, cube(size));
    Moving molecules(alkane(2), 38, bond, size, 10);
    const std::int64_t jumps[] = {
        70,    -7000, 40000,  -70000, std::int64_t{1} << 20, std::int64_t{1} << 29, -(std::int64_t{1} << 29), -65536,
        65535, 32767, -32768, -1};
    const Sections run = follow(box, 12, [&](int f) {
      if (f > 0) molecules.move(10);
      Frame q = molecules.in(box);
      if (f < 2) return q;
      for (std::size_t k = 0; k < std::size(jumps); ++k) {
        const std::size_t at = (k * 31 + (k % 2 == 0 ? 0 : static_cast<std::size_t>(f))) % q[0].size();
        q[k % 3][at] += jumps[k];
      }
      return q;
    });
    if (open) expect_heads(run);
    EXPECT_FALSE(run.sections.empty());
  }
}

// Beyond the rows there is no section, and the next frame that is nearer has one again.
TEST(LanesSection, PlacesThatRowsDoNotReach) {
  Moving molecules(chain(3), 40, 300, size_of(120, 300), 6);
  Followed followed(molecules.open());
  for (int f = 1; f < 10; ++f) {
    molecules.move(10);
    Frame q = molecules.open();
    const bool is_far = f % 3 == 2;
    // One on which others hang, and one that hangs on it.
    if (is_far)
      q[1][f == 5 ? 78 : 77] += f == 2   ? (std::int64_t{1} << 30) + 5000
                                : f == 5 ? -(std::int64_t{1} << 40)
                                         : codec::max64 / 2;
    EXPECT_EQ(followed.next(q, {}).empty(), is_far) << f;
  }
}

TEST(LanesSection, HugeCoordinates) {
  const double size = size_of(240, 300);
  const Edges box = box_of(0, cube(size));
  for (const std::int64_t centre :
       {std::int64_t{1} << 62, -(std::int64_t{1} << 62), codec::max64 - 3000, codec::min64 + 3000})
    for (const Edges &edges : {box, Edges{}}) {
      Moving molecules(chain(4), 60, 300, size, 16);
      const Sections run = follow(edges, 6, [&](int f) {
        if (f > 0) molecules.move(40);
        Frame q = molecules.open();
        for (auto &axis : q)
          for (auto &x : axis) x = core::sum_of(x, centre);
        return q;
      });
      for (const Bytes &bytes : run.sections) EXPECT_TRUE(bytes.empty());
    }
}

// Axes that the rules of section 8 do not fit are open to both sides.
TEST(LanesSection, BoxesOfAFewSteps) {
  Moving molecules(chain(4), 60, 300, size_of(240, 300), 22);
  for (const Edges &box : {box_of(0, {5, 7, 1}), box_of(-3, {7, 8, 9}), box_of(0, {-5, codec::min64, 100}),
                           box_of(codec::max64, {100, codec::max64, 3})}) {
    const Sections run = follow(box, 5, [&](int f) {
      if (f > 0) molecules.move(40);
      return molecules.open();
    });
    EXPECT_EQ(run.sections.size(), 4U);
  }
}

TEST(LanesSection, LargestBoxes) {
  constexpr std::int64_t reach = core::max_axis_reach;
  Moving molecules(chain(4), 60, 300, size_of(240, 300), 17);
  for (const Edges &box : {box_of(reach, {reach, reach, reach}), box_of(-reach, {8, reach, reach}),
                           tilted_box(-reach, {reach, reach, reach}, {reach, -reach, reach})}) {
    const Sections run = follow(box, 5, [&](int f) {
      if (f > 0) molecules.move(40);
      return molecules.open();
    });
    EXPECT_EQ(run.sections.size(), 4U);
  }
}

// Once there are molecules, indices may be anything.
TEST(LanesSection, AnyIndices) {
  const std::size_t n = 300;
  const std::vector<codec::Trajectory> all{codec::noise(n, 6),
                                           codec::random_walk(n, 6, 1e9, 10),
                                           codec::ballistic(n, 6, 20000),
                                           codec::crystal(n, 6, 50, {10000, 20000, 9}),
                                           codec::molecules(n, 6, 3, 100, 5),
                                           codec::jumping(codec::random_walk(n, 6, 10, 11))};
  const Edges tilted = tilted_box(-4, {1000, 1001, 1002}, {300, -400, 500});
  for (const codec::Trajectory &t : all)
    for (const bool leans : {false, true}) {
      SCOPED_TRACE(&t - all.data());
      Edges box;
      box.axes = t.box;
      if (leans) box = tilted;
      Moving molecules(chain(3), n / 3, 300, size_of(n, 300), 18);
      const Sections run = follow(box, 9, [&](int f) {
        if (f < 2) {
          molecules.move(10);
          return molecules.open();
        }
        return t.frames[static_cast<std::size_t>(f) % t.frames.size()];
      });
      EXPECT_EQ(run.sections.size(), 8U);
    }
}

TEST(LanesSection, NoneWhereNothingIsBound) {
  test::LennardJones crystal(5, 1.05, 0.1, 19);
  crystal.run(20);
  Edges box;
  for (std::size_t d = 0; d < 3; ++d) box.axes[d] = {0, std::llround(crystal.edges[d] / 0.001)};
  const Sections run = follow(box, 3, [&](int) {
    crystal.run(5);
    Frame q = empty_frame(crystal.position.size());
    for (std::size_t i = 0; i < q[0].size(); ++i)
      for (std::size_t d = 0; d < 3; ++d) q[d][i] = std::llround(crystal.inside(i)[d] / 0.001);
    return q;
  });
  for (const Bytes &bytes : run.sections) EXPECT_TRUE(bytes.empty());
}

TEST(LanesSection, SaysHowMuchMemoryItHas) {
  format::Budget budget{Limits()};
  const format::Budget::Scope scope(budget);
  const double size = size_of(2000, 300);
  const Edges box = box_of(0, cube(size));
  Moving molecules(alkane(4), 150, 300, size, 20);
  Followed followed(molecules.in(box));
  for (int f = 1; f < 4; ++f) {
    molecules.move(20);
    followed.next(molecules.in(box), box);
  }
  const std::size_t said = followed.theirs.memory_usage();
  const std::uint64_t before = budget.used();
  followed.theirs = State();
  const std::uint64_t given_back = before - budget.used();
  EXPECT_GE(said, given_back);
  EXPECT_GT(given_back, molecules.position.size() * 8 * sizeof(std::int32_t));  // the rows alone
}

// Bonds of 2 grid steps and of 500,000: of the latter, more raw bits than leave a state together with a token.
TEST(LanesSection, FineAndCoarseGrids) {
  for (const auto &pair :
       {std::tuple(2.0, 0.1), std::tuple(6.0, 1.0), std::tuple(5e5, 20.0), std::tuple(5e5, 5e3), std::tuple(5e5, 1e5)})
    for (const Pattern &shape : {alkane(3), chain(10)}) {
      const double bond = std::get<0>(pair), sigma = std::get<1>(pair);
      SCOPED_TRACE(std::to_string(bond) + " by " + std::to_string(sigma));
      const double size = size_of(330, bond);
      const Edges box = box_of(0, cube(size));
      Moving molecules(shape, 330 / shape.size(), bond, size, 3);
      const Sections run = follow(box, 6, [&](int f) {
        if (f > 0) molecules.move(sigma);
        return molecules.in(box);
      });
      expect_heads(run);
    }
}

TEST(LanesSection, FewParticlesAndMany) {
  // 33: one more than a step has lanes.
  for (const auto &[length, count] : {std::pair(2U, 1U), std::pair(3U, 1U), std::pair(9U, 1U), std::pair(24U, 1U),
                                      std::pair(3U, 11U), std::pair(4U, 8U), std::pair(10U, 500U)}) {
    SCOPED_TRACE(length);
    const double size = size_of(length * count, 300);
    Moving molecules(chain(length), count, 300, count == 1 ? 1 : size, length);
    const Sections run = follow({}, 7, [&](int f) {
      if (f > 0) molecules.move(20);
      return molecules.open();
    });
    EXPECT_EQ(run.sections.size(), 6U);
    if (length * count > 30) expect_heads(run);
  }
}

// Several blocks: with any number of threads the same bytes.
TEST(LanesSection, SeveralBlocks) {
  const std::size_t n = 30000;
  const double size = size_of(n, 300);
  const Edges box = box_of(0, cube(size));
  Moving molecules(with_ions(), n / 5, 300, size, 14);
  Followed one(molecules.in(box)), three(molecules.in(box));
  for (int f = 1; f < 4; ++f) {
    molecules.move(30);
    const Frame q = molecules.in(box);
    const Bytes bytes = one.next(q, box, 1);
    EXPECT_FALSE(bytes.empty());
    EXPECT_TRUE(three.next(q, box, 3) == bytes);
  }
}

TEST(LanesSection, WhereNothingMoves) {
  const double size = size_of(990, 300);
  const Edges box = box_of(0, cube(size));
  Moving molecules(chain(3), 330, 300, size, 7);
  const Sections run = follow(box, 14, [&](int f) {
    if (f > 0 && f < 3) molecules.move(20);
    return molecules.in(box);
  });
  expect_heads(run);
  EXPECT_LT(run.sections.back().size(), run.sections[1].size() / 2);
}

// Directions and axes that there are not.
TEST(LanesSection, DegenerateGeometry) {
  const std::size_t n = 240;
  for (const Pattern &shape : {chain(6), alkane(2), Pattern{0, 1, 2, 3, 4, 5}}) {
    const double size = size_of(n, 100);
    const Edges box = box_of(0, cube(size));
    Moving molecules(shape, n / shape.size(), 100, size, 15);
    const Sections run = follow(box, 14, [&](int f) {
      if (f > 0) molecules.move(1);
      Frame q = molecules.in(box);
      if (f < 2) return q;
      for (std::size_t i = 0; i < q[0].size(); ++i) {
        const std::size_t root = i - i % shape.size();
        const auto off = static_cast<std::int64_t>(i - root);
        for (std::size_t d = 0; d < 3; ++d) {
          const std::int64_t at = q[d][root];
          const std::int64_t odd[] = {d == 0 ? at + 100 * off : at,      // in a line along an axis
                                      at + 57 * off,                     // along a diagonal
                                      at,                                // each molecule at one place
                                      d == 2 ? at + off % 2 : at,        // the shortest vectors there are
                                      77,                                // all at one place
                                      d == 0 ? at + off % 2 * 100 : at,  // back and forth
                                      d == 2 ? 0 : q[d][i]};             // in a plane
          q[d][i] = odd[static_cast<std::size_t>(f - 2) % std::size(odd)];
        }
      }
      return q;
    });
    EXPECT_TRUE(run.are_all());
  }
}

// After a frame that was coded otherwise, and after particles left and arrived.
TEST(LanesSection, FramesBetweenAndParticlesThatLeave) {
  const double size = size_of(300, 300);
  const Edges box = box_of(0, cube(size));
  Moving molecules(chain(6), 50, 300, size, 12);
  Followed followed(molecules.in(box));
  for (int f = 1; f < 12; ++f) {
    molecules.move(20);
    if (f % 4 == 2) {
      followed.skip(molecules.in(box), box);
      if (f == 6) {
        std::vector<std::uint32_t> kept;
        for (std::uint32_t i = 7; i < 300; ++i) kept.push_back(i);
        followed.keep(kept);
        Frame back = molecules.in(box);
        for (auto &axis : back) axis.resize(7);
        followed.add(back);
      }
      continue;
    }
    Frame q = molecules.in(box);
    if (f > 6)
      for (auto &axis : q) std::rotate(axis.begin(), axis.begin() + 7, axis.end());
    const Bytes bytes = followed.next(q, box);
    ASSERT_FALSE(bytes.empty()) << f;
    EXPECT_EQ(bytes[0] & head::molecules, f == 1 || f == 7 ? 1 : 0) << f;
  }
  // All leave, and others come.
  followed.keep({});
  followed.add(molecules.in(box));
  for (int f = 0; f < 3; ++f) {
    molecules.move(20);
    const Bytes bytes = followed.next(molecules.in(box), box);
    ASSERT_FALSE(bytes.empty()) << f;
    EXPECT_EQ(bytes[0] & head::molecules, f == 0 ? 1 : 0) << f;
  }
}

// An update that is dropped has changed nothing.
TEST(LanesSection, DroppedUpdatesChangeNothing) {
  const double size = size_of(300, 300);
  const Edges box = box_of(0, cube(size));
  Moving molecules(chain(6), 50, 300, size, 13);
  Followed followed(molecules.in(box)), other(molecules.in(box));
  for (int f = 1; f < 8; ++f) {
    molecules.move(20);
    const Frame q = molecules.in(box);
    if (f % 2 == 1) {
      Bytes dropped;
      EXPECT_TRUE(encode(followed.ours, followed.state, codec::columns(q), box, dropped));
    }
    EXPECT_EQ(followed.next(q, box), other.next(q, box));
  }
}

// A reader's history suffices to go on at any frame.
TEST(LanesSection, GoesOnFromWhatAReaderRemembers) {
  const double size = size_of(300, 300);
  const Edges box = box_of(0, cube(size));
  for (const int from : {2, 3, 7}) {
    Moving molecules(alkane(2), 36, 300, size, 17);
    Followed followed(molecules.in(box));
    for (int f = 1; f < 10; ++f) {
      if (f == from) followed.ours = followed.theirs;
      molecules.move(20);
      EXPECT_FALSE(followed.next(molecules.in(box), box).empty());
    }
  }
}

}  // namespace
}  // namespace gpz::lanes::lanes_section_test
