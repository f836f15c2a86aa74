// SPDX-License-Identifier: BSD-3-Clause
// The rows that a key frame is expected from have the shapes of classes (docs/format.md, section 9d).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gpz/lanes/stream.hpp"
#include "gpz/lanes/templates.hpp"
#include "gpz/lanes/vectors.hpp"
#include "lanes_support.hpp"

namespace gpz::lanes::lanes_templates_test {
namespace {

using Rows = format::Column<std::int32_t>;
constexpr std::int32_t most_root = 1 << 29;

// Particles that hang on each other, with what a section says of their classes.
struct Model {
  Molecules molecules;
  Layout layout;
  std::vector<ClassConstants> classes;
  Templates templates;
  Rows rows;

  // Each particle of the pattern has a class of its own, unless classes follow from bonds.
  Model(const Pattern &pattern, std::size_t count) {
    molecule::Lags lags(count * pattern.size());
    molecules.of_class.resize(lags.size());
    for (std::size_t i = 0; i < lags.size(); ++i) {
      lags[i] = static_cast<std::uint8_t>(pattern[i % pattern.size()]);
      molecules.of_class[i] = static_cast<std::uint8_t>(i % pattern.size());
    }
    molecules.tree.link(lags);
    set_classes(pattern.size());
    layout.build(molecules, 12288);
    rows.resize(8 * layout.slots());
  }
  void classify_by_bonds() {
    const ShortBonds none(molecules.tree, codec::columns(codec::empty_frame(molecules.particles())), {});
    set_classes(classify(molecules.tree, none, molecules.of_class));
    layout.build(molecules, 12288);
  }
  void set_classes(std::size_t count) {
    molecules.is_wide.assign(count, 0);
    classes.assign(count, {});
    templates.heading.assign(count, {});
  }

  std::int32_t *row(std::size_t particle) { return rows.data() + 8 * std::size_t{layout.slot_of()[particle]}; }
  Vector way(std::size_t to, std::size_t from) { return vector_between(row(to), row(from)); }
  double distance(std::size_t a, std::size_t b) { return length_of(way(a, b)); }
  void fit() { templates.fit(molecules, layout, rows.data(), classes); }
  void place() {
    for (const Layout::Block &block : layout.blocks()) templates.place(molecules, layout, block, classes, rows.data());
  }
};

Vector turned(const std::array<Vector, 3> &axes, const Vector &v) {
  return core::times(v.x, axes[0]) + core::times(v.y, axes[1]) + core::times(v.z, axes[2]);
}
// Directions of a box that is turned at random.
std::array<Vector, 3> random_axes(test::Random &random) {
  const auto any = [&] { return Vector{codec::normal(random), codec::normal(random), codec::normal(random)}; };
  const auto unit = [](const Vector &v) { return core::times(1 / length_of(v), v); };
  const Vector x = unit(any()), y = unit(core::cross(x, any()));
  return {x, y, core::cross(x, y)};
}

// Rigid molecules, turned and put anywhere.
void put(Model &model, const std::vector<Vector> &shape, test::Random &random) {
  for (std::size_t i = 0; i < model.molecules.particles(); i += shape.size()) {
    const std::array<Vector, 3> axes = random_axes(random);
    const auto anywhere = [&] { return 20000 * (random.uniform() - 0.5); };
    const Vector from{anywhere(), anywhere(), anywhere()};
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const Vector at = from + turned(axes, shape[k]);
      store_row(model.row(i + k), {std::llround(at.x), std::llround(at.y), std::llround(at.z)}, 0);
    }
  }
}
std::vector<Vector> helix(std::size_t length) {
  std::vector<Vector> shape;
  for (std::size_t k = 0; k < length; ++k) {
    const double at = 1.7 * static_cast<double>(k);
    shape.push_back({230 * std::cos(at), 230 * std::sin(at), 150.0 * static_cast<double>(k)});
  }
  return shape;
}

// Also the hand of what is bound by three bonds.
void expect_shape(Model &model, const Pattern &pattern, const std::vector<Vector> &shape) {
  for (std::size_t i = 0; i < model.molecules.particles(); i += shape.size())
    for (std::size_t k = 1; k < shape.size(); ++k) {
      if (pattern[k] == 0) continue;
      std::vector<std::size_t> up{k};  // along the bonds
      while (up.size() < 4 && pattern[up.back()] != 0) up.push_back(up.back() - pattern[up.back()]);
      for (std::size_t u = 1; u < up.size(); ++u) {
        const double expected = length_of(shape[k] - shape[up[u]]);
        EXPECT_NEAR(model.distance(i + k, i + up[u]), expected, u < 3 ? 3 : 0.03 * expected) << k << " to " << up[u];
      }
      if (up.size() < 4) continue;
      const auto volume = [](const Vector &a, const Vector &b, const Vector &c) {
        return core::dot(core::cross(a, b), c);
      };
      const double of_shape =
          volume(shape[up[0]] - shape[up[1]], shape[up[1]] - shape[up[2]], shape[up[2]] - shape[up[3]]);
      const double of_model =
          volume(model.way(i + up[0], i + up[1]), model.way(i + up[1], i + up[2]), model.way(i + up[2], i + up[3]));
      EXPECT_NEAR(of_model / of_shape, 1, 0.06) << k;
    }
}

TEST(LanesTemplates, RigidMoleculesHaveTheirShape) {
  test::Random random(1);
  const std::vector<Vector> left = helix(9);
  std::vector<Vector> right = left;
  for (Vector &v : right) v.x = -v.x;
  for (const std::vector<Vector> &shape : {left, right}) {
    Model model(chain(9), 40);
    put(model, shape, random);
    model.fit();
    model.place();
    expect_shape(model, chain(9), shape);
    // Turns of a helix are alike, so that its particles may share classes.
    model.classify_by_bonds();
    EXPECT_LT(model.classes.size(), 9U);
    put(model, shape, random);
    model.fit();
    model.place();
    expect_shape(model, chain(9), shape);
  }
  // A branch, and a ring that is not closed.
  const Pattern branched{0, 1, 2, 3, 1, 1};
  const std::vector<Vector> shape{{0, 0, 0},      {100, 0, 0},       {-30, 90, 5},
                                  {-40, -50, 80}, {-100, -110, 120}, {-90, -200, 60}};
  Model model(branched, 70);
  put(model, shape, random);
  model.fit();
  model.place();
  expect_shape(model, branched, shape);
}

TEST(LanesTemplates, AllRootsAreInTheMiddle) {
  Model model(chain(2), 50);
  test::Random random(2);
  put(model, helix(2), random);
  std::array<std::int32_t, 3> least{}, most{};
  least.fill(INT32_MAX);
  most.fill(INT32_MIN);
  for (std::size_t i = 0; i < 100; i += 2)
    for (std::size_t d = 0; d < 3; ++d) {
      least[d] = std::min(least[d], model.row(i)[d]);
      most[d] = std::max(most[d], model.row(i)[d]);
    }
  model.fit();
  for (std::size_t i = 0; i < 100; ++i) store_image(model.row(i), 0x10101);
  model.place();
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(image_in(model.row(i)), 0U);
    for (std::size_t d = 0; d < 3 && i % 2 == 0; ++d) EXPECT_NEAR(model.row(i)[d], 0.5 * (least[d] + most[d]), 0.51);
    // Without an axis, particles are in the direction of x.
    if (i % 2 == 1) {
      EXPECT_NEAR(model.way(i, i - 1).x, length_of(helix(2)[1] - helix(2)[0]), 1);
    }
  }
}

