// SPDX-License-Identifier: BSD-3-Clause
// Particles without bonds in steps: their order, their classes, their motion by every instruction set, and sections
// that come back.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "all_kernels.hpp"
#include "lanes_support.hpp"

namespace gpz::lanes::lanes_unbound_test {
namespace {

using codec::Frame;
using codec::StepItems;
using core::step_lanes;

// ---- order

Molecules unbound(std::size_t particles, std::size_t classes, test::Random &random) {
  Molecules molecules;
  molecules.kind.assign(classes, core::StepKind::root);
  molecules.of_class.resize(particles);
  for (std::size_t i = 0; i < particles; ++i)
    molecules.of_class[i] =
        i % step_lanes != 0 ? molecules.of_class[i - 1] : static_cast<std::uint8_t>(random.below(classes));
  return molecules;
}

TEST(LanesUnbound, StepsAreParticlesInTurn) {
  test::Random random(1);
  for (const std::size_t n : {1U, 31U, 32U, 33U, 64U, 1000U, 30001U})
    for (const std::uint32_t of_block : {32U, 33U, 500U, 12288U, UINT32_MAX}) {
      SCOPED_TRACE(std::to_string(n) + ", " + std::to_string(of_block));
      const Molecules molecules = unbound(n, 5, random);
      Layout layout;
      layout.build(molecules, of_block);
      ASSERT_EQ(layout.particles(), n);
      ASSERT_EQ(layout.steps().size(), (n + step_lanes - 1) / step_lanes);
      for (std::size_t s = 0; s < layout.slots(); ++s) {
        const codec::Step &step = layout.steps()[s / step_lanes];
        ASSERT_EQ(layout.particle_at()[s], s < n ? s : Layout::nobody);
        ASSERT_EQ(s % step_lanes < step.lanes, s < n);
        if (s >= n) continue;
        ASSERT_EQ(layout.slot_of()[s], s);
        ASSERT_EQ(step.kind, core::StepKind::root);
        ASSERT_EQ(layout.columns()[std::size_t{step.constants} * step_lanes + s % step_lanes], molecules.of_class[s]);
      }
      const std::size_t blocks = layout.blocks().size();
      ASSERT_EQ(blocks, std::max<std::size_t>(1, (n + of_block / 2) / of_block));
      for (std::size_t b = 0; b < blocks; ++b) {
        ASSERT_EQ(layout.blocks()[b].first, b * layout.steps().size() / blocks);
        ASSERT_EQ(layout.blocks()[b].end, (b + 1) * layout.steps().size() / blocks);
      }
    }
}

TEST(LanesUnbound, PlansComeBack) {
  test::Random random(2);
  for (const std::size_t n : {1U, 33U, 5000U})
    for (const std::size_t classes : {1U, 2U, 16U}) {
      Plan stored;
      stored.molecules = unbound(n, classes, random);
      const Molecules &molecules = stored.molecules;
      const Bytes &bytes = stored_plan(stored, 1);
      const test::Copy copy(bytes);
      const auto plan = read_plan(copy.data.get(), copy.size, n, 1);
      EXPECT_FALSE(plan->molecules.have_bonds());
      EXPECT_EQ(plan->molecules.kind, molecules.kind);
      EXPECT_TRUE(std::equal(plan->molecules.of_class.begin(), plan->molecules.of_class.end(),
                             molecules.of_class.begin(), molecules.of_class.end()));
      test::expect_cuts_are_refused(bytes, [&](const Bytes &cut) {
        const test::Copy part(cut);
        try {
          read_plan(part.data.get(), part.size, n, 1);
        } catch (const Error &error) {
          return error.status() == Status::corrupt;
        }
        return false;
      });
    }
}

// ---- classes

// A step of particles for each of these distances, along different axes.
std::vector<int> classes_of(const std::vector<std::int64_t> &moved, const molecule::Cell &cell, std::int64_t edge) {
  const std::size_t n = moved.size() * step_lanes;
  Frame last = codec::empty_frame(n), now = codec::empty_frame(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (auto *frame : {&last, &now}) (*frame)[i % 3][i] = static_cast<std::int64_t>(i);
    now[i % 3][i] += moved[i / step_lanes] + (i % 5 == 0 ? edge : std::int64_t{0});
  }
  const auto plan = plan_without_bonds(codec::columns(last), codec::columns(now), n, cell);
  std::vector<int> found;
  for (std::size_t i = 0; i < n; i += step_lanes) found.push_back(plan->molecules.of_class[i]);
  for (const int of : found) EXPECT_LT(of, static_cast<int>(plan->molecules.kind.size()));
  return found;
}

TEST(LanesUnbound, ClassesAreOfSimilarDisplacements) {
  const molecule::Cell open;
  EXPECT_EQ(classes_of({7, 7, 7}, open, 0), (std::vector<int>{0, 0, 0}));
  // An octave of squares for each class, the least one first.
  EXPECT_EQ(classes_of({64, 1000, 64, 2000}, open, 0), (std::vector<int>{0, 7, 0, 9}));
  // No more than 16: those that move least share one.
  EXPECT_EQ(classes_of({0, 1, 1 << 20, 1 << 19}, open, 0), (std::vector<int>{0, 0, 15, 13}));
  // Through an edge of the box.
  const std::int64_t edge = 1 << 20;
  const molecule::Cell cell(molecule::box_of(0, {edge, edge, edge}).axes);
  EXPECT_EQ(classes_of({64, 1000, 64}, cell, edge), (std::vector<int>{0, 7, 0}));
}

// ---- motion

// Two frames of particles without bonds, with any motions before.
struct Motions {
  static constexpr unsigned now = 4;
  Molecules molecules;
  Layout layout;
  ConstantColumns columns;
  format::Column<std::int32_t> rows;
  format::Column<float> before;
  float gain;

