// SPDX-License-Identifier: BSD-3-Clause
// Crystals: what the lattice model finds, what it predicts, and what it makes of damaged parameters.
#include <gtest/gtest.h>

#include <algorithm>

#include "crystal_support.hpp"
#include "damage_support.hpp"
#include "gpz/crystal/spring_search.hpp"
#include "gpz/error.hpp"
#include "gpz/model/lattice_model.hpp"
#include "gpz/model/lattice_neighbour_predictor.hpp"

namespace gpz::model::model_lattice_test {
namespace {

using crystal::field_stride;
using crystal::find_springs;
using crystal::LatticeField;
using crystal::SpringLattice;
using crystal::SpringNetwork;
using crystal::SpringVector;
using test::Columns;
using test::Crystal;
using test::pointers;
using test::Structure;

constexpr double grid = 0.002;

// The sum of squared residuals of a prediction.
double squares(const codec::DifferenceState &state, const Expectation &expected, const Columns &q,
               const core::GridBox &box) {
  double sum = 0;
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t i = 0; i < state.particles; ++i) {
      const auto moved = static_cast<double>(core::displacement(q[d][i], state.axes[d].last[i], box[d]));
      const double residual = moved - expected[d][i] / 64.0;
      sum += residual * residual;
    }
  return sum;
}

// A writer and a reader of one chunk.
struct Pair {
  codec::DifferenceState state;
  LatticeModel writer;
  LatticeModel::Search search;
  LatticeModel reader;
  Expectation expected;
  std::vector<std::uint8_t> bytes;

