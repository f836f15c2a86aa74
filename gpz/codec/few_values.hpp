// SPDX-License-Identifier: BSD-3-Clause
// Columns of lossless floats that are constant, constant for each class of particles, or of few distinct values
// (docs/format.md, section 10g). Values are given by their keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"

namespace gpz::codec {

enum class FewValues : std::uint8_t {
  of_class = 1,  // each class has one value
  symbols = 2,   // numbers of values, predicted from preceding particles
  repeated = 3,  // numbers of values, predicted from the previous frame
};

// State shared by encoder and decoder. At least one particle.
struct FewValuesShape {
  std::size_t particles = 0;
  std::size_t components = 0;
  std::uint64_t largest_key = ~std::uint64_t{0};
  const std::int64_t *classes = nullptr;  // of each particle; nullptr: all are in class 0
  IndexColumns last{};                    // keys in the previous frame; only for FewValues::repeated
};

// Appends the value of each class. Returns false and appends nothing if a class has several values.
bool encode_values_of_classes(const FewValuesShape &shape, const IndexColumns &keys, std::vector<std::uint8_t> &bytes);
void decode_values_of_classes(const FewValuesShape &shape, const std::uint8_t *bytes, std::size_t size,
                              const IndexOutput &keys);  // throws corrupt

// The distinct values of each component.
class ValueTables {
 public:
  // Returns false if there are too many distinct values for tables to pay.
  bool find(const FewValuesShape &shape, const IndexColumns &keys);
  void encode(const FewValuesShape &shape, const IndexColumns &keys, std::vector<std::uint8_t> &bytes) const;

 private:
  std::array<std::vector<std::uint64_t>, core::max_components> values_;  // ascending
};

// Throws corrupt.
void decode_symbols(const FewValuesShape &shape, const std::uint8_t *bytes, std::size_t size, const IndexOutput &keys);

}  // namespace gpz::codec
