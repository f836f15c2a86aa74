// SPDX-License-Identifier: BSD-3-Clause
// Destination of decoded values: rows of arrays owned by the caller or the library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/core/types.hpp"
#include "gpz/frame.hpp"

namespace gpz::codec {

inline constexpr std::uint32_t no_row = UINT32_MAX;

// Arrays of one field. Particles come in the order of the chunk.
struct Target {
  std::array<Array, core::max_components> components{};  // no data: component not wanted
  const std::uint32_t *rows = nullptr;                   // row of each particle; 0, 1, 2, ... if nullptr
  bool is_partial = false;                               // some rows are no_row: these particles are not written

  bool is_wanted() const;
  // True if a component has an array of this type.
  bool has(ConstArray::Type type) const;
  // Target of the particles from number `first` on.
  Target from(std::size_t first) const;
  // Whether none of the next n particles is written.
  bool skips(std::size_t n) const;
  // Memory of component d if values of this type can be written there contiguously, else nullptr.
  void *contiguous(std::size_t d, ConstArray::Type type) const;
  // The same at even distances, which are multiples of the type's size: component d has array.data and array.stride.
  bool is_strided(std::size_t d, ConstArray::Type type) const;
};

// n values per wanted component, in the types of the decoders.
using FloatValues = std::array<const double *, core::max_components>;
using SingleValues = std::array<const float *, core::max_components>;
using IntegerValues = std::array<const std::int64_t *, core::max_components>;

// Writes values to the target, whose arrays have the kind of the values, floats or integers. float32 arrays get the
// nearest value, or an infinity beyond the range. SingleValues keep NaN bits in float32 arrays; conversions may not.
// Throws limit_exceeded if an integer does not fit.
void store(const FloatValues &values, std::size_t n, const Target &target);
void store(const SingleValues &values, std::size_t n, const Target &target);
void store(const IntegerValues &values, std::size_t n, const Target &target);

}  // namespace gpz::codec
