// Values of a field as the integers that are predicted, and back (docs/format.md, section 8).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/cpu/difference_codec.hpp"
#include "gpz/format/section_head.hpp"
#include "gpz/frame.hpp"

namespace gpz::api {

using Rows = std::vector<std::uint32_t>;

// Calls take(i, value) for element rows[i] of the array.
template <typename T, typename Take>
void for_rows(const ConstArray &array, const Rows &rows, const Take &take) {
  const char *base = static_cast<const char *>(array.data);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    T value;
    std::memcpy(&value, base + static_cast<std::ptrdiff_t>(rows[i]) * array.stride, sizeof(T));
    take(i, value);
  }
}

template <typename Take>
void for_integers(const ConstArray &array, const Rows &rows, const Take &take) {
  if (array.type == ConstArray::Type::int32)
    for_rows<std::int32_t>(array, rows, take);
  else
    for_rows<std::int64_t>(array, rows, take);
}

// Grid index, or key of the bits; of a value that the grid cannot hold 0.
std::int64_t index_of(double value, const Field &field);
// The inverse, f32 values widened.
double float_value(std::int64_t index, const Field &field);

// The indices of a field, one column a component.
struct Indices {
  std::array<std::vector<std::int64_t>, core::max_components> column;
  std::vector<format::ExactValue> exact;

  cpu::IndexColumns columns(std::size_t components) const;
  cpu::IndexOutput resize(std::size_t rows, std::size_t components);

  // From the caller's arrays. A value that the grid cannot hold gets the index that `last` has for its row; without
  // `last`, that of the row before. `largest_error` grows to that of these values.
  void load(const FieldInput &input, const Rows &rows, const cpu::DifferenceState *last, double &largest_error);
  // From rows [first, first + rows) of a decoded frame.
  void load(const Frame &frame, std::size_t field, std::size_t first, std::size_t rows);
  // To these rows, which are there.
  void store(Frame &frame, std::size_t field, std::size_t first) const;
};

// Component d of a field of the frame. Throws invalid_argument.
Frame::Column &column_of(Frame &frame, std::size_t field, std::size_t d);
const Frame::Column &column_of(const Frame &frame, std::size_t field, std::size_t d);
// Makes all columns of the field longer by so many rows; returns the first of them.
std::size_t grow_columns(Frame &frame, std::size_t field, std::size_t rows);

// Values of a field that are a chunk with nothing else in it, to rows [first, first + rows) of the frame's columns,
// which are there. Throws as decode_chunk, and corrupt for chunks of another kind than block_chunk.
void decode_block_coded(const std::uint8_t *bytes, std::size_t size, std::size_t field, std::size_t first,
                        std::uint64_t rows, Frame &frame, int threads);
// Appends such a chunk of these rows.
void append_block_coded(const FieldInput &input, const Rows &rows, ChunkEncoder &encoder,
                        std::vector<std::uint8_t> &bytes);

}  // namespace gpz::api
