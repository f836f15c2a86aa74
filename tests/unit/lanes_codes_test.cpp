// SPDX-License-Identifier: BSD-3-Clause
// Tables of frequencies: those that follow from shapes, those that are stored, and what readers refuse (docs/format.md,
// section 9d).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gpz/lanes/codes.hpp"
#include "gpz/lanes/stream.hpp"
#include "lanes_support.hpp"

namespace gpz::lanes::lanes_codes_test {
namespace {

using Weights = std::array<std::uint8_t, Shape::normals>;
using Sides = std::array<std::array<std::uint32_t, 2>, core::step_side_levels>;

constexpr std::size_t levels = core::step_levels;
constexpr std::size_t context_of(std::size_t kind, std::size_t level, std::size_t part) {
  return (kind * levels + level) * core::step_parts + part;
}
constexpr std::size_t token_at(int token) { return static_cast<std::size_t>(token - lowest_token); }

Shape shape_of(const Weights &weights) {
  Shape shape;
  shape.weights() = weights;
  return shape;
}
std::uint32_t frequency_of(const ContextCodes &codes, int token) {
  const int at = token - codes.first;
  return at >= 0 && at < static_cast<int>(codes.frequency.size()) ? codes.frequency[static_cast<std::size_t>(at)] : 0U;
}

// ---- shapes

// Share of a token in a normal distribution k, as the page says it. Tokens that are 12 deviations of the level off have
// none.
double share_of(std::size_t k, std::size_t context, int token) {
  const auto level = static_cast<int>(context / core::step_parts % levels);
  const double deviation = std::sqrt(1.45 * std::exp2(level - 4));
  const double off = level > 5 ? 0 : (static_cast<double>(context % core::step_parts) + 0.5) / 8;
  const double width = level > 5 ? std::exp2(level / 2 - 3) : 1;
  const double lower = (token * width - 0.5 - off) / deviation, upper = ((token + 1) * width - 0.5 - off) / deviation;
  if (lower >= 12 || upper <= -12) return 0;
  const double times = std::exp2(2 - 0.5 * static_cast<double>(k)) / std::sqrt(2.0);
  return 0.5 * (std::erfc(-upper * times) - std::erfc(-lower * times));
}

TEST(LanesShape, TablesAreFullAndHaveAnEscape) {
  test::Random random(1);
  std::vector<Weights> all;
  for (std::size_t k = 0; k < Shape::normals; ++k) {
    all.emplace_back();
    all.back()[k] = 1;
  }
  all.emplace_back();
  all.back().fill(255);
  for (int turn = 0; turn < 20; ++turn) {
    all.emplace_back();
    for (std::uint8_t &weight : all.back())
      if (random.below(3) != 0) weight = static_cast<std::uint8_t>(random.bits());
    all.back()[random.below(Shape::normals)] = 255;
  }
  for (const Weights &weights : all)
    for (std::size_t p = 0; p < contexts_of_kind; ++p) {
      const ContextCodes codes = shape_of(weights).codes_of(p);
      const std::uint32_t sum = std::accumulate(codes.frequency.begin(), codes.frequency.end(), 0U);
      ASSERT_LT(sum, core::step_table_size) << p;
      ASSERT_EQ(codes.of_escape(), core::step_table_size - sum) << p;
      ASSERT_FALSE(codes.frequency.empty());
      ASSERT_NE(codes.frequency.front(), 0);
      ASSERT_NE(codes.frequency.back(), 0);
      ASSERT_GE(codes.first, lowest_token);
      ASSERT_LE(codes.first + static_cast<int>(codes.frequency.size()) - 1, core::step_last_token);
      // Only the kind of number depends on the rest.
      for (std::size_t kind = 1; kind < core::step_numbers; ++kind) {
        const ContextCodes other = shape_of(weights).codes_of(p + kind * contexts_of_kind);
        ASSERT_EQ(other.first, codes.first);
        ASSERT_EQ(other.frequency, codes.frequency);
      }
    }
}

TEST(LanesShape, TablesAreThoseOfNormalDistributions) {
  for (std::size_t k = 0; k < Shape::normals; ++k) {
    Weights weights{};
    weights[k] = 77;
    for (std::size_t p = 0; p < contexts_of_kind; ++p) {
      const ContextCodes codes = shape_of(weights).codes_of(p);
      int others = 0;
      double sum = 0.001;  // of an escape
      for (int token = lowest_token; token <= core::step_last_token; ++token) sum += share_of(k, p, token);
      for (int token = lowest_token; token <= core::step_last_token; ++token) {
        const double slots = share_of(k, p, token) / sum * core::step_table_size;
        const auto frequency = static_cast<double>(frequency_of(codes, token));
        // Rounded, at least 1 from some share on. What is left over goes to the most frequent one, what is too much is
        // taken from the most frequent ones.
        if (std::fabs(frequency - slots) > 1.5 + 0.1 * slots) ++others;
        if (slots > 0.05) {
          ASSERT_GE(frequency, 1.0) << k << ", " << p << ", " << token;
        }
        if (slots < 0.03) {
          ASSERT_EQ(frequency, 0.0) << k << ", " << p << ", " << token;
        }
      }
      ASSERT_LE(others, 1) << k << ", " << p;
    }
  }
}

TEST(LanesShape, OfNothingHasNoTables) {
  const Shape none;
  for (std::size_t p = 0; p < core::step_contexts; ++p) {
    EXPECT_TRUE(none.codes_of(p).frequency.empty());
    EXPECT_EQ(none.codes_of(p).of_escape(), core::step_table_size);
  }
  Shape fitted = shape_of({1, 2, 3});
  fitted.fit(std::vector<ContextCounts>(core::step_contexts), 1);
  EXPECT_EQ(fitted.weights(), Weights{});
}

// Numbers of a normal distribution of some levels, whose deviation is `times` that of the level.
std::vector<ContextCounts> normal_counts(std::size_t kind, double times, std::size_t first, std::size_t last,
                                         double numbers = 20000) {
  std::vector<ContextCounts> counts(core::step_contexts);
  const double k = 2 * std::log2(4 * times);
  for (std::size_t level = first; level <= last; ++level)
    for (std::size_t part = 0; part < (level > 5 ? 1U : 4U); ++part) {
      const std::size_t p = context_of(kind, level, part);
      for (int token = lowest_token; token <= core::step_last_token; ++token)
        counts[p][token_at(token)] =
            static_cast<std::uint32_t>(std::lround(numbers * share_of(static_cast<std::size_t>(k), p, token)));
    }
  return counts;
}
double entropy_of(const ContextCounts &counts) {
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  double bits = 0;
  for (const double count : counts)
    if (count != 0) bits -= count * std::log2(count / all);
  return bits;
}

// Also of places without numbers.
TEST(LanesShape, FitsTheNumbersOfItsKind) {
  for (std::size_t kind = 0; kind < core::step_numbers; ++kind)
    for (const double times : {0.5, 1.0, 2.0}) {
      Shape shape;
      std::vector<ContextCounts> counts = normal_counts(kind, times, 6, 12);
      // Those of other kinds do not matter.
      counts[context_of((kind + 1) % core::step_numbers, 9, 0)][token_at(100)] = 1000000;
      shape.fit(counts, kind);
      EXPECT_EQ(*std::max_element(shape.weights().begin(), shape.weights().end()), Shape::most_weight);
      const std::vector<ContextCounts> more = normal_counts(kind, times, 3, 16);
      for (std::size_t level = 3; level <= 16; ++level) {
        const std::size_t p = context_of(kind, level, 0);
        const double bits = shape.codes_of(p).cost_of(more[p]), least = entropy_of(more[p]);
        EXPECT_LT(bits, least * 1.03 + 0.02 * 20000) << "kind " << kind << ", level " << level << ", times " << times;
        // Those of a shape that is too wide are longer.
        Weights wide{};
        wide.back() = 1;
        EXPECT_LT(bits, shape_of(wide).codes_of(p).cost_of(more[p]));
      }
    }
}

// The numbers of a place weigh more, the more of them there are.
TEST(LanesShape, WithTheNumbersOfAPlace) {
  Weights weights{};
  weights[4] = 255;
  const Shape shape = shape_of(weights);
  const std::size_t p = context_of(1, 12, 0);
  ContextCounts counts{};
  EXPECT_TRUE(shape.codes_of(p, counts).frequency.empty());
  std::uint32_t last = frequency_of(shape.codes_of(p), 90);
  EXPECT_EQ(last, 0U);
  for (const std::uint32_t many : {10U, 100U, 10000U}) {
    counts[token_at(90)] = many;
    const std::uint32_t now = frequency_of(shape.codes_of(p, counts), 90);
    EXPECT_GT(now, last) << many;
    last = now;
  }
  EXPECT_GT(last, 490U);
}

// ---- tables that are chosen

Sides some_sides() {
  Sides sides{};
  for (std::uint32_t l = 0; l < sides.size(); ++l) sides[l] = {40 * l, l};
  return sides;
}

void expect_same(const Codes &a, const Codes &b) {
  for (std::size_t p = 0; p < core::step_contexts; ++p) {
    ASSERT_EQ(a.codes_of(p).frequency, b.codes_of(p).frequency) << p;
    if (!a.codes_of(p).frequency.empty()) {
      ASSERT_EQ(a.codes_of(p).first, b.codes_of(p).first) << p;
    }
    ASSERT_GE(a.codes_of(p).of_escape(), 1U);
  }
  for (std::size_t l = 0; l < core::step_side_levels; ++l) EXPECT_EQ(a.near(l), b.near(l));
}

// Tables of a range of levels follow from the shape; one whose numbers are others is stored.
TEST(LanesCodes, StoredTablesTakeThePlaceOfDerivedOnes) {
  const std::size_t kind = 1, odd = context_of(kind, 4, 2);
  // Few, so that no other table is worth its bytes.
  std::vector<ContextCounts> counts = normal_counts(kind, 1, 3, 12, 200);
  counts[context_of(kind, 5, 1)] = {};  // within the range, but without numbers
  counts[odd] = {};
  for (const int peak : {-70, 50}) counts[odd][token_at(peak)] = 100;
  Shape shape;
  shape.fit(counts, kind);
  Codes codes;
  codes.choose(counts, some_sides());
  for (std::size_t p = 0; p < core::step_contexts; ++p) {
    const std::size_t level = p / core::step_parts % levels, part = p % core::step_parts;
    const bool is_derived = p / contexts_of_kind == kind && level >= 3 && level <= 12 && (level <= 5 || part == 0);
    if (p == odd) {
      EXPECT_GT(frequency_of(codes.codes_of(p), 50), 100U);
      EXPECT_GT(frequency_of(codes.codes_of(p), -70), 100U);
    } else if (is_derived) {
      EXPECT_EQ(codes.codes_of(p).first, shape.codes_of(p).first) << p;
      EXPECT_EQ(codes.codes_of(p).frequency, shape.codes_of(p).frequency) << p;
    } else {
      EXPECT_TRUE(codes.codes_of(p).frequency.empty()) << p;
    }
  }
  expect_same(read_back(codes), codes);
  // Costs are those of the tables.
  double bits = 0;
  for (std::size_t p = 0; p < core::step_contexts; ++p) bits += codes.codes_of(p).cost_of(counts[p]);
  EXPECT_NEAR(codes.cost_of(counts, {}), bits, 1);
  EXPECT_LT(codes.codes_of(odd).cost_of(counts[odd]), shape.codes_of(odd).cost_of(counts[odd]) / 2);
}

TEST(LanesCodes, ComeBack) {
  test::Random random(8);
  for (int turn = 0; turn < 6; ++turn) {
    std::vector<ContextCounts> counts(core::step_contexts);
    for (std::size_t p = 0; p < counts.size(); p += 1 + random.below(turn == 0 ? 300 : 9))
      for (auto &count : counts[p])
        if (random.below(3) == 0) count = static_cast<std::uint32_t>(random.below(p % 2 == 0 ? 5 : 100000));
    if (turn % 2 == 0) counts.back()[token_at(0)] = 1;
    if (turn == 3) counts.front()[step_tokens] = 1000;  // escapes alone
    if (turn == 5) counts.assign(core::step_contexts, {});
    Sides sides{};
    for (auto &side : sides)
      side = {static_cast<std::uint32_t>(random.below(1000)), static_cast<std::uint32_t>(random.below(9))};
    Codes codes;
    codes.choose(counts, sides);
    const Codes back = read_back(codes);
    expect_same(back, codes);
    // A reader has others from the section before.
    Codes empty;
    empty.choose(std::vector<ContextCounts>(core::step_contexts), {});
    Codes again = back;
    Bytes bytes;
    empty.append(bytes);
    const test::Copy copy(bytes);
    again.read(copy.data.get(), copy.size);
    expect_same(again, empty);
  }
}

TEST(LanesCodes, SayHowMuchMemoryTheyHave) {
  Codes codes;
  codes.choose(normal_counts(0, 1, 6, 12), some_sides());
  const std::size_t entries = std::size_t{core::step_contexts} * core::step_table_size * sizeof(std::uint32_t);
  EXPECT_LT(codes.memory_usage(), entries);  // encoders go without
  EXPECT_GE(read_back(codes).memory_usage(), entries);
}

// ---- rules of readers

struct Table {
  std::uint32_t gap;
  std::int32_t first;
  std::vector<std::uint32_t> frequency;
};
// The numbers in front of the tables; of kind 1, or of all kinds.
struct Front {
  std::uint32_t side = 64;
  std::array<std::uint32_t, Shape::normals> weights{};
  std::uint32_t first = 0, count = 0;
};
bool are_refused(const std::vector<Table> &tables, std::uint32_t last_gap, Codes &codes, const Front &front = {}) {
  NumberWriter numbers(17);
  for (int level = 0; level < 16; ++level) numbers.put(3, level == 7 ? front.side : 64);
  for (int kind = 0; kind < 3; ++kind) {
    for (const std::uint32_t weight : front.weights) numbers.put(4, kind == 1 ? weight : 0);
    numbers.put(5, kind == 1 ? front.first : 0);
    numbers.put(5, kind == 1 ? front.count : 0);
  }
  for (const Table &table : tables) {
    numbers.put(0, table.gap);
    numbers.put_signed(1, table.first);
    numbers.put(2, static_cast<std::uint32_t>(table.frequency.size()));
    std::uint32_t before = 0;
    for (const std::uint32_t f : table.frequency) {
      numbers.put(6 + static_cast<unsigned>(core::bit_length(std::min(before, 1023U))), f);
      before = f;
    }
  }
  numbers.put(0, last_gap);
  Bytes bytes;
  numbers.append(bytes);
  const test::Copy copy(bytes);
  try {
    EXPECT_EQ(codes.read(copy.data.get(), copy.size), bytes.size());
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), Status::corrupt);
    return true;
  }
  return false;
}

