// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/codec/number_tables.hpp"

#include <algorithm>

#include "gpz/core/residual.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::codec {

using format::corrupt;

namespace {

constexpr std::uint32_t longest_unary = 16;  // ones; then 16 bits follow

class BitWriter {
 public:
  explicit BitWriter(std::vector<std::uint8_t> &bytes) : bytes_(bytes) {}

  void put(std::uint32_t value, int width) {
    for (int i = 0; i < width; ++i, ++used_) {
      if (used_ % 16 == 0) bytes_.resize(bytes_.size() + 2);
      bytes_[bytes_.size() - 2 + used_ % 16 / 8] |= static_cast<std::uint8_t>((value >> i & 1) << used_ % 8);
    }
  }
  std::uint32_t bits() const { return used_; }
  void put_rice(std::uint32_t value, int rice) {
    const std::uint32_t high = std::min(value >> rice, longest_unary);
    put((1u << high) - 1, static_cast<int>(high));
    if (high == longest_unary) return put(value, 16);
    put(0, 1);
    put(value, rice);
  }

 private:
  std::vector<std::uint8_t> &bytes_;
  std::uint32_t used_ = 0;
};

class BitReader {
 public:
  BitReader(const std::uint8_t *bytes, std::size_t size) : bytes_(bytes), size_(size) {}

  std::uint32_t get(int width) {
    if (static_cast<std::size_t>(width) > size_ * 8 - at_) corrupt("tables of numbers exceed their section", at_ / 8);
    std::uint32_t value = 0;
    for (int i = 0; i < width; ++i, ++at_) value |= static_cast<std::uint32_t>(bytes_[at_ / 8] >> at_ % 8 & 1) << i;
    return value;
  }
  std::uint32_t get_rice(int rice) {
    std::uint32_t high = 0;
    while (high < longest_unary && get(1) != 0) ++high;
    return high == longest_unary ? get(16) : high << rice | get(rice);
  }
  // Zeros up to a multiple of 16 bits. Returns the bytes read.
  std::size_t end() {
    if (get(static_cast<int>((16 - at_ % 16) % 16)) != 0) corrupt("padding of tables of numbers", at_ / 8);
    return at_ / 8;
  }

 private:
  const std::uint8_t *bytes_;
  std::size_t size_;
  std::size_t at_ = 0;  // bits
};

int expected_density(const NumberShape &shape, std::uint32_t i) {
  const int last = shape.density[i - 1];
  return shape.extrapolated && i > 1 ? 2 * last - shape.density[i - 2] : last;
}

void write_shape(const NumberShape &shape, BitWriter &out) {
  out.put(shape.tokens, 8);
  out.put(shape.precision, 2);
  out.put(shape.extrapolated ? 1 : 0, 1);
  out.put(shape.rice, 3);
  for (std::uint32_t i = 1; i < shape.tokens; ++i) out.put_rice(stored_density(shape, i), shape.rice);
}

NumberShape read_shape(BitReader &in) {
  NumberShape shape;
  shape.tokens = in.get(8);
  if (shape.tokens == 0 || shape.tokens > core::number_tokens) corrupt("tokens of a table of numbers");
  shape.precision = static_cast<std::uint8_t>(in.get(2));
  shape.extrapolated = in.get(1) != 0;
  shape.rice = static_cast<std::uint8_t>(in.get(3));
  for (std::uint32_t i = 1; i < shape.tokens; ++i) {
    const std::int64_t density = expected_density(shape, i) + core::unzigzag(in.get_rice(shape.rice));
    if (density > core::largest_log_density || density < -core::largest_log_density)
      corrupt("density in a table of numbers");
    shape.density[i] = static_cast<std::int16_t>(density);
  }
  return shape;
}

constexpr int scale_width = 9;

}  // namespace

Weights weights_of(const NumberShape &shape) {
  std::array<int, core::number_tokens> log;
  int most = 0;
  for (std::uint32_t i = 0; i < shape.tokens; ++i) {
    log[i] = shape.density[i] * (1 << shape.precision) + 16 * core::token_bits(i);
    most = i == 0 ? log[i] : std::max(most, log[i]);
  }
  Weights weights{};
  for (std::uint32_t i = 0; i < shape.tokens; ++i) weights[i] = core::weight_of(most - log[i]);
  return weights;
}

std::uint32_t stored_density(const NumberShape &shape, std::uint32_t i) {
  return static_cast<std::uint32_t>(core::zigzag(shape.density[i] - expected_density(shape, i)));
}

std::uint32_t rice_bits(std::uint32_t value, int rice) {
  const std::uint32_t high = value >> rice;
  return high < longest_unary ? high + 1 + static_cast<std::uint32_t>(rice) : longest_unary + 16;
}

std::uint32_t description_bits(const NumberShape &shape) {
  std::uint32_t bits = 8 + 2 + 1 + 3;
  for (std::uint32_t i = 1; i < shape.tokens; ++i) bits += rice_bits(stored_density(shape, i), shape.rice);
  return bits;
}

namespace {

void write_contexts(const NumberTables &tables, BitWriter &out) {
  out.put(tables.rice, 3);
  const int width = core::bit_length(static_cast<std::uint32_t>(tables.shapes.size()));
  ContextTable last;
  for (const ContextTable &context : tables.contexts) {
    out.put(context.shape == last.shape ? 0 : 1, 1);
    if (context.shape != last.shape) {
      out.put(context.shape, width);
      if (context.shape != 0) out.put(static_cast<std::uint32_t>(context.scale - core::least_scale), scale_width);
    } else if (context.shape != 0) {
      out.put_rice(static_cast<std::uint32_t>(core::zigzag(context.scale - last.scale)), tables.rice);
    }
    last = context;
  }
}

}  // namespace

std::uint32_t description_bits(const NumberTables &tables) {
  std::vector<std::uint8_t> bytes;
  BitWriter out(bytes);
  write_contexts(tables, out);
  return out.bits();
}

void write_tables(const NumberTables &tables, std::vector<std::uint8_t> &bytes) {
  BitWriter out(bytes);
  out.put(static_cast<std::uint32_t>(tables.shapes.size()), 8);
  for (const NumberShape &shape : tables.shapes) write_shape(shape, out);
  write_contexts(tables, out);
}

std::size_t read_tables(const std::uint8_t *bytes, std::size_t size, unsigned contexts, NumberTables &tables) {
  BitReader in(bytes, size);
  tables = {};
  const std::uint32_t shapes = in.get(8);
  for (std::uint32_t s = 0; s < shapes; ++s) tables.shapes.push_back(read_shape(in));
  tables.rice = static_cast<std::uint8_t>(in.get(3));
  const int width = core::bit_length(shapes);
  ContextTable last;
  for (unsigned c = 0; c < contexts; ++c) {
    std::int64_t scale = 0;
    if (in.get(1) != 0) {
      const std::uint32_t shape = in.get(width);
      if (shape > shapes) corrupt("unknown table of numbers");
      last.shape = static_cast<std::uint8_t>(shape);
      if (shape != 0) scale = static_cast<std::int64_t>(in.get(scale_width)) + core::least_scale;
    } else if (last.shape != 0) {
      scale = last.scale + core::unzigzag(in.get_rice(tables.rice));
    }
    if (scale < core::least_scale || scale > core::largest_scale) corrupt("scale of a table of numbers");
    last.scale = static_cast<std::int16_t>(scale);
    tables.contexts.push_back(last);
  }
  return in.end();
}

}  // namespace gpz::codec
