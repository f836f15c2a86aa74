// SPDX-License-Identifier: BSD-3-Clause
// Steps: the same numbers and rows from every instruction set, and from single lanes, which GPUs use.
#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

#include "all_kernels.hpp"
#include "lanes_support.hpp"

namespace gpz::lanes::lanes_kernels_test {
namespace {

using codec::StepItems;
using core::StepKind, core::StepNumber;

// ---- single lanes

Number side_of(bool has_side, float level, bool other) {
  if (!has_side) return {StepItems::nothing, 0};
  const float below = level < 15 ? level : 15.0F;
  return {StepItems::side + static_cast<std::int32_t>(0 < below ? below : 0.0F), other ? 1 : 0};
}

using Row = core::Vector<std::int32_t>;
Row difference(const std::int32_t *to, const std::int32_t *from) {
  const auto d = [&](int c) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(to[c]) - static_cast<std::uint32_t>(from[c]));
  };
  return {d(0), d(1), d(2)};
}
core::Vector<float> vector(const std::int32_t *to, const std::int32_t *from) {
  return core::reals_of(difference(to, from));
}

template <StepKind kind>
std::vector<Number> numbers_of_bound(const codec::StepTable &table, std::size_t slot, const std::int32_t *before,
                                     const std::int32_t *now, const float *constants, core::BondMeans<float> &means,
                                     float gain) {
  const auto k = [&](core::StepConstant c) { return constants[c * core::step_lanes]; };
  const std::int32_t *const p0 = before + table.parent[slot], *const p1 = now + table.parent[slot];
  core::BondVectors<float> v{};
  v.last = vector(before + 8 * slot, p0);
  v.moved = vector(p1, p0);
  if constexpr (kind != StepKind::sphere) {
    v.last_axis = vector(before + table.axis[slot], p0);
    v.axis = vector(now + table.axis[slot], p1);
    v.last_second = vector(before + table.second[slot], p0);
    v.second = vector(now + table.second[slot], p1);
    v.has_second = true;  // a particle without one refers to its parent instead
  }
  if (table.key_root != nullptr) {
    constexpr bool is_sphere = kind == StepKind::sphere;
    v.last =
        is_sphere ? core::Vector<float>{1, 0, 0} : core::Vector<float>{0, k(core::class_towards), k(core::class_aside)};
    v.moved = {0, 0, 0};
    v.last_axis = {1, 0, 0};
    v.last_second = {0, 2, 0};
    v.is_key = true;
    means = {0, 0, 0, 0};
    gain = 0;
  }
  core::BondStep<core::OneLane, kind> bond;
  std::vector<Number> numbers;
  const auto put = [&](StepNumber number, std::int32_t value) {
    numbers.push_back(number_of(number, bond.expected, bond.variance, value));
  };
  bond.expect(v, k, gain, means);
  const Row actual = bond.turn.in(difference(now + 8 * slot, p1));
  put(StepNumber::first, actual.x);
  bond.cut(actual.x, k);
  if constexpr (kind == StepKind::wide) {
    const bool other = bond.has_side && bond.is_other_of_circle(actual.y, actual.z);
    numbers.push_back(side_of(bond.has_side, bond.side_level, other));
    bond.settle_circle(other);
  }
  if constexpr (kind != StepKind::sphere) bond.expect_second(k);
  put(StepNumber::first, actual.y);
  bond.expect_last(actual.y, k);
  if constexpr (kind == StepKind::sphere) {
    const bool other = bond.has_side && bond.is_other_of_sphere(actual.z);
    numbers.push_back(side_of(bond.has_side, bond.side_level, other));
    bond.settle_sphere(other, k);
  }
  put(StepNumber::last, actual.z);
  // The way back.
  const Row out = bond.turn.out(actual), whole = difference(now + 8 * slot, p1);
  EXPECT_TRUE(out.x == whole.x && out.y == whole.y && out.z == whole.z);
  return numbers;
}
// All circles of key frames are wide.
StepKind kind_in(const Pair &pair, const codec::Step &step) {
  return pair.is_key && step.kind == StepKind::narrow ? StepKind::wide : step.kind;
}
std::vector<Number> numbers_of_slot(const Pair &pair, std::size_t slot, const codec::StepMeans &step_means) {
  const codec::StepTable table = pair.table();
  const codec::Step &step = table.steps[slot / core::step_lanes];
  const float *const constants =
      table.constants + std::size_t{step.constants} * core::step_constants * core::step_lanes + slot % core::step_lanes;
  const std::int32_t *const before = pair.rows.data(), *const now = before + Pair::now;
  const auto bound = [&](auto kind) {
    const auto mean = [&](core::StepMean m) { return step_means.before[core::index_of_mean(slot, m)]; };
    core::BondMeans<float> means{mean(core::mean_length), mean(core::mean_along), mean(core::mean_towards),
                                 mean(core::mean_aside)};
    std::vector<Number> numbers =
        numbers_of_bound<decltype(kind)::value>(table, slot, before, now, constants, means, step_means.gain);
    if (pair.is_key) return numbers;
    const auto keep = [&](core::StepMean m, float x) { step_means.after[core::index_of_mean(slot, m)] = x; };
    keep(core::mean_length, means.length);
    keep(core::mean_along, means.along);
    keep(core::mean_towards, means.towards);
    keep(core::mean_aside, means.aside);
    return numbers;
  };
  switch (kind_in(pair, step)) {
    case StepKind::sphere:
      return bound(std::integral_constant<StepKind, StepKind::sphere>{});
    case StepKind::wide:
      return bound(std::integral_constant<StepKind, StepKind::wide>{});
    case StepKind::narrow:
      return bound(std::integral_constant<StepKind, StepKind::narrow>{});
    case StepKind::root:
      break;
  }
  std::vector<Number> numbers;
  const Row moved = difference(now + 8 * slot, pair.is_key ? pair.templates.root.data() : before + 8 * slot);
  for (const std::int32_t x : {moved.x, moved.y, moved.z})
    numbers.push_back(number_of(StepNumber::of_root, 0, constants[core::length_variance * core::step_lanes], x));
  return numbers;
}

