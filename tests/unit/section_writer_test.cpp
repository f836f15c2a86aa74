// SPDX-License-Identifier: BSD-3-Clause
// The smallest candidate is written, and of equal sizes the first one.
#include "gpz/trajectory/section_writer.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <set>

#include "codec_support.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/model/modelled_section.hpp"

namespace gpz::trajectory::section_writer_test {
namespace {

using Try = model::Contest::Try;
using Bytes = std::vector<std::uint8_t>;

// Integers of an ordered chunk: they follow the ids, or have nothing to do with them.
struct Integers {
  std::vector<std::int64_t> data;
  format::Column<std::int64_t> ids;
  FieldInput input;
  Rows rows;
  Indices indices;
  codec::Encoder encoder{1};

  explicit Integers(bool follow) {
    test::Random random(7);
    for (std::int64_t i = 0; i < 3000; ++i) {
      ids.push_back(i);
      data.push_back(follow ? i / 3 : static_cast<std::int64_t>(random.below(1000)));
    }
    input.field.type = ValueType::integer;
    input.field.components = {{"mol", 0}};
    input.components[0] = {data.data(), sizeof data[0], ConstArray::Type::int64};
    rows.resize(data.size());
    std::iota(rows.begin(), rows.end(), 0u);
    double error = 0;
    indices.load(input, rows, nullptr, trajectory::ExactIndex::nearest, 1, error);
  }

  WrittenSection written(const std::vector<SectionCandidate> &candidates, Bytes &bytes, Try turn = Try::both) {
    SectionContext context{input.field, data.size()};
    context.ids = &ids;
    const std::optional<format::TiltedEdges> straight;
    return append_section(candidates, {context, input, rows, indices, {}, straight, encoder, {}}, turn, {}, bytes);
  }
  WrittenSection written(const std::vector<SectionCandidate> &candidates) {
    Bytes bytes;
    return written(candidates, bytes);
  }
  Bytes section(const std::vector<SectionCandidate> &candidates, Try turn = Try::both) {
    Bytes bytes;
    written(candidates, bytes, turn);
    return bytes;
  }
};

TEST(SectionWriter, TheSmallestCandidateIsWritten) {
  for (const bool follow : {false, true}) {
    Integers integers(follow);
    const auto candidates = section_candidates(ChunkKind::ordered, trajectory::integers, 0);
    ASSERT_EQ(candidates.size(), 2u);
    const Bytes first = integers.section({candidates[0]});
    const Bytes second = integers.section({candidates[1]});
    const Bytes smallest = integers.section(candidates);
    EXPECT_EQ(smallest, first.size() <= second.size() ? first : second);
    EXPECT_EQ(smallest[0], follow ? format::ordered_values : format::block_coded_values);
  }
}

TEST(SectionWriter, OfEqualSizesTheFirstStays) {
  Integers integers(true);
  const auto candidates = section_candidates(ChunkKind::ordered, trajectory::integers, 0);
  SectionCandidate again = candidates[0];
  again.when = SectionCandidate::costly;
  EXPECT_EQ(integers.section({candidates[0], again}), integers.section({candidates[0]}));
}

TEST(SectionWriter, CandidatesHaveTheirTurns) {
  Integers integers(false);
  auto candidates = section_candidates(ChunkKind::ordered, trajectory::integers, 0);
  candidates[0].when = SectionCandidate::costly;
  EXPECT_EQ(integers.section(candidates, Try::usual)[0], format::block_coded_values);
  EXPECT_EQ(integers.section(candidates, Try::costly)[0], format::ordered_values);
  EXPECT_EQ(integers.section(candidates, Try::both)[0], format::block_coded_values);
  candidates[0].when = SectionCandidate::always;
  candidates[1].when = SectionCandidate::if_none;
  EXPECT_EQ(integers.section(candidates, Try::both)[0], format::ordered_values);
}

// Every candidate is a coding that readers know in such chunks, and every coding is a candidate somewhere.
TEST(SectionWriter, TablesAgree) {
  std::set<int> tried;
  for (const ChunkKind kind : {ChunkKind::difference, ChunkKind::ordered, ChunkKind::cells, ChunkKind::sequence})
    for (const FieldClass field : {sort_keys, trajectory::integers, lossless, positions, values, identity})
      for (const SectionCandidate &candidate : section_candidates(kind, field, feature::known)) {
        EXPECT_TRUE(format::allows_coding(kind, candidate.coding, field));
        tried.insert(candidate.coding);
      }
  for (const auto left_out : {format::left_out_5, format::left_out_9, format::left_out_12})
    EXPECT_TRUE(tried.insert(left_out).second);
  EXPECT_EQ(tried.size(), format::coding_count);
  // Rows are found by their numbers.
  for (std::uint8_t n = 1; n <= format::coding_count; ++n) {
    EXPECT_EQ(format::rule_of(static_cast<format::FieldCodingKind>(n)).number, n);
    EXPECT_EQ(coding_of(static_cast<format::FieldCodingKind>(n)).number, n);
  }
  for (std::uint32_t k = 0; k < format::chunk_kinds; ++k) {
    for (const auto left_out : {format::left_out_5, format::left_out_9, format::left_out_12})
      EXPECT_FALSE(format::allows_coding(static_cast<ChunkKind>(k), left_out, format::any_field));
    EXPECT_EQ(static_cast<std::uint32_t>(format::rule_of(static_cast<ChunkKind>(k)).kind), k);
  }
}

// The result of trying sections of molecules, as append_section reports it.
struct Molecules {
  const Coding &coding = coding_of(format::steps);
  const Field field;
  model::ModelledState modelled;
  SectionContext context{field, 1000};
  const model::MoleculeUse &use = modelled.molecule_use;

