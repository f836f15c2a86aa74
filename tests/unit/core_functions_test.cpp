// SPDX-License-Identifier: BSD-3-Clause
// Functions of the core that every backend compiles, one by one.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "codec_support.hpp"
#include "gpz/core/pack.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/core/segments.hpp"

namespace gpz::test::core_functions_test {
namespace {

TEST(ShiftChoices, AreAllPairsOnce) {
  std::set<std::pair<int, int>> expected;
  for (int a = 0; a < core::shift_choices; ++a)
    for (int b = 0; b < core::shift_choices && a + b <= core::shift_choices; ++b) expected.insert({a, b});
  std::set<std::pair<int, int>> found;
  for (int c = 0; c < core::shift_candidates; ++c) {
    const core::ShiftChoice choice(c);
    EXPECT_TRUE(found.insert({choice.bits[0], choice.bits[1]}).second) << "candidate " << c << " is there twice";
  }
  EXPECT_EQ(found, expected);
}

// Extents of any size below 2^31, small ones and zeros among them.
std::vector<std::uint32_t> random_extents(Random &random) {
  std::vector<std::uint32_t> extent(core::max_components);
  for (auto &e : extent) {
    const std::uint64_t largest = core::low_mask(static_cast<int>(random.below(32)));
    e = static_cast<std::uint32_t>(random.bits() & largest);
  }
  return extent;
}

TEST(ShiftCandidates, AreTheSameForBothWidthsAndCostWhatTheySay) {
  Random random(31);
  for (int round = 0; round < 2000; ++round) {
    const std::vector<std::uint32_t> extent = random_extents(random);
    const std::vector<std::uint64_t> wide(extent.begin(), extent.end());
    const auto n = static_cast<std::uint32_t>(1 + random.below(1024));
    for (int c = 0; c < core::shift_candidates; ++c) {
      const core::ShiftCandidate a = core::shift_candidate(c, extent.data(), n);
      const core::ShiftCandidate b = core::shift_candidate(c, wide.data(), n);
      ASSERT_EQ(a.cost, b.cost) << c << " of " << n << " particles";
      if (a.cost == core::no_candidate) continue;
      ASSERT_EQ(std::memcmp(a.shift, b.shift, sizeof(a.shift)), 0) << c << " of " << n << " particles";
      core::Segments segments;
      core::Segments same;
      ASSERT_TRUE(core::make_segments(wide.data(), a.shift, core::segment_limit(n), segments));
      ASSERT_EQ(a.cost, segments.count + n * static_cast<unsigned>(segments.offset_width));
      if (*std::max_element(a.shift, a.shift + 3) < 32) {
        ASSERT_TRUE(core::make_segments(extent.data(), a.shift, core::segment_limit(n), same));
        ASSERT_EQ(same.count, segments.count);
        ASSERT_EQ(same.offset_width, segments.offset_width);
      }
    }
  }
}

// Up to the block size of encoders, where what the candidates leave out cannot win.
TEST(ShiftCandidates, MissNoBetterSegments) {
  Random random(32);
  for (int round = 0; round < 60; ++round) {
    const std::vector<std::uint32_t> extent = random_extents(random);
    const auto n = static_cast<std::uint32_t>(round % 3 == 0 ? 1024 : 1 + random.below(1024));
    std::uint32_t best = core::no_candidate;
    for (int c = 0; c < core::shift_candidates; ++c)
      best = std::min(best, core::shift_candidate(c, extent.data(), n).cost);
    std::uint32_t smallest = core::no_candidate;
    int bits[3];
    for (std::size_t d = 0; d < 3; ++d) bits[d] = core::bit_length(extent[d]);
    std::uint8_t shift[3];
    core::Segments segments;
    for (shift[0] = 0; shift[0] <= bits[0]; ++shift[0])
      for (shift[1] = 0; shift[1] <= bits[1]; ++shift[1])
        for (shift[2] = 0; shift[2] <= bits[2]; ++shift[2])
          if (core::make_segments(extent.data(), shift, core::segment_limit(n), segments))
            smallest = std::min(smallest, segments.count + n * static_cast<unsigned>(segments.offset_width));
    ASSERT_EQ(best, smallest) << n << " particles in " << extent[0] << " " << extent[1] << " " << extent[2];
  }
}

// Every id of a grid of `x` by `y` by as many as there may be.
void expect_cells(std::uint32_t x, std::uint32_t y) {
  constexpr std::uint32_t most = 2 * core::max_block_size;
  core::Segments segments;
  segments.grid[0] = x;
  segments.grid[1] = y;
  segments.grid[2] = most / (x * y);
  const core::CellFinder find(segments);
  std::uint32_t id = 0;
  for (std::uint32_t k = 0; k < segments.grid[2]; ++k)
    for (std::uint32_t j = 0; j < y; ++j)
      for (std::uint32_t i = 0; i < x; ++i, ++id) {
        std::uint32_t cell[3];
        find(id, cell);
        if (cell[0] != i || cell[1] != j || cell[2] != k) {
          ADD_FAILURE() << "id " << id << " in a grid of " << x << " " << y << " is at " << cell[0] << " " << cell[1]
                        << " " << cell[2];
          return;
        }
      }
}

TEST(CellFinder, FindsEveryCell) {
  constexpr std::uint32_t most = 2 * core::max_block_size;
  for (std::uint32_t x = 1; x <= most; ++x) {
    expect_cells(x, 1);
    expect_cells(1, x);
  }
  for (const std::uint32_t x : {2u, 3u, 5u, 7u, 10u, 16u, 20u, 23u, 45u, 63u, 90u, 128u, 511u, 2731u})
    for (std::uint32_t y = 2; x * y <= most; ++y) expect_cells(x, y);
}

// Words that end where memory ends: a look beyond them ends the test.
class WordsAtTheEnd {
 public:
  WordsAtTheEnd() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    start_ = static_cast<char *>(mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (start_ == MAP_FAILED || mprotect(start_ + page_, page_, PROT_NONE) != 0)
      throw std::runtime_error("no memory with an end");
  }
  WordsAtTheEnd(const WordsAtTheEnd &) = delete;
  WordsAtTheEnd &operator=(const WordsAtTheEnd &) = delete;
  ~WordsAtTheEnd() { munmap(start_, 2 * page_); }