  Motions(std::size_t particles, const std::vector<ClassConstants> &constants, float of_frame, test::Random &random)
      : molecules(unbound(particles, constants.size(), random)), gain(of_frame) {
    layout.build(molecules, UINT32_MAX);
    columns.fill(layout, constants, false, nullptr);
    rows.resize(8 * layout.slots());
    before.resize(layout.slots() * core::motion_columns);
  }
  codec::StepMeans to(format::Column<float> &after) const { return {before.data(), after.data(), gain, true}; }
  codec::StepTable table() const { return layout.table(columns.data()); }
  std::vector<StepItems> items(const codec::StepKernels &with, format::Column<float> &after) {
    std::vector<StepItems> found(layout.steps().size() * codec::step_most_items);
    found.resize(with.find(table(), 0, layout.steps().size(), rows.data(), now, to(after), found.data()));
    return found;
  }
};

std::int32_t displacement(std::int32_t to, std::int32_t from) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(to) - static_cast<std::uint32_t>(from));
}

// As the page has it, of a particle.
struct OneParticle {
  std::array<Number, 3> numbers;
  std::array<float, core::motion_columns> after;

  OneParticle(const Motions &of, std::size_t slot) {
    const codec::StepTable table = of.table();
    const float *const constants =
        table.constants + std::size_t{table.steps[slot / step_lanes].constants} * core::step_constants * step_lanes;
    const auto k = [&](unsigned c) { return constants[c * step_lanes + slot % step_lanes]; };
    constexpr core::StepConstant variances[] = {core::variance_x, core::variance_y, core::variance_z};
    for (unsigned d = 0; d < 3; ++d) {
      const auto m = [&](unsigned c) { return of.before[core::index_of_motion(slot, c + d)]; };
      const float last = m(core::motion_last), one_before = m(core::motion_before), mean = m(core::motion_to_mean);
      const float expected = k(core::of_last_displacement) * last + k(core::of_displacement_before) * one_before +
                             k(core::of_offset_to_mean) * mean;
      const std::int32_t moved = displacement(of.rows[8 * slot + Motions::now + d], of.rows[8 * slot + d]);
      numbers[d] = number_of(core::StepNumber::of_root, expected, k(variances[d]), moved);
      after[core::motion_last + d] = static_cast<float>(moved);
      after[core::motion_before + d] = last;
      after[core::motion_to_mean + d] = (1.0F - of.gain) * (mean - static_cast<float>(moved));
    }
  }
};

