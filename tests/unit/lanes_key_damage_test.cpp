// SPDX-License-Identifier: BSD-3-Clause
// Damage to sections of key frames in steps: an error, or values that a decoder can go on with, and nothing else.
#include <gtest/gtest.h>

#include <cmath>

#include "lanes_damage_support.hpp"

namespace gpz::lanes::lanes_key_damage_test {
namespace {

constexpr std::size_t particles = 45;

Case case_of(const Pattern &shape, const Edges &edges, double bond) {
  Moving molecules(shape, particles / shape.size(), bond, molecule::size_of(particles, bond), 1);
  const codec::Frame q = molecules.in(edges);
  Followed followed(q);
  Case made;
  made.is_key = true;
  made.edges = edges;
  made.bytes = key_of(followed, q, edges);
  made.history = followed.state;
  EXPECT_FALSE(made.bytes.empty());
  return made;
}
const std::vector<Case> &cases() {
  static const std::vector<Case> all = [] {
    const std::int64_t size = std::llround(molecule::size_of(particles, 60));
    const Edges box = molecule::box_of(-20, {size, size, size});
    const Edges tilted = molecule::tilted_box(0, {size, size, size}, {size / 3, -size / 4, size / 5});
    return std::vector<Case>{case_of(chain(3), box, 60), case_of(with_ions(), tilted, 60), case_of(chain(15), {}, 60),
                             case_of(alkane(4), {}, 5e5)};
  }();
  return all;
}
Parts parts_of(const Case &one) { return Parts(one.bytes, 1, true); }

TEST(LanesKeyDamage, OfEveryByteIsRefusedOrGivesValues) {
  for (const Case &one : cases()) {
    ASSERT_FALSE(one.is_refused(one.bytes));
    std::size_t refused = 0;
    for (std::size_t at = 0; at < one.bytes.size(); ++at) {
      constexpr int changes[] = {1, 0x80, 0xff};
      Bytes changed = one.bytes;
      changed[at] = static_cast<std::uint8_t>(changed[at] ^ changes[at % 3]);
      refused += one.is_refused(changed) ? 1 : 0;
    }
    EXPECT_GT(2 * refused, one.bytes.size());
    if (testing::Test::HasFailure()) return;
  }
}

TEST(LanesKeyDamage, EveryCutIsRefused) {
  for (const Case &one : cases())
    test::expect_cuts_are_refused(one.bytes, [&](const Bytes &changed) { return one.is_refused(changed); });
}

TEST(LanesKeyDamage, InMorePlacesAtOnce) {
  test::Random random(2);
  for (const Case &one : cases())
    test::expect_damage_is_refused(one.bytes, 100, random,
                                   [&](const Bytes &changed) { return one.is_refused(changed); });
}

// A key frame has molecules, constants and tables, and no flags that there are not.
TEST(LanesKeyDamage, Heads) {
  for (const Case &one : cases()) {
    Parts parts = parts_of(one);
    ASSERT_EQ(parts.whole(), one.bytes);
    const std::uint64_t flags = parts.flags;
    for (int bit = 7; bit < 64; ++bit) {
      parts.flags = flags | std::uint64_t{1} << bit;
      EXPECT_TRUE(one.is_refused(parts.whole())) << bit;
    }
    for (unsigned missing = 1; missing < 8; ++missing) {
      Parts fewer = parts_of(one);
      fewer.flags &= ~std::uint64_t{missing};
      if ((missing & head::molecules) != 0) fewer.molecules.clear();
      if ((missing & head::constants) != 0) fewer.constants.clear();
      if ((missing & head::tables) != 0) fewer.tables.clear();
      EXPECT_TRUE(one.is_refused(fewer.whole())) << missing;
    }
  }
}

// Sections of other particles, and of difference frames.
TEST(LanesKeyDamage, OfAnotherFrame) {
  for (const std::size_t n : {std::size_t{1}, particles - 1, particles + 1}) {
    Case one = cases()[0];
    one.history.particles = n;
    EXPECT_TRUE(one.is_refused(one.bytes)) << n;
  }
  Moving molecules(chain(3), particles / 3, 60, molecule::size_of(particles, 60), 1);
  Followed followed(molecules.open());
  for (int f = 1; f < 3; ++f) {
    molecules.move(5);
    Case later = cases()[2];
    later.bytes = followed.next(molecules.open(), {});
    EXPECT_TRUE(later.is_refused(later.bytes)) << f;
  }
  // A difference frame has no templates.
  Case other = cases()[2];
  other.is_key = false;
  EXPECT_TRUE(other.is_refused(other.bytes));
}

// Whatever a section says of headings, of roots and of classes.
TEST(LanesKeyDamage, TemplatesAndConstantsAtTheirLimits) {
  for (const Case &one : cases()) {
    const Bytes molecules = parts_of(one).molecules;
    const std::size_t classes =
        read_plan(molecules.data() + 8, molecules.size() - 8, one.history.particles, 1)->molecules.kind.size();
    for (unsigned bits = 0; bits < 256; bits += 5) {
      const auto is = [&](unsigned k) { return (bits >> k & 1) != 0; };
      Templates templates;
      templates.root.fill(is(0) ? 1 << 29 : -(1 << 29));
      templates.heading.resize(classes);
      std::vector<ClassConstants> constants(classes);
      for (std::size_t c = 0; c < classes; ++c) {
        templates.heading[c] = {static_cast<std::int8_t>(is(1) ? 64 : -64), static_cast<std::int8_t>(is(2) ? 64 : 0)};
        ClassConstants &k = constants[c];
        k.weight.fill(is(3) ? std::int16_t{127} : std::int16_t{-128});
        k.length = is(4) ? most_steps : 0;
        k.along = is(5) ? most_steps : -most_steps;
        k.length_variance = k.along_variance = is(6) ? most_power : 0;
        k.bend = k.bend2 = is(7) ? most_power : 0;
      }
      Parts parts = parts_of(one);
      parts.constants.clear();
      append_constants(constants, nullptr, parts.constants);
      parts.templates.clear();
      templates.append(parts.templates);
      // With the words of others: refused or not, and nothing else.
      one.is_refused(parts.whole());
      if (testing::Test::HasFailure()) return;
    }
    Parts parts = parts_of(one);
    Templates other;
    other.heading.resize(classes + 1);
    parts.templates.clear();
    other.append(parts.templates);
    EXPECT_TRUE(one.is_refused(parts.whole()));
  }
}

}  // namespace
}  // namespace gpz::lanes::lanes_key_damage_test