// Whatever the numbers are, within their limits: the length of a bond, and its component along the axis.
TEST(LanesTemplates, WaysHaveTheirLengths) {
  test::Random random(3);
  const auto below = [&](double most) { return static_cast<std::int32_t>(most * (2 * random.uniform() - 1)); };
  for (const Pattern &pattern : {chain(7), alkane(3), Pattern{0, 1, 2, 3, 4, 5}})
    for (int turn = 0; turn < 40; ++turn) {
      SCOPED_TRACE(turn);
      Model model(pattern, 3);
      model.templates.root = {below(1e6), below(1e6), below(1e6)};
      for (std::size_t c = 0; c < pattern.size(); ++c) {
        ClassConstants &k = model.classes[c];
        k.length = 16 * 200 + below(1600);
        k.along = turn == 0 ? 0 : turn == 1 ? -k.length : turn == 2 ? k.length : below(3000);
        // Of some classes no heading is known.
        if (turn % 3 != 0)
          model.templates.heading[c] = {static_cast<std::int8_t>(below(65)), static_cast<std::int8_t>(below(65))};
      }
      model.place();
      for (std::size_t i = 0; i < model.molecules.particles(); ++i) {
        const References of = references_of(model.molecules.tree, i);
        const ClassConstants &k = model.classes[model.molecules.of_class[i]];
        if (of.parent == UINT32_MAX) {
          for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(model.row(i)[d], model.templates.root[d]);
          continue;
        }
        const Vector way = model.way(i, of.parent);
        EXPECT_NEAR(length_of(way), k.length / 16.0, 1) << i;
        if (of.axis == UINT32_MAX) continue;
        const Vector axis = model.way(of.axis, of.parent);
        const double along = std::clamp(k.along, -k.length, k.length) / 16.0;
        EXPECT_NEAR(core::dot(way, axis) / length_of(axis), along, 1.5) << i;
        if (of.second == UINT32_MAX) continue;
        // The heading, if the second reference is aside the axis.
        const Vector second = model.way(of.second, of.parent);
        const Vector aside = core::cross(axis, second), towards = core::cross(aside, axis);
        const Templates::Heading &heading = model.templates.heading[model.molecules.of_class[i]];
        const double across = length_of(aside) / length_of(axis);
        if (across < 60 || std::abs(heading.towards) + std::abs(heading.aside) < 8) continue;
        const double y = core::dot(way, aside) / length_of(aside), x = core::dot(way, towards) / length_of(towards);
        const double radius = std::hypot(x, y);
        if (radius < 60) continue;
        const double told = std::hypot(heading.towards, heading.aside);
        EXPECT_NEAR(x / radius, heading.towards / told, 0.05) << i;
        EXPECT_NEAR(y / radius, heading.aside / told, 0.05) << i;
      }
    }
}

