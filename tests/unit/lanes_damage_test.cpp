// SPDX-License-Identifier: BSD-3-Clause
// Damage to sections of steps, and sections that break one rule of the page: an error, or values that a decoder can go
// on with, and nothing else.
#include <gtest/gtest.h>

#include <cmath>

#include "lanes_damage_support.hpp"

namespace gpz::lanes::lanes_damage_test {
namespace {

constexpr std::size_t particles = 45;

// The section after `frames` frames of small molecules. With `jumps`, some particles are an edge away.
Case case_of(const Pattern &shape, const Edges &edges, int frames, bool jumps, bool use_bonds = true) {
  Moving molecules(shape, particles / shape.size(), 60, molecule::size_of(particles, 60), 1);
  Followed followed(molecules.in(edges));
  followed.use_bonds = use_bonds;
  Case made;
  made.edges = edges;
  for (int f = 1; f <= frames; ++f) {
    molecules.move(5);
    made.history = followed.state;
    made.state = followed.theirs;
    codec::Frame q = molecules.in(edges);
    if (jumps && f == frames)
      for (const std::size_t i : {5U, 14U, 32U}) q[i % 3][i] += edges.axes[i % 3].period;
    made.bytes = followed.next(q, edges);
  }
  EXPECT_FALSE(made.bytes.empty());
  return made;
}

const std::vector<Case> &cases() {
  static const std::vector<Case> all = [] {
    const std::int64_t size = std::llround(molecule::size_of(particles, 60));
    const Edges box = molecule::box_of(-20, {size, size, size});
    const Edges tilted = molecule::tilted_box(0, {size, size, size}, {size / 3, -size / 4, size / 5});
    std::vector<Case> made;
    for (const int frames : {1, 4}) {
      made.push_back(case_of(chain(3), box, frames, true));
      made.push_back(case_of(with_ions(), tilted, frames, false));
    }
    made.push_back(case_of(chain(15), {}, 3, false));
    made.push_back(case_of(chain(1), tilted, 1, false, false));
    made.push_back(case_of(chain(1), box, 4, true, false));
    return made;
  }();
  return all;
}
Parts parts_of(const Case &one) { return Parts(one.bytes, 1, false); }
std::size_t classes_of(const Case &one) {
  const Bytes molecules = parts_of(one).molecules;
  return read_plan(molecules.data() + 8, molecules.size() - 8, particles, 1)->molecules.kind.size();
}

TEST(LanesDamage, OfEveryByteIsRefusedOrGivesValues) {
  for (const Case &one : cases()) {
    ASSERT_FALSE(one.is_refused(one.bytes));
    std::size_t refused = 0;
    for (std::size_t at = 0; at < one.bytes.size(); ++at)
      for (const int change : {1, 0x80, 0xff}) {
        Bytes changed = one.bytes;
        changed[at] = static_cast<std::uint8_t>(changed[at] ^ change);
        refused += one.is_refused(changed) ? 1 : 0;
      }
    EXPECT_GT(2 * refused, 3 * one.bytes.size());
    if (testing::Test::HasFailure()) return;
  }
}

TEST(LanesDamage, EveryCutIsRefused) {
  for (const Case &one : cases()) {
    test::expect_cuts_are_refused(one.bytes, [&](const Bytes &changed) { return one.is_refused(changed); });
  }
}

TEST(LanesDamage, InMorePlacesAtOnce) {
  test::Random random(2);
  for (const Case &one : cases()) {
    test::expect_damage_is_refused(one.bytes, 100, random,
                                   [&](const Bytes &changed) { return one.is_refused(changed); });
  }
}

// A reader whose section was refused has no molecules, and the copy of its state is as it was.
TEST(LanesDamage, CopiesOfAStateAreTheirOwn) {
  const Case &one = cases()[2];
  Parts parts = parts_of(one);
  ASSERT_EQ(parts.flags & head::tables, 0U);
  NumberWriter tables(17);
  for (int level = 0; level < 16; ++level) tables.put(3, 1);
  for (int kind = 0; kind < 3; ++kind) {
    for (int k = 0; k < 10; ++k) tables.put(4, 0);
    for (int k = 0; k < 2; ++k) tables.put(5, 0);
  }
  tables.put(0, 480);
  parts.flags |= head::tables;
  parts.tables.clear();
  tables.append(parts.tables);
  EXPECT_TRUE(one.is_refused(parts.whole()));
  EXPECT_FALSE(one.is_refused(one.bytes));
}

TEST(LanesDamage, Heads) {
  for (const Case &one : cases()) {
    Parts parts = parts_of(one);
    ASSERT_EQ(parts.whole(), one.bytes);
    const std::uint64_t flags = parts.flags;
    for (int bit = 7; bit < 64; ++bit) {
      parts.flags = flags | std::uint64_t{1} << bit;
      EXPECT_TRUE(one.is_refused(parts.whole())) << bit;
    }
    if ((flags & head::tilted) == 0) {
      parts.flags = flags | head::brick;
      EXPECT_TRUE(one.is_refused(parts.whole()));
    }
    if ((flags & head::molecules) == 0) continue;
    // New molecules without new constants or tables, whose bytes are not there.
    for (const std::uint8_t missing : {head::constants, head::tables}) {
      Parts fewer = parts_of(one);
      fewer.flags &= ~std::uint64_t{missing};
      (missing == head::constants ? fewer.constants : fewer.tables).clear();
      EXPECT_TRUE(one.is_refused(fewer.whole()));
    }
  }
}

TEST(LanesDamage, MoleculesThatWereNeverGiven) {
  const Case &later = cases()[2];
  ASSERT_EQ(later.bytes[0] & head::molecules, 0);
  Case one = later;
  one.state = State();
  EXPECT_TRUE(one.is_refused(one.bytes));
  // Those of other particles.
  one = later;
  std::vector<std::uint32_t> kept(particles - 1);
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = static_cast<std::uint32_t>(i);
  one.history.keep(kept.data(), kept.size());
  EXPECT_TRUE(one.is_refused(one.bytes));
}

// ---- the table of molecules

void put_u32(Bytes &bytes, std::size_t at, std::uint32_t value) {
  for (std::size_t b = 0; b < 4; ++b) bytes[at + b] = static_cast<std::uint8_t>(value >> 8 * b);
}

constexpr std::size_t block_at = 8, padding_at = 12, lags_at = 16;  // in the part

TEST(LanesDamage, SizesOfBlocks) {
  const Case &one = cases()[0];
  const auto with = [&](std::size_t at, std::uint32_t value) {
    Parts parts = parts_of(one);
    put_u32(parts.molecules, at, value);
    return parts.whole();
  };
  for (const std::uint32_t size : {0U, 1U, 31U}) EXPECT_TRUE(one.is_refused(with(block_at, size))) << size;
  // 45 particles are one block of each of these sizes, so that the words are the same.
  for (const std::uint32_t size : {46U, 12288U, UINT32_MAX}) EXPECT_FALSE(one.is_refused(with(block_at, size))) << size;
  for (const std::uint32_t padding : {1U, 256U, UINT32_MAX})
    EXPECT_TRUE(one.is_refused(with(padding_at, padding))) << padding;
}

TEST(LanesDamage, LagsBeforeTheFirstParticle) {
  const Case &one = cases()[0];
  for (const int lag : {0, 46, 255}) {
    Parts parts = parts_of(one);
    ASSERT_GE(parts.molecules[lags_at], 1);  // number of lags
    parts.molecules[lags_at + 1] = static_cast<std::uint8_t>(lag);
    EXPECT_TRUE(one.is_refused(parts.whole())) << lag;
  }
}

// Wide classes as a writer says them.
TEST(LanesDamage, KindsOfClasses) {
  const Case &one = cases()[0];
  const std::size_t classes = classes_of(one);
  ASSERT_GE(classes, 2U);
  const auto with = [&](const std::vector<std::uint32_t> &kinds) {
    Parts parts = parts_of(one);
    NumberWriter numbers(1);
    for (const std::uint32_t number : kinds) numbers.put(0, number);
    Bytes stream;
    numbers.append(stream);
    // The last stream of the part: as long as it says, behind those of lags and of short bonds.
    std::size_t at = lags_at;
    molecule::Lags lags;
    at += molecule::Tree::read(parts.molecules.data() + at, parts.molecules.size() - at, particles, lags);
    molecule::Tree tree;
    tree.link(lags);
    ShortBonds bonds;
    at += bonds.read(tree, parts.molecules.data() + at, parts.molecules.size() - at);
    parts.molecules.resize(at);
    parts.molecules.insert(parts.molecules.end(), stream.begin(), stream.end());
    put_u32(parts.molecules, 0, static_cast<std::uint32_t>(parts.molecules.size() - 8));
    return parts.whole();
  };
  std::vector<std::uint32_t> kinds(classes);
  for (std::size_t c = 0; c < classes; ++c) {
    kinds[c] = 3;
    EXPECT_TRUE(one.is_refused(with(kinds))) << c;
    kinds[c] = 0;
  }
  kinds.push_back(0);
  EXPECT_TRUE(one.is_refused(with(kinds)));
  kinds.resize(classes - 1);
  EXPECT_TRUE(one.is_refused(with(kinds)));
  // With those of the frame.
  const Bytes molecules = parts_of(one).molecules;
  const auto plan = read_plan(molecules.data() + 8, molecules.size() - 8, particles, 1);
  kinds.clear();
  for (const core::StepKind kind : plan->molecules.kind)
    kinds.push_back(kind == core::StepKind::narrow ? 0 : kind == core::StepKind::wide ? 1 : 2);
  EXPECT_EQ(with(kinds), one.bytes);
}

// ---- images, words

Bytes images_of(const std::vector<std::pair<std::uint32_t, std::uint32_t>> &gaps_and_codes, std::uint64_t count) {
  Bytes bytes;
  format::ByteWriter(bytes).u64(count);
  NumberWriter numbers(2);
  for (const auto &[gap, code] : gaps_and_codes) {
    numbers.put(0, gap);
    numbers.put(1, code);
  }
  numbers.append(bytes);
  return bytes;
}

TEST(LanesDamage, Images) {
  const Case &one = cases()[0];
  ASSERT_NE(parts_of(one).images, Bytes(8));
  const auto refused = [&](const std::vector<std::pair<std::uint32_t, std::uint32_t>> &of, std::uint64_t count) {
    Parts parts = parts_of(one);
    parts.images = images_of(of, count);
    return one.is_refused(parts.whole());
  };
  // Slots of all steps, whether they are in use or not.
  std::uint32_t slots = 0;
  for (std::uint32_t s = 0; s < 4096 && !refused({{s, 0}}, 1); s += core::step_lanes) slots = s + core::step_lanes;
  ASSERT_GE(slots, 64U);
  ASSERT_LT(slots, 4096U);
  for (const std::uint32_t code : {0U, 13U, 26U}) EXPECT_FALSE(refused({{slots - 1, code}}, 1)) << code;
  EXPECT_TRUE(refused({{slots - 1, 27}}, 1));
  EXPECT_TRUE(refused({{slots, 0}}, 1));
  EXPECT_TRUE(refused({{UINT32_MAX, 0}}, 1));
  EXPECT_FALSE(refused({{0, 0}, {slots - 2, 0}}, 2));
  EXPECT_TRUE(refused({{0, 0}, {slots - 1, 0}}, 2));
  EXPECT_TRUE(refused({{slots - 1, 0}, {0, 0}}, 2));
  EXPECT_TRUE(refused({{slots - 1, 0}, {UINT32_MAX, 0}}, 2));
  EXPECT_TRUE(refused({{0, 0}}, 2));
  EXPECT_TRUE(refused({{0, 0}, {0, 0}}, 1));
  for (const std::uint64_t count : {std::uint64_t{slots} + 1, UINT64_MAX}) EXPECT_TRUE(refused({{0, 0}}, count));
}

TEST(LanesDamage, Words) {
  constexpr std::size_t states = core::step_lanes / 2;  // of blocks of a few steps
  for (const Case &one : cases()) {
    const auto refused = [&](const auto &change) {
      Parts parts = parts_of(one);
      change(parts.words[0]);
      return one.is_refused(parts.whole());
    };
    using Words = std::vector<std::uint16_t>;
    EXPECT_TRUE(refused([](Words &words) { words.pop_back(); }));
    EXPECT_TRUE(refused([](Words &words) { words.push_back(0); }));
    EXPECT_TRUE(refused([](Words &words) { words.resize(words.size() + 4); }));
    EXPECT_TRUE(refused([](Words &words) { words.resize(2 * states); }));
    EXPECT_TRUE(refused([](Words &words) { words.resize(2 * states - 1); }));
    EXPECT_TRUE(refused([](Words &words) { words.clear(); }));
    // The highest bit of the last word is in a state when all ends; the lowest ones may be those of a number.
    EXPECT_TRUE(refused([](Words &words) { words.back() ^= 0x8000; }));
    for (std::size_t state = 0; state < states; ++state)
      EXPECT_TRUE(refused([&](Words &words) { words[2 * state + 1] = 0; })) << state;
  }
}

// Zeros up to a multiple of 8 bytes, and no others.
TEST(LanesDamage, Padding) {
  bool was_full = false, was_padded = false;
  for (int frames = 1; frames < 25 && !(was_full && was_padded); ++frames) {
    const Case one =
        case_of(chain(3), molecule::box_of(-20, molecule::cube(molecule::size_of(particles, 60))), frames, false);
    const std::size_t used = parts_of(one).words[0].size() * 2 + 4;
    const std::size_t zeros = (8 - used % 8) % 8;
    was_full = was_full || zeros == 0;
    was_padded = was_padded || zeros != 0;
    for (std::size_t less = 1; less <= zeros; ++less)
      EXPECT_TRUE(one.is_refused({one.bytes.begin(), one.bytes.end() - static_cast<std::ptrdiff_t>(less)})) << less;
    for (std::size_t more = 1; more <= 8; ++more) {
      Bytes longer = one.bytes;
      longer.resize(longer.size() + more);
      EXPECT_TRUE(one.is_refused(longer)) << zeros << " and " << more;
    }
    for (std::size_t z = 1; z <= zeros; ++z) {
      Bytes changed = one.bytes;
      changed[changed.size() - z] = 1;
      EXPECT_TRUE(one.is_refused(changed));
    }
  }
  EXPECT_TRUE(was_full && was_padded);
}

TEST(LanesDamage, BoxesOfTiltedSections) {
  const Case &one = cases()[3];
  const Parts parts = parts_of(one);
  ASSERT_EQ(parts.box.size(), 72U);
  const auto with = [&](std::size_t at, std::int64_t value) {
    Parts changed = parts;
    for (std::size_t b = 0; b < 8; ++b)
      changed.box[8 * at + b] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> 8 * b);
    return changed.whole();
  };
  constexpr std::int64_t reach = core::max_axis_reach;
  for (std::size_t k = 6; k < 9; ++k)
    for (const std::int64_t tilt : {reach + 1, -reach - 1, codec::min64, codec::max64})
      EXPECT_TRUE(one.is_refused(with(k, tilt))) << tilt;
  // Axes that the rules of section 8 do not fit are open ones.
  for (std::size_t k = 0; k < 9; ++k)
    for (const std::int64_t odd : {reach, -reach, std::int64_t{0}, std::int64_t{7}}) one.is_refused(with(k, odd));
  for (std::size_t k = 0; k < 6; ++k)
    for (const std::int64_t odd : {reach + 1, codec::min64, codec::max64}) one.is_refused(with(k, odd));
}

// Constants at their limits, with the tables and the words of others: refused or not, and nothing else.
TEST(LanesDamage, ConstantsAtTheirLimits) {
  const Case &one = cases()[0];
  for (unsigned bits = 0; bits < 64; ++bits) {
    std::vector<ClassConstants> constants(classes_of(one));
    for (ClassConstants &c : constants) {
      c.weight.fill((bits & 1) != 0 ? std::int16_t{INT16_MAX} : std::int16_t{INT16_MIN});
      c.length = (bits & 2) != 0 ? most_steps : 0;
      c.along = (bits & 4) != 0 ? most_steps : -most_steps;
      c.length_variance = c.along_variance = (bits & 8) != 0 ? most_power : 0;
      c.bend = (bits & 16) != 0 ? most_power : 0;
      c.bend2 = (bits & 32) != 0 ? most_power : 0;
    }
    Parts parts = parts_of(one);
    parts.constants.clear();
    append_constants(constants, nullptr, parts.constants);
    one.is_refused(parts.whole());
  }
}

}  // namespace
}  // namespace gpz::lanes::lanes_damage_test
