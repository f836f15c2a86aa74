// SPDX-License-Identifier: BSD-3-Clause
// What the library expects of particles with pair forces, as text for test_pair_force.py. Lines:
//   axes LO PERIOD ...           a new trajectory
//   keep SLOT ...                these particles stay
//   add COUNT                    so many arrive
//   skip                         a frame without pair forces
//   frame PARAMETERS             in hexadecimal, then for each component a line of last indices, of last displacements
//                                and of expected displacements
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../unit/codec_support.hpp"
#include "gpz/model/pair_force.hpp"

namespace {

using gpz::test::Random;
using Frame = std::array<std::vector<std::int64_t>, 3>;

gpz::codec::IndexColumns columns(const Frame &frame) { return {frame[0].data(), frame[1].data(), frame[2].data()}; }

template <class Column>
void print(const Column &column) {
  for (const auto x : column) std::printf(" %lld", static_cast<long long>(x));
  std::printf("\n");
}

struct Case {
  int components;
  gpz::core::GridBox box;
  std::int64_t extent;  // of open axes
  std::int64_t speed;
  std::uint64_t cutoff;
};

gpz::model::PairSettings random_settings(Random &random, std::uint64_t cutoff) {
  gpz::model::PairSettings settings;
  settings.steps = static_cast<std::uint8_t>(1 + random.below(5));
  settings.gain = static_cast<std::uint8_t>(random.below(129));
  settings.trust = static_cast<std::uint8_t>(random.below(65));
  settings.cutoff = cutoff;
  settings.curve.close = static_cast<std::uint32_t>(random.below(3) == 0 ? 0 : 4 + random.below(1800));
  std::uint32_t bin = static_cast<std::uint32_t>(random.below(100));
  const std::uint64_t knots = 2 + random.below(8);
  for (std::uint64_t k = 0; k < knots; ++k) {
    const auto value = static_cast<std::int32_t>(random.below(1 << 22)) - (1 << 20);
    settings.curve.knots.push_back({bin, value, static_cast<std::int32_t>(random.below(1 << 16)) - (1 << 15)});
    bin += 1 + static_cast<std::uint32_t>(random.below(400));
  }
  return settings;
}

void follow(const Case &c, std::uint64_t seed) {
  Random random(seed);
  std::printf("axes");
  const auto components = static_cast<std::size_t>(c.components);
  for (std::size_t d = 0; d < components; ++d)
    std::printf(" %lld %lld", static_cast<long long>(c.box[d].lo), static_cast<long long>(c.box[d].period));
  std::printf("\n");
  const auto anywhere = [&](std::size_t d) {
    const std::int64_t length = c.box[d].period != 0 ? c.box[d].period : c.extent;
    return c.box[d].lo - 5 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(length + 10)));
  };
  Frame q;
  for (std::size_t d = 0; d < 3; ++d)
    for (int i = 0; i < 60; ++i) q[d].push_back(anywhere(d));
  gpz::codec::DifferenceState state;
  gpz::model::PairForce force;
  gpz::model::Expectation expected;
  state.start(columns(q), q[0].size(), c.components);
  for (int t = 1; t < 9; ++t) {
    if (t == 4) {
      std::vector<std::uint32_t> kept;
      for (std::uint32_t i = 0; i < state.particles; ++i)
        if (random.below(8) != 0) kept.push_back(i);
      Frame added;
      for (std::size_t d = 0; d < 3; ++d) {
        for (std::size_t i = 0; i < kept.size(); ++i) q[d][i] = q[d][kept[i]];
        q[d].resize(kept.size());
        for (int i = 0; i < 5; ++i) added[d].push_back(anywhere(d));
        q[d].insert(q[d].end(), added[d].begin(), added[d].end());
      }
      state.keep(kept.data(), kept.size());
      force.keep(kept.data(), kept.size());
      state.add(columns(added), 5);
      force.add(5);
      std::printf("keep");
      print(kept);
      std::printf("add 5\n");
    }
    if (t == 7) {
      std::printf("skip\n");
    } else {
      std::vector<std::uint8_t> bytes{0};
      if (t == 1 || random.below(3) == 0) {
        bytes[0] = 1;
        append_settings(random_settings(random, c.cutoff), bytes);
      }
      gpz::model::PairForce::Update update;
      force.read(state, bytes.data(), bytes.size(), c.box, update);
      force.expect(state, c.box, update, expected);
      force.commit(std::move(update));
      std::printf("frame ");
      for (const std::uint8_t byte : bytes) std::printf("%02x", byte);
      std::printf("\n");
      for (std::size_t d = 0; d < components; ++d) {
        print(state.axes[d].last);
        print(state.axes[d].velocity);
        print(expected[d]);
      }
    }
    // Mostly where particles are expected, so that speeds are corrected by little; some somewhere else.
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < q[d].size(); ++i) {
        const std::int64_t off =
            static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(c.speed))) - c.speed / 2;
        const std::int64_t way = d < components && random.below(20) != 0 ? expected[d][i] / 64 : 0;
        q[d][i] = gpz::core::wrap(q[d][i] + way + off, c.box[d]);
      }
    state.advance(columns(q), c.box);
  }
}

}  // namespace

int main() {
  const std::int64_t large = std::int64_t{1} << 50;
  const Case cases[] = {
      {3, {{{0, 1000}, {-400, 900}, {7, 1101}}}, 0, 40, 250},
      {3, {{{0, 600}, {}, {}}}, 800, 9, 280},
      {2, {{{0, 1000}, {-5, 1200}, {}}}, 0, 100, 200},
      {1, {{{}, {}, {}}}, 5000, 30, 300},
      {3, {{{0, 400}, {0, 300}, {0, 200}}}, 0, 20, 190},  // nearly all pairs, across all edges
      {3, {{{0, large}, {0, large}, {}}}, large, large >> 6, static_cast<std::uint64_t>(large) >> 2},
      {3, {{{0, 90000}, {0, 90000}, {0, 90000}}}, 0, 4000, 40000},
  };
  std::uint64_t seed = 1;
  for (const Case &c : cases)
    for (int repeat = 0; repeat < 3; ++repeat) follow(c, seed++);
  return 0;
}