  void start(const Columns &q) { state.start(pointers(q), q[0].size(), 3); }
  // False if the model is of no use; otherwise `expected` is what both expect, and `bytes` are the parameters.
  bool predict(const Columns &q, const core::GridBox &box) {
    bytes = {0xEE};
    LatticeModel::Update ours;
    if (!writer.fit(state, pointers(q), box, search, ours, bytes)) {
      EXPECT_EQ(bytes.size(), 1u);
      return false;
    }
    EXPECT_EQ(bytes[0], 0xEE);
    bytes.erase(bytes.begin());
    writer.expect(state, box, ours, expected);
    writer.commit(std::move(ours));
    // A reader that goes on after these bytes.
    std::vector<std::uint8_t> more = bytes;
    more.insert(more.end(), 7, 0xAA);
    LatticeModel::Update theirs;
    EXPECT_EQ(reader.read(state, more.data(), more.size(), box, theirs), bytes.size());
    Expectation read;
    reader.expect(state, box, theirs, read);
    reader.commit(std::move(theirs));
    EXPECT_EQ(read, expected);
    return true;
  }
  void advance(const Columns &q, const core::GridBox &box) { state.advance(pointers(q), box); }
};

Columns selected(const Columns &q, const std::vector<std::uint32_t> &slots) {
  Columns some;
  for (std::size_t d = 0; d < 3; ++d)
    for (const std::uint32_t slot : slots) some[d].push_back(q[d][slot]);
  return some;
}

struct Case {
  const char *name;
  Structure structure;
  std::array<int, 3> cells;
  unsigned missing;  // of 64
};
void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

class LatticeOf : public testing::TestWithParam<Case> {};

// Without neighbours, frames so far apart say little about the next one.
TEST_P(LatticeOf, PredictsFramesThatAreFarApart) {
  const Case &c = GetParam();
  Crystal crystal(c.structure, c.cells, 5, c.missing);
  const core::GridBox box = crystal.box(grid);
  Pair pair;
  pair.start(crystal.indices(grid));
  for (int frame = 1; frame <= 7; ++frame) {
    crystal.run(40);
    const Columns q = crystal.indices(grid);
    ASSERT_TRUE(pair.predict(q, box)) << frame;
    Temporal temporal;
    std::vector<std::uint8_t> bytes;
    temporal.fit(pair.state, pointers(q), box, bytes);
    Expectation alone;
    temporal.expect(pair.state, alone);
    const double with = squares(pair.state, pair.expected, q, box);
    const double without = squares(pair.state, alone, q, box);
    if (frame >= 3) {
      EXPECT_LT(with, (c.missing != 0 ? 0.5 : 0.35) * without) << frame;
    }
    pair.advance(q, box);
  }
}

INSTANTIATE_TEST_SUITE_P(Structures, LatticeOf,
                         testing::Values(Case{"fcc", test::fcc(), {7, 7, 7}, 0}, Case{"bcc", test::bcc(), {8, 8, 8}, 0},
                                         Case{"hcp", test::hcp(), {8, 5, 5}, 0},
                                         Case{"diamond", test::diamond(), {5, 5, 5}, 0},
                                         Case{"vacancies", test::fcc(), {7, 7, 7}, 1}),
                         [](const auto &tested) { return std::string(tested.param.name); });

// Part of a crystal, as an MPI rank has it: neighbours are missing at its faces.
TEST(Lattice, PredictsAPart) {
  Crystal crystal(test::fcc(), {9, 7, 7}, 6);
  const core::GridBox box = crystal.box(grid);
  const Columns first = crystal.indices(grid);
  std::vector<std::uint32_t> part;
  for (std::uint32_t i = 0; i < crystal.particles(); ++i)
    if (first[0][i] < box[0].period / 2) part.push_back(i);
  Pair pair;
  pair.start(selected(first, part));
  for (int frame = 1; frame <= 5; ++frame) {
    crystal.run(40);
    const Columns q = selected(crystal.indices(grid), part);
    ASSERT_TRUE(pair.predict(q, box));
    Temporal temporal;
    std::vector<std::uint8_t> bytes;
    temporal.fit(pair.state, pointers(q), box, bytes);
    Expectation alone;
    temporal.expect(pair.state, alone);
    if (frame >= 3) {
      EXPECT_LT(squares(pair.state, pair.expected, q, box), 0.6 * squares(pair.state, alone, q, box));
    }
    pair.advance(q, box);
  }
}

// A gas is no crystal, nor are few particles, nor particles on top of each other.
TEST(Lattice, IsNotFoundWhereThereIsNone) {
  std::mt19937 random(1);
  const core::GridBox box{{{0, 4000}, {0, 4000}, {0, 4000}}};
  Columns gas;
  Columns heap;
  Columns few;
  for (std::size_t d = 0; d < 3; ++d) {
    for (int i = 0; i < 3000; ++i) gas[d].push_back(random() % 4000);
    heap[d].assign(3000, 7);
    few[d] = {1, 2, 3};
  }
  for (const Columns &q : {gas, heap, few}) {
    Pair pair;
    pair.start(q);
    EXPECT_FALSE(pair.predict(q, box));
  }
}

TEST(Lattice, FollowsParticlesThatLeaveOrArrive) {
  Crystal crystal(test::fcc(), {7, 7, 7}, 7);
  const core::GridBox box = crystal.box(grid);
  Pair pair;
  Columns q = crystal.indices(grid);
  pair.start(q);
  std::vector<std::uint32_t> here;
  for (std::uint32_t i = 0; i < crystal.particles(); ++i) here.push_back(i);
  std::vector<std::uint32_t> away;
  for (int frame = 1; frame <= 6; ++frame) {
    crystal.run(40);
    const Columns all = crystal.indices(grid);
    // Some leave, those that left before come back.
    std::vector<std::uint32_t> kept;
    std::vector<std::uint32_t> stay;
    std::vector<std::uint32_t> leave;
    for (std::uint32_t slot = 0; slot < here.size(); ++slot) {
      const bool leaves = frame > 1 && crystal.random()() % 50 == 0;
      (leaves ? leave : stay).push_back(here[slot]);
      if (!leaves) kept.push_back(slot);
    }
    for (LatticeModel *model : {&pair.writer, &pair.reader}) model->keep(kept.data(), kept.size());
    pair.state.keep(kept.data(), kept.size());
    here = stay;
    const Columns staying = selected(all, here);
    ASSERT_TRUE(pair.predict(staying, box)) << frame;
    Expectation zero;
    for (auto &column : zero) column.assign(here.size(), 0);
    if (frame >= 3) {
      EXPECT_LT(squares(pair.state, pair.expected, staying, box), 0.5 * squares(pair.state, zero, staying, box));
    }
    pair.advance(staying, box);
    const Columns arrivals = selected(all, away);
    pair.state.add(pointers(arrivals), away.size());
    for (LatticeModel *model : {&pair.writer, &pair.reader}) model->add(away.size());
    here.insert(here.end(), away.begin(), away.end());
    away = leave;
  }
}

// Updates of frames that are coded otherwise in the end.
TEST(Lattice, DroppedUpdatesChangeNothing) {
  Crystal crystal(test::fcc(), {6, 6, 6}, 8);
  const core::GridBox box = crystal.box(grid);
  Pair pair;
  pair.start(crystal.indices(grid));
  for (int frame = 1; frame <= 8; ++frame) {
    crystal.run(40);
    const Columns q = crystal.indices(grid);
    LatticeModel::Search search = pair.search;
    LatticeModel::Update dropped;
    std::vector<std::uint8_t> bytes;
    ASSERT_TRUE(pair.writer.fit(pair.state, pointers(q), box, search, dropped, bytes));
    Expectation expected;
    pair.writer.expect(pair.state, box, dropped, expected);
    if (frame % 3 != 0) {
      ASSERT_TRUE(pair.predict(q, box));
    }
    pair.advance(q, box);
  }
}

TEST(Lattice, ReadsNoFrameAsBeforeWithoutOne) {
  Crystal crystal(test::fcc(), {6, 6, 6}, 9);
  Pair pair;
  pair.start(crystal.indices(grid));
  const std::uint8_t as_before = 0;
  LatticeModel::Update update;
  EXPECT_THROW(pair.reader.read(pair.state, &as_before, 1, crystal.box(grid), update), Error);
}

// Remainders that neighbours share, in the order of slots. Both sides know those of earlier slots only.
TEST(LatticeNeighbourPredictor, ExpectsWhatNeighboursDid) {
  Crystal crystal(test::fcc(), {7, 7, 7}, 13);
  const core::GridBox box = crystal.box(grid);
  Pair pair;
  pair.start(crystal.indices(grid));
  LatticeNeighbourPredictor writer;
  LatticeNeighbourPredictor reader;
  for (int frame = 1; frame <= 3; ++frame) {
    crystal.run(400);  // so far apart that the lattice does not know
    const Columns q = crystal.indices(grid);
    ASSERT_TRUE(pair.predict(q, box));
    const SpringNetwork &network = pair.writer.network();
    std::vector<std::uint8_t> bytes;
    ASSERT_TRUE(writer.fit(network, pair.state, pointers(q), box, pair.expected, bytes));
    test::expect_damage_is_refused_or_read(bytes, [&](const std::vector<std::uint8_t> &damaged) {
      LatticeNeighbourPredictor::Update update;
      LatticeNeighbourPredictor(reader).read(network, damaged.data(), damaged.size(), update);
    });
    LatticeNeighbourPredictor::Update ours;
    EXPECT_EQ(writer.read(network, bytes.data(), bytes.size(), ours), bytes.size());
    writer.commit(std::move(ours));
    LatticeNeighbourPredictor::Update theirs;
    EXPECT_EQ(reader.read(pair.reader.network(), bytes.data(), bytes.size(), theirs), bytes.size());
    reader.commit(std::move(theirs));
    reader.start(pair.reader.network());
    double with = 0;
    double without = 0;
    for (std::size_t i = 0; i < pair.state.particles; ++i) {
      const LatticeNeighbourPredictor::Remainder guess = writer.expected_of_known(network, i);
      ASSERT_EQ(reader.expected(pair.reader.network(), i), guess);
      LatticeNeighbourPredictor::Remainder remainder{};
      for (std::size_t d = 0; d < 3; ++d) {
        remainder[d] = 64 * core::displacement(q[d][i], pair.state.axes[d].last[i], box[d]) - pair.expected[d][i];
        with += std::pow(static_cast<double>(remainder[d] - guess[d]), 2);
        without += std::pow(static_cast<double>(remainder[d]), 2);
      }
      reader.update(pair.reader.network(), i, remainder);
    }
    EXPECT_LT(with, 0.9 * without) << frame;
    pair.advance(q, box);
  }
}

// Every byte of the parameters changed, and every length: an error, or some expectation within the limits.
TEST(Lattice, RefusesDamageOrReadsIt) {
  Crystal crystal(test::bcc(), {5, 5, 5}, 10);
  const core::GridBox box = crystal.box(grid);
  Pair pair;
  pair.start(crystal.indices(grid));
  for (int frame = 1; frame <= 4; ++frame) {
    crystal.run(40);
    const Columns q = crystal.indices(grid);
    const LatticeModel reader = pair.reader;
    ASSERT_TRUE(pair.predict(q, box));
    test::expect_damage_is_refused_or_read(pair.bytes, [&](const std::vector<std::uint8_t> &damaged) {
      LatticeModel model = reader;
      Expectation expected;
      LatticeModel::Update update;
      model.read(pair.state, damaged.data(), damaged.size(), box, update);
      model.expect(pair.state, box, update, expected);
      for (const auto &column : expected)
        for (const std::int32_t x : column) ASSERT_LE(std::abs(std::int64_t{x}), expectation_limit);
    });
    pair.advance(q, box);
  }
}

// A network of random springs, computed in another way: particle by particle, with matrices.
TEST(SpringNetwork, StepsAsItsSpringsSay) {
  Crystal crystal(test::fcc(), {5, 5, 5}, 11, 2);
  const core::GridBox box = crystal.box(grid);
  const Columns q = crystal.indices(grid);
  codec::DifferenceState state;
  state.start(pointers(q), q[0].size(), 3);
  SpringNetwork network;
  ASSERT_TRUE(find_springs(state, box, network));
  ASSERT_EQ(network.lattice().vectors.size(), 6u);
  SpringLattice lattice = network.lattice();
  std::mt19937 &random = crystal.random();
  for (SpringVector &vector : lattice.vectors)
    for (std::int16_t &spring : vector.spring) spring = static_cast<std::int16_t>(random() % 1800) - 900;
  network.use_springs(lattice);

  const std::size_t n = state.particles;
  LatticeField in(n * field_stride);
  LatticeField before(n * field_stride);
  for (auto *field : {&in, &before})
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t d = 0; d < 3; ++d)
        (*field)[i * field_stride + d] = static_cast<std::int16_t>(static_cast<int>(random() % 65535) - 32767);
  LatticeField out(n * field_stride);
  network.step(in, &before, out);
  const std::size_t element[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  std::size_t missing = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t r = 0; r < 3; ++r) {
      std::int64_t pull = 0;
      for (std::size_t k = 0; k < network.degree(); ++k) {
        const std::uint32_t j = network.neighbours(i)[k];
        missing += j == i ? 1 : 0;
        for (std::size_t c = 0; c < 3; ++c)
          pull += std::int64_t{lattice.vectors[k / 2].spring[element[r][c]]} *
                  (in[i * field_stride + c] - in[j * field_stride + c]);
      }
      const std::int64_t rounded = (pull + 2048) >> 12;
      const std::int64_t next = 2 * (rounded - in[i * field_stride + r]) - before[i * field_stride + r];
      ASSERT_EQ(out[i * field_stride + r], std::clamp<std::int64_t>(next, -32767, 32767)) << i;
    }
  EXPECT_GT(missing, 0u);
}