  std::uint32_t *last(std::size_t words) { return reinterpret_cast<std::uint32_t *>(start_ + page_) - words; }

 private:
  std::size_t page_;
  char *start_;
};

// All bits around the place are set: they may change neither what is read nor be changed by what is written.
TEST(Bits, ComeBackAndNothingAroundThemIsTouched) {
  Random random(33);
  WordsAtTheEnd memory;
  for (std::uint64_t at = 0; at < 100; ++at) {
    for (int width = 0; width <= 64; ++width) {
      const std::uint64_t end = at + static_cast<unsigned>(width);
      // Without bits there is no word to look at.
      const std::size_t count = width == 0 ? at / 32 : core::words_for_bits(end);
      std::uint32_t *words = memory.last(count);
      for (const std::uint64_t value : {std::uint64_t{0}, ~std::uint64_t{0}, random.bits(), random.bits()}) {
        const std::uint64_t kept = value & core::low_mask(width);
        std::vector<bool> expected(32 * count, true);
        for (std::uint64_t i = at; i < end; ++i) expected[i] = (kept >> (i - at) & 1) != 0;
        for (std::size_t w = 0; w < count; ++w) {
          words[w] = ~std::uint32_t{0};
          for (std::uint64_t i = std::max<std::uint64_t>(at, 32 * w); i < std::min<std::uint64_t>(end, 32 * w + 32);
               ++i)
            words[w] &= ~(1u << i % 32);
        }
        core::put_bits(words, at, width, kept);
        ASSERT_EQ(core::get_bits(words, at, width), kept) << width << " bits at " << at;
        for (std::size_t i = 0; i < expected.size(); ++i)
          ASSERT_EQ((words[i / 32] >> i % 32 & 1) != 0, expected[i]) << width << " bits at " << at << ": bit " << i;
      }
    }
  }
}

TEST(Indices, AreExactUpToTheLargest) {
  Random random(34);
  constexpr std::int64_t most = (std::int64_t{1} << 51) - 1;
  const auto expect = [](std::int64_t min, std::int64_t index) {
    const double got = core::index_from(core::index_base(min), static_cast<std::uint64_t>(index - min));
    ASSERT_EQ(got, static_cast<double>(index)) << index << " from " << min;
  };
  for (const std::int64_t min : {-most, -most / 2, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, most})
    for (const std::int64_t index : {min, std::min(most, min + 1), most}) expect(min, index);
  for (int round = 0; round < 100000; ++round) {
    std::int64_t ends[2];
    for (auto &end : ends) {
      const std::uint64_t shift = 13 + random.below(50);
      end = static_cast<std::int64_t>(random.bits()) >> shift;
    }
    expect(std::min(ends[0], ends[1]), std::max(ends[0], ends[1]));
  }
}

core::Grid grid_of(double bound, double step) { return {step, 1 / step, bound}; }

template <typename T>
constexpr core::Value value_type = sizeof(T) == 4 ? core::Value::float32 : core::Value::float64;

// `quantize` against the same in wider arithmetic, in which differences of neighbours are exact.
template <typename T>
void expect_right(T x, const core::Grid &grid) {
  const core::Quantized<T> q = core::quantize(x, grid);
  const T value = core::grid_value<T>(q.rounded, grid.step);
  const long double error = std::fabs(static_cast<long double>(x) - static_cast<long double>(value));
  if (q.valid) {
    ASSERT_LE(error, static_cast<long double>(grid.bound)) << x << " as " << value << " of step " << grid.step;
    ASSERT_EQ(q.index, static_cast<std::int64_t>(q.rounded));
    ASSERT_EQ(static_cast<long double>(q.error), error);
  } else {
    ASSERT_FALSE(error < static_cast<long double>(grid.bound) && std::fabs(q.rounded) < core::largest_index)
        << x << " as " << value << " of step " << grid.step << " is no exception";
  }
}

template <typename T>
class Quantize : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Quantize, Floats, );

// Steps too wide for their bound are there too: the bound holds whatever the step.
TYPED_TEST(Quantize, HoldsTheBoundAroundTies) {
  using T = TypeParam;
  Random random(35);
  for (int round = 0; round < 2000; ++round) {
    const double bound = std::pow(10.0, random.uniform(-12, 12));
    for (const double step : {core::step_for_bound(bound, value_type<T>), 2 * bound, 2.5 * bound}) {
      const core::Grid grid = grid_of(bound, step);
      for (int i = 0; i < 100; ++i) {
        const double index = std::floor(std::pow(2.0, random.uniform(0, i % 10 == 0 ? 53 : 25))) - 1;
        T x = static_cast<T>((index + 0.5) * step * (i % 2 == 0 ? 1 : -1));
        for (std::uint64_t k = random.below(4); k > 0; --k)
          x = std::nextafter(x, static_cast<T>(i % 4 < 2 ? 0 : x * 2));
        ASSERT_NO_FATAL_FAILURE(expect_right(x, grid));
        // And where the error is the bound itself.
        ASSERT_NO_FATAL_FAILURE(expect_right(static_cast<T>(index * step + bound), grid));
      }
    }
  }
}

TYPED_TEST(Quantize, LeavesOutWhatIsNoNumberOrTooLarge) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  for (const double bound : {1e-300, 1e-30, 1e-3, 1.0, 1e30, 1e300}) {
    const core::Grid grid = grid_of(bound, core::step_for_bound(bound, value_type<T>));
    for (const T x :
         {Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::signaling_NaN(), Limits::infinity(), -Limits::infinity()})
      EXPECT_FALSE(core::quantize(x, grid).valid) << x << " with bound " << bound;
    if (static_cast<double>(Limits::max()) < 0x1p53 * bound) continue;
    for (const T x : {Limits::max(), Limits::lowest()})
      EXPECT_FALSE(core::quantize(x, grid).valid) << x << " with bound " << bound;
  }
}