bool are_same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Numbers from every set as from single particles, and rows and motions back from every set.
void expect_the_same(Motions &motions) {
  const auto sets = codec::all_kernels();
  const std::size_t steps = motions.layout.steps().size(), n = motions.molecules.particles();
  const auto empty = [&] { return format::Column<float>(motions.before.size()); };
  format::Column<float> expected = empty();
  const std::vector<StepItems> items = motions.items(sets[0]->steps, expected);
  ASSERT_EQ(items.size(), 3 * steps);
  for (std::size_t s = 0; s < motions.layout.slots(); ++s) {
    const std::size_t lane = s % step_lanes;
    if (s >= n) {
      for (unsigned d = 0; d < 3; ++d) ASSERT_EQ(items[s / step_lanes * 3 + d].context[lane], StepItems::nothing);
      continue;
    }
    const OneParticle one(motions, s);
    for (unsigned d = 0; d < 3; ++d) {
      const StepItems &of = items[s / step_lanes * 3 + d];
      ASSERT_EQ(of.context[lane], one.numbers[d].context) << s << ", " << d;
      ASSERT_EQ(of.number[lane], one.numbers[d].number) << s << ", " << d;
    }
    for (unsigned c = 0; c < core::motion_columns; ++c)
      ASSERT_TRUE(are_same(expected[core::index_of_motion(s, c)], one.after[c])) << s << ", " << c;
  }
  Counts counts;
  counts.add(items.data(), items.size());
  Codes codes;
  codes.choose(counts.contexts, counts.sides);
  codes = read_back(codes);
  const Shares shares(codes);
  for (const codec::Kernels *const set : sets) {
    SCOPED_TRACE(set->name);
    format::Column<float> after = empty();
    const std::vector<StepItems> found = motions.items(set->steps, after);
    ASSERT_EQ(found.size(), items.size());
    std::vector<std::uint16_t> words;
    shares.encode(steps, found.data(), found.size(), words, set->steps);
    const std::size_t count = words.size();
    words.resize(count + codec::step_most_words);
    format::Column<std::int32_t> rows = motions.rows;
    for (std::size_t s = 0; s < n; ++s) std::fill_n(rows.begin() + 8 * s + Motions::now, 4, -1);
    // Decoders write over the motions.
    format::Column<float> own = motions.before;
    const codec::StepMeans means{own.data(), own.data(), motions.gain, true};
    ASSERT_TRUE(set->steps.decode(motions.table(), codes.for_kernels(), 0, steps, rows.data(), Motions::now, means,
                                  words.data(), count));
    for (std::size_t s = 0; s < n; ++s) {
      for (std::size_t d = 0; d < 3; ++d)
        ASSERT_EQ(rows[8 * s + Motions::now + d], motions.rows[8 * s + Motions::now + d]);
      ASSERT_EQ(rows[8 * s + Motions::now + 3], rows[8 * s + 3]);  // the image
      for (unsigned c = 0; c < core::motion_columns; ++c) {
        const std::size_t at = core::index_of_motion(s, c);
        ASSERT_TRUE(are_same(after[at], expected[at]) && are_same(own[at], expected[at])) << s << ", " << c;
      }
    }
  }
}

std::vector<ClassConstants> constants_by_chance(std::size_t classes, bool at_limits, test::Random &random) {
  std::vector<ClassConstants> all(classes);
  const auto either = [&](int least, int most) { return random.below(2) == 0 ? least : most; };
  for (ClassConstants &c : all) {
    for (auto &weight : c.weight)
      weight = static_cast<std::int16_t>(at_limits ? either(INT16_MIN, INT16_MAX)
                                                   : static_cast<int>(random.below(1024)) - 512);
    for (auto *power : {&c.length_variance, &c.along_variance, &c.bend, &c.bend2})
      *power = static_cast<std::uint16_t>(at_limits ? either(0, most_power) : 40 + static_cast<int>(random.below(100)));
  }
  return all;
}

TEST(LanesUnbound, SameMotionFromEverySetAndSingleParticles) {
  test::Random random(3);
  for (const std::size_t n : {1U, 15U, 32U, 33U, 300U, 300U * 32U})
    for (const double size : {0.0, 3.0, 1e4, 2e9})
      for (const bool at_limits : {false, true}) {
        SCOPED_TRACE(std::to_string(n) + " by " + std::to_string(size) + (at_limits ? ", limits" : ""));
        const float gain = random.below(2) == 0 ? 1.0F / 64 : 1.0F / 3;
        Motions motions(n, constants_by_chance(4, at_limits, random), gain, random);
        for (std::size_t k = 0; k < motions.rows.size(); ++k)
          motions.rows[k] = static_cast<std::int32_t>(std::llround(size * random.uniform(-1, 1)));
        for (float &x : motions.before) x = static_cast<float>(size * random.uniform(-1, 1));
        expect_the_same(motions);
        if (testing::Test::HasFailure()) return;
      }
}

