// SPDX-License-Identifier: BSD-3-Clause
// Key frames in steps: they come back, index for index, and sections of later frames go on from them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "lanes_support.hpp"
#include "matter.hpp"

namespace gpz::lanes::lanes_key_test {
namespace {

using codec::Frame;
using molecule::box_of;
using molecule::cube;
using molecule::size_of;
using molecule::tilted_box;

constexpr unsigned everything = head::molecules | head::constants | head::tables;

// A key frame and the differences after it; `frame` gives them. Returns their sections.
template <typename Next>
std::vector<Bytes> interval(const Edges &box, int frames, Next frame, int threads = 1) {
  const Frame first = frame(0);
  Followed followed(first);
  std::vector<Bytes> sections{key_of(followed, first, box, threads)};
  for (int f = 1; f < frames; ++f) sections.push_back(followed.next(frame(f), box, threads));
  for (Bytes &bytes : sections) {
    EXPECT_FALSE(bytes.empty()) << &bytes - sections.data();
    bytes.resize(std::max<std::size_t>(bytes.size(), 8));
  }
  return sections;
}

TEST(LanesKey, MoleculesOfAllShapes) {
  for (const Pattern &shape : {chain(2), chain(12), chain(140), alkane(6), Pattern{0, 1, 2, 3, 4}, with_ions()})
    for (const double bond : {6.0, 400.0, 5e5})
      for (const int edges : {0, 1, 2}) {
        SCOPED_TRACE(std::to_string(shape.size()) + ", bond " + std::to_string(bond) + ", box " +
                     std::to_string(edges));
        const double size = size_of(140, bond);
        const auto part = [&](double x) { return std::llround(x * size); };
        const Edges box = edges == 0   ? Edges{}
                          : edges == 1 ? box_of(-500, cube(size))
                                       : tilted_box(-70, cube(size), {part(0.4), part(-0.3), part(0.2)});
        Moving molecules(shape, 140 / shape.size(), bond, size, shape.size());
        const std::vector<Bytes> sections = interval(box, 4, [&](int f) {
          if (f > 0) molecules.move(0.02 * bond);
          return molecules.in(box);
        });
        EXPECT_EQ(sections[0][0] & everything, everything);
        if (testing::Test::HasFailure()) return;
      }
}

// Molecules that lie across edges take about as much as whole ones.
TEST(LanesKey, AcrossEdges) {
  const std::size_t n = 3000;
  const double bond = 300, size = size_of(n, bond);
  const auto part = [&](double x) { return std::llround(x * size); };
  for (const bool tilted : {false, true})
    for (const bool to_brick : {false, true}) {
      if (to_brick && !tilted) continue;
      const Edges box =
          tilted ? tilted_box(-1234, cube(size), {part(0.45), part(-0.3), part(0.4)}) : box_of(-1234, cube(size));
      Moving molecules(chain(6), n / 6, bond, size, 4);
      molecules.take_shape(molecule::helix(6));
      Followed whole(molecules.open()), wrapped(molecules.open()), blind(molecules.open());
      const auto size_in = [&](Followed &of, const Frame &q, const Edges &edges) {
        const Bytes bytes = key_of(of, q, edges);
        if (&edges == &box && &of == &wrapped) {
          EXPECT_NE(bytes[0] & head::wraps, 0);
          EXPECT_EQ((bytes[0] & head::tilted) != 0, tilted);
          EXPECT_EQ((bytes[0] & head::brick) != 0, to_brick);
        }
        return static_cast<double>(bytes.size());
      };
      const double least = size_in(whole, molecules.open(), box);
      EXPECT_LT(size_in(wrapped, molecules.in(box, to_brick), box), 1.02 * least);
      EXPECT_GT(size_in(blind, molecules.in(box, to_brick), Edges{}), 1.05 * least);
    }
}

// Molecules of one shape: roots, a direction, a turn around it, and the differences between bond vectors.
TEST(LanesKey, TakesWhatMoleculesDifferBy) {
  const std::size_t length = 20, n = 12000;
  const double bond = 1000, size = size_of(n, bond), sigma = 10;
  Moving molecules(chain(length), n / length, bond, size, 21);
  molecules.take_shape(molecule::helix(length));
  molecules.move(sigma);
  const Edges box = box_of(0, cube(size));
  Followed followed(molecules.in(box));
  const Bytes bytes = key_of(followed, molecules.in(box), box);
  // Bits of normal distributions; bond vectors turn by sigma in two directions, and are stretched by 0.002.
  const auto of_normal = [](double deviation) { return std::log2(deviation * 4.13); };
  const double of_position = 3 * std::log2(size), of_length = of_normal(0.002 * bond);
  const double of_sphere = std::log2(4 * 3.14159 * bond * bond) + of_length,
               of_circle = std::log2(2 * 3.14159 * 0.9 * bond) + of_normal(1.4 * sigma) + of_length;
  // The angle of a bond with the one before has two deviations of sigma, and its torsion, at right angles nearly, as
  // well.
  const double of_others = of_length + of_normal(1.4 * sigma) + of_normal(1.4 * sigma);
  const double expected = of_position + of_sphere + of_circle + static_cast<double>(length - 3) * of_others;
  const double found = 8.0 * static_cast<double>(bytes.size()) / (static_cast<double>(n) / static_cast<double>(length));
  EXPECT_LT(found, 1.15 * expected);  // also what the section says of classes
  EXPECT_GT(found, 0.95 * expected);
}

TEST(LanesKey, RigidWater) {
  test::Waters waters(300, 0, 1);
  const double step = 0.002;
  Edges box;
  for (std::size_t d = 0; d < 3; ++d) box.axes[d] = {0, std::llround(waters.edges[d] / step)};
  const std::vector<Bytes> sections = interval(box, 6, [&](int f) {
    if (f > 0) waters.move();
    Frame q = codec::empty_frame(waters.position.size());
    for (std::size_t i = 0; i < q[0].size(); ++i)
      for (std::size_t d = 0; d < 3; ++d) q[d][i] = core::wrap(std::llround(waters.inside(i)[d] / step), box.axes[d]);
    return q;
  });
  EXPECT_EQ(sections[1][0] & (head::constants | head::tables), head::constants | head::tables);
}

TEST(LanesKey, FewParticlesAndMany) {
  for (const auto &[length, count] : {std::pair(2U, 1U), std::pair(3U, 1U), std::pair(9U, 1U), std::pair(24U, 1U),
                                      std::pair(3U, 11U), std::pair(4U, 8U), std::pair(10U, 500U)}) {
    SCOPED_TRACE(length * count);
    Moving molecules(chain(length), count, 300, count == 1 ? 1 : size_of(length * count, 300), length);
    Followed followed(molecules.open());
    const Bytes key = key_of(followed, molecules.open(), {});
    if (length * count > 30) {
      EXPECT_FALSE(key.empty());
    }
    for (int f = 1; f < 4; ++f) {
      molecules.move(20);
      const Bytes bytes = followed.next(molecules.open(), {});
      EXPECT_TRUE(key.empty() || !bytes.empty());
    }
  }
}

TEST(LanesKey, NoneWhereNothingIsBound) {
  test::LennardJones crystal(5, 1.05, 0.1, 19);
  crystal.run(20);
  Edges box;
  for (std::size_t d = 0; d < 3; ++d) box.axes[d] = {0, std::llround(crystal.edges[d] / 0.001)};
  Frame q = codec::empty_frame(crystal.position.size());
  for (std::size_t i = 0; i < q[0].size(); ++i)
    for (std::size_t d = 0; d < 3; ++d) q[d][i] = std::llround(crystal.inside(i)[d] / 0.001);
  Followed followed(q);
  EXPECT_TRUE(key_of(followed, q, box).empty());
  EXPECT_TRUE(followed.ours.empty());
}

// Several blocks: with any number of threads the same bytes.
TEST(LanesKey, SeveralBlocks) {
  const std::size_t n = 30000;
  const double size = size_of(n, 300);
  const Edges box = box_of(0, cube(size));
  Moving molecules(with_ions(), n / 5, 300, size, 14);
  Followed one(molecules.in(box)), three(molecules.in(box));
  const Bytes key = key_of(one, molecules.in(box), box, 1);
  EXPECT_FALSE(key.empty());
  EXPECT_TRUE(key_of(three, molecules.in(box), box, 3) == key);
  molecules.move(30);
  EXPECT_TRUE(three.next(molecules.in(box), box, 3) == one.next(molecules.in(box), box, 1));
}

// Roots far from each other are escapes; rows do not reach farther than 2^30 steps.
TEST(LanesKey, PlacesThatRowsDoNotReach) {
  const double size = size_of(240, 300);
  constexpr std::int64_t reach = std::int64_t{1} << 30;
  for (const auto &[centre, is_near] :
       {std::pair(reach / 2 + 70000, true), std::pair(-reach / 2 - 70000, true), std::pair(reach - 10000, true),
        std::pair(-reach + 10000, true), std::pair(reach + 10000, false), std::pair(std::int64_t{1} << 62, false),
        std::pair(codec::min64 + 10000, false)}) {
    Moving molecules(chain(4), 60, 300, size, 16);
    Frame q = molecules.open();
    for (std::size_t i = 0; i < q[0].size(); ++i)
      for (auto &axis : q) axis[i] = core::sum_of(axis[i], i < 120 || is_near ? centre : -centre);
    // Half of them at the other end.
    for (std::size_t i = 0; is_near && i < 120; ++i)
      for (auto &axis : q) axis[i] -= 2 * centre;
    Followed followed(q);
    EXPECT_EQ(!key_of(followed, q, {}).empty(), is_near) << centre;
  }
}

// In boxes that do not fit the rules of section 8, or are as large as these allow.
TEST(LanesKey, BoxesOfAllSizes) {
  constexpr std::int64_t reach = core::max_axis_reach;
  const double size = size_of(240, 300);
  for (const Edges &box :
       {box_of(0, {5, 7, 1}), box_of(0, {-5, codec::min64, 100}), box_of(codec::max64, {100, codec::max64, 3}),
        box_of(reach, {reach, reach, reach}), box_of(-reach, {8, reach, reach}),
        tilted_box(-reach, {reach, reach, reach}, {reach, -reach, reach})}) {
    Moving molecules(chain(4), 60, 300, size, 17);
    Followed followed(molecules.open());
    key_of(followed, molecules.open(), box);
    for (int f = 1; f < 3; ++f) {
      molecules.move(40);
      followed.next(molecules.open(), box);
    }
  }
}

// ---- what comes after

// Circles whose particles have a second reference are narrow until a difference frame shows that they are long.
TEST(LanesKey, TheFirstDifferenceMayBringAnotherPlan) {
  const double bond = 300, size = size_of(1200, bond);
  const Edges box = box_of(0, cube(size));
  // Some bonds of a chain have any angle, but hardly change it if particles move little.
  using Example = std::tuple<Pattern, double, bool>;
  for (const auto &[shape, sigma, is_other] :
       {Example{chain(2), 3, false}, Example{chain(20), 3, true}, Example{chain(20), 300, false}}) {
    Moving molecules(shape, 1200 / shape.size(), bond, size, 5);
    const std::vector<Bytes> sections = interval(box, 5, [&, sigma = sigma](int f) {
      if (f > 0) molecules.move(sigma);
      return molecules.in(box);
    });
    EXPECT_EQ((sections[1][0] & head::molecules) != 0, is_other);
    EXPECT_EQ(sections[1][0] & (head::constants | head::tables), head::constants | head::tables);
    for (std::size_t f = 2; f < sections.size(); ++f) EXPECT_EQ(sections[f][0] & head::molecules, 0) << f;
  }
}

// The plan of a key frame serves the frames after it.
TEST(LanesKey, DifferencesAreSmallerAfterIt) {
  const double size = size_of(6000, 300);
  const Edges box = box_of(0, cube(size));
  Moving molecules(chain(2), 3000, 300, size, 6);
  Followed with(molecules.in(box)), without(molecules.in(box));
  key_of(with, molecules.in(box), box);
  for (int f = 1; f < 6; ++f) {
    molecules.move(5);
    const Frame q = molecules.in(box);
    const Bytes bytes = with.next(q, box), others = without.next(q, box);
    if (f == 1) {
      const std::size_t plan = 8 + format::load_little<std::uint64_t>(others.data() + 8);
      EXPECT_LE(bytes.size(), others.size() - plan + 32);
    } else {
      EXPECT_LT(static_cast<double>(bytes.size()), 1.01 * static_cast<double>(others.size())) << f;
    }
  }
}

// An encoder that begins in the middle of a file has the state of a decoder.
TEST(LanesKey, GoesOnFromTheStateOfADecoder) {
  const double size = size_of(300, 300);
  const Edges box = box_of(0, cube(size));
  for (const double sigma : {2.0, 300.0})
    for (const bool is_skipped : {false, true}) {
      Moving molecules(alkane(2), 36, 300, size, 17);
      Followed one(molecules.in(box)), other(molecules.in(box));
      ASSERT_EQ(key_of(one, molecules.in(box), box), key_of(other, molecules.in(box), box));
      other.ours = other.theirs;
      for (int f = 1; f < 8; ++f) {
        molecules.move(sigma);
        if (f == 1 && is_skipped) {
          // In another coding: rows are made of the indices.
          one.skip(molecules.in(box), box);
          other.skip(molecules.in(box), box);
          continue;
        }
        const Bytes bytes = one.next(molecules.in(box), box);
        EXPECT_FALSE(bytes.empty());
        EXPECT_EQ(other.next(molecules.in(box), box), bytes) << f;
      }
    }
}

// States that have been in use give what new ones give, with the molecules of the interval before and with others.
TEST(LanesKey, IntervalsDoNotDependOnEachOther) {
  const double size = size_of(420, 300);
  const Edges box = box_of(0, cube(size));
  Moving first(alkane(2), 52, 300, size, 1), second(chain(7), 60, 300, size, 2);
  Followed used(first.in(box));
  for (Moving *const molecules : {&first, &first, &second, &first}) {
    used.state = {};
    used.state.start(codec::columns(molecules->in(box)), molecules->position.size(), 3);
    Followed fresh(molecules->in(box));
    const Bytes key = key_of(fresh, molecules->in(box), box);
    EXPECT_FALSE(key.empty());
    EXPECT_EQ(key_of(used, molecules->in(box), box), key);
    for (int f = 1; f < 5; ++f) {
      molecules->move(20);
      const Bytes bytes = fresh.next(molecules->in(box), box);
      EXPECT_FALSE(bytes.empty());
      EXPECT_EQ(used.next(molecules->in(box), box), bytes);
    }
  }
}

// Also those with another plan.
TEST(LanesKey, DroppedUpdatesChangeNothing) {
  const double size = size_of(300, 300);
  const Edges box = box_of(0, cube(size));
  for (const double sigma : {2.0, 300.0}) {
    Moving molecules(chain(20), 15, 300, size, 13);
    Followed followed(molecules.in(box)), other(molecules.in(box));
    Bytes dropped;
    const Frame first = molecules.in(box);
    EXPECT_TRUE(encode_key(followed.ours, first[0].size(), codec::columns(first), box, dropped));
    EXPECT_EQ(key_of(followed, first, box), key_of(other, first, box));
    for (int f = 1; f < 4; ++f) {
      molecules.move(sigma);
      const Frame q = molecules.in(box);
      EXPECT_TRUE(encode(followed.ours, followed.state, codec::columns(q), box, dropped));
      EXPECT_EQ(followed.next(q, box), other.next(q, box)) << f;
    }
  }
}

// The first frame after a key frame would have brought another plan, of fewer steps, but was coded otherwise.
TEST(LanesKey, AfterAnotherPlanThatWasDropped) {
  Pattern shape = chain(40);
  for (const std::size_t lag : chain(3)) shape.push_back(lag);
  const double size = size_of(40 * shape.size(), 300);
  const Edges box = box_of(0, cube(size));
  for (const double sigma : {2.0, 300.0}) {
    Moving molecules(shape, 40, 300, size, 13);
    const Frame first = molecules.in(box);
    Followed followed(first), other(first);
    EXPECT_EQ(key_of(followed, first, box), key_of(other, first, box));
    molecules.move(2);
    Frame q = molecules.in(box);
    Bytes dropped;
    const auto update = encode(followed.ours, followed.state, codec::columns(q), box, dropped);
    ASSERT_TRUE(update);
    EXPECT_NE(dropped[0] & head::molecules, 0);
    for (Followed *const of : {&followed, &other}) of->skip(q, box);
    for (int f = 2; f < 6; ++f) {
      molecules.move(sigma);
      q = molecules.in(box);
      const Bytes bytes = followed.next(q, box);
      EXPECT_EQ(bytes, other.next(q, box)) << f;
      EXPECT_EQ((bytes[0] & head::molecules) != 0, f == 2 && sigma < 100) << f;
    }
  }
}

TEST(LanesKey, ParticlesThatLeave) {
  const double size = size_of(300, 300);
  const Edges box = box_of(0, cube(size));
  Moving molecules(chain(6), 50, 300, size, 12);
  Followed followed(molecules.in(box));
  key_of(followed, molecules.in(box), box);
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 6; i < 300; ++i) kept.push_back(i);
  followed.keep(kept);
  molecules.position.erase(molecules.position.begin(), molecules.position.begin() + 6);
  for (int f = 1; f < 4; ++f) {
    molecules.move(20);
    const Bytes bytes = followed.next(molecules.in(box), box);
    ASSERT_FALSE(bytes.empty());
    EXPECT_EQ(bytes[0] & head::molecules, f == 1 ? 1 : 0) << f;
  }
}

TEST(LanesKey, SaysHowMuchMemoryItHas) {
  format::Budget budget{Limits()};
  const format::Budget::Scope scope(budget);
  const double size = size_of(2000, 300);
  const Edges box = box_of(0, cube(size));
  Moving molecules(alkane(4), 150, 300, size, 20);
  Followed followed(molecules.in(box));
  ASSERT_FALSE(key_of(followed, molecules.in(box), box).empty());
  const std::size_t said = followed.theirs.memory_usage();
  const std::uint64_t before = budget.used();
  followed.theirs = State();
  const std::uint64_t given_back = before - budget.used();
  EXPECT_GE(said, given_back);
  EXPECT_GT(given_back, molecules.position.size() * 8 * sizeof(std::int32_t));  // the rows alone
}

}  // namespace
}  // namespace gpz::lanes::lanes_key_test