// A component along the axis that is longer than the bond, and bonds without a length.
TEST(LanesTemplates, ClampsAndDegenerateAxes) {
  for (const std::int32_t length : {0, 1, 16 * 100})
    for (const std::int32_t along : {most_steps, -most_steps}) {
      Model model(chain(6), 2);
      for (ClassConstants &k : model.classes) k.length = length, k.along = along;
      model.place();
      for (std::size_t i = 0; i < 12; ++i) {
        if (i % 6 == 0) continue;
        EXPECT_NEAR(model.distance(i, i - 1), length / 16.0, 1);
        // In a line: on from the first bond, or back and forth.
        const double x = model.row(i)[0] - model.templates.root[0];
        const double expected = along < 0 ? static_cast<double>(i % 6) : static_cast<double>(i % 6 % 2);
        EXPECT_NEAR(x, expected * length / 16, 1);
      }
    }
  // All at one place: no directions, and all sums are finite.
  Model model(alkane(3), 5);
  for (std::size_t i = 0; i < model.molecules.particles(); ++i) store_row(model.row(i), {7, -8, 9}, 0);
  model.fit();
  EXPECT_EQ(model.templates.root, (std::array<std::int32_t, 3>{7, -8, 9}));
  for (std::size_t c = 0; c < model.classes.size(); ++c) {
    EXPECT_EQ(model.classes[c].length, 0);
    EXPECT_EQ(model.classes[c].along, 0);
    EXPECT_EQ(model.templates.heading[c].towards, 0);
    EXPECT_EQ(model.templates.heading[c].aside, 0);
  }
  model.place();
  for (std::size_t i = 0; i < model.molecules.particles(); ++i)
    EXPECT_EQ(way_of(model.row(i)), (molecule::Way{7, -8, 9}));
}

// Straight chains along each axis: some direction across is chosen, at right angles.
TEST(LanesTemplates, SecondReferencesInTheAxis) {
  for (std::size_t d = 0; d < 3; ++d)
    for (const std::int32_t sign : {1, -1}) {
      Model model(chain(4), 3);
      std::vector<Vector> shape;
      for (int k = 0; k < 4; ++k) {
        Vector at{0.1, 0.2, 0.3};
        (d == 0 ? at.x : d == 1 ? at.y : at.z) = 500.0 * k * sign;
        shape.push_back(at);
      }
      for (std::size_t i = 0; i < 12; ++i)
        store_row(model.row(i),
                  {std::llround(shape[i % 4].x), std::llround(shape[i % 4].y), std::llround(shape[i % 4].z)}, 0);
      model.fit();
      for (std::size_t c = 2; c < 4; ++c) EXPECT_NEAR(model.classes[c].along, -16 * 500, 1);
      // Straight, and then at right angles.
      model.classes[3].along = 0;
      model.place();
      for (std::size_t i = 3; i < 12; i += 4) {
        EXPECT_NEAR(model.distance(i, i - 1), 500, 1);
        EXPECT_NEAR(model.distance(i, i - 2), 500 * std::sqrt(2.0), 1.5);
      }
    }
}

// Longest bonds in chains that leave the rows.
TEST(LanesTemplates, RowsHaveRoom) {
  const std::size_t length = 1200;
  for (const std::int32_t root : {most_root, -most_root, 0}) {
    Model model(chain(length), 1);
    model.molecules.of_class.assign(length, 1);
    model.set_classes(2);
    model.layout.build(model.molecules, 12288);
    model.templates.root = {root, -root, root};
    for (ClassConstants &k : model.classes) k.length = most_steps, k.along = -most_steps;
    model.place();
    std::int32_t farthest = 0;
    for (std::size_t i = 0; i < length; ++i)
      for (std::size_t d = 0; d < 3; ++d) {
        ASSERT_GE(model.row(i)[d], -most_root);
        ASSERT_LE(model.row(i)[d], most_root);
        if (d == 0) farthest = std::max(farthest, model.row(i)[d]);
      }
    EXPECT_EQ(farthest, most_root);
  }
  // Rows of a frame that are farther than templates.
  Model model(chain(3), 4);
  for (std::size_t i = 0; i < 12; ++i) {
    const std::int64_t far = (INT64_C(1) << 30) - 1;
    store_row(model.row(i), {far, -far, i % 3 == 2 ? far - (1 << 25) : far}, 0);
  }
  model.fit();
  EXPECT_EQ(model.templates.root, (std::array<std::int32_t, 3>{most_root, -most_root, most_root}));
  EXPECT_EQ(model.classes[2].length, most_steps);
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
  // Of more or fewer classes.
  for (const std::size_t count : {back.heading.size() - 1, back.heading.size() + 1}) {
    Templates other;
    other.heading.resize(count);
    EXPECT_THROW(other.read(copy.data.get(), copy.size), Error);
  }
}

TEST(LanesTemplates, BeyondTheirLimits) {
  // Of one class: root, towards, aside.
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
