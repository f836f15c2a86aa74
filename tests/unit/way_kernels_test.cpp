// SPDX-License-Identifier: BSD-3-Clause
// What is expected of ways of molecules: the same numbers from every instruction set, and near the ways themselves.
#include "gpz/kernels/way_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "all_kernels.hpp"
#include "codec_support.hpp"
#include "gpz/molecule/contexts.hpp"

namespace gpz::test::way_kernels_test {
namespace {

using Steps = std::array<std::int32_t, 3>;

// A particle that has three directions and moved a little since the last frame.
struct Case {
  int references, last_known;
  Steps first, second, last_way, way;
  std::array<float, 3> last_place, last_mean;
  std::array<Steps, 4> motion;
  float scale;
  double length_deviation, along_deviation, bend;
  bool has_along;
};

Steps random_steps(Random &random, double most) {
  Steps steps;
  for (auto &x : steps) x = static_cast<std::int32_t>(std::lround(random.uniform(-most, most)));
  return steps;
}

// `calm`: the way is what it was, and its class keeps lengths and angles.
Case random_case(Random &random, bool calm) {
  Case c{};
  const double size = std::pow(10.0, random.uniform(1, 4));
  c.references = static_cast<int>(random.below(3));
  c.last_known = calm ? c.references : static_cast<int>(random.below(3));
  c.first = random_steps(random, size);
  c.second = random_steps(random, size);
  c.last_way = random_steps(random, size);
  const double off = calm ? 0 : std::pow(10.0, random.uniform(-1, 3));
  const Steps moved = random_steps(random, off);
  for (std::size_t d = 0; d < 3; ++d) c.way[d] = c.last_way[d] + moved[d];
  for (auto &motion : c.motion) motion = random_steps(random, off);
  for (std::size_t d = 0; d < 3; ++d) {
    c.last_place[d] = static_cast<float>(random.uniform(-size, size));
    c.last_mean[d] = static_cast<float>(random.uniform(-size, size));
  }
  c.scale = calm ? 1.0F : static_cast<float>(random.uniform(0.1, 8));
  c.length_deviation = calm ? 0.3 : random.uniform(0.3, 0.1 * size);
  c.along_deviation = calm ? 0.3 : random.uniform(0.3, 0.3 * size);
  c.bend = calm ? 1e-6 : std::pow(10.0, random.uniform(-6, 0));
  c.has_along = !calm && random.below(2) != 0;
  return c;
}

template <typename Values, typename Numbers>
void put(std::array<Values, 3> &to, const Numbers &from, std::size_t lane) {
  for (std::size_t d = 0; d < 3; ++d) to[d][lane] = from[d];
}

void take(const Case &c, std::size_t lane, codec::WayBatch &b) {
  b.references[lane] = c.references;
  put(b.first, c.first, lane);
  put(b.second, c.second, lane);
  put(b.last_way, c.last_way, lane);
  put(b.last_place, c.last_place, lane);
  put(b.last_mean, c.last_mean, lane);
  for (std::size_t k = 0; k < c.motion.size(); ++k) {
    put(b.motion[k], c.motion[k], lane);
    b.motion_weights[k][lane] = 0.25;
  }
  const double length = std::sqrt(static_cast<double>(c.last_way[0]) * c.last_way[0] +
                                  static_cast<double>(c.last_way[1]) * c.last_way[1] +
                                  static_cast<double>(c.last_way[2]) * c.last_way[2]);
  b.last_length[lane] = static_cast<float>(length);
  b.last_mean_length[lane] = static_cast<float>(length);
  b.last_scale[lane] = c.scale;
  b.last_known[lane] = c.last_known;
  b.last_frames[lane] = 5;
  b.last_sizes[lane] = 5;
  b.shape_weights[0][1][lane] = 0.5;
  b.shape_weights[1][1][lane] = 0.5;
  b.shape_weights[2][0][lane] = 0.5;
  b.length_deviation[lane] = c.length_deviation;
  b.along_deviation[lane] = c.along_deviation;
  b.bend[lane] = c.bend;
  b.bend2[lane] = 2 * c.bend - c.bend * c.bend * 4 / 3;
  b.mean_length[lane] = length;
  b.mean_along[lane] = 0.1 * length;
  b.has_along[lane] = c.has_along ? 1 : 0;
}

// All that sides and memory get of one particle.
struct Outcome {
  std::array<double, 3> expected{};
  std::array<std::int64_t, 3> number{}, level{}, part{};
  std::array<double, 3> axis{};
  std::array<double, 2> side_level{};
  std::array<bool, 2> has_side{};
  bool framed = false, wide = false;
  std::array<float, 3> place{}, mean{};
  float length = 0, mean_length = 0, scale = 0;
  std::array<std::int32_t, 3> counts{};
  std::array<double, 7> learnt{};
};

// What the kernels compute in vectors, once more for a single number.
codec::ExpectedNumber expected_number(double expected, double variance) {
  constexpr double most = codec::ExpectedNumber::most;
  const double nearest = std::nearbyint(64 * expected);
  const double below = nearest < most ? nearest : most;
  const std::int64_t number = static_cast<std::int64_t>(below > -most ? below : -most) + 32;
  const auto fraction = static_cast<unsigned>(number & 63);
  const auto exponent = static_cast<int>(core::bit_cast<std::uint64_t>(variance) >> 52 & 2047) - 1020;
  return {number, exponent < 0 ? 0 : core::min_of(static_cast<unsigned>(exponent), codec::ExpectedNumber::levels - 1),
          (fraction < 32 ? 31 - fraction : fraction - 32) >> 3};
}

void note(const codec::WayBatch &b, std::size_t lane, std::size_t step, Outcome &of) {
  of.number[step] = b.number[lane];
  of.level[step] = b.level[lane];
  of.part[step] = b.part[lane];
  of.axis[step] = b.axis[step][lane];
  if (step == 2) return;
  of.expected[step] = b.expected[lane];
  if (step == 1) return;
  const codec::ExpectedNumber number =
      expected_number(b.expected[lane], b.variance[lane] + codec::ExpectedNumber::rounding_variance);
  EXPECT_EQ(b.number[lane], number.number);
  EXPECT_EQ(b.level[lane], number.level);
  EXPECT_EQ(b.part[lane], number.part);
}

std::vector<Outcome> outcomes(const codec::WayKernels &kernels, const std::vector<Case> &cases) {
  std::vector<Outcome> all(cases.size());
  codec::WayBatch b;
  for (std::size_t first = 0; first < cases.size(); first += kernels.lanes) {
    const std::size_t lanes = std::min(kernels.lanes, cases.size() - first);
    const auto for_each = [&](const auto &work) {
      for (std::size_t l = 0; l < lanes; ++l) work(cases[first + l], l, all[first + l]);
    };
    codec::Lanes<std::int32_t> value;
    const auto code = [&](std::size_t step) {
      for_each([&](const Case &c, std::size_t l, Outcome &of) {
        note(b, l, step, of);
        value[l] = c.way[static_cast<std::size_t>(b.axis[step][l])];
      });
    };
    const auto note_sides = [&](std::size_t side) {
      for_each([&](const Case &, std::size_t l, Outcome &of) {
        of.has_side[side] = b.has_side[l] != 0;
        of.side_level[side] = of.has_side[side] ? b.side_level[l] : 0;
      });
    };
    for_each([&](const Case &c, std::size_t l, Outcome &) { take(c, l, b); });
    kernels.find_axes(b);
    kernels.expect(b);
    code(0);
    kernels.cut(b, value);
    note_sides(0);
    kernels.settle(b);
    code(1);
    kernels.cut_again(b, value);
    note_sides(1);
    kernels.settle_last(b);
    code(2);
    for_each([&](const Case &c, std::size_t l, Outcome &) { put(b.way, c.way, l); });
    kernels.remember(b);
    kernels.learn(b);
    for_each([&](const Case &, std::size_t l, Outcome &of) {
      of.framed = b.framed[l] != 0;
      of.wide = b.is_wide[l] != 0;
      for (std::size_t d = 0; d < 3; ++d) {
        of.place[d] = b.place[d][l];
        of.mean[d] = b.mean[d][l];
      }
      of.length = b.now_length[l];
      of.mean_length = b.now_mean_length[l];
      of.scale = b.scale[l];
      of.counts = {b.known[l], b.frames[l], b.sizes[l]};
      of.learnt = {b.actual_length[l], b.off_length[l],   b.off_along[l],    b.usual_bend[l],
                   b.usual_bend2[l],   b.actual_along[l], b.actual_turned[l]};
    });
  }
  return all;
}

std::vector<Case> random_cases(std::uint64_t seed, std::size_t count, bool calm) {
  Random random(seed);
  std::vector<Case> cases;
  for (std::size_t k = 0; k < count; ++k) cases.push_back(random_case(random, calm));
  return cases;
}

template <typename Values>
bool same_bits(const Values &a, const Values &b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

TEST(WayKernels, AgreeToTheBit) {
  const std::vector<Case> cases = random_cases(3, 20011, false);
  const std::vector<Outcome> generic = outcomes(codec::kernels("generic")->ways, cases);
  for (const auto *kernels : codec::all_kernels()) {
    const std::vector<Outcome> other = outcomes(kernels->ways, cases);
    for (std::size_t k = 0; k < cases.size(); ++k) {
      const Outcome &a = generic[k];
      const Outcome &b = other[k];
      ASSERT_TRUE(same_bits(a.expected, b.expected) && a.number == b.number && a.level == b.level && a.part == b.part &&
                  a.axis == b.axis && a.has_side == b.has_side && same_bits(a.side_level, b.side_level) &&
                  a.framed == b.framed && a.wide == b.wide && same_bits(a.place, b.place) &&
                  same_bits(a.mean, b.mean) && same_bits(a.length, b.length) &&
                  same_bits(a.mean_length, b.mean_length) && same_bits(a.scale, b.scale) && a.counts == b.counts &&
                  same_bits(a.learnt, b.learnt))
          << kernels->name << " case " << k;
    }
  }
}

// All branches are taken by the cases above.
TEST(WayKernels, CasesAreOfAllKinds) {
  std::array<std::size_t, 4> kinds{};
  std::array<std::size_t, 2> sides{};
  for (const Outcome &of : outcomes(codec::kernels("generic")->ways, random_cases(3, 20011, false))) {
    ++kinds[(of.framed ? 2u : 0u) + (of.wide ? 1u : 0u)];
    sides[0] += of.has_side[0] ? 1 : 0;
    sides[1] += of.has_side[1] ? 1 : 0;
  }
  for (const std::size_t count : kinds) EXPECT_GT(count, 500u);
  for (const std::size_t count : sides) EXPECT_GT(count, 200u);
}

// What rests is expected where it is. Without axes, a length alone leaves two points.
TEST(WayKernels, ExpectWhatRests) {
  const std::vector<Case> cases = random_cases(5, 4000, true);
  for (const auto *kernels : codec::all_kernels()) {
    const std::vector<Outcome> all = outcomes(kernels->ways, cases);
    std::size_t checked = 0;
    for (std::size_t k = 0; k < cases.size(); ++k) {
      const Outcome &of = all[k];
      if (of.framed) continue;  // the random places of the last frame are not those of the ways
      ++checked;
      for (std::size_t step = 0; step < 3; ++step) {
        const double component = cases[k].way[static_cast<std::size_t>(of.axis[step])];
        EXPECT_NEAR(static_cast<double>(of.number[step] - 32) / 64, component, 0.6) << kernels->name << k << step;
      }
    }
    EXPECT_GT(checked, 1000u);
  }
}

}  // namespace
}  // namespace gpz::test::way_kernels_test
