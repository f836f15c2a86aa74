// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/indices.hpp"

#include <algorithm>

#include "gpz/core/keys.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/kernels/difference_kernels.hpp"

namespace gpz::trajectory {
namespace {

constexpr std::size_t at_once = 512;  // values

template <typename T>
std::int64_t key_index(T value) {
  return static_cast<std::int64_t>(core::key_of(value));
}

template <typename T>
std::uint64_t bits_of(T value) {
  if constexpr (sizeof(T) == 4) return core::bit_cast<std::uint32_t>(value);
  return core::bit_cast<std::uint64_t>(static_cast<double>(value));
}

std::uint32_t quantize(const float *x, std::uint32_t n, const core::Grid &grid, std::int64_t *q, double &error) {
  return codec::kernels().difference.quantize_floats(x, n, grid, q, error);
}
std::uint32_t quantize(const double *x, std::uint32_t n, const core::Grid &grid, std::int64_t *q, double &error) {
  return codec::kernels().difference.quantize_doubles(x, n, grid, q, error);
}

// Handles values first, first + 1, ... of component d, some of which the grid cannot hold.
template <typename T>
void keep_exact(const T *x, std::size_t n, const core::Grid &grid, std::size_t d, std::size_t first,
                const codec::DifferenceState *last, Indices &to) {
  std::int64_t *const out = to.column[d].data();
  for (std::size_t k = 0; k < n; ++k) {
    if (core::holds(x[k], grid)) continue;
    const std::size_t i = first + k;
    out[i] = last != nullptr ? last->axes[d].last[i] : i > 0 ? out[i - 1] : 0;
    to.exact.push_back({i | static_cast<std::uint64_t>(d) << format::exact_component_shift, bits_of(x[k])});
  }
}

// Quantizes all components of some rows at a time, so that each row is read once.
template <typename T>
void quantize(const FieldInput &input, const Rows &rows, const codec::DifferenceState *last, Indices &to,
              double &largest_error) {
  const core::Grid grid = format::grid_of(input);
  const std::size_t components = input.field.components.size();
  T value[core::max_components][at_once];
  for (std::size_t first = 0; first < rows.size(); first += at_once) {
    const std::size_t n = std::min(at_once, rows.size() - first);
    for (std::size_t k = 0; k < n; ++k) {
      const auto row = static_cast<std::ptrdiff_t>(rows[first + k]);
      for (std::size_t d = 0; d < components; ++d)
        std::memcpy(&value[d][k],
                    static_cast<const char *>(input.components[d].data) + row * input.components[d].stride, sizeof(T));
    }
    for (std::size_t d = 0; d < components; ++d)
      if (quantize(value[d], static_cast<std::uint32_t>(n), grid, to.column[d].data() + first, largest_error) != 0)
        keep_exact(value[d], n, grid, d, first, last, to);
  }
  std::sort(to.exact.begin(), to.exact.end(),
            [](const format::ExactValue &a, const format::ExactValue &b) { return a.place < b.place; });
}

// Indices of component d of a decoded field.
template <typename T>
void index_decoded(const format::Column<T> &x, const Field &field, std::size_t d, Indices &to) {
  std::int64_t *const out = to.column[d].data();
  if (field.step == 0) {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = key_index(x[i]);
    return;
  }
  const core::Grid grid = format::grid_of(field);
  double error = 0;
  for (std::size_t first = 0; first < x.size(); first += at_once) {
    const std::size_t n = std::min(at_once, x.size() - first);
    const T *const value = x.data() + first;
    const bool misses = quantize(value, static_cast<std::uint32_t>(n), grid, out + first, error) != 0;
    for (std::size_t k = 0; k < n; ++k) {
      std::int64_t &index = out[first + k];
      if (misses && !core::quantize(value[k], grid).valid) index = 0;
      if (bits_of(core::grid_value<T>(static_cast<double>(index), field.step)) != bits_of(value[k]))
        to.exact.push_back(
            {(first + k) | static_cast<std::uint64_t>(d) << format::exact_component_shift, bits_of(value[k])});
    }
  }
}

// Decodes values to their own type, because conversions may change the bits of a NaN.
template <typename T>
void load_floats(const Field &field, std::size_t n, const std::function<void(const codec::Target &)> &decode,
                 Indices &to) {
  const std::size_t components = field.components.size();
  std::array<format::Column<T>, core::max_components> values;
  codec::Target target;
  for (std::size_t d = 0; d < components; ++d) {
    values[d].resize(n);
    target.components[d] = {values[d].data(), sizeof(T),
                            sizeof(T) == 4 ? ConstArray::Type::float32 : ConstArray::Type::float64};
  }
  decode(target);
  for (std::size_t d = 0; d < components; ++d) index_decoded(values[d], field, d, to);
}

}  // namespace

codec::IndexColumns Indices::columns(std::size_t components) const {
  codec::IndexColumns out{};
  for (std::size_t d = 0; d < components; ++d) out[d] = column[d].data();
  return out;
}

codec::IndexOutput Indices::resize(std::size_t rows, std::size_t components) {
  codec::IndexOutput out{};
  for (std::size_t d = 0; d < components; ++d) {
    column[d].resize(rows);
    out[d] = column[d].data();
  }
  return out;
}

void Indices::load(const FieldInput &input, const Rows &rows, const codec::DifferenceState *last,
                   double &largest_error) {
  exact.clear();
  resize(rows.size(), input.field.components.size());
  const bool narrow = input.components[0].type == ConstArray::Type::float32;
  if (!format::is_plain(input.field))
    return narrow ? quantize<float>(input, rows, last, *this, largest_error)
                  : quantize<double>(input, rows, last, *this, largest_error);
  for (std::size_t d = 0; d < input.field.components.size(); ++d) {
    std::int64_t *const to = column[d].data();
    const ConstArray &array = input.components[d];
    if (input.field.type == ValueType::integer)
      for_integers(array, rows, [to](std::size_t i, auto value) { to[i] = value; });
    else if (narrow)
      for_rows<float>(array, rows, [to](std::size_t i, float value) { to[i] = key_index(value); });
    else
      for_rows<double>(array, rows, [to](std::size_t i, double value) { to[i] = key_index(value); });
  }
}

void Indices::fill_first() {
  for (std::size_t d = 0; d < column.size(); ++d) {
    std::size_t first = 0;
    for (const format::ExactValue &value : exact)
      if (value.place >> format::exact_component_shift == d && (value.place & format::exact_row_mask) == first) ++first;
    if (first < column[d].size()) std::fill_n(column[d].begin(), first, column[d][first]);
  }
}

void Indices::load_decoded(const Field &field, std::size_t n,
                           const std::function<void(const codec::Target &)> &decode) {
  exact.clear();
  const std::size_t components = std::min<std::size_t>(field.components.size(), core::max_components);
  resize(n, components);
  codec::Target target;
  if (field.type == ValueType::integer) {
    for (std::size_t d = 0; d < components; ++d)
      target.components[d] = {column[d].data(), sizeof(std::int64_t), ConstArray::Type::int64};
    decode(target);
    return;
  }
  if (field.type == ValueType::float32)
    load_floats<float>(field, n, decode, *this);
  else
    load_floats<double>(field, n, decode, *this);
}

}  // namespace gpz::trajectory
