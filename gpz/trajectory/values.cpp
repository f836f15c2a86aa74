// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/values.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "gpz/codec/parallel.hpp"
#include "gpz/core/keys.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/trajectory/exact_bits.hpp"

namespace gpz::trajectory {
namespace {

constexpr std::size_t values_at_once = 1024;  // values at a time: three components fit into the L1 cache

// `by`: elements from one output to the next.
template <typename T, typename Out>
void to_floats(const std::int64_t *index, std::size_t n, double step, Out *out, std::ptrdiff_t by = 1) {
  if (step == 0)
    for (std::size_t i = 0; i < n; ++i, out += by)
      *out = static_cast<Out>(core::value_of<T>(static_cast<std::uint64_t>(index[i])));
  else
    for (std::size_t i = 0; i < n; ++i, out += by)
      *out = static_cast<Out>(core::grid_value<T>(static_cast<double>(index[i]), step));
}
// The same into an array of the caller, if it has this type and no rows.
template <typename T, typename Out>
bool to_array(const std::int64_t *index, std::size_t n, double step, const codec::Target &target, std::size_t d,
              ConstArray::Type type) {
  if (!target.is_strided(d, type)) return false;
  const Array &array = target.components[d];
  to_floats<T>(index, n, step, static_cast<Out *>(array.data), array.stride / static_cast<std::ptrdiff_t>(sizeof(Out)));
  return true;
}

// Writes particles begin to end - 1. Values of type T are written to arrays of type T without conversion, which keeps
// the bits of NaNs.
template <typename T>
void write_grid_values(const Field &field, const codec::IndexColumns &indices, std::size_t begin, std::size_t end,
                       const codec::Target &target) {
  T memory[core::max_components][values_at_once];
  for (std::size_t first = begin; first < end; first += values_at_once) {
    const std::size_t count = std::min(values_at_once, end - first);
    const codec::Target here = target.from(first);
    if (here.skips(count)) continue;
    std::array<const T *, core::max_components> staged{};
    codec::Target rest = here;
    for (std::size_t d = 0; d < field.components.size(); ++d) {
      if (here.components[d].data == nullptr) continue;
      if (to_array<T, double>(indices[d] + first, count, field.step, here, d, ConstArray::Type::float64) ||
          to_array<T, float>(indices[d] + first, count, field.step, here, d, ConstArray::Type::float32)) {
        rest.components[d].data = nullptr;
        continue;
      }
      to_floats<T>(indices[d] + first, count, field.step, memory[d]);
      staged[d] = memory[d];
    }
    codec::store(staged, count, rest);
  }
}

template <typename T>
void write_exact_values(const format::Column<format::ExactValue> &exact, const codec::Target &target) {
  for (const format::ExactValue &value : exact) {
    const std::size_t d = value.value_index >> format::exact_component_shift;
    const T exactly = from_bits<T>(value.bits);
    codec::Target one = target.from(value.value_index & format::exact_row_mask);
    for (std::size_t e = 0; e < one.components.size(); ++e)
      if (e != d) one.components[e].data = nullptr;
    std::array<const T *, core::max_components> values{};
    values[d] = &exactly;
    codec::store(values, 1, one);
  }
}

template <typename T>
void write_floats(const Field &field, const codec::IndexColumns &indices, std::size_t n,
                  const format::Column<format::ExactValue> &exact, const codec::Target &target, int threads,
                  const codec::WantedBlocks &wanted) {
  codec::parallel_wanted(threads, n, wanted, [&](std::size_t begin, std::size_t end) {
    write_grid_values<T>(field, indices, begin, end, target);
  });
  write_exact_values<T>(exact, target);
}

void store_integers(const codec::IndexColumns &indices, std::size_t n, const codec::Target &target, int threads,
                    const codec::WantedBlocks &wanted) {
  codec::parallel_wanted(threads, n, wanted, [&](std::size_t begin, std::size_t end) {
    codec::IndexColumns from{};
    for (std::size_t d = 0; d < from.size(); ++d) from[d] = indices[d] == nullptr ? nullptr : indices[d] + begin;
    codec::store(from, end - begin, target.from(begin));
  });
}

}  // namespace

void write_values(const Field &field, const codec::IndexColumns &indices, std::size_t n,
                  const format::Column<format::ExactValue> &exact, const codec::Target &target, int threads,
                  const codec::WantedBlocks &wanted) {
  if (field.type == ValueType::integer)
    store_integers(indices, n, target, threads, wanted);
  else if (field.type == ValueType::float32)
    write_floats<float>(field, indices, n, exact, target, threads, wanted);
  else
    write_floats<double>(field, indices, n, exact, target, threads, wanted);
}

}  // namespace gpz::trajectory
