// SPDX-License-Identifier: BSD-3-Clause
// Sections of molecules: what is encoded is decoded again, bit for bit, and both sides remember the same, whatever
// molecules do, leave and arrive, in boxes of every kind.
#include <gtest/gtest.h>

#include <cmath>

#include "matter.hpp"
#include "molecule_support.hpp"

namespace gpz::molecule::molecule_section_test {
namespace {

using codec::max64;
using codec::min64;

TEST(MoleculeSection, RigidWater) {
  test::Waters waters(300, 0, 1);
  const double step = 0.002;
  Edges box;
  for (std::size_t d = 0; d < 3; ++d) box.axes[d] = {0, std::llround(waters.edges[d] / step)};
  const Sections run = follow(box, 10, [&](int f) {
    if (f > 0) waters.move();
    Frame q = empty_frame(waters.place.size());
    for (std::size_t i = 0; i < q[0].size(); ++i)
      for (std::size_t d = 0; d < 3; ++d) q[d][i] = core::wrap(std::llround(waters.inside(i)[d] / step), box.axes[d]);
    return q;
  });
  ASSERT_TRUE(run.are_all());
  EXPECT_EQ(run.sections[0][0] & head::new_tree, head::new_tree);
  for (std::size_t s = 1; s < run.sections.size(); ++s) EXPECT_EQ(run.sections[s][0] & head::new_tree, 0) << s;
  EXPECT_LT(run.size, run.as_differences * 9 / 10);
}

TEST(MoleculeSection, FlexibleMoleculesWithStepsOfAllSizes) {
  for (const Shape &shape : {chain(2), chain(12), alkane(4), Shape{0, 1, 2, 3, 4}})
    for (const double sigma : {0.0, 0.3, 10.0, 1e3, 1e6})
      for (const bool open : {true, false}) {
        SCOPED_TRACE(std::to_string(shape.size()) + " by " + std::to_string(sigma) + (open ? " open" : ""));
        const double bond = 400;
        const double size = size_of(140, bond);
        Molecules molecules(shape, 140 / shape.size(), bond, size, shape.size());
        const Edges box = open ? Edges{} : box_of(-500, cube(size));
        const Sections run = follow(box, 6, [&](int f) {
          // The first two frames say what hangs on what.
          if (f > 0) molecules.move(f == 1 ? 1 : sigma);
          return molecules.in(box);
        });
        EXPECT_TRUE(run.are_all());
        if (testing::Test::HasFailure()) return;
      }
}

// What is known of lengths pays, soon after the frame that says what hangs on what.
TEST(MoleculeSection, IsSmallerThanDifferences) {
  const std::size_t n = 1800;
  const double size = size_of(n, 400);
  const Edges box = box_of(0, cube(size));
  for (const auto &[shape, sigma, part] : {std::tuple(chain(12), 10.0, 0.95), std::tuple(chain(12), 100.0, 0.9),
                                           std::tuple(alkane(4), 100.0, 1.0), std::tuple(chain(2), 200.0, 1.0)}) {
    Molecules molecules(shape, n / shape.size(), 400, size, 21);
    Followed followed(molecules.in(box));
    for (int f = 1; f < 8; ++f) {
      molecules.move(sigma);
      const Frame q = molecules.in(box);
      const auto differences = static_cast<double>(size_as_differences(followed.state, q, box));
      const auto bytes = static_cast<double>(followed.next(q, box).size());
      EXPECT_LT(bytes, differences * (f < 3 ? 1.2 : part)) << shape.size() << " by " << sigma << ", frame " << f;
    }
  }
}

TEST(MoleculeSection, TiltedBoxes) {
  for (const bool to_brick : {false, true})
    for (const double sigma : {20.0, 300.0}) {
      const double bond = 300;
      const double size = size_of(600, bond);
      const auto part = [&](double x) { return std::llround(x * size); };
      const Edges box = tilted_box(-1234, {part(1), part(0.9), part(1.1)}, {part(0.45), part(-0.3), part(0.4)});
      Molecules molecules(chain(5), 120, bond, size, 4);
      const Sections run = follow(box, 8, [&](int f) {
        if (f > 0) molecules.move(sigma);
        return molecules.in(box, to_brick);
      });
      ASSERT_TRUE(run.are_all());
      for (const Bytes &bytes : run.sections) {
        EXPECT_NE(bytes[0] & head::tilted, 0);
        EXPECT_EQ((bytes[0] & head::brick) != 0, to_brick);
      }
      // Without the edges, every particle that crosses one jumps.
      Molecules again(chain(5), 120, bond, size, 4);
      Edges blind;
      blind.axes = box.axes;
      const Sections without = follow(blind, 8, [&](int f) {
        if (f > 0) again.move(sigma);
        return again.in(box, to_brick);
      });
      EXPECT_LT(run.size, without.size);
    }
}

// Molecules are brought back as wholes, or never; in one frame some particles are an edge away from where they were.
TEST(MoleculeSection, MoleculesOutsideTheBox) {
  const double bond = 300;
  const double size = size_of(400, bond);
  for (const bool tilted : {false, true}) {
    const Way periods = cube(size);
    const Edges box = tilted ? tilted_box(0, periods, {periods[0] / 4, 0, periods[0] / 3}) : box_of(0, periods);
    Molecules molecules(chain(4), 100, bond, size, 9);
    for (auto &x : molecules.place) x[0] += 0.6 * size;  // some of them beyond the edge from the beginning
    const Sections whole = follow(box, 6, [&](int f) {
      if (f > 0) molecules.move(50);
      return molecules.open();
    });
    ASSERT_TRUE(whole.are_all());
    const Sections unwrapped_far = follow(box, 6, [&](int f) {
      if (f > 0) molecules.move(50);
      Frame q = molecules.open();
      // Any image, which changes from frame to frame: by up to three edges.
      for (std::size_t i = 0; i < q[0].size(); ++i)
        for (std::size_t d = 0; d < 3; ++d)
          if (f > 2 && molecules.random.below(10) == 0)
            q[d][i] += (static_cast<std::int64_t>(molecules.random.below(7)) - 3) * periods[d];
      return q;
    });
    EXPECT_TRUE(unwrapped_far.are_all());
    EXPECT_NE(whole.flags & head::quiet, 0);
  }
}

TEST(MoleculeSection, Exceptions) {
  const double bond = 300;
  const double size = size_of(300, bond);
  for (const bool open : {true, false}) {
    const Edges box = open ? Edges{} : box_of(0, cube(size));
    Molecules molecules(chain(3), 100, bond, size, 10);
    const std::int64_t jumps[] = {std::int64_t{1} << 20,
                                  (std::int64_t{1} << 20) + 400,
                                  std::int64_t{1} << 29,
                                  (std::int64_t{1} << 29) + 1,
                                  -(std::int64_t{1} << 29) - 1,
                                  std::int64_t{1} << 40,
                                  -(std::int64_t{1} << 62),
                                  max64 / 2,
                                  min64 / 2};
    const Sections run = follow(box, 12, [&](int f) {
      if (f > 0) molecules.move(10);
      Frame q = molecules.in(box);
      if (f < 2) return q;
      for (std::size_t k = 0; k < std::size(jumps); ++k) {
        // A root, one that hangs on it, and one that others hang on; some for one frame, some for good.
        const std::size_t at = (k * 31 + (k % 2 == 0 ? 0 : static_cast<std::size_t>(f))) % q[0].size();
        q[k % 3][at] = core::sum_of(q[k % 3][at], jumps[k]);
      }
      return q;
    });
    EXPECT_TRUE(run.are_all());
    // More than one byte in three is a jump: 32 bytes for each.
    EXPECT_GT(run.sections[5].size(), 4 * 32U);
  }
}

TEST(MoleculeSection, ParticlesLeaveAndArrive) {
  const double bond = 300;
  const double size = size_of(500, bond);
  const Edges box = box_of(-99, cube(size));
  for (const Shape &shape : {chain(5), alkane(3), Shape{0, 1, 2}}) {
    Molecules molecules(shape, 500 / shape.size(), bond, size, 11);
    std::vector<std::uint32_t> slots;  // particles, as they stand in the chunk
    const Frame first = molecules.in(box);
    for (std::uint32_t i = 0; i < first[0].size(); ++i) slots.push_back(i);
    const auto of_slots = [&](const Frame &q, std::size_t from) {
      Frame out = empty_frame(slots.size() - from);
      for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t i = from; i < slots.size(); ++i) out[d][i - from] = q[d][slots[i]];
      return out;
    };
    Followed followed(first);
    for (int f = 1; f < 14; ++f) {
      SCOPED_TRACE(f);
      if (f % 3 == 0) {
        const Frame last = molecules.in(box);
        std::vector<std::uint32_t> kept;
        for (std::uint32_t i = 0; i < slots.size(); ++i)
          if (molecules.random.below(20) != 0) kept.push_back(i);
        for (std::size_t i = 0; i < kept.size(); ++i) slots[i] = slots[kept[i]];
        slots.resize(kept.size());
        followed.keep(kept);
        // Twins of some others arrive.
        for (std::size_t i = 0; i < 20; ++i)
          slots.push_back(static_cast<std::uint32_t>(molecules.random.below(last[0].size())));
        followed.add(of_slots(last, kept.size()));
      }
      molecules.move(10);
      EXPECT_FALSE(followed.next(of_slots(molecules.in(box), 0), box).empty());
      if (testing::Test::HasFailure()) return;
    }
    // All leave, and others come.
    followed.keep({});
    followed.add(molecules.in(box));
    slots.clear();
    for (std::uint32_t i = 0; i < first[0].size(); ++i) slots.push_back(i);
    for (int f = 0; f < 3; ++f) {
      molecules.move(10);
      const Bytes bytes = followed.next(molecules.in(box), box);
      ASSERT_FALSE(bytes.empty());
      EXPECT_EQ(bytes[0] & head::new_tree, f == 0 ? 1 : 0);
    }
  }
}

// What is remembered is that of the frame before: after one that was coded otherwise it starts anew, classes excepted.
TEST(MoleculeSection, AFrameBetweenThatWasCodedOtherwise) {
  const double size = size_of(300, 300);
  const Edges box = box_of(0, cube(size));
  Molecules molecules(chain(6), 50, 300, size, 12);
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
    ASSERT_FALSE(bytes.empty());
    EXPECT_EQ(bytes[0] & head::new_tree, f == 1 ? 1 : 0);
  }
}