// ---- sections

// Particles that go on as they did, but for kicks; those of later slots are lighter.
class Liquid {
 public:
  Liquid(std::size_t particles, double speed, double kick, std::uint64_t seed) : random_(seed), kick_(kick) {
    for (std::size_t i = 0; i < particles; ++i) {
      place_.push_back(by_chance(4000));
      velocity_.push_back(by_chance(speed));
    }
  }
  void move() {
    for (std::size_t i = 0; i < place_.size(); ++i) {
      const double of = kick_ * std::exp2(6 * static_cast<double>(i) / static_cast<double>(place_.size()));
      for (std::size_t d = 0; d < 3; ++d) {
        velocity_[i][d] += of * random_.uniform(-1, 1);
        place_[i][d] += velocity_[i][d];
      }
    }
  }
  Frame in(const Edges &edges) const {
    Frame q = codec::empty_frame(place_.size());
    for (std::size_t i = 0; i < place_.size(); ++i) {
      const molecule::GridVector x =
          molecule::inside({std::llround(place_[i][0]), std::llround(place_[i][1]), std::llround(place_[i][2])}, edges);
      for (std::size_t d = 0; d < 3; ++d) q[d][i] = x[d];
    }
    return q;
  }
  Frame next(const Edges &edges) {
    move();
    return in(edges);
  }
  void heat(double by) { kick_ *= by; }

 private:
  std::array<double, 3> by_chance(double size) {
    return {random_.uniform(-size, size), random_.uniform(-size, size), random_.uniform(-size, size)};
  }

  test::Random random_;
  double kick_;
  std::vector<std::array<double, 3>> place_, velocity_;
};

Followed followed_without_bonds(const Frame &first) {
  Followed followed(first);
  followed.use_bonds = false;
  return followed;
}

std::vector<Edges> boxes() {
  const std::int64_t size = 9000;
  Edges partly = molecule::box_of(-4500, {size, size, size});
  partly.axes[1] = {};
  return {Edges{}, molecule::box_of(-4500, {size, size, size}), partly,
          molecule::tilted_box(-4500, {size, size, size}, {size / 3, -size / 4, size / 5})};
}

// The variance of a class of few particles grows past powers of two, where numbers have another table. Without that
// table they have 32 bits each.
TEST(LanesUnbound, NewLevelsHaveTables) {
  Liquid most(16384, 60, 0.5, 9), few(64, 4, 8, 10);
  const auto next = [&] {
    Frame all = few.next({});
    const Frame others = most.next({});
    for (std::size_t d = 0; d < all.size(); ++d) all[d].insert(all[d].end(), others[d].begin(), others[d].end());
    return all;
  };
  Followed followed = followed_without_bonds(next());
  std::size_t before = 0;
  for (int f = 1; f < 12; ++f) before = followed.next(next(), {}).size();
  few.heat(200);
  EXPECT_LT(followed.next(next(), {}).size(), before + before / 64);
}

TEST(LanesUnbound, SectionsComeBack) {
  for (const Edges &box : boxes())
    for (const std::size_t n : {1U, 2U, 31U, 32U, 33U, 700U})
      for (const double speed : {0.0, 30.0, 3000.0}) {
        SCOPED_TRACE(std::to_string(n) + " by " + std::to_string(speed));
        Liquid liquid(n, speed, speed / 20, n);
        Followed followed = followed_without_bonds(liquid.in(box));
        for (int f = 1; f < 8; ++f) {
          const Bytes bytes = followed.next(liquid.next(box), box);
          ASSERT_FALSE(bytes.empty());
          EXPECT_EQ(bytes[0] & head::molecules, f == 1 ? 1 : 0) << f;
          EXPECT_FALSE(followed.theirs.have_bonds());
        }
        if (testing::Test::HasFailure()) return;
      }
}

