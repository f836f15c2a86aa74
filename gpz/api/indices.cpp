#include "gpz/api/indices.hpp"

#include <algorithm>
#include <string>

#include "gpz/core/keys.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/cpu/difference_kernels.hpp"
#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/difference_chunk.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::api {
namespace {

[[noreturn]] void corrupt(const std::string &cause, std::uint64_t position) {
  throw Error(Status::corrupt, cause, {}, position);
}

template <typename T>
std::int64_t float_index(T value, const Field &field) {
  if (field.step == 0) return static_cast<std::int64_t>(core::key_of(value));
  const auto q = core::quantize(value, format::grid_of(field));
  return q.valid ? q.index : 0;
}

template <typename T>
std::uint64_t bits_of(T value) {
  if constexpr (sizeof(T) == 4) return core::bit_cast<std::uint32_t>(value);
  return core::bit_cast<std::uint64_t>(static_cast<double>(value));
}

double float_from_bits(std::uint64_t bits, const Field &field) {
  if (field.type == ValueType::float64) return core::bit_cast<double>(bits);
  return static_cast<double>(core::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

std::uint32_t quantize(const float *x, std::uint32_t n, const core::Grid &grid, std::int64_t *q, double &error) {
  return cpu::kernels().difference.quantize_floats(x, n, grid, q, error);
}
std::uint32_t quantize(const double *x, std::uint32_t n, const core::Grid &grid, std::int64_t *q, double &error) {
  return cpu::kernels().difference.quantize_doubles(x, n, grid, q, error);
}

// Values first, first + 1, ... of component d, of which some cannot be held.
template <typename T>
void keep_exact(const T *x, std::size_t n, const core::Grid &grid, std::size_t d, std::size_t first,
                const cpu::DifferenceState *last, Indices &to) {
  std::int64_t *const out = to.column[d].data();
  for (std::size_t k = 0; k < n; ++k) {
    if (core::quantize(x[k], grid).valid) continue;
    const std::size_t i = first + k;
    out[i] = last != nullptr ? last->axes[d].last[i] : i > 0 ? out[i - 1] : 0;
    to.exact.push_back({i | static_cast<std::uint64_t>(d) << format::exact_component_shift, bits_of(x[k])});
  }
}

// All components of some rows at a time: rows are read once, wherever they are.
template <typename T>
void quantize(const FieldInput &input, const Rows &rows, const cpu::DifferenceState *last, Indices &to,
              double &largest_error) {
  constexpr std::size_t at_once = 512;
  const core::Grid grid = format::grid_of(input.field);
  const std::size_t components = input.field.components.size();
  T value[core::max_components][at_once];
  for (std::size_t first = 0; first < rows.size(); first += at_once) {
    const std::size_t n = std::min(at_once, rows.size() - first);
    for (std::size_t k = 0; k < n; ++k) {
      const auto row = static_cast<std::ptrdiff_t>(rows[first + k]);
      for (std::size_t d = 0; d < components; ++d)
        std::memcpy(&value[d][k],
                    static_cast<const char *>(input.components[d].data) + row * input.components[d].stride, sizeof(T));
    }
    for (std::size_t d = 0; d < components; ++d)
      if (quantize(value[d], static_cast<std::uint32_t>(n), grid, to.column[d].data() + first, largest_error) != 0)
        keep_exact(value[d], n, grid, d, first, last, to);
  }
  std::sort(to.exact.begin(), to.exact.end(),
            [](const format::ExactValue &a, const format::ExactValue &b) { return a.place < b.place; });
}

}  // namespace

std::int64_t index_of(double value, const Field &field) {
  return field.type == ValueType::float32 ? float_index(static_cast<float>(value), field) : float_index(value, field);
}

double float_value(std::int64_t index, const Field &field) {
  const bool narrow = field.type == ValueType::float32;
  if (field.step == 0) {
    const auto key = static_cast<std::uint64_t>(index);
    return narrow ? static_cast<double>(core::value_of<float>(key)) : core::value_of<double>(key);
  }
  const auto q = static_cast<double>(index);
  return narrow ? static_cast<double>(core::grid_value<float>(q, field.step)) : core::grid_value<double>(q, field.step);
}

cpu::IndexColumns Indices::columns(std::size_t components) const {
  cpu::IndexColumns out{};
  for (std::size_t d = 0; d < components; ++d) out[d] = column[d].data();
  return out;
}

cpu::IndexOutput Indices::resize(std::size_t rows, std::size_t components) {
  cpu::IndexOutput out{};
  for (std::size_t d = 0; d < components; ++d) {
    column[d].resize(rows);
    out[d] = column[d].data();
  }
  return out;
}

void Indices::load(const FieldInput &input, const Rows &rows, const cpu::DifferenceState *last, double &largest_error) {
  exact.clear();
  resize(rows.size(), input.field.components.size());
  const bool narrow = input.components[0].type == ConstArray::Type::float32;
  if (!format::is_plain(input.field))
    return narrow ? quantize<float>(input, rows, last, *this, largest_error)
                  : quantize<double>(input, rows, last, *this, largest_error);
  for (std::size_t d = 0; d < input.field.components.size(); ++d) {
    std::int64_t *const to = column[d].data();
    const ConstArray &array = input.components[d];
    if (input.field.type == ValueType::integer)
      for_integers(array, rows, [to](std::size_t i, auto value) { to[i] = value; });
    else if (narrow)
      for_rows<float>(array, rows, [&](std::size_t i, float value) { to[i] = float_index(value, input.field); });
    else
      for_rows<double>(array, rows, [&](std::size_t i, double value) { to[i] = float_index(value, input.field); });
  }
}

void Indices::load(const Frame &frame, std::size_t field, std::size_t first, std::size_t rows) {
  const Field &described = frame.info.fields[field];
  exact.clear();
  resize(rows, described.components.size());
  for (std::size_t d = 0; d < described.components.size(); ++d) {
    const Frame::Column &values = column_of(frame, field, d);
    for (std::size_t i = 0; i < rows; ++i)
      column[d][i] = described.type == ValueType::integer ? values.integers[first + i]
                                                          : index_of(values.floats[first + i], described);
  }
}

void Indices::store(Frame &frame, std::size_t field, std::size_t first) const {
  const Field &described = frame.info.fields[field];
  for (std::size_t d = 0; d < described.components.size(); ++d) {
    Frame::Column &to = column_of(frame, field, d);
    if (described.type == ValueType::integer)
      std::copy(column[d].begin(), column[d].end(), to.integers.begin() + static_cast<std::ptrdiff_t>(first));
    else
      std::transform(column[d].begin(), column[d].end(), to.floats.begin() + static_cast<std::ptrdiff_t>(first),
                     [&](std::int64_t index) { return float_value(index, described); });
  }
  for (const format::ExactValue &value : exact)
    column_of(frame, field, value.place >> format::exact_component_shift)
        .floats[first + (value.place & format::exact_row_mask)] = float_from_bits(value.bits, described);
}

namespace {

template <typename AnyFrame>
auto &find_column(AnyFrame &frame, std::size_t field, std::size_t d) {
  for (auto &column : frame.columns)
    if (column.field == field && column.component == d) return column;
  throw Error(Status::invalid_argument, "a component has no column");
}

}  // namespace

Frame::Column &column_of(Frame &frame, std::size_t field, std::size_t d) { return find_column(frame, field, d); }
const Frame::Column &column_of(const Frame &frame, std::size_t field, std::size_t d) {
  return find_column(frame, field, d);
}

std::size_t grow_columns(Frame &frame, std::size_t field, std::size_t rows) {
  const bool integer = frame.info.fields[field].type == ValueType::integer;
  std::size_t first = 0;
  for (std::size_t d = 0; d < frame.info.fields[field].components.size(); ++d) {
    Frame::Column &to = column_of(frame, field, d);
    first = to.floats.size() + to.integers.size();
    if (integer)
      to.integers.resize(first + rows);
    else
      to.floats.resize(first + rows);
  }
  return first;
}

void decode_block_coded(const std::uint8_t *bytes, std::size_t size, std::size_t field, std::size_t first,
                        std::uint64_t rows, Frame &frame, int threads) {
  if (format::chunk_kind(bytes, size) != format::block_chunk) corrupt("kind of a chunk inside another", 4);
  Frame alone;
  alone.info.fields = {frame.info.fields[field]};
  alone.info.fields[0].leading = false;
  const std::size_t components = alone.info.fields[0].components.size();
  for (std::size_t d = 0; d < components; ++d) alone.columns.push_back({0, d, {}, {}});
  decode_chunk(bytes, size, rows, alone, {}, threads);
  for (std::size_t d = 0; d < components; ++d) {
    Frame::Column &to = column_of(frame, field, d);
    const Frame::Column &from = alone.columns[d];
    if (alone.info.fields[0].type == ValueType::integer)
      std::copy(from.integers.begin(), from.integers.end(), to.integers.begin() + static_cast<std::ptrdiff_t>(first));
    else
      std::copy(from.floats.begin(), from.floats.end(), to.floats.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

void append_block_coded(const FieldInput &input, const Rows &rows, ChunkEncoder &encoder,
                        std::vector<std::uint8_t> &bytes) {
  FieldInput alone = input;
  alone.field.leading = false;
  const std::vector<int> list(rows.begin(), rows.end());
  EncodedChunk chunk;
  encoder.encode({alone}, list.size(), list.data(), chunk);
  bytes.insert(bytes.end(), chunk.bytes.begin(), chunk.bytes.end());
}

}  // namespace gpz::api