// An update that is dropped has changed nothing.
TEST(MoleculeSection, DroppedUpdatesChangeNothing) {
  const double size = size_of(300, 300);
  const Edges box = box_of(0, cube(size));
  Molecules molecules(chain(6), 50, 300, size, 13);
  Followed followed(molecules.in(box));
  Followed other(molecules.in(box));
  for (int f = 1; f < 8; ++f) {
    molecules.move(20);
    const Frame q = molecules.in(box);
    if (f % 2 == 1) {
      Bytes dropped;
      EXPECT_TRUE(encode(followed.ours, followed.state, columns(q), box, dropped));
    }
    EXPECT_EQ(followed.next(q, box), other.next(q, box));
  }
}

// Several segments: as many threads as there may be give the same.
TEST(MoleculeSection, AnyNumberOfThreads) {
  const std::size_t n = 2 * Tree::segment_size + 1000;
  const double size = size_of(n, 300);
  const Edges box = box_of(0, cube(size));
  Molecules molecules(chain(3), n / 3, 300, size, 14);
  Followed one(molecules.in(box));
  Followed two(molecules.in(box));
  Followed many(molecules.in(box));
  for (int f = 1; f < 3; ++f) {
    molecules.move(30);
    const Frame q = molecules.in(box);
    const Bytes bytes = one.next(q, box, 1);
    EXPECT_FALSE(bytes.empty());
    EXPECT_TRUE(two.next(q, box, 2) == bytes);
    EXPECT_TRUE(many.next(q, box, 5) == bytes);
  }
}

