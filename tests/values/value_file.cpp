// SPDX-License-Identifier: BSD-3-Clause
#include "value_file.hpp"

#include <cstdio>
#include <numeric>

#include "edge_values.hpp"
#include "gpz/chunk.hpp"

namespace gpz::values {
namespace {

template <typename T>
constexpr ConstArray::Type stored_as() {
  if constexpr (std::is_same_v<T, float>) return ConstArray::Type::float32;
  if constexpr (std::is_same_v<T, double>) return ConstArray::Type::float64;
  return ConstArray::Type::int64;
}

}  // namespace

FieldInput FieldValues::input() const {
  FieldInput out;
  out.field = field;
  std::visit(
      [&](const auto &all) {
        using T = typename std::decay_t<decltype(all)>::value_type;
        const std::size_t count = field.components.size();
        for (std::size_t d = 0; d < count; ++d)
          out.components[d] = {all.data() + d, static_cast<std::ptrdiff_t>(sizeof(T) * count), stored_as<T>()};
      },
      values);
  return out;
}

FileInMemory::FileInMemory(const FileOptions &options) : options_(options), writer_(bytes_, {}, options.threads) {
  writer_.set_key_interval(options.key_interval);
  writer_.set_order(options.order);
  writer_.set_effort(options.effort);
}

void FileInMemory::write(const FrameValues &frame) {
  if (rows_.size() != frame.particles) {
    rows_.resize(frame.particles);
    std::iota(rows_.begin(), rows_.end(), 0);
    for (std::size_t i = rows_.size(); i > 1; --i) std::swap(rows_[i - 1], rows_[hashed(i) % i]);
  }
  std::vector<FieldInput> inputs;
  for (const FieldValues &field : frame.fields) inputs.push_back(field.input());
  writer_.write(info_of(frame), inputs, rows_.data());
}

void FileInMemory::write(const FrameValues &frame, const EncodedChunk &chunk) {
  FrameInfo info = info_of(frame);
  for (const FieldValues &field : frame.fields) info.fields.push_back(field.field);
  info.since_key = static_cast<std::uint16_t>(writer_.frames().size() % options_.key_interval);
  writer_.write(info, std::vector<EncodedChunk>{chunk});
}

FrameInfo FileInMemory::info_of(const FrameValues &frame) const {
  FrameInfo info;
  info.particles = frame.particles;
  info.timestep = static_cast<std::int64_t>(writer_.frames().size());
  info.box = frame.box;
  return info;
}

void FileInMemory::close() {
  writer_.close();
  reader_ = std::make_unique<Reader>(bytes_.data(), bytes_.size());
}

std::uint64_t FileInMemory::digest() const { return chunk_checksum(bytes_.data(), bytes_.size()); }

Tally FileInMemory::compare_frame(std::size_t i, const FrameValues &given, const std::string &what) const {
  std::vector<FieldValues> decoded;
  std::vector<ColumnOutput> columns;
  for (const FieldValues &field : given.fields) {
    FieldValues &out = decoded.emplace_back(field);
    std::visit(
        [&](auto &all) {
          using T = typename std::decay_t<decltype(all)>::value_type;
          const std::size_t count = field.field.components.size();
          std::fill(all.begin(), all.end(), T(-77));
          for (std::size_t d = 0; d < count; ++d)
            columns.push_back({field.field.components[d].name,
                               {all.data() + d, static_cast<std::ptrdiff_t>(sizeof(T) * count), stored_as<T>()}});
        },
        out.values);
  }
  const FrameInfo info = reader_->read_columns(i, columns, given.particles, {options_.threads, true});

  Tally tally;
  for (std::size_t f = 0; f < decoded.size(); ++f) {
    const Field &field = given.fields[f].field;
    Tally part;
    std::visit(
        [&](const auto &all) {
          const auto &back = std::get<std::decay_t<decltype(all)>>(decoded[f].values);
          part = compare(all.data(), back.data(), all.size(), field.bound, what + ", " + field.components[0].name);
        },
        given.fields[f].values);
    const double stated = info.fields[f].largest_error;
    if (info.particles != given.particles || !(stated >= part.largest_error && stated <= field.bound)) {
      char text[200];
      std::snprintf(text, sizeof text, ": the largest error is %a, the head says %a of %llu particles, bound %a",
                    part.largest_error, stated, static_cast<unsigned long long>(info.particles), field.bound);
      if (part.misses++ == 0) part.first_miss = what + ", " + field.components[0].name + text;
    }
    tally += part;
  }
  return tally;
}

}  // namespace gpz::values
