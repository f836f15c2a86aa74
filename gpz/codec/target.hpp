// SPDX-License-Identifier: BSD-3-Clause
// Where decoded values go: rows of arrays of the caller or of the library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/core/types.hpp"
#include "gpz/frame.hpp"

namespace gpz::cpu {

// The arrays of one field, for particles in the order in which a chunk stores them.
struct Target {
  std::array<Array, core::max_components> components{};  // without data: the component is not wanted
  const std::uint32_t *rows = nullptr;                   // the row of each particle; nullptr: particle i has row i

  bool is_wanted() const;
  // Whether a component goes into an array of this type.
  bool has(ConstArray::Type type) const;
  // The target of the particles from number `first` on.
  Target from(std::size_t first) const;
  // The memory of component d if values of this type can be written there one after the other, otherwise nullptr.
  void *contiguous(std::size_t d, ConstArray::Type type) const;
};

// n values of each component that is wanted, as the decoders have them.
using FloatValues = std::array<const double *, core::max_components>;
using SingleValues = std::array<const float *, core::max_components>;
using IntegerValues = std::array<const std::int64_t *, core::max_components>;

// Writes them to the target, whose arrays are of floats or of integers like the values. A float32 takes the nearest
// value, beyond its range an infinity. SingleValues keep the bits of a NaN in a float32; a conversion need not. Throws
// limit_exceeded if an integer does not fit.
void store(const FloatValues &values, std::size_t n, const Target &target);
void store(const SingleValues &values, std::size_t n, const Target &target);
void store(const IntegerValues &values, std::size_t n, const Target &target);

}  // namespace gpz::cpu