// Each neighbour is where its vector ends, and each has the particle as its neighbour against the vector.
TEST(SpringNetwork, FindsNeighboursAndPlaces) {
  Crystal crystal(test::hcp(), {6, 4, 4}, 12);
  const core::GridBox box = crystal.box(grid);
  const Columns q = crystal.indices(grid);
  codec::DifferenceState state;
  state.start(pointers(q), q[0].size(), 3);
  SpringNetwork network;
  ASSERT_TRUE(find_springs(state, box, network));
  double away = 0;
  for (std::size_t i = 0; i < state.particles; ++i) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < network.degree(); ++k) {
      const std::uint32_t j = network.neighbours(i)[k];
      if (j == i) continue;
      ++count;
      EXPECT_EQ(network.neighbours(j)[k ^ 1], i);
      for (std::size_t d = 0; d < 3; ++d) {
        const double ideal = static_cast<double>(network.lattice().vectors[k / 2].separation[d]) / 65536;
        const auto separation = static_cast<double>(core::displacement(q[d][j], q[d][i], box[d]));
        EXPECT_LT(std::abs(separation - (k % 2 == 0 ? ideal : -ideal)), 0.4 / grid);
      }
    }
    EXPECT_EQ(count, 12u);
    ASSERT_TRUE(network.is_placed(i));
    for (std::size_t d = 0; d < 3; ++d)
      away = std::max(away, std::abs(network.offset_from_ideal(i, d, q[d][i], box[d]) / 64.0));
  }
  EXPECT_LT(away, 0.3 / grid);
}