// Steps for values whose neighbours are up to an eighth of the bound apart, where the usual one would lose some of
// them.
TEST(QuantizeLarge, ASmallerStepTakesLargeValues) {
  Random random(37);
  std::size_t lost_by_usual = 0;
  for (int round = 0; round < 3000; ++round) {
    const double bound = std::pow(10.0, random.uniform(-12, 12));
    const double from = bound * std::pow(2.0, random.uniform(15, 20));
    std::vector<float> values;
    unsigned coarse = 0;
    for (int i = 0; i < 300; ++i) {
      values.push_back(static_cast<float>(random.uniform(from, 2 * from)));
      coarse |= core::coarse_bit(bound, values.back());
    }
    const core::Grid usual = grid_of(bound, core::step_for_bound(bound, core::Value::float32));
    const core::Grid grid = grid_of(bound, core::step_for_bound(bound, core::Value::float32, coarse));
    ASSERT_LE(grid.step, usual.step);
    ASSERT_GT(grid.step, 1.74 * bound);
    if (coarse == 0) {
      ASSERT_EQ(grid.step, usual.step);
    }
    for (const float x : values) {
      int exponent = 0;
      const bool next_to_power = std::frexp(x, &exponent) < 0.5F + 1e-5F || std::frexp(x, &exponent) > 1 - 1e-5F;
      ASSERT_TRUE(next_to_power || core::quantize(x, grid).valid) << x << " with bound " << bound;
      lost_by_usual += core::quantize(x, usual).valid ? 0 : 1;
    }
  }
  EXPECT_GT(lost_by_usual, 1000u);
}

