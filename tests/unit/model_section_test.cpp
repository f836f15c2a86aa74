// SPDX-License-Identifier: BSD-3-Clause
// Modelled sections: what is encoded is decoded again, with every model and flag, while particles leave and arrive;
// damage and hostile heads are refused, or give values, and nothing else.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>

#include "damage_support.hpp"
#include "difference_support.hpp"
#include "gpz/model/modelled_section.hpp"
#include "matter.hpp"

namespace gpz::model::model_section_test {
namespace {

using codec::columns;
using codec::empty_frame;
using codec::Frame;
using test::LennardJones;
using test::Matter;
using test::Random;
using test::Waters;
using Bytes = std::vector<std::uint8_t>;

// The head (docs/format.md, section 9a).
struct Head {
  static constexpr std::uint8_t slots = 1, space = 2;
  static constexpr std::uint8_t temporal = 0, lattice = 1, pair_force = 2;
  explicit Head(const Bytes &bytes) : model(bytes[0]), flags(bytes[1]), levels(bytes[2]), base(bytes[3]) {}
  std::uint8_t model, flags, levels, base;
};

core::GridBox grid_box(const Matter &matter, double step) {
  core::GridBox box{};
  for (std::size_t d = 0; d < matter.dimension; ++d) box[d] = {0, std::llround(matter.edges[d] / step)};
  return box;
}

Frame indices(const Matter &matter, double step, const core::GridBox &box) {
  Frame q = empty_frame(matter.position.size());
  for (std::size_t i = 0; i < matter.position.size(); ++i) {
    const test::Vector x = matter.inside(i);
    for (std::size_t d = 0; d < matter.dimension; ++d)
      q[d][i] = box[d].period != 0 ? core::wrap(std::llround(x[d] / step), box[d]) : std::llround(x[d] / step);
  }
  return q;
}

// An encoder and a decoder of the frames of a chunk.
class Followed {
 public:
  Followed(const Frame &first, int components, const core::GridBox &axes) : box(axes) {
    state.start(columns(first), first[0].size(), components);
    for (std::size_t i = 0; i < first[0].size(); ++i) particle_.push_back(i);
  }

  // `all` has the particles of the first frame.
  Bytes next(const Frame &all, const ModelledOptions &options) {
    const Frame q = of_slots(all, 0);
    Bytes bytes;
    ModelledUpdate update = encode_modelled(state, ours, columns(q), box, options, bytes);
    EXPECT_EQ(bytes.size() % 8, 0U);
    ours.commit(std::move(update));
    const test::Copy copy(bytes);
    Frame decoded = empty_frame(state.particles);
    decode_modelled(state, theirs, copy.data.get(), copy.size, box, codec::output(decoded));
    for (std::size_t d = 0; d < static_cast<std::size_t>(state.components); ++d) EXPECT_EQ(decoded[d], q[d]);
    EXPECT_EQ(ours.scale, theirs.scale);
    state.advance(columns(q), box);
    return bytes;
  }

  // One of `every` particles leaves. As many arrivals as `arriving` come behind the others: twins of particles of
  // `all`, where these are.
  void exchange(const Frame &all, std::size_t every, std::size_t arriving) {
    std::vector<std::uint32_t> kept;
    for (std::uint32_t i = 0; i < state.particles; ++i)
      if (i % every != every / 2) kept.push_back(i);
    for (std::size_t i = 0; i < kept.size(); ++i) particle_[i] = particle_[kept[i]];
    particle_.resize(kept.size());
    for (std::size_t i = 0; i < arriving; ++i) particle_.push_back(7 * i % all[0].size());
    for (ModelledState *modelled : {&ours, &theirs}) modelled->keep(kept.data(), kept.size());
    state.keep(kept.data(), kept.size());
    const Frame added = of_slots(all, kept.size());
    state.add(columns(added), arriving);
    for (ModelledState *modelled : {&ours, &theirs}) modelled->add(arriving);
  }