// ---- what has happened in the tests

struct Seen {
  std::array<bool, core::step_kinds> kind{};
  bool many_bits = false, escape = false, sides[2] = {false, false};
  bool rounds[3] = {false, false, false};  // blocks with a state for each lane, and for two lanes
};

// Numbers from single lanes and every set, and rows back from every set.
void expect_the_same(Pair &pair, Seen &seen) {
  const auto sets = codec::all_kernels();
  const auto &particle_at = pair.layout.particle_at();
  Counts counts;
  std::vector<std::vector<StepItems>> items;
  format::Column<float> means;
  const codec::StepMeans step_means = pair.means_to(means);
  for (const Layout::Block &block : pair.layout.blocks()) {
    items.push_back(items_of(pair, block, sets[0]->steps));
    const std::vector<StepItems> &of = items.back();
    counts.add(of.data(), of.size());
    for (const codec::Kernels *const set : sets) {
      const std::vector<StepItems> others = items_of(pair, block, set->steps);
      ASSERT_EQ(others.size(), of.size()) << set->name;
      for (std::size_t k = 0; k < of.size(); ++k)
        for (std::size_t l = 0; l < core::step_lanes; ++l) {
          ASSERT_EQ(others[k].context[l], of[k].context[l]) << set->name << ", number " << k << ", lane " << l;
          if (of[k].context[l] == StepItems::nothing) continue;
          ASSERT_EQ(others[k].number[l], of[k].number[l]) << set->name << ", number " << k << ", lane " << l;
        }
    }
    seen.rounds[core::step_rounds(block.end - block.first)] = true;
    std::size_t k = 0;
    for (std::size_t s = block.first; s < block.end; ++s) {
      const StepKind kind = kind_in(pair, pair.layout.steps()[s]);
      seen.kind[static_cast<std::size_t>(kind)] = true;
      const std::size_t count = kind == StepKind::sphere || kind == StepKind::wide ? 4 : 3;
      for (std::size_t l = 0; l < core::step_lanes; ++l) {
        const std::size_t slot = s * core::step_lanes + l;
        const bool is_used = particle_at[slot] != Layout::nobody;
        const std::vector<Number> one =
            is_used ? numbers_of_slot(pair, slot, step_means) : std::vector<Number>(count, {StepItems::nothing, 0});
        ASSERT_EQ(one.size(), count);
        for (std::size_t c = 0; c < count; ++c) {
          const std::int32_t context = of[k + c].context[l], number = of[k + c].number[l];
          ASSERT_EQ(one[c].context, context)
              << "kind " << static_cast<int>(kind) << ", slot " << slot << ", number " << c;
          if (context == StepItems::nothing) continue;
          ASSERT_EQ(one[c].number, number)
              << "kind " << static_cast<int>(kind) << ", slot " << slot << ", number " << c;
          if (context >= StepItems::side)
            seen.sides[number] = true;
          else if (core::step_bits_of_context(static_cast<std::size_t>(context)) > core::step_low_bits)
            seen.many_bits = true;
        }
      }
      k += count;
    }
    ASSERT_EQ(k, of.size());
  }

  Codes codes;
  codes.choose(counts.contexts, counts.sides);
  codes = read_back(codes);
  const Shares shares(codes);
  for (const ContextCounts &context : counts.contexts) seen.escape = seen.escape || context[step_tokens] != 0;
  for (const codec::Kernels *const set : sets) {
    format::Column<std::int32_t> rows = pair.rows;
    for (std::size_t s = 0; s < pair.layout.slots(); ++s) std::fill_n(rows.begin() + 8 * s + Pair::now, 4, 0);
    // Decoders write over the means.
    format::Column<float> own_means = pair.means;
    const codec::StepMeans own{own_means.data(), own_means.data(), step_means.gain};
    for (std::size_t b = 0; b < items.size(); ++b) {
      const Layout::Block &block = pair.layout.blocks()[b];
      std::vector<std::uint16_t> words;
      shares.encode(block.end - block.first, items[b].data(), items[b].size(), words, set->steps);
      std::vector<std::uint16_t> others;
      shares.encode(block.end - block.first, items[b].data(), items[b].size(), others, sets[0]->steps);
      ASSERT_TRUE(words == others) << set->name;
      const std::size_t count = words.size();
      words.resize(count + codec::step_most_words);
      ASSERT_TRUE(set->steps.decode(pair.table(), codes.for_kernels(), block.first, block.end, rows.data(), Pair::now,
                                    own, words.data(), count))
          << set->name;
    }
    for (std::size_t s = 0; s < pair.layout.slots(); ++s) {
      if (particle_at[s] == Layout::nobody) continue;
      for (std::size_t d = 0; d < 3; ++d) ASSERT_EQ(rows[8 * s + 4 + d], pair.rows[8 * s + 4 + d]) << set->name;
      ASSERT_EQ(rows[8 * s + Pair::now + 3], pair.is_key ? 0 : rows[8 * s + (4 - Pair::now) + 3]) << set->name;
      for (unsigned m = 0; m < core::step_means; ++m) {
        const std::size_t at = core::index_of_mean(s, static_cast<core::StepMean>(m));
        ASSERT_TRUE(own_means[at] == means[at] || (std::isnan(own_means[at]) && std::isnan(means[at]))) << set->name;
      }
    }
  }
}

