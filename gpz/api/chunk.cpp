// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/chunk.hpp"

#include <cmath>
#include <cstring>

#include "gpz/api/read_output.hpp"
#include "gpz/codec/chunk_codec.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/error.hpp"
#include "gpz/format/allocation.hpp"
#include "gpz/format/arithmetic.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/checksum.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/trajectory/independent_chunk.hpp"

namespace gpz {
namespace {

template <typename T>
void widen_range(const ConstArray &array, std::size_t particles, double &low, double &high) {
  const char *base = static_cast<const char *>(array.data);
  for (std::size_t i = 0; i < particles; ++i) {
    T value;
    std::memcpy(&value, base + static_cast<std::ptrdiff_t>(i) * array.stride, sizeof(T));
    const auto wide = static_cast<double>(value);
    if (!std::isfinite(wide)) continue;
    low = std::fmin(low, wide);
    high = std::fmax(high, wide);
  }
}

}  // namespace

double value_range(const FieldInput &input, std::size_t particles) {
  const format::UsualArithmetic arithmetic;
  double widest = 0;
  for (std::size_t d = 0; d < input.field.components.size(); ++d) {
    double low = HUGE_VAL;
    double high = -HUGE_VAL;
    const ConstArray &array = input.components[d];
    if (array.type == ConstArray::Type::float32)
      widen_range<float>(array, particles, low, high);
    else if (array.type == ConstArray::Type::float64)
      widen_range<double>(array, particles, low, high);
    if (high > low) widest = std::fmax(widest, high - low);
  }
  return widest;
}

void add_field_sizes(const std::uint8_t *bytes, std::size_t size, std::vector<std::uint64_t> &sizes) {
  format::add_section_sizes(format::read_from(bytes), size, sizes);
}

std::uint64_t chunk_checksum(const void *data, std::size_t size) { return format::xxh3(data, size); }

ChunkView view_of(const EncodedChunk &chunk) {
  return {chunk.particles, chunk.checksum, chunk.bytes.data(), chunk.bytes.size(), chunk.largest_error};
}

struct ChunkEncoder::Workspace {
  explicit Workspace(int threads) : encoder(threads) {}
  codec::Encoder encoder;
  std::vector<FieldInput> fields;
};

ChunkEncoder::ChunkEncoder(int threads) : workspace_(std::make_unique<Workspace>(threads)) {}
ChunkEncoder::~ChunkEncoder() = default;
ChunkEncoder::ChunkEncoder(ChunkEncoder &&) noexcept = default;
ChunkEncoder &ChunkEncoder::operator=(ChunkEncoder &&) noexcept = default;

void ChunkEncoder::encode(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows,
                          EncodedChunk &out) {
  const format::UsualArithmetic arithmetic;
  format::in_memory(
      [&] {
        workspace_->fields = fields;
        format::prepare_fields(workspace_->fields, particles);
        workspace_->encoder.encode(workspace_->fields, particles, rows, out.bytes, out.largest_error);
      },
      [&] { return format::no_memory("compress", particles); });
  out.particles = particles;
  out.checksum = chunk_checksum(out.bytes.data(), out.bytes.size());
}

namespace {

// Columns of a frame, to which chunks are appended one after the other.
class GrowingColumns {
 public:
  explicit GrowingColumns(Frame &frame) : frame_(frame) {
    for (const Frame::Column &column : frame.columns) before_.push_back(column.floats.size() + column.integers.size());
  }

  // Adds room for this many particles to the columns of all wanted fields. Returns one target for each field.
  std::vector<codec::Target> grow(const std::vector<bool> &wanted, std::size_t particles) {
    std::vector<codec::Target> targets(frame_.info.fields.size());
    for (std::size_t c = 0; c < before_.size(); ++c) {
      const Frame::Column &column = frame_.columns[c];
      if (!wanted.empty() && !wanted[column.field]) continue;
      resize(c, before_[c] + particles);
      Array &to = targets[column.field].components[column.component];
      to = api::array_of(frame_, frame_.columns[c]);
      to.data = static_cast<char *>(to.data) + static_cast<std::ptrdiff_t>(before_[c]) * to.stride;
    }
    return targets;
  }

  void restore() {
    for (std::size_t c = 0; c < before_.size(); ++c) resize(c, before_[c]);
  }

 private:
  void resize(std::size_t c, std::size_t rows) {
    Frame::Column &column = frame_.columns[c];
    if (frame_.info.fields[column.field].type == ValueType::integer)
      column.integers.resize(rows);
    else
      column.floats.resize(rows);
  }

  Frame &frame_;
  std::vector<std::size_t> before_;  // elements of each column
};

}  // namespace

void decode_chunk(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles, Frame &frame,
                  const std::vector<bool> &wanted, int threads, const Limits &limits) {
  format::Budget budget(limits);
  const format::Budget::Scope scope(budget);
  const format::UsualArithmetic arithmetic;
  const std::vector<Field> &described = frame.info.fields;
  if (!wanted.empty() && wanted.size() != described.size())
    throw Error(Status::invalid_argument, "`wanted` has not one entry a field");
  for (const Field &field : described)
    if (field.components.empty() || field.components.size() > core::max_components)
      throw Error(Status::invalid_argument, "a field has 1 to 3 components");
  GrowingColumns columns(frame);
  try {
    format::in_memory(
        [&] {
          if (format::rule_of(chunk_kind(bytes, size)).population == format::Population::followed)
            throw Error(Status::unsupported,
                        "a difference chunk is decoded with the frames that it builds on (Reader)");
          const format::OpenedChunk opened = format::open_chunk(bytes, size, described.size());
          const trajectory::IndependentChunk chunk(opened, particles, described, wanted);
          const format::Charge for_columns = api::charge_for_columns(particles, described, wanted);
          const std::vector<codec::Target> targets = columns.grow(wanted, static_cast<std::size_t>(particles));
          for (std::size_t f = 0; f < targets.size(); ++f)
            if (targets[f].is_wanted()) chunk.write(f, targets[f], threads);
        },
        [&] { return format::no_memory("decompress", particles); });
  } catch (...) {
    columns.restore();
    throw;
  }
}

}  // namespace gpz
