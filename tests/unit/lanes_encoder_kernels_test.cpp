// SPDX-License-Identifier: BSD-3-Clause
// Kernels of encoders of steps, of each instruction set: rows against the rules of one particle, sums of constants
// against each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "all_kernels.hpp"
#include "gpz/kernels/fit_kernels.hpp"
#include "lanes_support.hpp"

namespace gpz::lanes::lanes_encoder_kernels_test {
namespace {

using codec::StepPositions;

core::Vector<std::int32_t> narrow(const std::array<std::int64_t, 3> &x) {
  return {static_cast<std::int32_t>(x[0]), static_cast<std::int32_t>(x[1]), static_cast<std::int32_t>(x[2])};
}

struct Found {
  std::size_t count;
  format::Column<std::int32_t> rows;
  std::set<std::size_t> left;
};
Found find_rows(const codec::Kernels &set, const Pair &pair, const StepPositions &from) {
  Found found{0, pair.rows, {}};
  for (const Layout::Block &block : pair.layout.blocks()) {
    std::vector<std::uint32_t> left((block.end - block.first) * core::step_lanes);
    const std::size_t count =
        set.steps.find_rows(pair.table(), from, block.first, block.end, found.rows.data(), Pair::now, left.data());
    if (count == SIZE_MAX) found.count = SIZE_MAX;
    if (found.count == SIZE_MAX) continue;
    found.count += count;
    found.left.insert(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return found;
}

TEST(LanesEncoderKernels, RowsFollowTheRules) {
  constexpr std::int64_t period = 1000;
  test::Random random(5);
  for (const bool is_key : {false, true})
    for (const molecule::Cell::Tilts &tilts : {molecule::Cell::Tilts{}, molecule::Cell::Tilts{90, -70, 40}}) {
      SCOPED_TRACE(is_key);
      Pair pair(with_ions(), 300, 40, 30, 500);
      pair.is_key = is_key;
      const core::GridBox box{core::GridAxis{-500, period}, core::GridAxis{0, tilts[0] == 0 ? 0 : period},
                              core::GridAxis{0, period}};
      const molecule::Cell cell(box, tilts, false);
      const std::size_t n = pair.molecules.particles();
      // Images of the frame before, and positions that are in the box or slightly outside.
      for (std::size_t s = 0; s < pair.layout.slots(); ++s) {
        RowImage image = 0;
        for (unsigned d = 0; d < 3; ++d) image |= static_cast<RowImage>((random.below(3) + 255) & 255) << 8 * d;
        store_image(pair.rows.data() + 8 * s, image);
      }
      std::array<std::vector<std::int64_t>, 3> q;
      for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t i = 0; i < n; ++i) q[d].push_back(static_cast<std::int64_t>(random.below(period + 8)) - 504);
      StepPositions from{};
      from.particle_at = pair.layout.particle_at().data();
      for (std::size_t d = 0; d < 3; ++d) {
        from.q[d] = q[d].data();
        from.edges[d] = narrow(cell.edge(d));
      }
      const auto half = [&](std::size_t d) {
        return box[d].period == 0 ? INT32_MAX : static_cast<std::int32_t>(box[d].period / 2);
      };
      from.half = {half(0), half(1), half(2)};
      from.least = {-500, INT32_MIN, 0};
      from.most_inside = {499, INT32_MAX, 999};
      const auto sets = codec::all_kernels();
      const Found found = find_rows(*sets[0], pair, from);
      ASSERT_NE(found.count, SIZE_MAX);
      EXPECT_GT(found.count, n / 8);
      for (const codec::Kernels *const set : sets) {
        const Found other = find_rows(*set, pair, from);
        EXPECT_EQ(other.rows, found.rows) << set->name;
        EXPECT_EQ(other.left, found.left) << set->name;
      }
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t slot = pair.layout.slot_of()[i];
        const std::int32_t *const before = found.rows.data() + 8 * slot, *const now = before + Pair::now;
        const GridVector at{q[0][i], q[1][i], q[2][i]};
        EXPECT_EQ(position_of(cell, now, image_in(now)), at);
        const bool is_root = pair.layout.steps()[slot / core::step_lanes].kind == core::StepKind::root;
        const std::int32_t *const base = is_root ? before : found.rows.data() + pair.table().parent[slot] + Pair::now;
        GridVector vector{};
        if (!is_root || !is_key) vector = molecule::difference_of(at, position_of(cell, base, image_in(base)));
        const molecule::Image edges = cell.shorten(vector);
        EXPECT_EQ(image_in(now), sum_of(is_root && is_key ? 0 : image_in(base), edges));
        const RowImage last = is_key ? 0 : image_in(before);
        const bool is_inside = at[0] >= -500 && at[0] <= 499 && at[2] >= 0 && at[2] <= 999;
        EXPECT_EQ(found.left.count(slot) != 0, image_in(now) != last || !is_inside);
      }
      // A root that was too far away.
      if (is_key) continue;
      const auto is_root = [](const codec::Step &step) { return step.kind == core::StepKind::root; };
      const auto &steps = pair.layout.steps();
      const auto step = static_cast<std::size_t>(std::find_if(steps.begin(), steps.end(), is_root) - steps.begin());
      pair.rows[8 * core::step_lanes * step + 1] = 1 << 30;
      for (const codec::Kernels *const set : sets) EXPECT_EQ(find_rows(*set, pair, from).count, SIZE_MAX);
    }
}

TEST(LanesEncoderKernels, LimitsOfPositions) {
  for (const codec::Kernels *const set : codec::all_kernels())
    for (const std::size_t at : {0U, 20U}) {
      std::vector<std::int64_t> x(21, StepPositions::most);
      const auto with = [&](std::int64_t value) {
        x[at] = value;
        return set->steps.are_within(x.data(), x.size());
      };
      EXPECT_TRUE(with(-StepPositions::most));
      for (const std::int64_t far : {StepPositions::most + 1, -StepPositions::most - 1, INT64_MAX, INT64_MIN})
        EXPECT_FALSE(with(far));
    }
}

TEST(LanesEncoderKernels, SumsHaveTheSameBits) {
  for (const Pattern &shape : {with_ions(), chain(40), alkane(8)})
    for (const bool is_key : {false, true}) {
      Pair pair(shape, 2000 / shape.size(), 300, 20, 700);
      pair.is_key = is_key;
      pair.templates.heading.assign(pair.molecules.kind.size(), {40, -20});
      test::Random random(9);
      std::vector<codec::FitValues> values(pair.molecules.kind.size());
      for (codec::FitValues &of : values)
        for (float &x : of) x = static_cast<float>(random.uniform(0, 0.5));
      std::vector<std::uint32_t> steps(pair.layout.steps().size());
      for (std::size_t s = 0; s < steps.size(); ++s) steps[s] = static_cast<std::uint32_t>(s);
      const codec::FitBlock block{pair.rows.data(), pair.means.data(), Pair::now, 0.25F, 0};
      const auto sums_of = [&](const codec::Kernels &set, codec::FitRange range) {
        std::vector<codec::FitSums> sums(values.size());
        set.fit.add(pair.table(), pair.layout.columns().data(), block, steps.data(), steps.size(), values.data(), range,
                    sums.data());
        return sums;
      };
      const auto sets = codec::all_kernels();
      const std::vector<codec::FitSums> all = sums_of(*sets[0], codec::fit_everything);
      double particles = 0;
      for (const codec::FitSums &sums : all) particles += sums[codec::fit_count];
      EXPECT_EQ(particles, static_cast<double>(pair.molecules.particles()));
      for (const codec::Kernels *const set : sets) {
        EXPECT_EQ(sums_of(*set, codec::fit_everything), all) << set->name;
        for (const codec::FitRange range : {codec::fit_means, codec::fit_all_weights, codec::fit_deviations}) {
          const std::vector<codec::FitSums> part = sums_of(*set, range);
          for (std::size_t c = 0; c < part.size(); ++c)
            for (unsigned k = 0; k < codec::fit_sums; ++k)
              EXPECT_EQ(part[c][k], k >= range.first && k < range.end ? all[c][k] : 0) << set->name << ", " << k;
        }
      }
    }
}

}  // namespace
}  // namespace gpz::lanes::lanes_encoder_kernels_test