  core::GridBox box;
  codec::DifferenceState state;
  ModelledState ours;
  ModelledState theirs;

 private:
  Frame of_slots(const Frame &all, std::size_t first) const {
    Frame q = empty_frame(particle_.size() - first);
    for (std::size_t d = 0; d < q.size(); ++d)
      for (std::size_t i = first; i < particle_.size(); ++i) q[d][i - first] = all[d][particle_[i]];
    return q;
  }

  std::vector<std::size_t> particle_;  // of each slot
};

constexpr ModelledOptions other_values{false, false};
constexpr ModelledOptions positions{false, true};
constexpr ModelledOptions positions_by_id{true, true};

struct Seen {
  std::set<int> models;
  std::uint8_t flags = 0;
  unsigned levels = 0;
  std::size_t size = 0;
  void note(const Bytes &bytes) {
    const Head head(bytes);
    models.insert(head.model);
    flags |= head.flags;
    levels = std::max<unsigned>(levels, head.levels);
    size += bytes.size();
  }
};

// Frames of matter that `move` moves. With `exchanged`, particles leave and arrive before every third one.
template <typename Move>
Seen follow(Matter &matter, double step, int frames, const ModelledOptions &options, bool exchanged, Move move) {
  const core::GridBox box = grid_box(matter, step);
  Frame q = indices(matter, step, box);
  Followed followed(q, static_cast<int>(matter.dimension), box);
  Seen seen;
  for (int f = 1; f < frames; ++f) {
    if (exchanged && f % 3 == 0) followed.exchange(q, 40, 25);
    move();
    q = indices(matter, step, box);
    seen.note(followed.next(q, options));
    if (testing::Test::HasFailure()) break;
  }
  return seen;
}

// Bytes of the sections of coding 1 for the same frames.
template <typename Move>
std::size_t differences(Matter &matter, double step, int frames, Move move) {
  const core::GridBox box = grid_box(matter, step);
  codec::DifferenceState state;
  state.start(columns(indices(matter, step, box)), matter.position.size(), static_cast<int>(matter.dimension));
  std::size_t size = 0;
  for (int f = 1; f < frames; ++f) {
    move();
    const Frame q = indices(matter, step, box);
    Bytes bytes;
    codec::encode_difference(state, columns(q), box, bytes);
    size += bytes.size();
    state.advance(columns(q), box);
  }
  return size;
}

TEST(ModelledSection, OfALiquidHasPairForces) {
  LennardJones liquid(6, 0.8, 1.0, 1);
  liquid.run(100);
  LennardJones again = liquid;
  const Seen seen = follow(liquid, 0.001, 9, positions, false, [&] { liquid.run(10); });
  EXPECT_EQ(seen.models.count(Head::pair_force), 1U);
  EXPECT_NE(seen.flags & Head::space, 0);
  EXPECT_LT(seen.size, differences(again, 0.001, 9, [&] { again.run(10); }) * 9 / 10);
}

TEST(ModelledSection, OfACrystalHasALattice) {
  LennardJones crystal(6, 1.05, 0.1, 2);
  crystal.run(60);
  LennardJones again = crystal;
  const Seen seen = follow(crystal, 0.001, 10, positions_by_id, false, [&] { crystal.run(25); });
  EXPECT_EQ(seen.models.count(Head::lattice), 1U);
  EXPECT_LT(seen.size, differences(again, 0.001, 10, [&] { again.run(25); }));
}

TEST(ModelledSection, OfMoleculesHasNeighboursInSlots) {
  const codec::Trajectory t = codec::molecules(1500, 4, 3, 100, 5);
  Followed followed(t.frames[0], 3, t.box);
  Seen seen;
  for (std::size_t f = 1; f < t.frames.size(); ++f) seen.note(followed.next(t.frames[f], positions_by_id));
  EXPECT_EQ(seen.models, std::set<int>{Head::temporal});
  EXPECT_EQ(seen.flags, Head::slots);
}

TEST(ModelledSection, ParticlesLeaveAndArrive) {
  LennardJones liquid(5, 0.8, 1.0, 4);
  follow(liquid, 0.001, 9, positions, true, [&] { liquid.run(5); });
  LennardJones crystal(5, 1.05, 0.1, 5);
  crystal.run(20);
  follow(crystal, 0.001, 9, positions_by_id, true, [&] { crystal.run(20); });
  Waters waters(400, 0, 6);
  follow(waters, 0.01, 9, positions_by_id, true, [&] { waters.move(); });
}

// Frames that are tried and then coded otherwise: a state goes on as a copy does that was made before.
template <typename Move>
void expect_nothing_of_dropped(Matter &matter, double step, const ModelledOptions &options, Move move) {
  const core::GridBox box = grid_box(matter, step);
  Frame q = indices(matter, step, box);
  Followed followed(q, 3, box);
  Followed restored(q, 3, box);
  const auto drop = [&](Followed &f) {
    Bytes bytes;
    encode_modelled(f.state, f.ours, columns(q), box, options, bytes);
    f.state.advance(columns(q), box);
    return bytes;
  };
  for (int f = 1; f < 8; ++f) {
    move();
    q = indices(matter, step, box);
    if (f % 4 == 1) {
      ModelledState before = restored.ours;
      const Bytes dropped = drop(restored);
      restored.ours = std::move(before);
      EXPECT_EQ(drop(followed), dropped) << f;
    } else {
      EXPECT_EQ(followed.next(q, options), restored.next(q, options)) << f;
    }
  }
}

TEST(ModelledSection, DroppedUpdatesChangeNothing) {
  LennardJones liquid(4, 0.8, 1.0, 1);
  liquid.run(20);
  expect_nothing_of_dropped(liquid, 0.001, positions, [&] { liquid.run(5); });
  LennardJones crystal(4, 1.05, 0.1, 2);
  crystal.run(20);
  expect_nothing_of_dropped(crystal, 0.001, positions_by_id, [&] { crystal.run(10); });
  Waters waters(200, 1, 3);
  expect_nothing_of_dropped(waters, 0.01, positions_by_id, [&] { waters.move(); });
}

// The memory that a reader reports is given back when it drops its history.
template <typename Move>
void expect_memory(Matter &matter, double step, const ModelledOptions &options, Move move) {
  format::Budget budget{Limits()};
  const format::Budget::Scope scope(budget);
  const core::GridBox box = grid_box(matter, step);
  Followed followed(indices(matter, step, box), 3, box);
  for (int f = 1; f < 8; ++f) {
    move();
    followed.next(indices(matter, step, box), options);
  }
  const std::size_t said = followed.theirs.memory_usage();
  const std::uint64_t before = budget.used();
  followed.theirs = ModelledState();
  EXPECT_LE(before - budget.used(), said);
  EXPECT_GE(before - budget.used() + 4096, said);
  EXPECT_GE(said, matter.position.size() * 4);
}

TEST(ModelledSection, SaysHowMuchMemoryItHas) {
  LennardJones liquid(5, 0.8, 1.0, 1);
  liquid.run(40);
  expect_memory(liquid, 0.001, positions, [&] { liquid.run(5); });
  LennardJones crystal(5, 1.05, 0.1, 2);
  crystal.run(40);
  expect_memory(crystal, 0.001, positions_by_id, [&] { crystal.run(15); });
  Waters waters(700, 1, 3);
  expect_memory(waters, 0.01, positions_by_id, [&] { waters.move(); });
}

TEST(ModelledSection, TwoAxesAndOne) {
  LennardJones flat(30, 0.7, 0.8, 7, true);
  flat.run(30);
  follow(flat, 0.001, 8, positions, false, [&] { flat.run(8); });
  follow(flat, 0.001, 8, positions_by_id, true, [&] { flat.run(8); });

  Random random(8);
  Frame q = empty_frame(2000);
  Followed followed(q, 1, {});
  for (int f = 0; f < 5; ++f) {
    for (std::size_t i = 0; i < q[0].size(); ++i) q[0][i] += codec::gaussian(random, 20) + (i % 3 == 0 ? 100 : 0);
    followed.next(q, f % 2 == 0 ? other_values : positions);
  }
}

// Half of the particles rest nearly, the others do not: several scale levels.
TEST(ModelledSection, ScalesDiffer) {
  Random random(9);
  Frame q = empty_frame(3000);
  for (auto &axis : q)
    for (auto &x : axis) x = static_cast<std::int64_t>(random.below(100000));
  Followed followed(q, 3, {});
  Seen seen;
  for (int f = 0; f < 6; ++f) {
    for (auto &axis : q)
      for (std::size_t i = 0; i < axis.size(); ++i) axis[i] += codec::gaussian(random, i % 2 == 0 ? 0.4 : 300.0);
    seen.note(followed.next(q, other_values));
  }
  EXPECT_GE(seen.levels, 4U);
  EXPECT_LE(seen.levels, 16U);
}

// Nothing that indices may be is beyond what a section can say.
TEST(ModelledSection, AnyIndices) {
  const std::size_t n = 1500;
  std::vector<codec::Trajectory> all{codec::noise(n, 6), codec::random_walk(n, 6, 1e9, 10),
                                     codec::ballistic(n, 6, 20000), codec::crystal(n, 6, 50, {10000, 20000, 9}),
                                     codec::molecules(n, 6, 3, 100, 5)};
  all.push_back(codec::jumping(codec::random_walk(n, 6, 10, 11)));
  for (const ModelledOptions &options : {other_values, positions, positions_by_id})
    for (const codec::Trajectory &t : all)
      for (const int components : {1, 2, 3}) {
        Followed followed(t.frames[0], components, t.box);
        for (std::size_t f = 1; f < t.frames.size(); ++f) {
          SCOPED_TRACE(std::to_string(&t - all.data()) + " components " + std::to_string(components));
          followed.next(t.frames[f], options);
        }
      }
}

TEST(ModelledSection, FewParticles) {
  for (const std::size_t n : {1, 2, 3, 7}) {
    const codec::Trajectory t = codec::random_walk(n, 4, 5, n);
    for (const ModelledOptions &options : {other_values, positions, positions_by_id}) {
      Followed followed(t.frames[0], 3, t.box);
      for (std::size_t f = 1; f < t.frames.size(); ++f) followed.next(t.frames[f], options);
    }
  }
}

// ---- damage

// A section with the history before it.
struct Case {
  codec::DifferenceState state;
  ModelledState modelled;
  core::GridBox box;
  Bytes bytes;

