// SPDX-License-Identifier: BSD-3-Clause
// Damage to sections of molecules, and heads that are against the rules of the page: an error, or values that a decoder
// can go on with, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "molecule_support.hpp"

namespace gpz::molecule::molecule_damage_test {
namespace {

// A section with the history before it.
struct Case {
  codec::DifferenceState state;
  State molecules;
  Edges edges;
  Bytes bytes;

  bool is_refused(const Bytes &changed) const {
    const test::Copy copy(changed);
    Frame out = empty_frame(state.particles);
    State scratch = molecules;
    try {
      decode(scratch, state, copy.data.get(), copy.size, edges.axes, 1, codec::output(out));
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), Status::corrupt);
      return true;
    }
    // What was decoded has to be good enough to go on with.
    Followed following(out);
    following.state = state;
    following.ours = scratch;
    following.theirs = scratch;
    following.skip(out, edges);
    following.next(out, edges);
    return false;
  }
  Bytes with(std::size_t at, const std::vector<int> &values) const {
    Bytes changed = bytes;
    for (const int value : values) changed[at++] = static_cast<std::uint8_t>(value);
    return changed;
  }
};

constexpr int particles = 45;

// The section after `frames` frames of small molecules. With `jumps`, some particles are exceptions.
Case case_of(const Shape &shape, const Edges &edges, int frames, bool jumps) {
  Molecules molecules(shape, particles / shape.size(), 60, 60 * std::cbrt(8.0 * particles), 1);
  Followed followed(molecules.in(edges));
  Case made;
  made.edges = edges;
  for (int f = 1; f <= frames; ++f) {
    molecules.move(5);
    made.state = followed.state;
    made.molecules = followed.theirs;
    Frame q = molecules.in(edges);
    // Some on which nobody hangs, in the last frame.
    if (jumps && f > 1 && f == frames)
      for (const std::size_t i : {5U, 14U, 32U}) q[i % 3][i] += std::int64_t{1} << 31;
    made.bytes = followed.next(q, edges);
  }
  EXPECT_FALSE(made.bytes.empty());
  return made;
}

const std::vector<Case> &cases() {
  static const std::vector<Case> all = [] {
    const std::int64_t size = std::llround(60 * std::cbrt(8.0 * particles));
    const Edges box = box_of(-20, {size, size, size});
    const Edges tilted = tilted_box(0, {size, size, size}, {size / 3, -size / 4, size / 5});
    std::vector<Case> made;
    for (const int frames : {1, 4}) {
      made.push_back(case_of(chain(3), box, frames, true));
      made.push_back(case_of(alkane(2), tilted, frames, false));
    }
    made.push_back(case_of(chain(15), {}, 3, true));
    return made;
  }();
  return all;
}

TEST(MoleculeDamage, OfEveryByteIsRefusedOrGivesValues) {
  for (const Case &one : cases()) {
    ASSERT_FALSE(one.is_refused(one.bytes));
    std::size_t refused = 0;
    for (std::size_t at = 0; at < one.bytes.size(); ++at)
      for (const int change : {1, 0xff}) refused += one.is_refused(one.with(at, {one.bytes[at] ^ change})) ? 1 : 0;
    EXPECT_GT(refused, one.bytes.size());
    if (testing::Test::HasFailure()) return;
  }
}

TEST(MoleculeDamage, EveryCutIsRefused) {
  for (const Case &one : cases()) {
    test::expect_cuts_are_refused(one.bytes, [&](const Bytes &changed) { return one.is_refused(changed); });
  }
}

TEST(MoleculeDamage, InMorePlacesAtOnce) {
  Random random(2);
  for (const Case &one : cases()) {
    test::expect_damage_is_refused(one.bytes, 150, random,
                                   [&](const Bytes &changed) { return one.is_refused(changed); });
  }
}

constexpr std::size_t exceptions_at = 8;  // of boxes that are not tilted

TEST(MoleculeDamage, Heads) {
  for (const Case &one : cases()) {
    const int flags = one.bytes[0];
    for (const int more : {16, 32, 64, 128, 255}) EXPECT_TRUE(one.is_refused(one.with(0, {flags | more})));
    if ((flags & head::tilted) == 0) {
      EXPECT_TRUE(one.is_refused(one.with(0, {flags | head::brick})));
    }
    EXPECT_TRUE(one.is_refused(one.with(2, {0})));
    for (const auto &[base, levels] : {std::pair(40, 1), std::pair(0, 41), std::pair(39, 2), std::pair(255, 255)})
      EXPECT_TRUE(one.is_refused(one.with(1, {base, levels}))) << base;
    for (std::size_t at = 3; at < 8; ++at) EXPECT_TRUE(one.is_refused(one.with(at, {1}))) << at;
  }
}