TEST(LanesKernels, SameNumbersAndRowsFromEverySetAndSingleLanes) {
  Seen seen;
  for (const Pattern &shape : {chain(3), chain(24), chain(240), alkane(5), Pattern{0, 1, 2, 3, 4}, with_ions()})
    for (const auto &[bond, sigma] : {std::pair(2.0, 0.2), std::pair(40.0, 0.0), std::pair(300.0, 3.0),
                                      std::pair(300.0, 200.0), std::pair(5e5, 2e4), std::pair(4000.0, 1e7)}) {
      SCOPED_TRACE(std::to_string(shape.size()) + ": " + std::to_string(bond) + " by " + std::to_string(sigma));
      Pair pair(shape, 240 / shape.size(), bond, sigma, 100);
      expect_the_same(pair, seen);
      if (testing::Test::HasFailure()) return;
    }
  // A particle of each of 20 long chains in a step.
  Pair many(chain(core::step_few), 20, 300, 3, 6000);
  expect_the_same(many, seen);
  EXPECT_TRUE(seen.rounds[1] && seen.rounds[2]);
  for (const bool was : seen.kind) EXPECT_TRUE(was);
  EXPECT_TRUE(seen.many_bits && seen.sides[0] && seen.sides[1]);
}

// From templates, with the wide formulas for all circles.
TEST(LanesKernels, KeyFrames) {
  Seen seen;
  bool has_narrow = false;
  for (const Pattern &shape : {chain(3), chain(24), chain(240), alkane(5), Pattern{0, 1, 2, 3, 4}, with_ions()})
    for (const double bond : {2.0, 300.0, 5e5}) {
      SCOPED_TRACE(std::to_string(shape.size()) + ": " + std::to_string(bond));
      Pair pair(shape, 240 / shape.size(), bond, 1, 100);
      for (const codec::Step &step : pair.layout.steps()) has_narrow = has_narrow || step.kind == StepKind::narrow;
      pair.make_key();
      expect_the_same(pair, seen);
      if (testing::Test::HasFailure()) return;
    }
  EXPECT_TRUE(has_narrow && seen.sides[0] && seen.sides[1]);
}

