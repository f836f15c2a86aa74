// SPDX-License-Identifier: BSD-3-Clause
// Pair forces: what the encoder finds in a trajectory of known forces, and that both sides expect the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "codec_support.hpp"
#include "gpz/error.hpp"
#include "gpz/model/pair_force.hpp"

namespace gpz::model::model_pair_force_test {
namespace {

using test::Random;
using Frame = std::array<std::vector<std::int64_t>, 3>;

codec::IndexColumns columns(const Frame &frame) { return {frame[0].data(), frame[1].data(), frame[2].data()}; }

// A periodic box of particles that push each other by exp(-r) within 2.5, integrated in small steps.
class Gas {
 public:
  static constexpr int side = 8;
  static constexpr double length = side;
  static constexpr double step = 0.0002;  // of the grid
  static constexpr std::size_t count = side * side * side;

  Gas() {
    Random random(1);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at[3] = {i % side, i / side % side, i / side / side};
      for (std::size_t d = 0; d < 3; ++d) {
        x_[i][d] = static_cast<double>(at[d]) + random.uniform(-0.2, 0.2);
        v_[i][d] = random.uniform(-1, 1);
      }
    }
    find_forces();
  }

  core::GridBox box() const {
    core::GridBox out{};
    for (std::size_t d = 0; d < 3; ++d) out[d] = {0, std::llround(length / step)};
    return out;
  }

  // The positions after 8 small steps.
  Frame next() {
    constexpr double h = 0.01;
    for (int small = 0; small < 8; ++small) {
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t d = 0; d < 3; ++d) {
          v_[i][d] += h / 2 * f_[i][d];
          x_[i][d] += h * v_[i][d];
          x_[i][d] -= std::floor(x_[i][d] / length) * length;
        }
      find_forces();
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t d = 0; d < 3; ++d) v_[i][d] += h / 2 * f_[i][d];
    }
    Frame frame;
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < count; ++i) frame[d].push_back(std::llround(x_[i][d] / step));
    return frame;
  }

 private:
  void find_forces() {
    for (auto &force : f_) force = {};
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        double separation[3];
        double square = 0;
        for (std::size_t d = 0; d < 3; ++d) {
          separation[d] = x_[i][d] - x_[j][d];
          separation[d] -= std::round(separation[d] / length) * length;
          square += separation[d] * separation[d];
        }
        if (square >= 4) continue;
        const double force = 60 * std::exp(-3 * std::sqrt(square));
        for (std::size_t d = 0; d < 3; ++d) {
          f_[i][d] += force * separation[d];
          f_[j][d] -= force * separation[d];
        }
      }
  }

  std::array<std::array<double, 3>, count> x_{};
  std::array<std::array<double, 3>, count> v_{};
  std::array<std::array<double, 3>, count> f_{};
};

// One side of a chunk of all particles of a trajectory.
struct Side {
  codec::DifferenceState state;
  PairForce force;
  PairForce::Search search;
  Expectation expected;

  std::size_t expect(const std::vector<std::uint8_t> &bytes, const core::GridBox &box) {
    PairForce::Update update;
    const std::size_t taken = force.read(state, bytes.data(), bytes.size(), box, update);
    force.expect(state, box, update, expected);
    force.commit(std::move(update));
    return taken;
  }
  // The encoder's side of what `expect` then reads.
  bool fit(const Frame &q, const core::GridBox &box, std::vector<std::uint8_t> &bytes) {
    PairForce::Update update;
    return force.fit(state, columns(q), box, search, update, bytes);
  }
};

double size_of(std::vector<double> errors) {
  for (double &error : errors) error = std::fabs(error);
  std::nth_element(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2), errors.end());
  return errors[errors.size() / 2];
}

TEST(PairForce, FollowsKnownForces) {
  Gas gas;
  const core::GridBox box = gas.box();
  Side encoder;
  Side decoder;
  const Frame first = gas.next();
  for (Side *side : {&encoder, &decoder}) side->state.start(columns(first), Gas::count, 3);
  double last_size = 0;
  for (int t = 1; t < 14; ++t) {
    const Frame q = gas.next();
    std::vector<std::uint8_t> bytes;
    const bool used = encoder.fit(q, box, bytes);
    EXPECT_EQ(used, t > 1) << t;
    if (used) {
      EXPECT_EQ(encoder.expect(bytes, box), bytes.size());
      EXPECT_EQ(decoder.expect(bytes, box), bytes.size());
      EXPECT_EQ(encoder.expected, decoder.expected);
      std::vector<double> with_forces;
      std::vector<double> linear;
      for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t i = 0; i < Gas::count; ++i) {
          const codec::DifferenceState::Axis &axis = encoder.state.axes[d];
          const auto moved = static_cast<double>(core::displacement(q[d][i], axis.last[i], box[d]));
          with_forces.push_back(moved - encoder.expected[d][i] / 64.0);
          linear.push_back(moved - 2.0 * axis.velocity[i] + axis.previous[i]);
        }
      last_size = size_of(with_forces) / size_of(linear);
    } else {
      EXPECT_TRUE(bytes.empty());
    }
    for (Side *side : {&encoder, &decoder}) side->state.advance(columns(q), box);
  }
  EXPECT_LT(last_size, 0.15);
}

