// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/indices.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "gpz/codec/parallel.hpp"
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

// Columns that grow take pages from the system, each in a thread.
template <typename T>
void resize_columns(std::array<format::Column<T>, core::max_components> &columns, std::size_t rows,
                    std::size_t components, int threads) {
  const bool grow = std::any_of(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(components),
                                [&](const format::Column<T> &column) { return column.size() < rows; });
  const int used = grow ? codec::thread_count(codec::threads_for_particles(threads, rows), components) : 1;
  codec::parallel_ranges(used, components, [&](int, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t d = first; d < last; ++d) columns[d].resize(rows);
  });
}

void sort_by_place(format::Column<format::ExactValue> &exact) {
  std::sort(exact.begin(), exact.end(),
            [](const format::ExactValue &a, const format::ExactValue &b) { return a.place < b.place; });
}

// Handles values first, first + 1, ... of component d, some of which the grid cannot hold.
template <typename T>
void keep_exact(const T *x, std::size_t n, const core::Grid &grid, std::size_t d, std::size_t first,
                const codec::DifferenceState *last, ExactIndex chosen, Indices &to) {
  std::int64_t *const out = to.column[d].data();
  for (std::size_t k = 0; k < n; ++k) {
    const core::Quantized<T> q = core::quantize(x[k], grid);
    if (core::holds(x[k], grid)) continue;
    const std::size_t i = first + k;
    const bool is_index = core::magnitude(q.scaled) <= core::largest_index;
    if (chosen == ExactIndex::nearest && is_index)
      out[i] = q.index;
    else
      out[i] = last != nullptr ? last->axes[d].last[i] : i > 0 ? out[i - 1] : 0;
    to.exact.push_back({i | static_cast<std::uint64_t>(d) << format::exact_component_shift, bits_of(x[k])});
  }
}

// All components of some rows, so that each row is read once.
template <typename T>
struct Piece {
  std::size_t first = 0;
  std::size_t n = 0;
  T value[core::max_components][at_once];

  void load(const FieldInput &input, const Rows &rows, std::size_t from) {
    first = from;
    n = std::min(at_once, rows.size() - first);
    for (std::size_t k = 0; k < n; ++k) {
      const auto row = static_cast<std::ptrdiff_t>(rows[first + k]);
      for (std::size_t d = 0; d < input.field.components.size(); ++d)
        std::memcpy(&value[d][k],
                    static_cast<const char *>(input.components[d].data) + row * input.components[d].stride, sizeof(T));
    }
  }
};

template <typename T>
void quantize(const FieldInput &input, const Rows &rows, const codec::DifferenceState *last, ExactIndex chosen,
              int threads, Indices &to, double &largest_error) {
  const core::Grid grid = format::grid_of(input);
  const std::size_t components = input.field.components.size();
  std::mutex mutex;                 // of the following
  std::vector<std::size_t> misses;  // starts of pieces with values that the grid cannot hold
  codec::parallel_particles(threads, rows.size(), [&](std::size_t begin, std::size_t end) {
    Piece<T> piece;
    double error = 0;
    std::vector<std::size_t> missed;
    for (std::size_t first = begin; first < end; first += at_once) {
      piece.load(input, rows, first);
      std::uint32_t count = 0;
      for (std::size_t d = 0; d < components; ++d)
        count +=
            quantize(piece.value[d], static_cast<std::uint32_t>(piece.n), grid, to.column[d].data() + first, error);
      if (count != 0) missed.push_back(first);
    }
    const std::lock_guard<std::mutex> lock(mutex);
    largest_error = std::max(largest_error, error);
    misses.insert(misses.end(), missed.begin(), missed.end());
  });
  // In order: without history, such a value may have the index of the row before.
  std::sort(misses.begin(), misses.end());
  Piece<T> piece;
  for (const std::size_t first : misses) {
    piece.load(input, rows, first);
    for (std::size_t d = 0; d < components; ++d) keep_exact(piece.value[d], piece.n, grid, d, first, last, chosen, to);
  }
  sort_by_place(to.exact);
}

