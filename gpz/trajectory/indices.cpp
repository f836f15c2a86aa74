// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/indices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "gpz/codec/parallel.hpp"
#include "gpz/core/keys.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/kernels/difference_kernels.hpp"
#include "gpz/trajectory/exact_bits.hpp"

namespace gpz::trajectory {
namespace {

constexpr std::size_t at_once = 512;  // values

template <typename T>
std::int64_t key_index(T value) {
  return static_cast<std::int64_t>(core::key_of(value));
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

std::uint64_t value_index_of(std::size_t i, std::size_t d) {
  return i | static_cast<std::uint64_t>(d) << format::exact_component_shift;
}

bool is_before(const format::ExactValue &a, const format::ExactValue &b) { return a.value_index < b.value_index; }

void sort_by_value_index(format::Column<format::ExactValue> &exact) {
  std::sort(exact.begin(), exact.end(), is_before);
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
    to.exact.push_back({value_index_of(i, d), bits_of(x[k])});
  }
}

// All components of some rows, so that each row is read once.
template <typename T>
struct Piece {
  std::size_t first = 0;
  std::size_t n = 0;
  const T *column[core::max_components];
  T value[core::max_components][at_once];  // of rows that are not neighbours in memory

  void load(const FieldInput &input, const Rows &rows, std::size_t from) {
    first = from;
    n = std::min(at_once, rows.size() - first);
    const std::size_t components = input.field.components.size();
    std::uint32_t apart = 0;
    for (std::size_t k = 0; k < n; ++k) apart |= rows[first + k] ^ (rows[first] + static_cast<std::uint32_t>(k));
    bool are_neighbours = apart == 0;
    for (std::size_t d = 0; d < components; ++d) {
      const char *const row = static_cast<const char *>(input.components[d].data) +
                              static_cast<std::ptrdiff_t>(rows[first]) * input.components[d].stride;
      column[d] = reinterpret_cast<const T *>(row);
      are_neighbours = are_neighbours && input.components[d].stride == sizeof(T) &&
                       reinterpret_cast<std::uintptr_t>(row) % alignof(T) == 0;
    }
    if (are_neighbours) return;
    for (std::size_t k = 0; k < n; ++k) {
      const auto row = static_cast<std::ptrdiff_t>(rows[first + k]);
      for (std::size_t d = 0; d < components; ++d)
        std::memcpy(&value[d][k],
                    static_cast<const char *>(input.components[d].data) + row * input.components[d].stride, sizeof(T));
    }
    for (std::size_t d = 0; d < components; ++d) column[d] = value[d];
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
            quantize(piece.column[d], static_cast<std::uint32_t>(piece.n), grid, to.column[d].data() + first, error);
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
    for (std::size_t d = 0; d < components; ++d) keep_exact(piece.column[d], piece.n, grid, d, first, last, chosen, to);
  }
  sort_by_value_index(to.exact);
}

// Indices of n decoded values of a field on a grid. `value_index` is that of the first value, as in format::ExactValue.
// Appends the values that indices cannot represent.
template <typename T>
void index_decoded(const T *x, std::size_t n, const Field &field, std::uint64_t value_index, std::int64_t *out,
                   format::Column<format::ExactValue> &exact) {
  const core::Grid grid = format::grid_of(field);
  double error = 0;
  const bool misses = quantize(x, static_cast<std::uint32_t>(n), grid, out, error) != 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (misses && !core::quantize(x[k], grid).valid) out[k] = 0;
    if (bits_of(core::grid_value<T>(static_cast<double>(out[k]), field.step)) != bits_of(x[k]))
      exact.push_back({value_index + k, bits_of(x[k])});
  }
}

// Calls use(first, n) for pieces of the values begin, ... end - 1.
template <typename Use>
void in_pieces(std::size_t begin, std::size_t end, const Use &use) {
  for (std::size_t first = begin; first < end; first += at_once) use(first, std::min(at_once, end - first));
}

// Largest magnitude of indices that are the nearest ones of their values in type T, which are rounded; -1 if there may
// be none.
template <typename T>
std::int64_t largest_reversible(const Field &field) {
  const core::Grid grid = format::grid_of(field);
  constexpr int digits = std::numeric_limits<T>::digits;
  const bool is_usual = grid.bound > 0 && grid.step >= static_cast<double>(std::numeric_limits<T>::min()) * 4 &&
                        grid.step < std::ldexp(static_cast<double>(std::numeric_limits<T>::max()), -digits - 1);
  return is_usual ? std::int64_t{1} << (digits - 3) : -1;
}

bool are_within(const std::int64_t *q, std::size_t n, std::int64_t most) {
  bool within = true;
  for (std::size_t k = 0; k < n; ++k) within &= (q[k] <= most) & (q[k] >= -most);
  return within;
}

template <typename T>
void take_decoded(const Field &field, std::size_t n, int threads, Indices &of) {
  const std::int64_t most = largest_reversible<T>(field);
  format::Column<format::ExactValue> stored;
  stored.swap(of.exact);
  std::mutex mutex;  // of of.exact
  codec::parallel_particles(threads, n, [&](std::size_t begin, std::size_t end) {
    format::Column<format::ExactValue> exact;
    for (std::size_t d = 0; d < field.components.size(); ++d)
      in_pieces(begin, end, [&](std::size_t first, std::size_t count) {
        std::int64_t *const q = of.column[d].data() + first;
        if (are_within(q, count, most)) return;
        T value[at_once];
        for (std::size_t k = 0; k < count; ++k) value[k] = core::grid_value<T>(static_cast<double>(q[k]), field.step);
        index_decoded(value, count, field, value_index_of(first, d), q, exact);
      });
    const std::lock_guard<std::mutex> lock(mutex);
    of.exact.insert(of.exact.end(), exact.begin(), exact.end());
  });
  std::stable_sort(stored.begin(), stored.end(), is_before);
  const auto is_stored = [&](const format::ExactValue &value) {
    return std::binary_search(stored.begin(), stored.end(), value, is_before);
  };
  of.exact.erase(std::remove_if(of.exact.begin(), of.exact.end(), is_stored), of.exact.end());
  for (std::size_t k = 0; k < stored.size(); ++k) {
    const std::uint64_t value_index = stored[k].value_index;
    // If several exact values have the same index, the last one counts.
    if (k + 1 < stored.size() && stored[k + 1].value_index == value_index) continue;
    const T value = from_bits<T>(stored[k].bits);
    index_decoded(&value, 1, field, value_index,
                  &of.column[value_index >> format::exact_component_shift][value_index & format::exact_row_mask],
                  of.exact);
  }
  sort_by_value_index(of.exact);
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
    for (std::size_t d = 0; d < components; ++d) {
      const T *const value = values[d].data();
      std::int64_t *const q = to.column[d].data();
      if (field.step == 0)
        for (std::size_t i = begin; i < end; ++i) q[i] = key_index(value[i]);
      else
        in_pieces(begin, end, [&](std::size_t first, std::size_t count) {
          index_decoded(value + first, count, field, value_index_of(first, d), q + first, exact);
        });
    }
    const std::lock_guard<std::mutex> lock(mutex);
    to.exact.insert(to.exact.end(), exact.begin(), exact.end());
  });
  sort_by_value_index(to.exact);
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
      if (value.value_index >> format::exact_component_shift == d &&
          (value.value_index & format::exact_row_mask) == first)
        ++first;
    if (first < column[d].size()) std::fill_n(column[d].begin(), first, column[d][first]);
  }
}

void Indices::take_decoded(const Field &field, std::size_t n, int threads) {
  if (field.type == ValueType::float32)
    trajectory::take_decoded<float>(field, n, threads, *this);
  else
    trajectory::take_decoded<double>(field, n, threads, *this);
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
