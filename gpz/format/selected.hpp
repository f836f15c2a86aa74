// SPDX-License-Identifier: BSD-3-Clause
// Which particles of a frame a gpz::Selection takes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpz/format/budget.hpp"
#include "gpz/frame.hpp"
#include "gpz/positions.hpp"
#include "gpz/selection.hpp"

namespace gpz::format {

bool is_id_column(const std::string &name);
bool is_type_column(const std::string &name);

// The columns that a selection looks at, among the fields of a frame.
struct SelectionColumns {
  struct ColumnRef {
    std::size_t field;
    std::size_t component;
  };
  std::optional<ColumnRef> ids;
  std::optional<ColumnRef> types;
  std::array<std::optional<ColumnRef>, 3> positions;  // all empty without a region
  std::array<bool, 3> scaled{};                       // whether they are fractions of the box

  // Throws not_found if the fields lack a column.
  SelectionColumns(const Selection &selection, const std::vector<Field> &fields);
  // All that are there.
  std::vector<ColumnRef> all() const;
};

// Whether the fields have all columns that the selection looks at.
bool has_columns(const Selection &selection, const std::vector<Field> &fields);

// Their values, one for each particle; nullptr for columns that are not there.
struct SelectionValues {
  const std::int64_t *ids = nullptr;
  const std::int64_t *types = nullptr;
  std::array<const double *, 3> positions{};
};

// Sets taken[i] to 1 for each selected particle, and to 0 for the others. Returns the number of selected particles.
// Throws not_found if fractions of a box have no box, std::bad_alloc.
std::size_t select(const Selection &selection, const std::array<bool, 3> &scaled, const SelectionValues &values,
                   const Box &box, std::size_t particles, std::uint8_t *taken);

}  // namespace gpz::format