// Of several blocks; beyond the limits of rows; images that change.
TEST(LanesUnbound, LargeSectionsAreTheSameFromThreads) {
  const Edges box = boxes()[1];
  Liquid liquid(30000, 100, 5, 4);
  Followed one = followed_without_bonds(liquid.in(box)), three = one;
  for (int f = 1; f < 4; ++f) {
    Frame q = liquid.next(box);
    if (f == 2)
      for (std::size_t i = 0; i < 30000; i += 1000) q[i % 3][i] += 3 * box.axes[0].period;
    if (f == 3) q[1][77] += std::int64_t{1} << 30;
    const Bytes bytes = one.next(q, box, 1);
    EXPECT_EQ(bytes, three.next(q, box, 3));
  }
}

// What the history knows of motion is where motions begin: behind frames in another coding, or after particles left.
TEST(LanesUnbound, MotionsBeginWithTheHistory) {
  const Edges box = boxes()[1];
  for (const bool exchanged : {false, true}) {
    Liquid liquid(1200, 400, 0, 5), other(1200, 400, 0, 5);
    Followed followed = followed_without_bonds(liquid.in(box)), without = followed_without_bonds(liquid.in(box));
    for (int f = 0; f < 3; ++f) {
      const Frame q = liquid.next(box);
      followed.skip(q, box);
      if (f == 2) without = followed_without_bonds(q);
    }
    Frame q = liquid.next(box);
    if (exchanged) {
      std::vector<std::uint32_t> kept;
      for (std::uint32_t i = 0; i < 1200; ++i)
        if (i != 50) kept.push_back(i);
      for (Followed *of : {&followed, &without}) of->keep(kept);
      for (auto &axis : q) axis.erase(axis.begin() + 50);
    }
    // Particles in free flight are where they are expected, to a grid step.
    const std::size_t size = followed.next(q, box).size();
    EXPECT_LT(3 * size, without.next(q, box).size()) << exchanged;
  }
}

// The history may forget motion, which sections remember; later ones in the same coding are as before.
TEST(LanesUnbound, HistoryMayForgetMotion) {
  const Edges box = boxes()[1];
  Liquid liquid(600, 300, 3, 6);
  Followed kept = followed_without_bonds(liquid.in(box)), forgotten = kept;
  forgotten.rests = true;
  constexpr std::uint8_t motion_ends = 64;
  for (int f = 1; f < 6; ++f) {
    const Frame q = liquid.next(box);
    Bytes usual = kept.next(q, box);
    const Bytes bytes = forgotten.next(q, box);
    EXPECT_NE(bytes[0] & motion_ends, 0);
    usual[0] |= motion_ends;
    EXPECT_EQ(bytes, usual) << f;
    EXPECT_TRUE(forgotten.state.at_rest);
  }
}

// After frames in another coding, after particles left and arrived, from updates that were dropped, and from what a
// reader remembers.
TEST(LanesUnbound, FramesBetweenAndParticlesThatLeave) {
  const Edges box = boxes()[3];
  Liquid liquid(330, 100, 10, 7);
  Followed followed = followed_without_bonds(liquid.in(box));
  for (int f = 1; f < 16; ++f) {
    Frame q = liquid.next(box);
    if (f > 6)
      for (auto &axis : q) std::rotate(axis.begin(), axis.begin() + 7, axis.end());
    if (f % 4 == 2) {
      followed.skip(q, box);
      if (f == 6) {
        std::vector<std::uint32_t> kept;
        for (std::uint32_t i = 7; i < 330; ++i) kept.push_back(i);
        followed.keep(kept);
        for (auto &axis : q) axis.resize(7);
        followed.add(q);
      }
      continue;
    }
    if (f == 11) followed.ours = followed.theirs;
    if (f % 2 == 0) {
      Bytes dropped;
      EXPECT_TRUE(encode(followed.ours, followed.state, codec::columns(q), box, dropped, {1, false, false}));
    }
    const Bytes bytes = followed.next(q, box);
    ASSERT_FALSE(bytes.empty()) << f;
    EXPECT_EQ(bytes[0] & head::molecules, f == 1 || f == 7 ? 1 : 0) << f;
  }
}

}  // namespace
}  // namespace gpz::lanes::lanes_unbound_test