// Any rows: at one place, in a line, at the ends of 32 bits.
TEST(LanesKernels, AnyRows) {
  Seen seen;
  test::Random random(3);
  for (const Pattern &shape : {chain(5), alkane(3), with_ions()})
    for (int turn = 0; turn < 8; ++turn) {
      SCOPED_TRACE(turn);
      Pair pair(shape, 160 / shape.size(), 300, 10, 200);
      for (std::size_t k = 0; k < pair.rows.size(); ++k) {
        std::int32_t &x = pair.rows[k];
        const auto bits = static_cast<std::uint32_t>(random.bits());
        if (turn == 0) x = 0;
        if (turn == 1) x = k % 4 == 0 ? static_cast<std::int32_t>(300 * (k / 8)) : 7;
        if (turn == 2) x = static_cast<std::int32_t>(bits);
        if (turn == 3) x = bits % 2 == 0 ? INT32_MIN : INT32_MAX;
        if (turn == 4) x = static_cast<std::int32_t>(bits % 3);
        if (turn == 5 && bits % 5 == 0) x = static_cast<std::int32_t>(bits >> 2);
        if (turn == 6 && k % 8 < 4) x = 0;
        if (turn == 7 && k % 8 >= 4) x = pair.rows[k - 4];
      }
      expect_the_same(pair, seen);
      if (testing::Test::HasFailure()) return;
    }
  EXPECT_TRUE(seen.escape);
}

// Classes that sections may state.
TEST(LanesKernels, ConstantsAtTheirLimits) {
  Seen seen;
  test::Random random(5);
  for (const Pattern &shape : {chain(5), alkane(3), with_ions()})
    for (int turn = 0; turn < 25; ++turn) {
      SCOPED_TRACE(turn);
      Pair pair(shape, 160 / shape.size(), turn % 2 == 0 ? 300.0 : 5e7, 10, 200);
      std::vector<ClassConstants> constants = pair.constants;
      for (ClassConstants &c : constants) {
        const auto either = [&](auto least, auto most) {
          return turn == 0 ? least : turn == 1 ? most : random.below(2) == 0 ? least : most;
        };
        for (auto &weight : c.weight) weight = either(std::int16_t{INT16_MIN}, std::int16_t{INT16_MAX});
        c.length = either(0, most_steps);
        c.along = either(-most_steps, most_steps);
        for (auto *power : {&c.length_variance, &c.along_variance, &c.bend, &c.bend2})
          *power = either(std::uint16_t{0}, static_cast<std::uint16_t>(most_power));
      }
      pair.set(constants);
      expect_the_same(pair, seen);
      if (testing::Test::HasFailure()) return;
    }
}

// ---- positions

