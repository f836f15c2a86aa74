// SPDX-License-Identifier: BSD-3-Clause
// Shared by the codec tests: seeded data that is the same on every machine, and a round trip through a chunk.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gpz/chunk.hpp"

namespace gpz::test {

// SplitMix64: std::mt19937 would do, but std:: distributions differ between libraries.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t n) { return bits() % n; }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

 private:
  std::uint64_t state_;
};

template <typename T>
constexpr ConstArray::Type array_type() {
  if constexpr (std::is_same_v<T, float>) return ConstArray::Type::float32;
  if constexpr (std::is_same_v<T, double>) return ConstArray::Type::float64;
  if constexpr (std::is_same_v<T, std::int32_t>) return ConstArray::Type::int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return ConstArray::Type::int64;
}

// A field over `components` values a particle, one particle after the other. `values` has to outlive it.
template <typename T>
FieldInput field(const std::string &name, const std::vector<T> &values, int components, double bound, bool leading) {
  FieldInput input;
  input.field.type = std::is_integral_v<T>      ? ValueType::integer
                     : std::is_same_v<T, float> ? ValueType::float32
                                                : ValueType::float64;
  input.field.bound = bound;
  input.field.leading = leading;
  for (int d = 0; d < components; ++d) {
    input.field.components.push_back({name + std::to_string(d), static_cast<std::uint16_t>(d)});
    input.components[static_cast<std::size_t>(d)] = {values.empty() ? nullptr : values.data() + d,
                                                     static_cast<std::ptrdiff_t>(sizeof(T)) * components,
                                                     array_type<T>()};
  }
  return input;
}

inline EncodedChunk encode(const std::vector<FieldInput> &fields, std::size_t particles, int threads = 1,
                           const int *rows = nullptr) {
  ChunkEncoder encoder(threads);
  EncodedChunk chunk;
  encoder.encode(fields, particles, rows, chunk);
  return chunk;
}

// An empty frame with these fields, as a file's head would describe them.
inline Frame frame_for(const std::vector<FieldInput> &fields) {
  Frame frame;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    Field field = fields[f].field;
    fill_step(field);
    frame.info.fields.push_back(field);
    for (std::size_t d = 0; d < field.components.size(); ++d) {
      Frame::Column column;
      column.field = f;
      column.component = d;
      frame.columns.push_back(column);
    }
  }
  return frame;
}

inline Frame decode(const std::vector<FieldInput> &fields, const EncodedChunk &chunk, int threads = 1) {
  Frame frame = frame_for(fields);
  decode_chunk(chunk.bytes.data(), chunk.bytes.size(), chunk.particles, frame, {}, threads);
  return frame;
}

// True if |x - y| <= bound in arithmetic wide enough to be exact for all values of these tests, or if x and y are the
// same bits.
template <typename T>
bool within(T x, double decoded, double bound) {
  __extension__ using Quad = __float128;
  const T y = static_cast<T>(decoded);
  if (!std::isfinite(x) || !std::isfinite(y)) return (std::isnan(x) && std::isnan(y)) || x == y;
  const Quad difference = static_cast<Quad>(x) - static_cast<Quad>(y);
  return (difference < 0 ? -difference : difference) <= static_cast<Quad>(bound);
}

}  // namespace gpz::test
