// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/cell_chunk.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gpz/codec/cell_tree.hpp"
#include "gpz/codec/lattice_code.hpp"
#include "gpz/core/config.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/difference_chunk.hpp"
#include "gpz/format/difference_rules.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/grid_box.hpp"
#include "gpz/trajectory/block_chunk.hpp"
#include "gpz/trajectory/indices.hpp"
#include "gpz/trajectory/rows.hpp"
#include "gpz/trajectory/sections.hpp"

namespace gpz::trajectory {

namespace {

bool is_set(const Field &field) { return field.leading && !format::is_plain(field); }

// Values that the grid cannot hold have the index of the row before; the first ones get that of the first row that has
// one, so that they do not widen the box of the particles.
void fill_first_indices(std::size_t components, Indices &indices) {
  for (std::size_t d = 0; d < components; ++d) {
    std::size_t first = 0;
    for (const format::ExactValue &value : indices.exact)
      if (value.place >> format::exact_component_shift == d && (value.place & format::exact_row_mask) == first) ++first;
    auto &column = indices.column[d];
    if (first < column.size()) std::fill_n(column.begin(), first, column[first]);
  }
}

// Exact values name the particles by the order in which they are decoded.
void renumber(const std::vector<std::uint32_t> &order, format::Column<format::ExactValue> &exact) {
  if (exact.empty()) return;
  std::vector<std::uint32_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::uint32_t>(i);
  for (format::ExactValue &value : exact)
    value.place = (value.place & ~format::exact_row_mask) | place[value.place & format::exact_row_mask];
}

// Fewer bits than a set of cells takes, whatever was learnt about it: those of independent particles, rounded down by
// up to five bits a particle.
std::uint64_t few_bits(const cpu::IndexColumns &columns, std::size_t particles, std::size_t components) {
  int a_particle = -core::bit_length(std::uint64_t{particles});
  for (std::size_t d = 0; d < components; ++d) {
    const auto [low, high] = std::minmax_element(columns[d], columns[d] + particles);
    a_particle += core::bit_length(static_cast<std::uint64_t>(*high - *low) + 1) - 1;
  }
  return static_cast<std::uint64_t>(std::max(a_particle, 0)) * particles;
}

// What indices were rounded from, in grid steps; of values that the grid does not hold, the index.
struct InSteps {
  std::array<std::vector<double>, core::max_components> column;

  InSteps(const FieldInput &input, const Rows &rows, const cpu::IndexColumns &q) {
    for (std::size_t d = 0; d < input.field.components.size(); ++d) {
      column[d].resize(rows.size());
      const auto take = [&](std::size_t i, auto value) {
        const double x = static_cast<double>(value) / input.field.step;
        const auto index = static_cast<double>(q[d][i]);
        column[d][i] = std::fabs(x - index) < 1 ? x : index;
      };
      if (input.components[d].type == ConstArray::Type::float32)
        for_rows<float>(input.components[d], rows, take);
      else
        for_rows<double>(input.components[d], rows, take);
    }
  }
  cpu::PlaceColumns columns() const { return {column[0].data(), column[1].data(), column[2].data()}; }
};

// Appends the section of the leading field; `order` becomes that of the chunk.
void append_set(const FieldInput &input, const Rows &rows, const Box &box, std::vector<std::uint32_t> &order,
                double &largest_error, std::vector<std::uint8_t> &bytes) {
  const std::size_t components = input.field.components.size();
  Indices indices;
  indices.load(input, rows, nullptr, largest_error);
  fill_first_indices(components, indices);
  const cpu::IndexColumns columns = indices.columns(components);
  std::vector<std::uint8_t> set;
  bool crystal = cpu::encode_lattice(columns, InSteps(input, rows, columns).columns(), rows.size(),
                                     static_cast<int>(components), format::grid_box(box, input.field), order, set);
  if (!crystal || set.size() * 8 > few_bits(columns, rows.size(), components)) {
    std::vector<std::uint32_t> other_order;
    std::vector<std::uint8_t> halved;
    cpu::encode_cells(columns, rows.size(), static_cast<int>(components), other_order, halved);
    if (!crystal || halved.size() < set.size()) {
      crystal = false;
      std::swap(order, other_order);
      std::swap(set, halved);
    }
  }
  renumber(order, indices.exact);
  format::append_field_coding({crystal ? format::lattice_sites : format::halved_cells, {}}, bytes);
  format::append_exact_values(indices.exact, bytes);
  bytes.insert(bytes.end(), set.begin(), set.end());
}

}  // namespace

bool may_be_cells(const std::vector<Field> &fields, std::uint64_t particles) {
  return particles != 0 && particles <= format::max_followed && !fields.empty() && is_set(fields[0]);
}

void encode_cell_chunk(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows, const Box &box,
                       cpu::Encoder &encoder, EncodedChunk &out) {
  Rows given;
  take_rows(rows, particles, given);
  out.bytes.clear();
  format::append_chunk_head(ChunkKind::cells, {}, fields.size(), out.bytes);
  out.largest_error.assign(fields.size(), 0);
  std::vector<std::uint32_t> order;
  Rows sorted(particles);
  append_sections(ChunkKind::cells, fields.size(), out.bytes, [&](std::size_t f) {
    if (f == 0) {
      append_set(fields[0], given, box, order, out.largest_error[0], out.bytes);
      std::transform(order.begin(), order.end(), sorted.begin(), [&](std::uint32_t i) { return given[i]; });
    } else {
      format::append_field_coding({format::block_coded_values, {}}, out.bytes);
      out.largest_error[f] = append_block_coded(fields[f], sorted, encoder, out.bytes);
    }
  });
  out.particles = particles;
}

}  // namespace gpz::trajectory