  Molecules() { context.modelled = &modelled; }
  void wins(std::size_t other) {
    constexpr std::size_t size = 1000000;
    coding.settle(context, {true, model::is_clear_win(size, other), true, false, size, size});
  }
  void loses(std::size_t size, std::size_t kept, bool to_model = false) {
    coding.settle(context, {false, false, to_model, false, size, kept});
  }
};

// Trials of molecules are slow: one in a liquid, whose particles have no bonds, is the last one.
TEST(SectionWriter, MoleculesAreTriedAgainAfterANarrowLoss) {
  Molecules molecules;
  molecules.loses(1020000, 1000000);
  EXPECT_TRUE(molecules.use.may_try());
  molecules.loses(1400, 1000);  // few particles
  EXPECT_TRUE(molecules.use.may_try());
  molecules.loses(1050000, 1000000);
  EXPECT_FALSE(molecules.use.may_try());
}

// A loss to coding 1 counts with the next one, so that there is one more.
TEST(SectionWriter, MoleculesAreNotTriedAfterLossesInARow) {
  for (const bool to_model : {false, true}) {
    Molecules molecules;
    int losses = 0;
    for (; molecules.use.may_try() && losses < 10; ++losses) molecules.loses(1010000, 1000000, to_model);
    EXPECT_EQ(losses, to_model ? 3 : 4);
  }
  Molecules hopeless;
  hopeless.coding.settle(hopeless.context, {false, false, false, true, SIZE_MAX, 1000000});
  EXPECT_FALSE(hopeless.use.may_try());
  // Nothing is known about particles in another order.
  Molecules other;
  other.coding.settle(other.context, {false, false, false, false, SIZE_MAX, 1000000});
  EXPECT_TRUE(other.use.may_try());
}

// Two in a row, in contests with other models, of large chunks.
TEST(SectionWriter, MoleculesEndContestsAfterClearWins) {
  constexpr std::size_t clearly = 1010000, narrowly = 1005000;
  Molecules large;
  large.context.particles = model::large_section;
  large.wins(clearly);
  large.wins(narrowly);
  large.wins(clearly);
  EXPECT_TRUE(large.use.has_rivals());
  large.wins(clearly);
  EXPECT_TRUE(large.use.is_settled());
  EXPECT_FALSE(large.use.has_rivals());
  for (int i = 0; i < 40; ++i) {
    large.wins(SIZE_MAX);
    EXPECT_FALSE(large.use.has_rivals());
    EXPECT_TRUE(large.use.may_try());
  }
  // A loss, against a coding that is tried for another reason, or a small chunk.
  large.loses(1010000, 1000000);
  EXPECT_FALSE(large.use.is_settled());
  EXPECT_TRUE(large.use.may_try());
  Molecules shrunk;
  for (const std::size_t particles : {model::large_section, model::large_section - 1, model::large_section}) {
    shrunk.context.particles = particles;
    shrunk.wins(clearly);
  }
  EXPECT_FALSE(shrunk.use.is_settled());
  // Sections without other models are no contests with these.
  Molecules alone;
  alone.context.particles = model::large_section;
  for (int i = 0; i < 4; ++i) alone.wins(narrowly);
  for (int i = 4; i < 16; ++i) {
    EXPECT_FALSE(alone.use.has_rivals());
    alone.wins(clearly);
  }
  EXPECT_FALSE(alone.use.is_settled());
  EXPECT_TRUE(alone.use.has_rivals());
}

TEST(SectionWriter, ReportsClearWins) {
  Integers integers(true);
  auto candidates = section_candidates(ChunkKind::ordered, trajectory::integers, 0);
  candidates[0].when = SectionCandidate::costly;
  EXPECT_TRUE(integers.written(candidates).was_clear);
  // Two of one kind are no contest of the kinds, and one section alone has won clearly.
  candidates[0].when = SectionCandidate::always;
  EXPECT_TRUE(integers.written(candidates).was_clear);
  SectionCandidate again = candidates[0];
  again.when = SectionCandidate::costly;
  EXPECT_FALSE(integers.written({candidates[0], again}).was_clear);
}

// A field without a coding in a kind of chunk could not be written.
TEST(SectionWriter, EveryFieldHasACandidate) {
  for (const ChunkKind kind : {ChunkKind::ordered, ChunkKind::cells, ChunkKind::sequence, ChunkKind::difference})
    for (const FieldClass field : {trajectory::integers, lossless, values})
      EXPECT_FALSE(section_candidates(kind, field, 0).empty())
          << static_cast<int>(kind) << " " << static_cast<int>(field);
}

}  // namespace
}  // namespace gpz::trajectory::section_writer_test