// Directions and axes that there are not: particles in a line, at one place, without a way between them.
TEST(MoleculeSection, DegenerateGeometry) {
  const std::size_t n = 240;
  for (const Shape &shape : {chain(6), alkane(2), Shape{0, 1, 2, 3, 4, 5}})
    for (const bool open : {true, false}) {
      const double size = size_of(n, 100);
      const Edges box = open ? Edges{} : box_of(0, cube(size));
      Molecules molecules(shape, n / shape.size(), 100, size, 15);
      const Sections run = follow(box, 16, [&](int f) {
        if (f > 0) molecules.move(1);
        Frame q = molecules.in(box);
        if (f < 2) return q;
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t root = i - i % shape.size();
          const auto off = static_cast<std::int64_t>(i - root);
          for (std::size_t d = 0; d < 3; ++d) {
            std::int64_t &x = q[d][i];
            const std::int64_t at = q[d][root];
            switch (f) {
              case 2:
                x = d == 0 ? at + 100 * off : at;
                break;  // in a line along an axis
              case 3:
                x = at + 57 * off;
                break;  // along a diagonal
              case 4:
              case 5:
                x = at;
                break;  // each molecule at one place
              case 6:
                x = d == 2 ? at + off % 2 : at;
                break;  // the shortest ways there are
              case 7:
                x = 77;
                break;  // all at one place
              case 8:
                x = d == 1 ? 77 - 100 * off : 77;
                break;
              case 9:
                x = d == 0 ? at + (off % 2 == 0 ? 0 : 100) : at;
                break;  // back and forth
              case 10:
                x = i % 2 == 0 ? 0 : x;
                break;
              case 11:
                x = d == 2 ? 0 : x;
                break;  // in a plane
              default:
                break;
            }
          }
        }
        return q;
      });
      EXPECT_TRUE(run.are_all());
    }
}

