// SPDX-License-Identifier: BSD-3-Clause
#include "gpz_file.hpp"

#include <algorithm>

#include "gpz/chunk.hpp"
#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/checksum.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/container_bytes.hpp"
#include "gpz/format/container_parse.hpp"
#include "gpz/tables.hpp"

namespace gpz::fuzz {
namespace {

using format::load_little;
using format::round_up_8;
using format::store_little;

void append(Bytes &to, const Bytes &bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

// The bytes from `at` on, as many as there are of `length`.
Bytes cut(const std::uint8_t *bytes, std::size_t size, std::size_t at, std::uint64_t length) {
  const std::size_t begin = std::min(at, size);
  return Bytes(bytes + begin, bytes + begin + std::min<std::uint64_t>(length, size - begin));
}

constexpr std::size_t required_features_at = 12;

std::string take_metadata(const std::uint8_t *bytes, std::size_t size, std::size_t &end) {
  try {
    const std::size_t length = format::file_header_length(bytes, size);
    if (length > size) return "{}";
    end = length;
    const Bytes text = cut(bytes, length - format::checksum_size, format::file_header_start_size,
                           load_little<std::uint32_t>(bytes + format::file_header_start_size - 4));
    return std::string(text.begin(), text.end());
  } catch (const Error &) {
    return "{}";
  }
}

std::optional<Frame> take_frame(const Bytes &head, const Bytes &body) {
  try {
    const format::FrameHead parsed = format::parse_frame_head(head.data(), head.size(), body.size());
    Frame frame;
    frame.info = parsed.info;
    std::size_t at = 0;
    for (const ChunkEntry &entry : parsed.chunks) {
      frame.chunks.push_back({entry.particles, cut(body.data(), body.size(), at, entry.length)});
      at += static_cast<std::size_t>(entry.length);
    }
    return frame;
  } catch (const Error &) {
    return std::nullopt;
  }
}

std::vector<ChunkEntry> entries_of(const Frame &frame) {
  std::vector<ChunkEntry> entries;
  for (const Chunk &chunk : frame.chunks)
    entries.push_back({chunk.particles, chunk.bytes.size(), chunk_checksum(chunk.bytes.data(), chunk.bytes.size())});
  return entries;
}

FrameInfo sound(const Frame &frame) {
  FrameInfo info = frame.info;
  info.particles = 0;
  for (const Chunk &chunk : frame.chunks) info.particles += chunk.particles;
  return info;
}

}  // namespace

std::optional<ChunkParts> split(const Bytes &chunk, std::size_t fields) {
  ChunkKind kind{};
  try {
    kind = chunk_kind(chunk.data(), chunk.size());
  } catch (const Error &) {
    return std::nullopt;
  }
  const std::size_t head = format::chunk_head_size(kind, fields);
  if (head > chunk.size()) return std::nullopt;
  std::uint64_t left = chunk.size() - head;
  const auto take = [&](std::size_t at, std::uint64_t &length) {
    length = load_little<std::uint64_t>(chunk.data() + at);
    if (length > left) return false;
    left -= length;
    return true;
  };
  ChunkParts parts;
  parts.start.assign(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(format::section_length_at(kind, 0)));
  std::vector<std::uint64_t> lengths(fields);
  for (std::size_t f = 0; f < fields; ++f)
    if (!take(format::section_length_at(kind, f), lengths[f])) return std::nullopt;
  std::uint64_t arrivals = 0;
  if (kind == ChunkKind::difference && !take(format::arrivals_length_at, arrivals)) return std::nullopt;

  std::size_t at = head;
  const auto next = [&](std::uint64_t length) {
    const std::size_t begin = at;
    at += static_cast<std::size_t>(length);
    return cut(chunk.data(), chunk.size(), begin, length);
  };
  parts.leaving = next(left);
  for (const std::uint64_t length : lengths) parts.sections.push_back(next(length));
  parts.arrivals = next(arrivals);
  return parts;
}

Bytes join(ChunkParts parts) {
  const ChunkKind kind = chunk_kind(parts.start.data(), parts.start.size());
  Bytes bytes = parts.start;
  bytes.resize(format::chunk_head_size(kind, parts.sections.size()));
  const auto add = [&](Bytes &part) {
    part.resize(round_up_8(part.size()));
    append(bytes, part);
    return static_cast<std::uint64_t>(part.size());
  };
  add(parts.leaving);
  for (std::size_t f = 0; f < parts.sections.size(); ++f) {
    const std::uint64_t length = add(parts.sections[f]);
    store_little<std::uint64_t>(bytes.data() + format::section_length_at(kind, f), length);
  }
  const std::uint64_t arrivals = add(parts.arrivals);
  if (kind == ChunkKind::difference) store_little<std::uint64_t>(bytes.data() + format::arrivals_length_at, arrivals);
  return bytes;
}

std::vector<Frame *> File::frames() {
  std::vector<Frame *> found;
  for (Record &record : records)
    if (record.frame) found.push_back(&*record.frame);
  return found;
}

File take_apart(const std::uint8_t *bytes, std::size_t size) {
  File file;
  std::size_t at = 0;
  file.metadata = take_metadata(bytes, size, at);
  if (at != 0) file.features = load_little<std::uint32_t>(bytes + required_features_at);
  std::size_t end = at;
  while (size - at >= format::record_overhead) {
    const auto start = format::parse_record_start(bytes + at);
    if (!start || start->length > size - at) {
      at += 8;
      if (at > size) break;
      continue;
    }
    Record record;
    record.type = start->type;
    record.head = cut(bytes, size, at + format::record_start_size, start->head_length);
    record.body = cut(bytes, size, at + static_cast<std::size_t>(start->prefix_length()), start->body_length());
    at += static_cast<std::size_t>(start->length);
    end = at;
    if (record.type == format::frame_type) record.frame = take_frame(record.head, record.body);
    if (record.type == format::index_type && at == size) {
      file.has_index = true;
    } else {
      file.records.push_back(std::move(record));
    }
  }
  file.rest = cut(bytes, size, end, size - end);
  return file;
}

std::optional<Bytes> head_of(const Frame &frame) {
  try {
    const FrameRecord record = frame_record(sound(frame), entries_of(frame));
    return Bytes(record.prefix.begin() + format::record_start_size, record.prefix.end() - format::checksum_size);
  } catch (const Error &) {
    return std::nullopt;
  }
}

Bytes body_of(const Frame &frame) {
  Bytes body;
  for (const Chunk &chunk : frame.chunks) append(body, chunk.bytes);
  return body;
}

Bytes put_together(const File &file) {
  Bytes bytes = format::header_around(file.metadata, file.features);
  std::vector<IndexEntry> index;
  std::uint64_t last = 0;
  for (const Record &record : file.records) {
    Bytes head = record.head;
    Bytes body = record.body;
    if (record.frame) {
      Frame frame = *record.frame;
      frame.info.reference = last;
      if (auto sound_head = head_of(frame)) {
        head = std::move(*sound_head);
        body = body_of(frame);
      }
    }
    head.resize(round_up_8(head.size()));
    body.resize(round_up_8(body.size()));
    if (record.type == tables_record_type && !head.empty())
      format::store_little<std::uint64_t>(head.data(), format::xxh3(body.data(), body.size()));
    const FrameRecord made = format::make_record(record.type, head, body.size());
    if (record.type == format::frame_type && head.size() >= 24) {
      last = made.checksum;
      index.push_back(format::parse_frame_summary(head.data(), head.size()));
      index.back().offset = bytes.size();
      index.back().length = made.length;
    }
    append(bytes, made.prefix);
    append(bytes, body);
    append(bytes, made.trailer);
  }
  append(bytes, file.rest);
  if (file.has_index) append(bytes, index_record(index));
  return bytes;
}

}  // namespace gpz::fuzz