TEST(QuantizeLarge, OtherValuesAskForNothing) {
  for (const float x : {0.0F, 1.0F, std::numeric_limits<float>::infinity(), std::nanf(""), 1e30F, -66.0F})
    EXPECT_EQ(core::coarse_bit(1e-3, x), 0u) << x;
  EXPECT_EQ(core::coarse_bit(1e-3, -130.0F), 1u << 7);
}

TEST(QuantizeLarge, TheLargestValueTellsTheStep) {
  Random random(41);
  for (int round = 0; round < 3000; ++round) {
    const double bound = std::pow(10.0, random.uniform(-12, 12));
    const auto largest = static_cast<float>(bound * std::pow(2.0, random.uniform(10, 25)));
    unsigned coarse = 0;
    for (float x = largest; x > static_cast<float>(bound); x /= 2) coarse |= core::coarse_bit(bound, x);
    ASSERT_EQ(grid_step(bound, ValueType::float32, largest), core::step_for_bound(bound, core::Value::float32, coarse));
    ASSERT_EQ(grid_step(bound, ValueType::float64, largest), grid_step(bound));
  }
}

// The steps promise that there are no exceptions, up to a size where floats are too coarse for their bound. Values next
// to a power of two, whose grid value is beyond it and twice as coarse, are left out.
TYPED_TEST(Quantize, TakesEveryValueOfModestSize) {
  using T = TypeParam;
  Random random(36);
  for (int round = 0; round < 3000; ++round) {
    const double bound = std::pow(10.0, random.uniform(-12, 12));
    const core::Grid grid = grid_of(bound, core::step_for_bound(bound, value_type<T>));
    ASSERT_LT(grid.step, 2 * bound);
    ASSERT_GT(grid.step, 1.98 * bound);
    const double most = bound * 0x1p16;
    for (int i = 0; i < 300; ++i) {
      T x = static_cast<T>(random.uniform(-most, most));
      if (i % 2 == 0) x = static_cast<T>((std::floor(static_cast<double>(x) / grid.step) + 0.5) * grid.step);
      const core::Quantized<T> q = core::quantize(x, grid);
      if (std::ilogb(x) < std::ilogb(core::grid_value<T>(q.rounded, grid.step))) continue;
      ASSERT_TRUE(q.valid) << x << " with bound " << bound;
    }
  }
}

}  // namespace
}  // namespace gpz::test::core_functions_test
