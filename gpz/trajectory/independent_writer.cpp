// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/independent_writer.hpp"

#include <algorithm>

#include "gpz/codec/parallel.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/grid_box.hpp"
#include "gpz/trajectory/id_order.hpp"
#include "gpz/trajectory/section_writer.hpp"

namespace gpz::trajectory {
namespace {

// The particles of a chunk in the order in which they are stored.
struct StoredParticles {
  Rows &rows;
  IdOrder &order;
  std::size_t identity = format::no_field;            // field of the ids that sort the particles
  const format::Column<std::int64_t> *ids = nullptr;  // ascending
  format::Column<std::int64_t> sorted_ids{};          // unless they are given in this order

  void sort_by_ids(const FieldInput &field, int threads) {
    auto *const given = static_cast<std::int64_t *>(order.target(rows.size()).components[0].data);
    for_integers(field.components[0], rows, threads, [&](std::size_t i, auto value) { given[i] = value; });
    order.rank(threads);
    ids = &order.ids();
    if (order.rows() == nullptr) return;
    ids = &sorted_ids;
    sorted_ids.resize(rows.size());
    Rows sorted(rows.size());
    codec::parallel_particles(threads, rows.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const std::uint32_t row = order.rows()[i];
        sorted_ids[row] = given[i];
        sorted[row] = rows[i];
      }
    });
    rows = std::move(sorted);
  }
  void sort(const std::vector<std::uint32_t> &from, int threads) {
    Rows sorted(rows.size());
    codec::parallel_particles(threads, from.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) sorted[i] = rows[from[i]];
    });
    rows = std::move(sorted);
  }
};

}  // namespace

bool encode_independent(ChunkKind kind, const std::vector<FieldInput> &fields, std::size_t particles, const int *rows,
                        const Box &box, std::uint32_t features, EncoderTools &tools, EncodedChunk &out) {
  StoredParticles stored{tools.rows, tools.order};
  const int threads = tools.encoder.threads();
  take_rows(rows, particles, threads, stored.rows);
  out.bytes.clear();
  const format::ChunkRule rule = format::rule_of(kind);
  if (rule.population == format::Population::by_id) {
    stored.identity = format::identity_field(format::described(fields));
    stored.sort_by_ids(fields[stored.identity], threads);
    format::append_chunk_head(kind, {stored.identity}, fields.size(), out.bytes);
  } else {
    format::append_chunk_head(kind, {}, fields.size(), out.bytes);
  }
  out.largest_error.assign(fields.size(), 0);
  Indices &indices = tools.indices;
  const std::vector<Field> described = format::described(fields);
  IntegerColumns columns;  // fields that give sections their classes
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const FieldInput &input = fields[f];
    const bool is_identity = f == stored.identity;
    const FieldClass field = is_identity ? identity : class_of(input.field);
    const auto candidates = section_candidates(kind, field, features);
    const bool takes_indices = std::any_of(candidates.begin(), candidates.end(), [](const SectionCandidate &candidate) {
      return format::rule_of(candidate.coding).has_indices;
    });
    indices.exact.clear();
    if (takes_indices) indices.load(input, stored.rows, nullptr, exact_index(features), threads, out.largest_error[f]);
    if (takes_indices && rule.population == format::Population::chosen) indices.fill_first();
    SectionContext context{input.field, particles};
    context.threads = threads;
    if (f == 0) context.plans = tools.plans;
    if (stored.identity != format::no_field && !is_identity) context.ids = stored.ids;
    OtherFields others(described, f, [&](std::size_t other) {
      format::Column<std::int64_t> &column = columns[other];
      if (column.empty()) {
        column.resize(particles);
        for_integers(fields[other].components[0], stored.rows, threads, [&](std::size_t i, auto v) { column[i] = v; });
      }
      return column.data();
    });
    context.others = &others;
    const bool searches = takes_indices && f == 0 && field == positions;
    const FoundCell found =
        searches ? tools.cell.find(box, input.field, indices.columns(context.components()), nullptr, particles)
                 : FoundCell{format::grid_box(box, input.field), {}};
    const SectionSource source{context, input, stored.rows, indices, found.axes, found.tilted, tools.encoder, {}};
    const std::size_t begin = out.bytes.size();
    const WrittenSection written = append_section(candidates, source, model::Contest::Try::both, {}, out.bytes);
    format::set_section_length(out.bytes, kind, f, out.bytes.size() - begin);
    out.largest_error[f] = std::max(out.largest_error[f], written.largest_error);
    if (!written.order.empty()) {
      stored.sort(written.order, threads);
      columns.clear();
    }
  }
  out.particles = particles;
  if (stored.ids == nullptr) return false;
  return std::adjacent_find(stored.ids->begin(), stored.ids->end()) != stored.ids->end();
}

}  // namespace gpz::trajectory