TEST(MoleculeSection, HugeCoordinates) {
  const double size = size_of(240, 300);
  const std::int64_t centres[] = {std::int64_t{1} << 62, -(std::int64_t{1} << 62), max64 - 3000, min64 + 3000};
  for (const std::int64_t centre : centres)
    for (const bool periodic : {false, true}) {
      const Edges box = periodic ? box_of(0, cube(size)) : Edges{};
      Molecules molecules(chain(4), 60, 300, size, 16);
      const Sections run = follow(box, 6, [&](int f) {
        if (f > 0) molecules.move(40);
        Frame q = molecules.open();
        for (auto &axis : q)
          for (auto &x : axis) x = core::sum_of(x, centre);
        return q;
      });
      // Beyond the largest integers, the spacing of particles is not what it seems.
      if (std::abs(centre) == std::int64_t{1} << 62) {
        EXPECT_TRUE(run.are_all());
      }
    }
}

// Axes that the rules of section 8 do not fit are open to both sides.
TEST(MoleculeSection, BoxesOfAFewSteps) {
  Molecules molecules(chain(4), 60, 300, size_of(240, 300), 22);
  for (const Edges &box : {box_of(0, {5, 7, 1}), box_of(-3, {7, 8, 9}), box_of(0, {-5, codec::min64, 100}),
                           box_of(codec::max64, {100, codec::max64, 3})}) {
    const Sections run = follow(box, 5, [&](int f) {
      if (f > 0) molecules.move(40);
      return molecules.open();
    });
    EXPECT_TRUE(run.are_all());
  }
}

TEST(MoleculeSection, LargestBoxes) {
  constexpr std::int64_t reach = core::max_axis_reach;
  Molecules molecules(chain(4), 60, 300, size_of(240, 300), 17);
  for (const Edges &box : {box_of(reach, {reach, reach, reach}), box_of(-reach, {8, reach, reach}),
                           tilted_box(-reach, {reach, reach, reach}, {reach, -reach, reach})}) {
    const Sections run = follow(box, 5, [&](int f) {
      if (f > 0) molecules.move(40);
      return molecules.open();
    });
    EXPECT_FALSE(run.sections.empty());
  }
}

// Once there is a tree, nothing that indices may be is beyond what a section can say.
TEST(MoleculeSection, AnyIndices) {
  const std::size_t n = 300;
  std::vector<codec::Trajectory> all{codec::noise(n, 6),
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
      Molecules molecules(chain(3), n / 3, 300, size_of(n, 300), 18);
      const Sections run = follow(box, 9, [&](int f) {
        if (f < 2) {
          molecules.move(10);
          return molecules.open();
        }
        return t.frames[static_cast<std::size_t>(f) % t.frames.size()];
      });
      EXPECT_FALSE(run.sections.empty());
    }
}

TEST(MoleculeSection, NoneWhereNothingIsBound) {
  test::LennardJones crystal(5, 1.05, 0.1, 19);
  crystal.run(20);
  Edges box;
  for (std::size_t d = 0; d < 3; ++d) box.axes[d] = {0, std::llround(crystal.edges[d] / 0.001)};
  const Sections run = follow(box, 3, [&](int) {
    crystal.run(5);
    Frame q = empty_frame(crystal.place.size());
    for (std::size_t i = 0; i < q[0].size(); ++i)
      for (std::size_t d = 0; d < 3; ++d) q[d][i] = std::llround(crystal.inside(i)[d] / 0.001);
    return q;
  });
  for (const Bytes &bytes : run.sections) EXPECT_TRUE(bytes.empty());
}

TEST(MoleculeSection, FewParticles) {
  for (const std::size_t n : {2U, 3U, 4U, 9U}) {
    Molecules molecules(chain(n), 1, 300, 1, n);
    const Sections run = follow({}, 6, [&](int f) {
      if (f > 0) molecules.move(20);
      return molecules.open();
    });
    EXPECT_EQ(run.sections.size(), 5U);
  }
}

TEST(MoleculeSection, SaysHowMuchMemoryItHas) {
  format::Budget budget{Limits()};
  const format::Budget::Scope scope(budget);
  const double size = size_of(2000, 300);
  const Edges box = box_of(0, cube(size));
  Molecules molecules(alkane(4), 150, 300, size, 20);
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
  EXPECT_GT(given_back, molecules.place.size() * sizeof(Particle));
}

}  // namespace
}  // namespace gpz::molecule::molecule_section_test