TEST(PairForce, IsOfNoUseForRandomWalks) {
  Random random(4);
  const core::GridBox box{{{0, 8000}, {0, 8000}, {0, 8000}}};
  Frame q;
  for (auto &axis : q)
    for (int i = 0; i < 600; ++i) axis.push_back(static_cast<std::int64_t>(random.below(8000)));
  Side side;
  side.state.start(columns(q), 600, 3);
  for (int t = 1; t < 6; ++t) {
    for (auto &axis : q)
      for (auto &x : axis) x = (x + 7985 + static_cast<std::int64_t>(random.below(31))) % 8000;
    std::vector<std::uint8_t> bytes;
    EXPECT_FALSE(side.fit(q, box, bytes));
    EXPECT_TRUE(bytes.empty());
    side.state.advance(columns(q), box);
  }
}

// Settings by hand: a force of 2^-6 of the separation within 1,000 steps, without steps in between.
std::vector<std::uint8_t> linear_settings(std::uint8_t steps) {
  PairSettings settings;
  settings.steps = steps;
  settings.gain = 64;
  settings.trust = 64;
  settings.cutoff = 1000;
  settings.curve.knots = {{0, 1 << 18, 0}, {60000, 1 << 18, 0}};
  std::vector<std::uint8_t> bytes{1};
  append_settings(settings, bytes);
  return bytes;
}

Frame moved(const Frame &frame, std::int64_t by) {
  Frame out = frame;
  for (auto &axis : out)
    for (auto &x : axis) x += by;
  return out;
}

TEST(PairForce, MovesByTheSumOfForces) {
  // The expectation of one step, computed otherwise: the last displacement and the sum of 2^-6 of all separations.
  Random random(8);
  Frame q;
  for (auto &axis : q)
    for (int i = 0; i < 200; ++i) axis.push_back(static_cast<std::int64_t>(random.below(4000)));
  for (const int components : {2, 3}) {
    Side side;
    side.state.start(columns(q), 200, components);
    const Frame next = moved(q, 5);
    side.state.advance(columns(next), {});
    EXPECT_EQ(side.expect(linear_settings(1), {}), linear_settings(1).size());
    for (std::size_t i = 0; i < 200; ++i) {
      std::array<std::int64_t, 3> sum{};
      for (std::size_t j = 0; j < 200; ++j) {
        std::int64_t square = 0;
        for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d)
          square += (q[d][i] - q[d][j]) * (q[d][i] - q[d][j]);
        if (square >= 1000 * 1000) continue;
        for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) sum[d] += q[d][i] - q[d][j];
      }
      for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d)
        EXPECT_NEAR(side.expected[d][i], static_cast<double>(64 * 5 + sum[d]), 1.01);
    }
  }
}

TEST(PairForce, DoesNotDependOnTheOrderOfParticles) {
  Gas gas;
  const core::GridBox box = gas.box();
  std::vector<std::size_t> slot(Gas::count);
  Random random(2);
  for (std::size_t i = 0; i < slot.size(); ++i) {
    slot[i] = i;
    std::swap(slot[i], slot[random.below(i + 1)]);
  }
  const auto shuffled = [&](const Frame &frame) {
    Frame out = frame;
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < slot.size(); ++i) out[d][slot[i]] = frame[d][i];
    return out;
  };
  Side plain;
  Side other;
  Frame frame = gas.next();
  plain.state.start(columns(frame), Gas::count, 3);
  other.state.start(columns(shuffled(frame)), Gas::count, 3);
  for (int t = 0; t < 4; ++t) {
    frame = gas.next();
    const Frame same = shuffled(frame);
    plain.state.advance(columns(frame), box);
    other.state.advance(columns(same), box);
    const std::vector<std::uint8_t> bytes = t == 0 ? linear_settings(4) : std::vector<std::uint8_t>{0};
    plain.expect(bytes, box);
    other.expect(bytes, box);
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < slot.size(); ++i)
        ASSERT_EQ(plain.expected[d][i], other.expected[d][slot[i]]) << "frame " << t;
  }
}

