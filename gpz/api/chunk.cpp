#include "gpz/chunk.hpp"

#include <cmath>
#include <cstring>

#include "gpz/api/ordered_chunk.hpp"
#include "gpz/cpu/chunk_codec.hpp"
#include "gpz/error.hpp"
#include "gpz/format/allocation.hpp"
#include "gpz/format/checksum.hpp"
#include "gpz/format/fields.hpp"

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

std::uint64_t chunk_checksum(const void *data, std::size_t size) { return format::xxh3(data, size); }

ChunkView view_of(const EncodedChunk &chunk) {
  return {chunk.particles, chunk.checksum, chunk.bytes.data(), chunk.bytes.size(), chunk.largest_error};
}

struct ChunkEncoder::Workspace {
  explicit Workspace(int threads) : encoder(threads) {}
  cpu::Encoder encoder;
  std::vector<FieldInput> fields;
};

ChunkEncoder::ChunkEncoder(int threads) : workspace_(std::make_unique<Workspace>(threads)) {}
ChunkEncoder::~ChunkEncoder() = default;
ChunkEncoder::ChunkEncoder(ChunkEncoder &&) noexcept = default;
ChunkEncoder &ChunkEncoder::operator=(ChunkEncoder &&) noexcept = default;

void ChunkEncoder::encode(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows,
                          EncodedChunk &out) {
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

void decode_chunk(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles, Frame &frame,
                  const std::vector<bool> &wanted, int threads) {
  const std::vector<Field> &described = frame.info.fields;
  if (!wanted.empty() && wanted.size() != described.size())
    throw Error(Status::invalid_argument, "`wanted` has not one entry a field");
  for (const Field &field : described)
    if (field.components.empty() || field.components.size() > core::max_components)
      throw Error(Status::invalid_argument, "a field has 1 to 3 components");
  const std::vector<std::size_t> before = [&] {
    std::vector<std::size_t> sizes;
    for (const auto &column : frame.columns) sizes.push_back(column.floats.size() + column.integers.size());
    return sizes;
  }();
  const auto resize = [&](std::size_t c, std::size_t rows) {
    Frame::Column &column = frame.columns[c];
    if (frame.info.fields[column.field].type == ValueType::integer)
      column.integers.resize(rows);
    else
      column.floats.resize(rows);
  };
  try {
    format::in_memory(
        [&] {
          std::vector<std::uint32_t> aligned;
          if (reinterpret_cast<std::uintptr_t>(bytes) % alignof(std::uint32_t) != 0) {
            aligned.resize((size + 3) / 4);
            std::memcpy(aligned.data(), bytes, size);
            bytes = reinterpret_cast<const std::uint8_t *>(aligned.data());
          }
          const ChunkKind kind = chunk_kind(bytes, size);
          if (kind == ChunkKind::difference)
            throw Error(Status::unsupported,
                        "a chunk of differences is decoded with the frames that it builds on (Reader)");
          if (kind == ChunkKind::ordered) {
            api::decode_ordered_chunk(bytes, size, particles, frame, wanted, threads);
            return;
          }
          const auto is_wanted = [&](std::size_t f) { return wanted.empty() || wanted[f]; };
          std::vector<cpu::FieldCoding> fields;
          for (const auto &field : frame.info.fields)
            fields.push_back({format::core_value(field.type), static_cast<int>(field.components.size()), field.step,
                              field.leading, is_wanted(fields.size())});
          const cpu::Decoder decoder(bytes, size, particles, fields);
          std::vector<cpu::FieldValues> values(fields.size(), cpu::FieldValues{});
          for (std::size_t c = 0; c < frame.columns.size(); ++c) {
            Frame::Column &column = frame.columns[c];
            if (!is_wanted(column.field)) continue;
            resize(c, before[c] + particles);
            void *&to = values[column.field][column.component];
            if (frame.info.fields[column.field].type == ValueType::integer)
              to = column.integers.data() + before[c];
            else
              to = column.floats.data() + before[c];
          }
          decoder.decode(values, threads);
        },
        [&] { return format::no_memory("decompress", particles); });
  } catch (...) {
    for (std::size_t c = 0; c < before.size(); ++c) resize(c, before[c]);
    throw;
  }
}

}  // namespace gpz