  // An error, or values: whatever else may happen is for the sanitizers.
  bool is_refused(const Bytes &changed) const {
    const test::Copy copy(changed);
    Frame out = empty_frame(state.particles);
    ModelledState scratch = modelled;
    try {
      decode_modelled(state, scratch, copy.data.get(), copy.size, box, codec::output(out));
    } catch (const Error &error) {
      EXPECT_TRUE(error.status() == Status::corrupt || error.status() == Status::unsupported_version);
      return true;
    }
    // Decoding must be able to go on with the decoded values.
    codec::DifferenceState following = state;
    following.advance(columns(out), box);
    Bytes more;
    encode_modelled(following, scratch, columns(out), box, positions, more);
    return false;
  }
};

// The section after `frames` frames.
template <typename Move>
Case case_of(Matter &matter, double step, int frames, const ModelledOptions &options, Move move) {
  Case made;
  made.box = grid_box(matter, step);
  Followed followed(indices(matter, step, made.box), static_cast<int>(matter.dimension), made.box);
  for (int f = 0; f < frames; ++f) {
    move();
    made.state = followed.state;
    made.modelled = followed.theirs;
    made.bytes = followed.next(indices(matter, step, made.box), options);
  }
  return made;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  LennardJones liquid(3, 0.8, 1.0, 12);
  liquid.run(50);
  all.push_back(case_of(liquid, 0.01, 6, positions, [&] { liquid.run(8); }));
  LennardJones crystal(4, 1.05, 0.1, 13);
  crystal.run(40);
  all.push_back(case_of(crystal, 0.01, 8, positions_by_id, [&] { crystal.run(30); }));
  for (const int frames : {1, 3}) {
    Waters waters(60, 0, 14);
    all.push_back(case_of(waters, 0.01, frames, positions_by_id, [&] { waters.move(); }));
  }
  return all;
}

TEST(ModelledSection, DamageIsRefusedOrGivesValues) {
  for (const Case &one : cases()) {
    ASSERT_FALSE(one.is_refused(one.bytes));
    std::size_t refused = 0;
    for (std::size_t at = 0; at < one.bytes.size(); ++at)
      for (const int change : {1, 0x80, 0xff}) {
        Bytes changed = one.bytes;
        changed[at] = static_cast<std::uint8_t>(changed[at] ^ change);
        refused += one.is_refused(changed) ? 1 : 0;
      }
    EXPECT_GT(refused, one.bytes.size());
    test::expect_cuts_are_refused(one.bytes, [&](const Bytes &changed) { return one.is_refused(changed); });
  }
}

TEST(ModelledSection, DamageInMorePlacesAtOnce) {
  Random random(15);
  for (const Case &one : cases()) {
    test::expect_damage_is_refused(one.bytes, 300, random,
                                   [&](const Bytes &changed) { return one.is_refused(changed); });
  }
}

TEST(ModelledSection, HostileHeads) {
  const Case one = cases()[0];
  const auto with = [&](std::size_t at, std::initializer_list<int> values) {
    Bytes changed = one.bytes;
    for (const int value : values) changed[at++] = static_cast<std::uint8_t>(value);
    return changed;
  };
  for (const int model : {3, 4, 255}) EXPECT_TRUE(one.is_refused(with(0, {model}))) << model;
  // Neighbours of two kinds, those in a lattice without one, flags that there are not.
  for (const int flags : {3, 16, 17, 18, 32, 255}) EXPECT_TRUE(one.is_refused(with(1, {flags}))) << flags;
  for (const int bonds : {4, 5, 8, 12}) {
    const Bytes changed = with(1, {bonds});
    Frame out = empty_frame(one.state.particles);
    ModelledState scratch = one.modelled;
    try {
      decode_modelled(one.state, scratch, changed.data(), changed.size(), one.box, codec::output(out));
      ADD_FAILURE() << bonds;
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), Status::unsupported_version);
      EXPECT_EQ(error.cause(),
                "a section of coding 4 with bonds, which left the format before version 1 was frozen; "
                "commit 5723a4f0 of gpz reads it");
    }
  }
  for (const int levels : {0, 17, 255}) EXPECT_TRUE(one.is_refused(with(2, {levels}))) << levels;
  for (const int base : {65, 255}) EXPECT_TRUE(one.is_refused(with(3, {base}))) << base;
  // A margin of any size is cut to what the axis allows.
  one.is_refused(with(4, {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}));
  // More exceptions than there are bytes; exceptions that no number asks for.
  for (const int last : {1, 0x20, 0x80, 255}) EXPECT_TRUE(one.is_refused(with(23, {last}))) << last;
  Bytes more = with(16, {1});
  more.insert(more.begin() + 24, 8, 0);
  EXPECT_TRUE(one.is_refused(more));
  // Parameters of a lattice as those before, where there was none.
  for (int first = 0; first < 256; ++first)
    one.is_refused([&] {
      Bytes changed(24);
      changed[0] = Head::lattice;
      changed[2] = 1;
      changed.resize(40, static_cast<std::uint8_t>(first));
      return changed;
    }());
}

}  // namespace
}  // namespace gpz::model::model_section_test