TEST(MoleculeDamage, MoleculesThatWereNeverGiven) {
  const Case &later = cases()[2];
  ASSERT_EQ(later.bytes[0] & head::new_tree, 0);
  Case one = later;
  one.molecules = State();
  EXPECT_TRUE(one.is_refused(one.bytes));
  // Those of other particles.
  one = later;
  std::vector<std::uint32_t> kept(one.state.particles - 1);
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = static_cast<std::uint32_t>(i);
  one.molecules.keep(kept.data(), kept.size());
  EXPECT_TRUE(one.is_refused(one.bytes));
}

TEST(MoleculeDamage, Exceptions) {
  const Case &one = cases()[2];
  const std::size_t count = one.bytes[exceptions_at];
  ASSERT_GE(count, 3U);
  const std::size_t slot = exceptions_at + 8;
  const std::size_t last = slot + 32 * (count - 1);
  const int second = one.bytes[slot + 32];
  EXPECT_TRUE(one.is_refused(one.with(slot, {second})));            // twice
  EXPECT_TRUE(one.is_refused(one.with(slot, {second + 1})));        // not in ascending order
  EXPECT_TRUE(one.is_refused(one.with(last, {particles})));         // no particle
  EXPECT_TRUE(one.is_refused(one.with(last + 4, {1})));             // beyond 2^32
  EXPECT_TRUE(one.is_refused(one.with(exceptions_at + 7, {128})));  // more than there are bytes
  EXPECT_TRUE(one.is_refused(one.with(exceptions_at, {255, 255, 255, 255, 255, 255, 255, 31})));
  // Any place is one; what hangs on it may be expected elsewhere, where other numbers are.
  for (const int byte : {0, 1, 127, 128, 255}) one.is_refused(one.with(last + 8, std::vector<int>(24, byte)));
  // Without them there are more numbers to take than numbers.
  Bytes none = one.with(exceptions_at, {0});
  none.erase(none.begin() + static_cast<std::ptrdiff_t>(slot), none.begin() + static_cast<std::ptrdiff_t>(last + 32));
  EXPECT_TRUE(one.is_refused(none));
}

TEST(MoleculeDamage, BoxesOfTiltedSections) {
  const Case &one = cases()[3];
  ASSERT_NE(one.bytes[0] & head::tilted, 0);
  const std::size_t tilts = 8 + 6 * 8;
  const auto put = [&](std::size_t at, std::int64_t value) {
    Bytes changed = one.bytes;
    for (std::size_t b = 0; b < 8; ++b)
      changed[at + b] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> 8 * b);
    return changed;
  };
  constexpr std::int64_t reach = core::max_axis_reach;
  for (std::size_t k = 0; k < 3; ++k) {
    for (const std::int64_t tilt : {reach + 1, -reach - 1, codec::min64, codec::max64})
      EXPECT_TRUE(one.is_refused(put(tilts + 8 * k, tilt))) << tilt;
    // Axes that the rules of section 8 do not fit are open ones: values, or numbers that are left over.
    for (const std::int64_t odd :
         {reach, -reach, reach + 1, codec::min64, codec::max64, std::int64_t{0}, std::int64_t{7}}) {
      one.is_refused(put(8 + 16 * k, odd));
      one.is_refused(put(16 + 16 * k, odd));
      one.is_refused(put(tilts + 8 * k, std::abs(odd) <= reach ? odd : reach));
    }
  }
}

// Of each class in a new tree: every level is a deviation.
TEST(MoleculeDamage, LevelsOfClasses) {
  for (const std::size_t k : {0U, 1U}) {
    const Case &one = cases()[k];
    ASSERT_NE(one.bytes[0] & head::new_tree, 0);
    const std::size_t exceptions = k == 0 ? exceptions_at : exceptions_at + 9 * 8;
    ASSERT_EQ(one.bytes[exceptions], 0);
    std::size_t at = exceptions + 8;
    at += (1 + one.bytes[at] + 7U) / 8 * 8;  // the lags
    std::uint64_t length = 0;
    for (std::size_t b = 0; b < 8; ++b) length |= std::uint64_t{one.bytes[at + b]} << 8 * b;
    at += 8 + static_cast<std::size_t>(length);
    ASSERT_LT(at + 24, one.bytes.size());
    // The first class has no particles: its levels are of no use.
    for (std::size_t c = 0; c < 3; ++c) EXPECT_FALSE(one.is_refused(one.with(at + c, {255})));
    for (std::size_t c = 0; c < 24; ++c)
      for (const int level : {0, 255}) one.is_refused(one.with(at + c, {level}));
    one.is_refused(one.with(at, std::vector<int>(24, 255)));
    one.is_refused(one.with(at, std::vector<int>(24, 0)));
  }
}

}  // namespace
}  // namespace gpz::molecule::molecule_damage_test
