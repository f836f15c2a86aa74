// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/codec/table_column.hpp"

#include "gpz/codec/few_values.hpp"
#include "gpz/codec/number_coder.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::codec {

using format::corrupt;

namespace {

enum class Coding : std::uint8_t { symbols = 1, numbers = 2 };
enum class TablePrediction : std::uint8_t { none = 0, row_before = 1, column_before = 2 };

constexpr std::size_t head_size = 8;
constexpr unsigned halves = 2;  // contexts of numbers: low and high 32 bits
// A number takes at least log2(4096 / 4095) bits of its stream, a little less while the state is small.
constexpr std::uint64_t most_rows_a_byte = 32768;
constexpr std::uint64_t class_factor = 0x9E3779B97F4A7C15u;

std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t from_zigzag(std::uint64_t value) { return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1))); }

std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

FewValuesShape shape_of(std::size_t rows, const format::Column<std::int64_t> &classes) {
  FewValuesShape shape;
  shape.particles = rows;
  shape.components = 1;
  shape.classes = classes.empty() ? nullptr : classes.data();
  return shape;
}

}  // namespace

void TableColumns::encode(const std::int64_t *values, std::vector<std::uint8_t> &bytes) {
  if (rows_ == 0) return;
  std::vector<std::uint8_t> best;
  std::vector<std::int64_t> best_residuals;
  const auto keep_smaller = [&](Coding coding, TablePrediction prediction, const std::vector<std::int64_t> &residuals,
                                std::vector<std::uint8_t> &&payload) {
    if (!best.empty() && head_size + payload.size() >= best.size()) return;
    best.assign(head_size, 0);
    best[0] = static_cast<std::uint8_t>(coding);
    best[1] = static_cast<std::uint8_t>(prediction);
    best.insert(best.end(), payload.begin(), payload.end());
    best_residuals = residuals;
  };
  for (const TablePrediction prediction :
       {TablePrediction::none, TablePrediction::row_before, TablePrediction::column_before}) {
    if (prediction == TablePrediction::column_before && before_.empty()) continue;
    std::vector<std::int64_t> residuals(rows_);
    for (std::size_t i = 0; i < rows_; ++i) {
      const std::int64_t expected = prediction == TablePrediction::none            ? 0
                                    : prediction == TablePrediction::column_before ? before_[i]
                                                                                   : (i == 0 ? 0 : values[i - 1]);
      residuals[i] = difference(values[i], expected);
    }
    const FewValuesShape shape = shape_of(rows_, classes_);
    ValueTables tables;
    if (tables.find(shape, {residuals.data()})) {
      std::vector<std::uint8_t> payload;
      tables.encode(shape, {residuals.data()}, payload);
      keep_smaller(Coding::symbols, prediction, residuals, std::move(payload));
    }
    NumberEncoder numbers(halves);
    numbers.reserve(halves * rows_);
    for (const std::int64_t residual : residuals) {
      const std::uint64_t number = zigzag(residual);
      numbers.put(0, static_cast<std::uint32_t>(number));
      numbers.put(1, static_cast<std::uint32_t>(number >> 32));
    }
    std::vector<std::uint8_t> payload;
    numbers.finish(payload);
    keep_smaller(Coding::numbers, prediction, residuals, std::move(payload));
  }
  bytes.insert(bytes.end(), best.begin(), best.end());
  next(best_residuals.data(), values);
}

format::Column<std::int64_t> TableColumns::decode(const std::uint8_t *bytes, std::size_t size) {
  if (rows_ == 0) {
    if (size != 0) corrupt("a column of a table without rows has bytes", 0);
    return {};
  }
  format::ByteReader in(bytes, size);
  const auto coding = static_cast<Coding>(in.u8());
  const auto prediction = static_cast<TablePrediction>(in.u8());
  if (in.u16() != 0 || in.u32() != 0) corrupt("reserved bytes of a column of a table", 0);
  if (prediction != TablePrediction::none && prediction != TablePrediction::row_before &&
      (prediction != TablePrediction::column_before || before_.empty()))
    corrupt("prediction of a column of a table", 0);
  if (rows_ / most_rows_a_byte > size) corrupt("rows of a table that its columns do not have", 0);
  format::require_memory(rows_, sizeof(std::int64_t));
  format::Column<std::int64_t> values(rows_);
  if (coding == Coding::symbols) {
    decode_symbols(shape_of(rows_, classes_), bytes + head_size, size - head_size, {values.data()});
  } else if (coding == Coding::numbers) {
    NumberDecoder numbers(bytes + head_size, size - head_size, halves);
    for (std::int64_t &value : values) {
      const std::uint64_t low = numbers.get(0);
      value = from_zigzag(std::uint64_t{numbers.get(1)} << 32 | low);
    }
    numbers.end();
  } else {
    corrupt("coding of a column of a table", 0);
  }
  const format::Column<std::int64_t> residuals = values;
  for (std::size_t i = 0; i < rows_; ++i) {
    if (prediction == TablePrediction::column_before) values[i] = sum(values[i], before_[i]);
    if (prediction == TablePrediction::row_before && i > 0) values[i] = sum(values[i], values[i - 1]);
  }
  next(residuals.data(), values.data());
  return values;
}

void TableColumns::next(const std::int64_t *residuals, const std::int64_t *values) {
  before_.assign(values, values + rows_);
  classes_.resize(rows_);
  for (std::size_t i = 0; i < rows_; ++i)
    classes_[i] = static_cast<std::int64_t>(
        (static_cast<std::uint64_t>(classes_[i]) + static_cast<std::uint64_t>(residuals[i])) * class_factor);
}

}  // namespace gpz::codec
