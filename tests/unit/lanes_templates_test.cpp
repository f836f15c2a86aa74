// SPDX-License-Identifier: BSD-3-Clause
// The shapes from which a key frame is predicted, besides constants of classes (docs/format.md, section 9d).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gpz/lanes/stream.hpp"
#include "gpz/lanes/templates.hpp"
#include "gpz/lanes/vectors.hpp"
#include "lanes_support.hpp"

namespace gpz::lanes::lanes_templates_test {
namespace {

constexpr std::int32_t most_root = 1 << 29;

// Molecules, with the rows of a frame.
struct Model {
  Molecules molecules;
  Layout layout;
  format::Column<std::int32_t> rows;

  // Each particle of the pattern has a class of its own.
  Model(const Pattern &pattern, std::size_t count) {
    molecule::Lags lags(count * pattern.size());
    molecules.of_class.resize(lags.size());
    for (std::size_t i = 0; i < lags.size(); ++i) {
      lags[i] = static_cast<std::uint8_t>(pattern[i % pattern.size()]);
      molecules.of_class[i] = static_cast<std::uint8_t>(i % pattern.size());
    }
    molecules.tree.link(lags);
    molecules.kind.assign(pattern.size(), core::StepKind::narrow);
    layout.build(molecules, 12288);
    layout.find_sample(molecules);
    rows.resize(8 * layout.slots());
  }
  void put(std::size_t particle, const Vector &at) {
    std::int32_t *const row = rows.data() + 8 * std::size_t{layout.slot_of()[particle]};
    store_row(row, {std::llround(at.x), std::llround(at.y), std::llround(at.z)}, 0);
  }
  Templates fitted() const {
    Templates templates;
    std::vector<SampledBlock> blocks;
    for (const std::uint32_t b : layout.sample())
      blocks.push_back({b, &rows[8 * layout.blocks()[b].first * core::step_lanes], nullptr});
    templates.fit(molecules, layout, blocks, 0);
    return templates;
  }
};

// Directions of a box that is turned at random.
std::array<Vector, 3> random_axes(test::Random &random) {
  const auto any = [&] { return Vector{codec::normal(random), codec::normal(random), codec::normal(random)}; };
  const auto unit = [](const Vector &v) { return core::times(1 / length_of(v), v); };
  const Vector x = unit(any()), y = unit(core::cross(x, any()));
  return {x, y, core::cross(x, y)};
}

// A chain: the fourth particle is bound to the third, seen along the bond to the second one, with the first aside. It
// is turned by `angle` from there; the number of particles is that of copies, in any direction.
Templates heading_of(double angle, std::size_t count) {
  test::Random random(1);
  Model model(chain(4), count);
  const std::array<Vector, 4> shape{Vector{500, 0, 0}, Vector{0, 0, 0}, Vector{0, 0, 500},
                                    Vector{400 * std::cos(angle), 400 * std::sin(angle), 650}};
  for (std::size_t k = 0; k < count; ++k) {
    const std::array<Vector, 3> axes = random_axes(random);
    for (std::size_t i = 0; i < 4; ++i) {
      const Vector &v = shape[i];
      model.put(4 * k + i, core::times(v.x, axes[0]) + core::times(v.y, axes[1]) + core::times(v.z, axes[2]));
    }
  }
  return model.fitted();
}

TEST(LanesTemplates, HeadingsAreTowardsTheSecondReferenceAndAside) {
  // The axis leads from the third particle to the second, so that a turn is counted from there.
  for (const double angle : {0.0, 0.7, 2.0, -2.5, 3.1}) {
    const Templates templates = heading_of(angle, 30);
    EXPECT_NEAR(templates.heading[3].towards, 64 * std::cos(angle), 1) << angle;
    EXPECT_NEAR(templates.heading[3].aside, -64 * std::sin(angle), 1) << angle;
  }
}

// Means of directions, however little these have in common, are as long as others.
TEST(LanesTemplates, HeadingsHaveALength) {
  test::Random random(2);
  Model model(chain(4), 50);
  for (std::size_t i = 0; i < model.molecules.particles(); ++i)
    model.put(i, {random.uniform(-900, 900), random.uniform(-900, 900), random.uniform(-900, 900)});
  // Also of roots and of particles without a second reference, and where all are at one place.
  for (const Templates &templates : {model.fitted(), Model(alkane(3), 5).fitted()})
    for (const Heading &heading : templates.heading) EXPECT_NEAR(std::hypot(heading.towards, heading.aside), 64, 1);
}

TEST(LanesTemplates, RootsAreInTheMiddle) {
  Model model(chain(2), 3);
  const std::array<Vector, 3> roots{Vector{-100, 7, 0}, Vector{300, 7, 11}, Vector{0, 7, 1000}};
  for (std::size_t k = 0; k < 3; ++k) {
    model.put(2 * k, roots[k]);
    model.put(2 * k + 1, {5000, -5000, 5000});
  }
  EXPECT_EQ(model.fitted().root, (std::array<std::int32_t, 3>{100, 7, 500}));
  // Rows may be farther than what is stored.
  const double far = (1 << 30) - 1.0;
  for (std::size_t i = 0; i < 6; ++i) model.put(i, {far, -far, far});
  EXPECT_EQ(model.fitted().root, (std::array<std::int32_t, 3>{most_root, -most_root, most_root}));
}

TEST(LanesTemplates, ComeBack) {
  Templates templates, back;
  templates.root = {most_root, -most_root, 12345};
  for (const int towards : {-64, -1, 0, 64})
    for (const int aside : {-64, 0, 7, 64})
      templates.heading.push_back({static_cast<std::int8_t>(towards), static_cast<std::int8_t>(aside)});
  Bytes bytes;
  templates.append(bytes);
  const test::Copy copy(bytes);
  back.heading.resize(templates.heading.size());
  EXPECT_EQ(back.read(copy.data.get(), copy.size), bytes.size());
  EXPECT_EQ(back.root, templates.root);
  for (std::size_t c = 0; c < back.heading.size(); ++c) {
    EXPECT_EQ(back.heading[c].towards, templates.heading[c].towards);
    EXPECT_EQ(back.heading[c].aside, templates.heading[c].aside);
  }
  // Templates of more or fewer classes.
  for (const std::size_t count : {back.heading.size() - 1, back.heading.size() + 1}) {
    Templates other;
    other.heading.resize(count);
    EXPECT_THROW(other.read(copy.data.get(), copy.size), Error);
  }
}

TEST(LanesTemplates, BeyondTheirLimits) {
  // Templates of one class: root, towards, aside.
  const auto refused = [](std::size_t at, std::int32_t value) {
    constexpr std::array<unsigned, 5> contexts{2, 2, 2, 0, 1};
    NumberWriter numbers(3);
    for (std::size_t k = 0; k < contexts.size(); ++k) numbers.put_signed(contexts[k], k == at ? value : 0);
    Bytes bytes;
    numbers.append(bytes);
    const test::Copy copy(bytes);
    Templates templates;
    templates.heading.resize(1);
    try {
      templates.read(copy.data.get(), copy.size);
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), Status::corrupt);
      return true;
    }
    return false;
  };
  for (std::size_t at = 0; at < 5; ++at) {
    const std::int32_t most = at < 3 ? most_root : 64;
    for (const std::int32_t sign : {1, -1}) {
      EXPECT_FALSE(refused(at, sign * most)) << at;
      EXPECT_TRUE(refused(at, sign * (most + 1))) << at;
    }
    EXPECT_TRUE(refused(at, INT32_MAX)) << at;
    EXPECT_TRUE(refused(at, INT32_MIN)) << at;
  }
}

}  // namespace
}  // namespace gpz::lanes::lanes_templates_test
