// SPDX-License-Identifier: BSD-3-Clause
// Which particle of a frame is which of the previous frame.
#include "gpz/trajectory/identity.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "codec_support.hpp"

namespace gpz::trajectory::identity_test {
namespace {

using Ids = format::Column<std::int64_t>;
using test::Random;

// Checks that slots have particles of their id, and that every particle either has one slot or arrives. Returns how
// many pairs of slot and particle are possible in addition.
std::size_t check(const Identity &identity, const Ids &slots, const Ids &ids) {
  std::vector<int> used(ids.size(), 0);
  std::map<std::int64_t, std::pair<std::size_t, std::size_t>> count;  // of each id: slots, particles
  for (const std::int64_t id : slots) ++count[id].first;
  for (const std::int64_t id : ids) ++count[id].second;
  std::size_t possible = 0;
  for (const auto &[id, both] : count) possible += std::min(both.first, both.second);

  std::size_t pairs = 0;
  EXPECT_EQ(identity.particle_of_slot().size(), slots.size());
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    const std::uint32_t particle = identity.particle_of_slot()[slot];
    if (particle == Identity::nowhere) continue;
    ++pairs;
    if (particle >= ids.size() || ids[particle] != slots[slot]) {
      ADD_FAILURE() << "slot " << slot << " has particle " << particle;
      return pairs;
    }
    ++used[particle];
  }
  for (const std::uint32_t particle : identity.arriving()) ++used[particle];
  EXPECT_TRUE(std::all_of(used.begin(), used.end(), [](int times) { return times == 1; }));
  EXPECT_TRUE(std::is_sorted(identity.arriving().begin(), identity.arriving().end()));
  EXPECT_LE(pairs, possible);
  return possible - pairs;
}

// The next frame's slots.
Ids renumbered(const Identity &identity, const Ids &slots, const Ids &ids) {
  Ids next;
  for (std::size_t slot = 0; slot < slots.size(); ++slot)
    if (identity.particle_of_slot()[slot] != Identity::nowhere) next.push_back(slots[slot]);
  for (const std::uint32_t particle : identity.arriving()) next.push_back(ids[particle]);
  return next;
}

void shuffle(Ids &ids, Random &random) {
  for (std::size_t i = ids.size(); i > 1; --i) std::swap(ids[i - 1], ids[random.below(i)]);
}

TEST(Identity, FindsAllIdsInAnyOrder) {
  Random random(1);
  for (const std::size_t n : {0u, 1u, 2u, 15u, 16u, 17u, 1000u, 30000u}) {
    for (const std::int64_t spacing : {std::int64_t{1}, std::int64_t{-3}, std::int64_t{1} << 40, INT64_MAX / 30001}) {
      Ids slots(n);
      for (std::size_t i = 0; i < n; ++i) slots[i] = static_cast<std::int64_t>(i + 1) * spacing;
      Ids ids = slots;
      Identity identity;
      for (int frame = 0; frame < 4; ++frame) {
        if (frame != 2) shuffle(ids, random);
        identity.match(slots, ids, 1 + frame);
        EXPECT_EQ(check(identity, slots, ids), 0u);
        EXPECT_TRUE(identity.arriving().empty());
        EXPECT_TRUE(identity.all_stay());
        identity.renumber();
      }
    }
  }
}

// Ids lie close together. One leaves, and another one arrives: between them, or beyond all.
TEST(Identity, OfOneThatIsAnother) {
  Random random(4);
  constexpr std::size_t n = 50000;
  Ids slots(n);
  for (std::size_t i = 0; i < n; ++i) slots[i] = 2 * static_cast<std::int64_t>(i);
  for (const std::int64_t other : {std::int64_t{777}, std::int64_t{2 * n}, std::int64_t{500}}) {
    for (const bool sorted : {false, true}) {
      Identity identity;
      if (sorted) {
        identity.match(slots, slots);
        identity.renumber();
      }
      Ids ids = slots;
      ids[1000] = other;
      shuffle(ids, random);
      identity.match(slots, ids, 3);
      EXPECT_EQ(check(identity, slots, ids), 0u);
      EXPECT_EQ(identity.arriving().size(), 1u);
      EXPECT_EQ(identity.particle_of_slot()[1000], Identity::nowhere);
      EXPECT_FALSE(identity.all_stay());
      identity.renumber();
    }
  }
}

TEST(Identity, OfParticlesThatLeaveAndArrive) {
  Random random(2);
  for (const std::uint64_t range : {10u, 1000u, 1000000u}) {
    Identity identity;
    Ids slots;
    for (int frame = 0; frame < 40; ++frame) {
      if (frame == 20) identity.reset();
      // Ids occur several times in the smaller ranges.
      Ids ids = slots;
      const std::size_t leave = random.below(ids.size() + 1) / 3;
      for (std::size_t k = 0; k < leave; ++k)
        ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(random.below(ids.size())));
      const std::size_t arrive = random.below(60);
      for (std::size_t k = 0; k < arrive; ++k) ids.push_back(static_cast<std::int64_t>(random.below(range)));
      if (frame % 3 == 0) shuffle(ids, random);
      identity.match(slots, ids);
      EXPECT_EQ(check(identity, slots, ids), 0u);
      EXPECT_EQ(identity.arriving().size() + slots.size() -
                    static_cast<std::size_t>(std::count(identity.particle_of_slot().begin(),
                                                        identity.particle_of_slot().end(), Identity::nowhere)),
                ids.size());
      slots = renumbered(identity, slots, ids);
      identity.renumber();
    }
  }
}

// A few are paired, the others leave and arrive: looking for each would take time with the square of their number.
TEST(Identity, OfMoreEqualIdsThanAreLookedFor) {
  const Ids zeros(20000, 0);
  Identity identity;
  for (int frame = 0; frame < 3; ++frame) {
    identity.match(zeros, zeros);
    const std::size_t left = check(identity, zeros, zeros);
    EXPECT_LT(left, zeros.size());
    EXPECT_EQ(left, identity.arriving().size());
    identity.renumber();
  }
}

TEST(Identity, ForgetsTheOrderWithoutHarm) {
  Ids slots(5000);
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = static_cast<std::int64_t>(i * i);
  Ids ids(slots.rbegin(), slots.rend());
  Identity identity;
  identity.match(slots, ids);
  const auto found = identity.particle_of_slot();
  identity.renumber();
  identity.reset();
  identity.match(slots, ids);
  EXPECT_EQ(identity.particle_of_slot(), found);
  EXPECT_GE(identity.memory_usage(), slots.size() * 8);
}

}  // namespace
}  // namespace gpz::trajectory::identity_test
