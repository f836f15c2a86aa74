// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of sections of steps: the parts that an encoder makes of molecules which move.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "gpz/lanes/classes.hpp"
#include "gpz/lanes/section.hpp"
#include "gpz/lanes/templates.hpp"
#include "gpz/lanes/words.hpp"
#include "molecule_support.hpp"

namespace gpz::lanes {

using molecule::alkane;
using molecule::Bytes;
using molecule::chain;
using molecule::Followed;
using Pattern = molecule::Shape;  // of a molecule: lanes::Shape is that of numbers
using Moving = molecule::Molecules;

// As a decoder has them.
inline Codes read_back(const Codes &codes) {
  Bytes bytes;
  codes.append(bytes);
  const test::Copy copy(bytes);
  Codes back;
  EXPECT_EQ(back.read(copy.data.get(), copy.size), bytes.size());
  return back;
}

// The head of a section (docs/format.md, section 9d).
namespace head {
constexpr std::uint8_t molecules = 1, constants = 2, tables = 4, wraps = 8, tilted = 16, brick = 32;
}  // namespace head

// A root with a particle on it, and ions.
inline Pattern with_ions() { return {0, 1, 1, 0, 0}; }

// Molecules of one shape in two frames, and all that kernels need to know of them.
struct Pair {
  static constexpr unsigned now = 4;

  Molecules molecules;
  Layout layout;
  std::vector<ClassConstants> constants;
  ConstantColumns columns;
  format::Column<std::int32_t> rows;  // the frame before at 0, this one at `now`
  format::Column<float> means;
  float gain = 0.2F;
  bool is_key = false;
  Templates templates;  // of a key frame

  // Every third class is wide, and every third one has no axis.
  Pair(const Pattern &shape, std::size_t count, double bond, double sigma, std::uint32_t of_block) {
    const std::size_t n = count * shape.size();
    Moving moving(shape, count, bond, molecule::size_of(n, bond), n);
    const codec::Frame before = moving.open();
    moving.move(sigma);
    const codec::Frame after = moving.open();
    molecule::Lags lags(n);
    for (std::size_t i = 0; i < n; ++i) lags[i] = static_cast<std::uint8_t>(shape[i % shape.size()]);
    molecules.tree.link(lags);
    molecules.short_bonds = ShortBonds(molecules.tree, codec::columns(after), {});
    const std::size_t classes = classify(molecules.tree, molecules.short_bonds, molecules.of_class);
    for (std::size_t c = 0; c < classes; ++c)
      molecules.kind.push_back(c % 3 == 0   ? core::StepKind::narrow
                               : c % 3 == 1 ? core::StepKind::wide
                                            : core::StepKind::sphere);
    layout.build(molecules, of_block);
    rows.resize(8 * layout.slots());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t d = 0; d < 3; ++d) {
        std::int32_t *const row = rows.data() + std::size_t{8} * layout.slot_of()[i] + d;
        row[0] = static_cast<std::int32_t>(before[d][i]);
        row[now] = static_cast<std::int32_t>(after[d][i]);
      }
    Fit fit;
    fit.start(classes);
    means.resize(layout.slots() * core::step_means);
    layout.find_sample(molecules);
    fit.add(layout, {sampled_blocks(), now, 1});
    test::Random random(11);
    for (std::size_t s = 0; s < layout.slots(); ++s) {
      const auto mean = [&](core::StepMean m, double most) {
        means[core::index_of_mean(s, m)] = static_cast<float>(random.uniform(-most, most));
      };
      mean(core::mean_length, bond);
      mean(core::mean_along, bond);
      // Without a second reference they stay 0.
      const codec::StepTable of = layout.table(nullptr);
      if (of.second[s] == of.parent[s]) continue;
      mean(core::mean_towards, bond * bond);
      mean(core::mean_aside, bond * bond);
    }
    set(fit.constants());
  }

  void set(std::vector<ClassConstants> to) {
    constants = std::move(to);
    columns.fill(layout, constants, molecules.have_bonds(), is_key ? &templates.heading : nullptr);
  }
  // This frame is a key frame: there is none before, whose rows and means may be anything.
  void make_key() {
    is_key = true;
    templates.fit(molecules, layout, sampled_blocks(), now);
    set(constants);
  }
  std::vector<SampledBlock> sampled_blocks() const {
    std::vector<SampledBlock> blocks;
    for (const std::uint32_t b : layout.sample()) {
      const std::size_t slot = layout.blocks()[b].first * core::step_lanes;
      blocks.push_back({b, rows.data() + 8 * slot, means.data() + slot * core::step_means});
    }
    return blocks;
  }
  codec::StepTable table() const {
    codec::StepTable table = layout.table(columns.data());
    if (is_key) table.key_root = templates.root.data();
    return table;
  }
  // Where means go, and those so far.
  codec::StepMeans means_to(format::Column<float> &after) const {
    after = means;
    return {means.data(), after.data(), gain};
  }
};

// A key frame as a section, of both sides; it comes back bit for bit. Empty if there are no molecules. `followed` has
// been started with this frame.
inline Bytes key_of(Followed &followed, const codec::Frame &q, const Edges &edges, int threads = 1) {
  Bytes bytes;
  const std::size_t n = q[0].size();
  auto update = encode_key(followed.ours, n, codec::columns(q), edges, bytes, threads);
  if (!update) {
    EXPECT_TRUE(bytes.empty());
    return bytes;
  }
  EXPECT_EQ(bytes.size() % 8, 0U);
  followed.ours.commit(std::move(*update));
  const test::Copy copy(bytes);
  codec::Frame decoded = codec::empty_frame(n);
  decode_key(followed.theirs, n, copy.data.get(), copy.size, edges.axes, threads, codec::output(decoded));
  for (std::size_t d = 0; d < 3; ++d) EXPECT_TRUE(decoded[d] == q[d]) << d;
  return bytes;
}

// The numbers of a block, by the kernels of an instruction set.
inline std::vector<codec::StepItems> items_of(Pair &pair, const Layout::Block &block, const codec::StepKernels &with) {
  std::vector<codec::StepItems> items((block.end - block.first) * codec::step_most_items);
  format::Column<float> means;
  items.resize(
      with.find(pair.table(), block.first, block.end, pair.rows.data(), Pair::now, pair.means_to(means), items.data()));
  return items;
}

// A number and its place, of a single lane.
struct Number {
  std::int32_t context, number;
};

// As section 9d of the page says it.
inline Number number_of(core::StepNumber kind, float expected, float variance, std::int32_t value) {
  const float most = core::step_farthest;
  float e = expected < most ? expected : most;
  e = -most < e ? e : -most;
  const float near = std::nearbyintf(e), off = e - near;
  const auto bits = core::bit_cast<std::uint32_t>(variance);
  const std::int32_t level = std::clamp(static_cast<std::int32_t>(bits >> 23) - 123, 0, 39);
  const std::int32_t part = level > 5 ? 0 : std::min(static_cast<std::int32_t>(std::fabs(8 * off)), 3);
  const auto number =
      static_cast<std::int32_t>(static_cast<std::uint32_t>(value) - static_cast<std::uint32_t>(static_cast<int>(near)));
  const auto opposite = static_cast<std::int32_t>(0U - static_cast<std::uint32_t>(number));
  return {160 * static_cast<std::int32_t>(kind) + 4 * level + part, off < 0 ? opposite : number};
}
}  // namespace gpz::lanes
