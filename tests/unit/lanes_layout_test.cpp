// SPDX-License-Identifier: BSD-3-Clause
// Steps and constants: their rules (docs/format.md, section 9d), and what readers refuse.
#include <gtest/gtest.h>

#include <cmath>

#include "gpz/lanes/stream.hpp"
#include "lanes_support.hpp"

namespace gpz::lanes::lanes_layout_test {
namespace {

// ---- steps

void expect_rules(const Molecules &molecules, const Layout &layout, std::size_t block_size) {
  const std::size_t n = molecules.particles();
  ASSERT_EQ(layout.particles(), n);
  ASSERT_EQ(layout.slots(), layout.steps().size() * core::step_lanes);
  // Every particle has a slot, and no slot has another one.
  std::size_t used = 0;
  for (std::size_t s = 0; s < layout.slots(); ++s) {
    const std::uint32_t i = layout.particle_at()[s];
    if (i == Layout::nobody) continue;
    ASSERT_EQ(layout.slot_of()[i], s);
    ++used;
  }
  ASSERT_EQ(used, n);
  ASSERT_EQ(layout.blocks().size(), std::max<std::size_t>(1, (n + block_size / 2) / block_size));
  std::size_t next = 0;
  const codec::StepTable table = layout.table(nullptr);
  for (const Layout::Block &block : layout.blocks()) {
    ASSERT_EQ(block.first, next);
    ASSERT_LE(block.first, block.end);
    next = block.end;
    for (std::size_t s = block.first; s < block.end; ++s) {
      const codec::Step &step = layout.steps()[s];
      ASSERT_GE(step.lanes, 1);
      ASSERT_LE(step.lanes, core::step_lanes);
      bool is_regular = true;
      for (std::size_t l = 0; l < core::step_lanes; ++l) {
        const std::size_t slot = s * core::step_lanes + l;
        const std::uint32_t i = layout.particle_at()[slot];
        ASSERT_EQ(i == Layout::nobody, l >= step.lanes);
        const std::size_t column = std::size_t{step.constants} * core::step_lanes + l;
        for (const std::uint32_t *const of : {table.parent, table.axis, table.second}) {
          if (l > 0) is_regular = is_regular && of[slot] == of[slot - 1] + 8;
          if (l >= step.lanes) {
            ASSERT_EQ(of[slot], of[s * core::step_lanes]);
          }
        }
        if (i == Layout::nobody) continue;
        if (l > 0) {
          ASSERT_LT(layout.particle_at()[slot - 1], i);
        }
        ASSERT_EQ(molecules.kind_of(i), step.kind);
        ASSERT_EQ(layout.columns()[column], molecules.of_class[i]);
        const References of = molecules.references_of(i);
        ASSERT_EQ(of.parent == UINT32_MAX, step.kind == core::StepKind::root);
        ASSERT_EQ(of.axis != UINT32_MAX, step.kind == core::StepKind::wide || step.kind == core::StepKind::narrow);
        const std::pair<std::uint32_t, std::uint32_t> rows[] = {
            {of.parent, table.parent[slot]}, {of.axis, table.axis[slot]}, {of.second, table.second[slot]}};
        for (const auto &[particle, row] : rows) {
          if (particle == UINT32_MAX) {
            // Some row that is there: that of the parent, of roots their own.
            ASSERT_EQ(row, of.parent == UINT32_MAX ? 8 * slot : table.parent[slot]);
            continue;
          }
          ASSERT_EQ(row, 8 * layout.slot_of()[particle]);
          const std::size_t step_of = layout.slot_of()[particle] / core::step_lanes;
          ASSERT_GE(step_of, block.first);
          ASSERT_LT(step_of, s);
        }
      }
      ASSERT_EQ(step.is_regular, is_regular) << s;
    }
  }
  ASSERT_EQ(next, layout.steps().size());
}

// Encoders fit constants to some blocks: of each class to 16, or all that it has.
TEST(LanesLayout, SampleHasEnoughBlocksOfEachClass) {
  constexpr std::size_t enough = 16;
  for (const std::size_t rare : {std::size_t{0}, std::size_t{40}, std::size_t{900}}) {
    Pair pair(chain(4), 1000, 40, 1, 100);
    Molecules &molecules = pair.molecules;
    for (std::size_t i = 0; i < rare; ++i)
      molecules.of_class[4 * i + 3] = static_cast<std::uint8_t>(molecules.kind.size());
    molecules.kind.push_back(core::StepKind::narrow);
    Layout &layout = pair.layout;
    layout.build(molecules, 100);
    layout.find_sample(molecules);
    const std::size_t classes = molecules.kind.size();
    std::vector<std::size_t> of_all(classes), of_sample(classes);
    std::vector<bool> is_sampled(layout.blocks().size());
    for (const std::uint32_t b : layout.sample()) is_sampled[b] = true;
    for (std::size_t b = 0; b < is_sampled.size(); ++b) {
      std::vector<bool> has(classes);
      for (std::size_t s = layout.blocks()[b].first * core::step_lanes; s < layout.blocks()[b].end * core::step_lanes;
           ++s)
        if (layout.particle_at()[s] != Layout::nobody) has[molecules.of_class[layout.particle_at()[s]]] = true;
      for (std::size_t c = 0; c < classes; ++c) {
        of_all[c] += has[c] ? 1 : 0;
        of_sample[c] += has[c] && is_sampled[b] ? 1 : 0;
      }
    }
    for (std::size_t c = 0; c < classes; ++c) EXPECT_GE(of_sample[c], std::min(of_all[c], enough)) << rare << ", " << c;
    EXPECT_LT(layout.sample().size(), layout.blocks().size()) << rare;
    EXPECT_TRUE(std::is_sorted(layout.sample().begin(), layout.sample().end()));
  }
}

TEST(LanesLayout, Rules) {
  for (const Pattern &shape : {Pattern{0}, chain(2), chain(60), alkane(8), Pattern{0, 1, 2, 3, 4, 5}, with_ions()})
    for (const std::size_t particles : {60U, 400U, 1500U})
      for (const std::uint32_t block : {32U, 33U, 500U, 12288U, UINT32_MAX}) {
        SCOPED_TRACE(std::to_string(shape.size()) + ", " + std::to_string(particles) + ", " + std::to_string(block));
        const Pair pair(shape, particles / shape.size(), 300, 10, block);
        expect_rules(pair.molecules, pair.layout, block);
        if (testing::Test::HasFailure()) return;
      }
}

// Any lags, which are not those of molecules; pieces larger than blocks, so that some blocks are empty.
TEST(LanesLayout, AnyLags) {
  test::Random random(6);
  for (int turn = 0; turn < 30; ++turn) {
    SCOPED_TRACE(turn);
    const std::size_t n = 1 + random.below(900), most = turn % 3 == 0 ? 2 : 1 + random.below(255);
    molecule::Lags lags(n);
    for (std::size_t i = 1; i < n; ++i)
      lags[i] = static_cast<std::uint8_t>(
          random.below(turn % 2 == 0 ? 500 : 8) == 0 ? 0 : 1 + random.below(std::min(i, most)));
    Molecules molecules;
    molecules.tree.link(lags);
    molecules.of_class.resize(n);
    for (auto &c : molecules.of_class) c = static_cast<std::uint8_t>(random.below(3));
    molecules.kind = {core::StepKind::narrow, core::StepKind::wide, core::StepKind::sphere};
    for (const std::uint32_t block : {32U, 100U, 12288U}) {
      Layout layout;
      layout.build(molecules, block);
      expect_rules(molecules, layout, block);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(LanesLayout, ClassesAreFew) {
  const Pair pair(alkane(8), 40, 300, 10, 500);
  const std::size_t classes = pair.constants.size();
  EXPECT_GT(classes, 2U);
  EXPECT_LE(classes, max_classes);
  std::vector<bool> is_used(classes);
  for (const std::uint8_t c : pair.molecules.of_class) is_used.at(c) = true;
  for (const bool is : is_used) EXPECT_TRUE(is);
}

// ---- constants

TEST(LanesConstants, Powers) {
  for (const int exponent : {least_variance_exponent, least_bend_exponent})
    for (unsigned e = 0; e <= most_power; ++e) {
      const float power = power_of(e, exponent);
      EXPECT_EQ(power, static_cast<float>(std::exp2(e / 8.0 + exponent))) << e;
      EXPECT_EQ(eighths_of(power, exponent), e);
    }
  for (const double odd : {0.0, -1.0, 1e-300, std::exp2(-21.0)}) EXPECT_EQ(eighths_of(odd, least_bend_exponent), 0U);
  for (const double odd : {1e300, HUGE_VAL}) EXPECT_EQ(eighths_of(odd, least_bend_exponent), most_power);
}

ClassConstants at_limits(unsigned bits) {
  const auto is = [&](unsigned k) { return (bits >> k & 1) != 0; };
  ClassConstants c;
  for (unsigned w = 0; w < ClassConstants::weights; ++w)
    c.weight[w] = is(w) ? std::int16_t{INT16_MAX} : std::int16_t{INT16_MIN};
  c.length = is(6) ? most_steps : 0;
  c.along = is(7) ? most_steps : -most_steps;
  unsigned k = 8;
  for (auto *power : {&c.length_variance, &c.along_variance, &c.bend, &c.bend2})
    *power = is(k++) ? static_cast<std::uint16_t>(most_power) : std::uint16_t{0};
  return c;
}
bool are_equal(const ClassConstants &a, const ClassConstants &b) {
  return a.weight == b.weight && a.length == b.length && a.along == b.along && a.length_variance == b.length_variance &&
         a.along_variance == b.along_variance && a.bend == b.bend && a.bend2 == b.bend2;
}

TEST(LanesConstants, AreFiniteAtTheirLimits) {
  for (unsigned bits = 0; bits < 1U << 12; ++bits)
    for (const core::StepKind kind : {core::StepKind::root, core::StepKind::sphere, core::StepKind::narrow})
      for (const float x : constants_of(at_limits(bits), kind)) ASSERT_TRUE(std::isfinite(x)) << bits;
}

std::size_t read_constants(const Bytes &bytes, std::vector<ClassConstants> &into) {
  const test::Copy copy(bytes);
  return lanes::read_constants(copy.data.get(), copy.size, into);
}
TEST(LanesConstants, ComeBack) {
  std::vector<ClassConstants> constants;
  for (unsigned bits = 0; bits < 1U << 12; bits += 37) constants.push_back(at_limits(bits));
  Bytes bytes;
  append_constants(constants, nullptr, bytes);
  std::vector<ClassConstants> back(constants.size());
  EXPECT_EQ(read_constants(bytes, back), bytes.size());
  for (std::size_t c = 0; c < back.size(); ++c) EXPECT_TRUE(are_equal(back[c], constants[c]));
  // As differences to others.
  std::vector<ClassConstants> others(constants.rbegin(), constants.rend());
  Bytes as_differences;
  append_constants(constants, &others, as_differences);
  EXPECT_EQ(read_constants(as_differences, others), as_differences.size());
  for (std::size_t c = 0; c < back.size(); ++c) EXPECT_TRUE(are_equal(others[c], constants[c]));
  // Constants of more or fewer classes.
  for (const std::size_t count : {back.size() - 1, back.size() + 1}) {
    std::vector<ClassConstants> other(count);
    EXPECT_THROW(read_constants(bytes, other), Error);
  }
}

// Numbers of one class, which is against a rule in number `at`.
Bytes constants_with(unsigned at, std::int32_t value) {
  NumberWriter numbers(15);
  for (unsigned k = 0; k < 15; ++k) {
    numbers.put_signed(k, k == at ? value : 0);
  }
  Bytes bytes;
  numbers.append(bytes);
  return bytes;
}
TEST(LanesConstants, BeyondTheirLimits) {
  const auto is_refused = [](unsigned at, std::int32_t value) {
    std::vector<ClassConstants> one(1);
    try {
      read_constants(constants_with(at, value), one);
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), Status::corrupt);
      return true;
    }
    return false;
  };
  for (unsigned at = 0; at < 15; ++at) {
    const bool is_weight = at < 9;
    const std::int32_t most = is_weight ? INT16_MAX : at < 11 ? most_steps : 400;
    const std::int32_t least = is_weight ? INT16_MIN : at == 10 ? -most : 0;
    EXPECT_FALSE(is_refused(at, least)) << at;
    EXPECT_FALSE(is_refused(at, most)) << at;
    EXPECT_TRUE(is_refused(at, most + 1)) << at;
    EXPECT_TRUE(is_refused(at, INT32_MAX)) << at;
    EXPECT_TRUE(is_refused(at, least - 1)) << at;
    EXPECT_TRUE(is_refused(at, INT32_MIN)) << at;
  }
}

}  // namespace
}  // namespace gpz::lanes::lanes_layout_test