TEST(LanesCodes, RulesOfTables) {
  Codes codes;
  const auto refused = [&](const std::vector<Table> &tables, std::uint32_t last_gap, std::uint32_t side = 64) {
    Front front;
    front.side = side;
    return are_refused(tables, last_gap, codes, front);
  };
  EXPECT_FALSE(refused({}, 480));
  EXPECT_FALSE(refused({{0, 0, {511}}}, 479));
  EXPECT_TRUE(refused({{0, 0, {512}}}, 479));
  EXPECT_FALSE(refused({{5, -1, {200, 300, 11}}}, 474));
  EXPECT_TRUE(refused({{5, -1, {200, 300, 12}}}, 474));
  EXPECT_FALSE(refused({{0, 126, {1}}}, 479));
  EXPECT_TRUE(refused({{0, 126, {1, 1}}}, 479));  // beyond the last token
  EXPECT_TRUE(refused({{0, -127, {1}}}, 479));
  EXPECT_FALSE(refused({{0, -126, std::vector<std::uint32_t>(253, 2)}}, 479));
  EXPECT_FALSE(refused({{479, 0, {1}}}, 0));
  EXPECT_TRUE(refused({{479, 0, {1}}}, 1));
  EXPECT_TRUE(refused({}, 481));
  EXPECT_TRUE(refused({}, 479));  // the next number is missing
  EXPECT_FALSE(refused({}, 480, 1));
  EXPECT_FALSE(refused({}, 480, 127));
  EXPECT_TRUE(refused({}, 480, 0));
  EXPECT_TRUE(refused({}, 480, 128));
}