TEST(LanesKernels, PositionsAreRowsAndEdges) {
  test::Random random(7);
  const auto number = [&](std::int64_t most) {
    return static_cast<std::int32_t>(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * most + 1))) -
                                     most);
  };
  constexpr std::size_t n = 1001, slots = 1200;
  using codec::StepFrame;
  for (const std::int64_t reach : {std::int64_t{1000}, std::int64_t{StepFrame::most_row} + 5}) {
    std::vector<std::int32_t> rows(8 * slots);
    std::vector<std::uint32_t> slot_of(n);
    for (std::int32_t &x : rows) x = number(reach);
    for (std::size_t s = 0; s < slots; ++s) {
      RowImage image = 0;
      for (unsigned d = 0; d < 3 && random.below(2) == 0; ++d)
        image |= static_cast<RowImage>(static_cast<std::uint8_t>(number(StepFrame::most_image + 1))) << 8 * d;
      store_image(rows.data() + 8 * s, image);
    }
    for (std::uint32_t &slot : slot_of) slot = static_cast<std::uint32_t>(random.below(slots));
    const auto edge = [&] {
      const std::int64_t most = reach == 1000 ? 700 : StepFrame::most_edge;
      return core::Vector<std::int32_t>{number(most), number(most), number(most)};
    };
    StepFrame contexts{rows.data(), slot_of.data(), {edge(), edge(), edge()}, {}, {}};
    const auto part = static_cast<std::int32_t>(reach / 10);
    contexts.least = {-9 * part, INT32_MIN, -10 * part};
    contexts.most = {INT32_MAX, 8 * part, 12 * part};

    const auto is_within = [](std::int64_t x, std::int64_t least, std::int64_t most) {
      return least <= x && x <= most;
    };
    std::array<std::vector<std::int64_t>, 3> expected;
    std::vector<bool> is_usual(n, true);
    for (std::size_t i = 0; i < n; ++i) {
      const std::int32_t *const row = rows.data() + 8 * std::size_t{slot_of[i]};
      const Image image = image_of(image_in(row));
      const auto at = [&](std::size_t d, std::int32_t core::Vector<std::int32_t>::*of) {
        std::int64_t x = row[d];
        for (std::size_t e = 0; e < 3; ++e) x += std::int64_t{image[e]} * contexts.edges[e].*of;
        expected[d].push_back(x);
        is_usual[i] = is_usual[i] && is_within(row[d], -StepFrame::most_row, StepFrame::most_row) &&
                      is_within(image[d], -StepFrame::most_image, StepFrame::most_image) &&
                      is_within(x, contexts.least.*of, contexts.most.*of);
      };
      at(0, &core::Vector<std::int32_t>::x);
      at(1, &core::Vector<std::int32_t>::y);
      at(2, &core::Vector<std::int32_t>::z);
    }
    for (const codec::Kernels *const set : codec::all_kernels()) {
      SCOPED_TRACE(set->name);
      std::array<std::vector<std::int64_t>, 3> found{std::vector<std::int64_t>(n), std::vector<std::int64_t>(n),
                                                     std::vector<std::int64_t>(n)};
      std::vector<std::uint32_t> left(n);
      const std::size_t first = 3;
      left.resize(set->steps.find_positions(contexts, first, n, {found[0].data(), found[1].data(), found[2].data()},
                                            left.data()));
      std::vector<bool> is_left(n);
      for (const std::uint32_t i : left) is_left[i] = true;
      std::size_t usual = 0;
      for (std::size_t i = first; i < n; ++i) {
        constexpr std::size_t most_lanes = 16;  // the last ones do not fill a vector
        ASSERT_TRUE(i + most_lanes >= n || is_left[i] == !is_usual[i]) << i;
        ASSERT_TRUE(is_left[i] || is_usual[i]) << i;
        if (is_left[i]) continue;
        ++usual;
        for (std::size_t d = 0; d < 3; ++d) ASSERT_EQ(found[d][i], expected[d][i]) << i;
      }
      EXPECT_GT(usual, std::size_t{0});
      EXPECT_LT(usual, n - first);
    }
  }
}

}  // namespace
}  // namespace gpz::lanes::lanes_kernels_test
