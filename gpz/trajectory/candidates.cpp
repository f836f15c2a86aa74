// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/candidates.hpp"

#include <algorithm>

#include "gpz/format/difference_rules.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::trajectory {
namespace {

using When = SectionCandidate::When;

// clang-format off
constexpr SectionCandidate candidates[] = {
    // chunk               fields                          coding                       when
    {ChunkKind::ordered,    positions,                     format::steps,               When::always},
    {ChunkKind::ordered,    on_grid,                       format::segmented_order,     When::always},
    {ChunkKind::ordered,    (any_field & ~lossless) | identity, format::ordered_values, When::always},
    {ChunkKind::ordered,    values,                        format::classed_values,      When::always},
    {ChunkKind::ordered,    lossless,                      format::few_values,          When::always},
    {ChunkKind::ordered,    integers | values | lossless,  format::block_coded_values,  When::always},

    {ChunkKind::cells,      positions,                     format::lattice_sites,       When::always},
    {ChunkKind::cells,      positions,                     format::halved_cells,        When::always},
    {ChunkKind::cells,      values,                        format::classed_values,      When::always},
    {ChunkKind::cells,      lossless,                      format::few_values,          When::always},
    {ChunkKind::cells,      any_field & ~positions,        format::block_coded_values,  When::always},

    {ChunkKind::sequence,   on_grid,                       format::sequence_values,     When::always},
    {ChunkKind::sequence,   positions,                     format::block_coded_values,  When::if_none},
    {ChunkKind::sequence,   lossless,                      format::few_values,          When::always},
    {ChunkKind::sequence,   any_field & ~positions,        format::block_coded_values,  When::always},

    {ChunkKind::difference, positions,                     format::steps,               When::costly},
    {ChunkKind::difference, integers | values,             format::classed_values,      When::costly},
    {ChunkKind::difference, on_grid,                       format::modelled_values,     When::costly},
    {ChunkKind::difference, any_field & ~lossless,         format::predicted_values,    When::always},
    {ChunkKind::difference, lossless,                      format::few_values,          When::always},
    {ChunkKind::difference, any_field & ~on_grid,          format::block_coded_values,  When::always},
};

// Chunk kind for an order; the first match wins.
struct ChunkCandidate {
  ChunkKind kind;
  bool (*applies)(const ChunkRequest &request, bool has_ids);
};

bool leads_on_grid(const ChunkRequest &request) {
  return !request.fields.empty() && class_of(request.fields[0]) == positions;
}

constexpr ChunkCandidate chunk_candidates[] = {
    {ChunkKind::ordered,  [](const ChunkRequest &r, bool has_ids) { return has_ids && r.order == Order::id; }},
    {ChunkKind::sequence, [](const ChunkRequest &r, bool) { return r.order == Order::memory && leads_on_grid(r); }},
    {ChunkKind::cells,    [](const ChunkRequest &r, bool has_ids) { return !has_ids && leads_on_grid(r); }},
};

// Features that each effort adds to block chunks, ordered chunks and residuals from earlier frames.
struct Level {
  Effort effort;
  std::uint32_t features;
  std::uint32_t in_order;  // features of ids in order
};
constexpr std::uint32_t of_order = feature::segmented_order | feature::steps;
constexpr Level levels[] = {
    {Effort::standard, 0, of_order | feature::classed_sections},
    {Effort::dense,    feature::modelled_sections | feature::classed_sections | feature::cell_chunks, of_order},
};
// clang-format on

}  // namespace

std::vector<SectionCandidate> section_candidates(ChunkKind chunk, FieldClass field, std::uint32_t features) {
  std::vector<SectionCandidate> out;
  const auto has = [&](std::uint8_t coding) {
    return std::any_of(out.begin(), out.end(), [&](const SectionCandidate &row) { return row.coding == coding; });
  };
  for (const SectionCandidate &row : candidates)
    if (row.chunk == chunk && (row.fields & field) != 0 && (format::rule_of(row.coding).feature & ~features) == 0 &&
        !has(row.coding))
      out.push_back(row);
  return out;
}

std::optional<ChunkKind> chunk_candidate(const ChunkRequest &request) {
  if (request.particles == 0 || request.particles > format::max_followed) return std::nullopt;
  const bool has_ids = format::identity_field(request.fields) != format::no_field;
  for (const ChunkCandidate &row : chunk_candidates)
    if (row.applies(request, has_ids) && (format::rule_of(row.kind).feature & ~request.features) == 0) return row.kind;
  return std::nullopt;
}

}  // namespace gpz::trajectory

namespace gpz {

std::uint32_t features_of(Effort effort, Order order, bool ids) {
  std::uint32_t features = order == Order::memory ? feature::sequence_chunks : 0;
  const bool in_order = ids && (order == Order::id || order == Order::automatic);
  for (const trajectory::Level &level : trajectory::levels) {
    if (level.effort != effort) continue;
    features |= level.features;
    if (in_order) features |= level.in_order;
  }
  return features;
}

Effort effort_within(std::uint32_t features) {
  if ((features & feature::cell_chunks) != 0) return Effort::dense;
  return (features & ~feature::sequence_chunks) != 0 ? Effort::standard : Effort::fast;
}

}  // namespace gpz