TEST(LanesCodes, RulesOfShapes) {
  Codes codes;
  const auto refused = [&](std::uint32_t weight, std::uint32_t first, std::uint32_t count) {
    Front front;
    front.weights[6] = weight;
    front.first = first;
    front.count = count;
    return are_refused({}, 480, codes, front);
  };
  EXPECT_FALSE(refused(255, 0, 40));
  EXPECT_TRUE(refused(256, 0, 40));
  EXPECT_TRUE(refused(UINT32_MAX, 0, 40));
  EXPECT_TRUE(refused(1, 0, 41));
  EXPECT_FALSE(refused(1, 39, 1));
  EXPECT_TRUE(refused(1, 39, 2));
  EXPECT_FALSE(refused(1, 40, 0));
  EXPECT_TRUE(refused(1, 40, 1));
  EXPECT_TRUE(refused(1, 41, 0));
  EXPECT_TRUE(refused(1, 1, UINT32_MAX));
  // Levels without weights: escapes.
  EXPECT_FALSE(refused(0, 3, 20));
  for (std::size_t p = 0; p < core::step_contexts; ++p) EXPECT_TRUE(codes.codes_of(p).frequency.empty());
}

// The tables of decoders: each token has its slots, the escape those that are left, also after other tables.
TEST(LanesCodes, SlotsOfTokens) {
  Codes codes;
  const std::size_t at = context_of(1, 3, 2);
  Front front;
  front.weights[5] = 9;
  front.first = 2;
  front.count = 10;
  for (const auto &frequency :
       {std::vector<std::uint32_t>{3, 0, 500}, std::vector<std::uint32_t>{511}, std::vector<std::uint32_t>{}})
    for (const Front &with : {Front(), front}) {
      std::vector<Table> tables;
      if (!frequency.empty()) tables.push_back({static_cast<std::uint32_t>(at), -2, frequency});
      const auto left = static_cast<std::uint32_t>(frequency.empty() ? 480 : 479 - at);
      ASSERT_FALSE(are_refused(tables, left, codes, with));
      if (!frequency.empty()) {
        EXPECT_EQ(std::vector<std::uint32_t>(codes.codes_of(at).frequency.begin(), codes.codes_of(at).frequency.end()),
                  frequency);
        EXPECT_EQ(codes.codes_of(at).first, -2);
      }
      for (std::size_t p = 0; p < core::step_contexts; ++p) {
        const std::size_t level = p / core::step_parts % levels;
        const bool is_derived = with.count != 0 && p / contexts_of_kind == 1 && level >= 2 && level < 12 &&
                                (level <= 5 || p % core::step_parts == 0);
        const ContextCodes &of = codes.codes_of(p);
        ASSERT_EQ(of.frequency.empty(), !is_derived && (p != at || frequency.empty())) << p;
        const std::uint32_t *const entries = codes.for_kernels().entries + p * core::step_table_size;
        std::uint32_t slot = 0;
        for (std::size_t t = 0; t < of.frequency.size(); ++t)
          for (std::uint32_t s = 0; s < of.frequency[t]; ++s, ++slot)
            ASSERT_EQ(entries[slot],
                      static_cast<std::uint32_t>(of.first + static_cast<int>(t)) << 24 | s << 12 | of.frequency[t])
                << p << ", " << slot;
        const std::uint32_t rest = core::step_table_size - slot;
        ASSERT_GE(rest, 1U);
        for (std::uint32_t s = 0; s < rest; ++s, ++slot)
          ASSERT_EQ(entries[slot], static_cast<std::uint32_t>(core::step_escape) << 24 | s << 12 | rest)
              << p << ", " << slot;
      }
    }
}

TEST(LanesCodes, DamageIsRefusedOrRead) {
  Codes codes;
  std::vector<ContextCounts> counts = normal_counts(2, 1, 6, 12);
  counts[3][token_at(5)] = counts[3][token_at(-5)] = 5000;
  codes.choose(counts, some_sides());
  Bytes whole;
  codes.append(whole);
  test::expect_damage_is_refused_or_read(whole, [](const Bytes &bytes) {
    const test::Copy copy(bytes);
    Codes read;
    read.read(copy.data.get(), copy.size);
    for (std::size_t p = 0; p < core::step_contexts; ++p) ASSERT_GE(read.codes_of(p).of_escape(), 1U);
  });
}

}  // namespace
}  // namespace gpz::lanes::lanes_codes_test