TEST(Lattice, ChecksItsNumbers) {
  SpringLattice good;
  good.tolerance = 5;
  good.vectors.resize(2);
  good.vectors[0].separation = {1 << 20, 0, 0};
  good.vectors[1].spring = {100, 100, 100, 0, 0, 0};
  const auto status_of = [](const SpringLattice &lattice) {
    std::vector<std::uint8_t> bytes;
    lattice.write(bytes);
    format::ByteReader reader(bytes.data(), bytes.size());
    SpringLattice read;
    try {
      read.read(reader);
    } catch (const Error &error) {
      return error.status();
    }
    EXPECT_EQ(reader.left(), 0u);
    EXPECT_TRUE(read == lattice);
    return Status::ok;
  };
  EXPECT_EQ(status_of(good), Status::ok);
  const auto bad = [&](auto change) {
    SpringLattice lattice = good;
    change(lattice);
    return status_of(lattice);
  };
  EXPECT_EQ(bad([](SpringLattice &l) { l.tolerance = 0; }), Status::corrupt);
  EXPECT_EQ(bad([](SpringLattice &l) { l.tolerance = (std::int64_t{1} << 28) + 1; }), Status::corrupt);
  EXPECT_EQ(bad([](SpringLattice &l) { l.vectors.clear(); }), Status::corrupt);
  EXPECT_EQ(bad([](SpringLattice &l) { l.vectors.resize(SpringLattice::max_vectors + 1); }), Status::corrupt);
  EXPECT_EQ(bad([](SpringLattice &l) { l.vectors[0].separation[1] = -SpringLattice::max_separation - 1; }),
            Status::corrupt);
  EXPECT_EQ(bad([](SpringLattice &l) { l.shift = SpringLattice::max_shift + 1; }), Status::corrupt);
  EXPECT_EQ(bad([](SpringLattice &l) { l.vectors[0].spring = {16300, 0, 0, 0, 0, 0}; }), Status::corrupt);
}

}  // namespace
}  // namespace gpz::model::model_lattice_test