// Indices of values begin, ... end - 1 of component d of a decoded field. Appends those that indices cannot represent.
template <typename T>
void index_decoded(const format::Column<T> &x, const Field &field, std::size_t d, std::size_t begin, std::size_t end,
                   std::int64_t *out, format::Column<format::ExactValue> &exact) {
  if (field.step == 0) {
    for (std::size_t i = begin; i < end; ++i) out[i] = key_index(x[i]);
    return;
  }
  const core::Grid grid = format::grid_of(field);
  double error = 0;
  for (std::size_t first = begin; first < end; first += at_once) {
    const std::size_t n = std::min(at_once, end - first);
    const T *const value = x.data() + first;
    const bool misses = quantize(value, static_cast<std::uint32_t>(n), grid, out + first, error) != 0;
    for (std::size_t k = 0; k < n; ++k) {
      std::int64_t &index = out[first + k];
      if (misses && !core::quantize(value[k], grid).valid) index = 0;
      if (bits_of(core::grid_value<T>(static_cast<double>(index), field.step)) != bits_of(value[k]))
        exact.push_back(
            {(first + k) | static_cast<std::uint64_t>(d) << format::exact_component_shift, bits_of(value[k])});
    }
  }
}

// Decodes values to their own type, because conversions may change the bits of a NaN.
template <typename T>
void load_floats(const Field &field, std::size_t n, int threads,
                 const std::function<void(const codec::Target &)> &decode, Indices &to) {
  const std::size_t components = field.components.size();
  std::array<format::Column<T>, core::max_components> values;
  resize_columns(values, n, components, threads);
  codec::Target target;
  for (std::size_t d = 0; d < components; ++d) {
    target.components[d] = {values[d].data(), sizeof(T),
                            sizeof(T) == 4 ? ConstArray::Type::float32 : ConstArray::Type::float64};
  }
  decode(target);
  std::mutex mutex;  // of to.exact
  codec::parallel_particles(threads, n, [&](std::size_t begin, std::size_t end) {
    format::Column<format::ExactValue> exact;
    for (std::size_t d = 0; d < components; ++d)
      index_decoded(values[d], field, d, begin, end, to.column[d].data(), exact);
    const std::lock_guard<std::mutex> lock(mutex);
    to.exact.insert(to.exact.end(), exact.begin(), exact.end());
  });
  sort_by_place(to.exact);
}

}  // namespace

codec::IndexColumns Indices::columns(std::size_t components) const {
  codec::IndexColumns out{};
  for (std::size_t d = 0; d < components; ++d) out[d] = column[d].data();
  return out;
}

codec::IndexOutput Indices::resize(std::size_t rows, std::size_t components, int threads) {
  resize_columns(column, rows, components, threads);
  codec::IndexOutput out{};
  for (std::size_t d = 0; d < components; ++d) out[d] = column[d].data();
  return out;
}

void Indices::load(const FieldInput &input, const Rows &rows, const codec::DifferenceState *last, ExactIndex chosen,
                   int threads, double &largest_error) {
  exact.clear();
  resize(rows.size(), input.field.components.size(), threads);
  const bool narrow = input.components[0].type == ConstArray::Type::float32;
  if (!format::is_plain(input.field))
    return narrow ? quantize<float>(input, rows, last, chosen, threads, *this, largest_error)
                  : quantize<double>(input, rows, last, chosen, threads, *this, largest_error);
  for (std::size_t d = 0; d < input.field.components.size(); ++d) {
    std::int64_t *const to = column[d].data();
    const ConstArray &array = input.components[d];
    if (input.field.type == ValueType::integer)
      for_integers(array, rows, threads, [to](std::size_t i, auto value) { to[i] = value; });
    else if (narrow)
      for_rows<float>(array, rows, threads, [to](std::size_t i, float value) { to[i] = key_index(value); });
    else
      for_rows<double>(array, rows, threads, [to](std::size_t i, double value) { to[i] = key_index(value); });
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

void Indices::load_decoded(const Field &field, std::size_t n, int threads,
                           const std::function<void(const codec::Target &)> &decode) {
  exact.clear();
  const std::size_t components = std::min<std::size_t>(field.components.size(), core::max_components);
  resize(n, components, threads);
  codec::Target target;
  if (field.type == ValueType::integer) {
    for (std::size_t d = 0; d < components; ++d)
      target.components[d] = {column[d].data(), sizeof(std::int64_t), ConstArray::Type::int64};
    decode(target);
    return;
  }
  if (field.type == ValueType::float32)
    load_floats<float>(field, n, threads, decode, *this);
  else
    load_floats<double>(field, n, threads, decode, *this);
}

}  // namespace gpz::trajectory
