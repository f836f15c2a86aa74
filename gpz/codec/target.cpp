// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/codec/target.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "gpz/error.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::codec {
namespace {

using Type = ConstArray::Type;

// D components with arrays of type To, written together.
template <typename From, typename To, std::size_t D>
struct Columns {
  const From *from[D];
  char *to[D];
  std::ptrdiff_t stride[D];

  // Returns false if a value does not fit. row(i) is the row of particle i. Packed: strides equal the size of To.
  // Partial: rows may be no_row.
  template <bool Packed, bool Partial, typename Row>
  bool write(std::size_t n, const Row &row) const {
    bool fits = true;
    for (std::size_t i = 0; i < n; ++i) {
      const auto r = static_cast<std::ptrdiff_t>(row(i));
      if constexpr (Partial) {
        if (r == static_cast<std::ptrdiff_t>(no_row)) continue;
      }
      for (std::size_t d = 0; d < D; ++d) {
        const To value = static_cast<To>(from[d][i]);
        if constexpr (std::is_same_v<To, std::int32_t>) fits &= value == from[d][i];
        std::memcpy(to[d] + r * (Packed ? static_cast<std::ptrdiff_t>(sizeof(To)) : stride[d]), &value, sizeof value);
      }
    }
    return fits;
  }
};

template <typename To, std::size_t D, typename From>
bool store_together(const std::array<const From *, core::max_components> &values, std::size_t n, const Target &target,
                    const std::size_t *which) {
  Columns<From, To, D> columns{};
  bool packed = true;
  for (std::size_t k = 0; k < D; ++k) {
    const Array &array = target.components[which[k]];
    columns.from[k] = values[which[k]];
    columns.to[k] = static_cast<char *>(array.data);
    columns.stride[k] = array.stride;
    packed = packed && array.stride == static_cast<std::ptrdiff_t>(sizeof(To));
  }
  if (target.rows != nullptr) {
    const std::uint32_t *const rows = target.rows;
    const auto row = [rows](std::size_t i) { return rows[i]; };
    return target.is_partial ? columns.template write<false, true>(n, row)
                             : columns.template write<false, false>(n, row);
  }
  const auto in_order = [](std::size_t i) { return i; };
  return packed ? columns.template write<true, false>(n, in_order) : columns.template write<false, false>(n, in_order);
}

template <typename To, typename From>
bool store_components(const std::array<const From *, core::max_components> &values, std::size_t n, const Target &target,
                      const std::size_t *which, std::size_t count) {
  if (count == 1) return store_together<To, 1>(values, n, target, which);
  if (count == 2) return store_together<To, 2>(values, n, target, which);
  return store_together<To, 3>(values, n, target, which);
}

// Writes components of one type together, row by row, so that adjacent memory is visited once.
template <typename Narrow, typename Wide, typename From>
bool store_all(const std::array<const From *, core::max_components> &values, std::size_t n, const Target &target,
               Type narrow_type) {
  bool fits = true;
  for (const bool narrow : {true, false}) {
    std::size_t which[core::max_components];
    std::size_t count = 0;
    for (std::size_t d = 0; d < target.components.size(); ++d)
      if (target.components[d].data != nullptr && (target.components[d].type == narrow_type) == narrow)
        which[count++] = d;
    if (count == 0) continue;
    fits &= narrow ? store_components<Narrow>(values, n, target, which, count)
                   : store_components<Wide>(values, n, target, which, count);
  }
  return fits;
}

}  // namespace

bool Target::is_wanted() const {
  for (const Array &array : components)
    if (array.data != nullptr) return true;
  return false;
}

bool Target::has(Type type) const {
  for (const Array &array : components)
    if (array.data != nullptr && array.type == type) return true;
  return false;
}

Target Target::from(std::size_t first) const {
  Target out = *this;
  if (rows != nullptr) {
    out.rows += first;
    return out;
  }
  for (Array &array : out.components)
    if (array.data != nullptr)
      array.data = static_cast<char *>(array.data) + static_cast<std::ptrdiff_t>(first) * array.stride;
  return out;
}

bool Target::skips(std::size_t n) const {
  return is_partial && std::all_of(rows, rows + n, [](std::uint32_t row) { return row == no_row; });
}

void *Target::contiguous(std::size_t d, Type type) const {
  const bool fits = is_strided(d, type) && components[d].stride == static_cast<std::ptrdiff_t>(element_size(type));
  return fits ? components[d].data : nullptr;
}

bool Target::is_strided(std::size_t d, Type type) const {
  const Array &array = components[d];
  const auto size = static_cast<std::ptrdiff_t>(element_size(type));
  return rows == nullptr && array.type == type && array.stride % size == 0 &&
         reinterpret_cast<std::uintptr_t>(array.data) % static_cast<std::uintptr_t>(size) == 0;
}

void store(const FloatValues &values, std::size_t n, const Target &target) {
  store_all<float, double>(values, n, target, Type::float32);
}

void store(const SingleValues &values, std::size_t n, const Target &target) {
  store_all<float, double>(values, n, target, Type::float32);
}

void store(const IntegerValues &values, std::size_t n, const Target &target) {
  if (!store_all<std::int32_t, std::int64_t>(values, n, target, Type::int32))
    throw Error(Status::limit_exceeded, "a value does not fit into an array of 32 bits");
}

}  // namespace gpz::codec
