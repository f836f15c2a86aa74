// SPDX-License-Identifier: BSD-3-Clause
// Words of blocks of steps: how many states there are, and which words every instruction set refuses.
#include <gtest/gtest.h>

#include <array>

#include "all_kernels.hpp"
#include "lanes_support.hpp"

namespace gpz::lanes::lanes_words_test {
namespace {

using codec::StepItems;

// The first block of molecules.
struct Coded {
  Pair pair;
  std::size_t states;
  Codes codes;
  std::vector<StepItems> items;
  std::vector<std::uint16_t> words;

  Coded(const Pattern &shape, std::size_t count) : pair(shape, count, 300, 1, 10000) {
    const Layout::Block &block = pair.layout.blocks()[0];
    const std::size_t steps = block.end - block.first;
    states = core::step_lanes / static_cast<std::size_t>(core::step_rounds(steps));
    items = items_of(pair, block, codec::kernels().steps);
    Counts counts;
    counts.add(items.data(), items.size());
    codes.choose(counts.contexts, counts.sides);
    codes = read_back(codes);
    Shares(codes).encode(steps, items.data(), items.size(), words);
  }
  // Whether a set takes them, and the rows that it makes.
  std::pair<bool, format::Column<std::int32_t>> decoded(std::vector<std::uint16_t> changed,
                                                        const codec::Kernels &set) const {
    const std::size_t count = changed.size();
    changed.resize(count + codec::step_most_words);
    format::Column<std::int32_t> rows = pair.rows;
    const Layout::Block &block = pair.layout.blocks()[0];
    format::Column<float> means;
    const bool is_good = set.steps.decode(pair.table(), codes.for_kernels(), block.first, block.end, rows.data(),
                                          Pair::now, pair.means_to(means), changed.data(), count);
    return {is_good, rows};
  }
  void expect_same_rows(const format::Column<std::int32_t> &a, const format::Column<std::int32_t> &b,
                        const char *name) const {
    for (const std::uint32_t s : pair.layout.slot_of())
      for (std::size_t d = 4; d < 7; ++d) ASSERT_EQ(a[std::size_t{8} * s + d], b[std::size_t{8} * s + d]) << name;
  }
  void expect_refused(const std::vector<std::uint16_t> &changed) const {
    for (const codec::Kernels *const set : codec::all_kernels())
      EXPECT_FALSE(decoded(changed, *set).first) << set->name;
  }
};

const std::array<Coded, 2> &coded_blocks() {
  static const std::array<Coded, 2> all{Coded(alkane(3), 16), Coded(chain(core::step_few), 12)};
  return all;
}

TEST(LanesWords, SmallBlocksHaveFewerStates) {
  EXPECT_EQ(coded_blocks()[0].states, std::size_t{16});
  EXPECT_EQ(coded_blocks()[1].states, std::size_t{32});
}

TEST(LanesWords, WordsThatDoNotFit) {
  for (const Coded &coded : coded_blocks()) {
    SCOPED_TRACE(coded.states);
    const std::vector<std::uint16_t> &words = coded.words;
    for (const codec::Kernels *const set : codec::all_kernels()) ASSERT_TRUE(coded.decoded(words, *set).first);
    // If there are many words, some lengths only.
    const std::size_t gap = 1 + words.size() / 1000 * 10;
    for (std::size_t count = 0; count < words.size(); count += count < 2 * core::step_lanes + 1 ? 1 : gap)
      coded.expect_refused({words.data(), words.data() + count});
    coded.expect_refused({words.data(), words.data() + words.size() - 1});
    std::vector<std::uint16_t> more = words;
    more.push_back(0);
    coded.expect_refused(more);
    // Every word is of some number: a change is refused, or it makes other rows, the same ones by every set.
    std::size_t refused = 0, tried = 0;
    for (std::size_t w = 0; w < words.size(); w += gap)
      for (const unsigned change : {1U, 0x200U, 0xFFFFU}) {
        std::vector<std::uint16_t> changed = words;
        changed[w] = static_cast<std::uint16_t>(changed[w] ^ change);
        const auto one = coded.decoded(changed, *codec::all_kernels()[0]);
        ++tried;
        refused += one.first ? 0 : 1;
        for (const codec::Kernels *const set : codec::all_kernels()) {
          const auto other = coded.decoded(changed, *set);
          ASSERT_EQ(other.first, one.first) << set->name << ", word " << w;
          if (one.first) coded.expect_same_rows(other.second, one.second, set->name);
        }
      }
    EXPECT_GT(3 * refused, 2 * tried);
  }
}

// A state below 2^16 at the beginning, whose first number takes a word that the encoder would have left in it.
TEST(LanesWords, StatesAtTheBeginning) {
  for (const Coded &coded : coded_blocks()) {
    SCOPED_TRACE(coded.states);
    std::size_t tried = 0;
    for (std::size_t l = 0; l < coded.states; ++l) {
      const std::int32_t context = coded.items[0].context[l];
      if (context == StepItems::nothing || core::step_bits_of_context(static_cast<std::size_t>(context)) != 0) continue;
      const std::uint32_t x = coded.words[2 * l] | std::uint32_t{coded.words[2 * l + 1]} << 16;
      const std::uint32_t *const entries =
          coded.codes.for_kernels().entries + std::size_t{core::step_table_size} * static_cast<std::size_t>(context);
      const std::uint32_t entry = entries[x % 512], frequency = entry & 0xFFFU,
                          start = x % 512 - (entry >> 12 & 0xFFFU);
      const std::uint32_t next = frequency * (x / 512) + (entry >> 12 & 0xFFFU);
      if (next < 1U << 16 || entry >> 24 == core::step_escape) continue;
      const std::uint32_t high = next >> 16, state = high / frequency * 512 + high % frequency + start;
      if (state >= 1U << 16) continue;
      // Words that the lanes before this one take come first.
      std::size_t at = 2 * coded.states;
      bool is_sure = true;
      for (std::size_t before = 0; before < l; ++before) is_sure = is_sure && coded.items[0].context[before] == context;
      if (!is_sure && l != 0) continue;
      for (std::size_t before = 0; before < l; ++before) {
        const std::uint32_t y = coded.words[2 * before] | std::uint32_t{coded.words[2 * before + 1]} << 16;
        const std::uint32_t of = entries[y % 512];
        if ((of & 0xFFFU) * (y / 512) + (of >> 12 & 0xFFFU) < 1U << 16) ++at;
      }
      std::vector<std::uint16_t> changed = coded.words;
      changed[2 * l] = static_cast<std::uint16_t>(state);
      changed[2 * l + 1] = static_cast<std::uint16_t>(state >> 16);
      changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::uint16_t>(next));
      coded.expect_refused(changed);
      ++tried;
    }
    EXPECT_GT(tried, 0U);
  }
}

}  // namespace
}  // namespace gpz::lanes::lanes_words_test
