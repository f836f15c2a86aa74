// SPDX-License-Identifier: BSD-3-Clause
// Forces of springs by each instruction set, against a plain loop.
#include "gpz/kernels/spring_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "all_kernels.hpp"
#include "codec_support.hpp"

namespace gpz::codec::spring_kernels_test {
namespace {

using test::Random;
using Field = std::vector<std::int16_t>;

Field random_field(std::size_t n, Random &random) {
  Field field(4 * n);
  for (std::size_t i = 0; i < 4 * n; ++i) {
    const auto x = static_cast<std::int64_t>(random.below(65535)) - 32767;
    field[i] = static_cast<std::int16_t>(i % 4 == 3             ? 0
                                         : random.below(5) == 0 ? (x < 0 ? -32767 : 32767)
                                                                : x >> random.below(15));
  }
  return field;
}

TEST(SpringKernels, MakeTheStepOfAPlainLoop) {
  Random random(1);
  const std::size_t n = 57;
  for (const std::size_t degree : {2u, 4u, 6u, 12u, 14u, 48u}) {
    for (int trial = 0; trial < 6; ++trial) {
      std::vector<std::int16_t> rows[3];
      std::vector<std::uint32_t> neighbours;
      Springs springs{};
      for (std::size_t r = 0; r < 3; ++r) {
        rows[r].assign(4 * degree, 0);
        // The largest weights that are allowed, or fewer.
        const std::uint64_t most = trial == 0 ? 32768 / (3 * degree) : 1 + random.below(32768 / (3 * degree));
        for (std::size_t k = 0; k < 4 * degree; ++k) {
          if (k % 4 == 3) continue;
          const auto size = static_cast<std::int32_t>(trial == 0 ? most : random.below(most + 1));
          rows[r][k] = static_cast<std::int16_t>(random.below(2) == 0 ? size : -size);
          springs.total[r][k % 4] += rows[r][k];
        }
        springs.rows[r] = rows[r].data();
      }
      for (std::size_t i = 0; i < n * degree; ++i) neighbours.push_back(static_cast<std::uint32_t>(random.below(n)));
      springs.neighbours = neighbours.data();
      springs.degree = degree;
      const Field in = random_field(n, random);
      const Field before = random_field(n, random);
      for (const bool has_before : {false, true}) {
        Field expected(4 * n, 0);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t r = 0; r < 3; ++r) {
            std::int64_t pull = 0;
            for (std::size_t k = 0; k < degree; ++k)
              for (std::size_t c = 0; c < 3; ++c)
                pull += std::int64_t{rows[r][4 * k + c]} * (in[4 * i + c] - in[4 * neighbours[i * degree + k] + c]);
            std::int64_t result = ((pull + 2048) >> 12) - in[4 * i + r];
            if (has_before) result = 2 * result - before[4 * i + r];
            expected[4 * i + r] = static_cast<std::int16_t>(std::clamp<std::int64_t>(result, -32767, 32767));
          }
        for (const Kernels *set : all_kernels()) {
          Field out(4 * n, 7);
          set->springs.step(springs, 0, n, in.data(), has_before ? before.data() : nullptr, out.data());
          ASSERT_EQ(out, expected) << set->name << ", " << degree << " neighbours";
          if (!has_before) continue;
          Field in_place = before;
          for (const std::size_t first : {n / 3, std::size_t{0}})
            set->springs.step(springs, first, first == 0 ? n / 3 : n, in.data(), in_place.data(), in_place.data());
          ASSERT_EQ(in_place, expected) << set->name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace gpz::codec::spring_kernels_test