TEST(PairForce, KeepsAndAddsParticles) {
  // Both sides lose and get particles between frames; what is expected stays the same on both.
  Gas gas;
  const core::GridBox box = gas.box();
  Side encoder;
  Side decoder;
  Frame q = gas.next();
  for (Side *side : {&encoder, &decoder}) side->state.start(columns(q), Gas::count, 3);
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < Gas::count; ++i)
    if (i % 10 != 3) kept.push_back(i);
  for (int t = 1; t < 8; ++t) {
    Frame next = gas.next();
    if (t == 5) {
      Frame added;
      for (std::size_t d = 0; d < 3; ++d) {
        Frame rest = q;
        for (std::size_t i = 0; i < Gas::count; ++i)
          if (i % 10 == 3) added[d].push_back(rest[d][i]);
      }
      for (Side *side : {&encoder, &decoder}) {
        side->state.keep(kept.data(), kept.size());
        side->force.keep(kept.data(), kept.size());
        side->state.add(columns(added), added[0].size());
        side->force.add(added[0].size());
      }
    }
    if (t >= 5) {
      Frame sorted;
      for (std::size_t d = 0; d < 3; ++d) {
        for (const std::uint32_t i : kept) sorted[d].push_back(next[d][i]);
        for (std::size_t i = 0; i < Gas::count; ++i)
          if (i % 10 == 3) sorted[d].push_back(next[d][i]);
      }
      next = sorted;
    } else {
      q = next;
    }
    std::vector<std::uint8_t> bytes;
    if (encoder.fit(next, box, bytes)) {
      encoder.expect(bytes, box);
      decoder.expect(bytes, box);
      EXPECT_EQ(encoder.expected, decoder.expected);
      EXPECT_EQ(encoder.expected[0].size(), Gas::count);
    } else {
      EXPECT_EQ(t, 1);
    }
    for (Side *side : {&encoder, &decoder}) side->state.advance(columns(next), box);
  }
}

TEST(PairForce, RefusesDamage) {
  Gas gas;
  const core::GridBox box = gas.box();
  Side side;
  side.state.start(columns(gas.next()), Gas::count, 3);
  side.state.advance(columns(gas.next()), box);
  const std::vector<std::uint8_t> whole = linear_settings(3);
  const auto status = [&](const std::vector<std::uint8_t> &bytes) {
    try {
      Side copy = side;
      copy.expect(bytes, box);
      return Status::ok;
    } catch (const Error &error) {
      return error.status();
    }
  };
  EXPECT_EQ(status(whole), Status::ok);
  EXPECT_EQ(status({0}), Status::corrupt) << "there were no settings before";
  EXPECT_EQ(status({2}), Status::corrupt);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(status({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}), Status::corrupt) << size;
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const int bit : {0, 3, 7}) {
      std::vector<std::uint8_t> bytes = whole;
      bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ 1 << bit);
      const Status result = status(bytes);
      EXPECT_TRUE(result == Status::ok || result == Status::corrupt);
    }
}

TEST(PairForce, TakesAnyState) {
  // Positions, displacements and curves at their limits: values, no undefined behaviour.
  Random random(6);
  for (int trial = 0; trial < 30; ++trial) {
    Side side;
    Frame q;
    const auto any = [&](Frame &frame) {
      for (auto &axis : frame) {
        axis.clear();
        for (int i = 0; i < 100; ++i) axis.push_back(static_cast<std::int64_t>(random.bits() >> random.below(64)));
      }
    };
    any(q);
    side.state.start(columns(q), 100, 3);
    const core::GridBox box{{{0, trial % 2 == 0 ? INT64_C(1) << 52 : 16}, {}, {-3, 1000}}};
    PairSettings settings;
    settings.steps = static_cast<std::uint8_t>(1 + random.below(16));
    settings.gain = 128;
    settings.trust = static_cast<std::uint8_t>(random.below(65));
    settings.cutoff = (random.bits() >> (16 + random.below(40))) + 1;
    settings.curve.close = trial % 3 == 0 ? 0 : 60000;
    for (std::uint32_t k = 0; k < 3; ++k)
      settings.curve.knots.push_back({k * (trial % 2 == 0 ? 30000u : 300u),
                                      static_cast<std::int32_t>(random.bits() >> 34),
                                      static_cast<std::int32_t>(random.bits() >> 32)});
    std::vector<std::uint8_t> bytes{1};
    append_settings(settings, bytes);
    for (int t = 0; t < 3; ++t) {
      any(q);
      side.state.advance(columns(q), box);
      try {
        side.expect(bytes, box);
        for (const auto &column : side.expected)
          for (const std::int32_t x : column) ASSERT_LE(std::abs(x), expectation_limit);
      } catch (const Error &error) {
        EXPECT_EQ(error.status(), Status::corrupt);
      }
    }
  }
}

}  // namespace
}  // namespace gpz::model::model_pair_force_test
