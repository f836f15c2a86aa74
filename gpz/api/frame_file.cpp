// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/frame_file.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gpz/api/scan.hpp"
#include "gpz/error.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::api {

using format::corrupt;

namespace {

// Reads the header, the index, and usually the first tables and frames: in one request, or in two if the index is long.
// Failures are reported by the scan, which reads the same bytes.
void read_ends(AheadSource &source, std::uint64_t most) {
  constexpr std::uint64_t begin = std::uint64_t{64} << 10, end = std::uint64_t{256} << 10;
  const std::uint64_t size = source.size();
  if (size <= begin + end || most < begin + end) {
    source.read_now({{0, std::min(size, most)}});
    return;
  }
  source.read_now({{0, begin}, {size - end, end}});
  std::uint8_t trailer[format::trailer_size];
  if (!source.holds({size - sizeof trailer, sizeof trailer})) return;
  source.read_at(size - sizeof trailer, trailer, sizeof trailer);
  const auto length = format::length_in_trailer(trailer);
  if (length && *length > end && *length <= std::min(most, size)) source.read_now({{size - *length, *length}});
}

}  // namespace

FrameFile::FrameFile(std::shared_ptr<Source> source, const FramePlan::Most &ahead) {
  if (ahead.frame == 0) {
    source_ = std::move(source);
    scan_ = api::scan(*source_, true);
    return;
  }
  const std::uint64_t kept = ahead.is_distant ? 2 * ahead.request : 0;
  auto reading_ahead = std::make_unique<AheadSource>(std::move(source), ahead.has_thread, kept);
  AheadSource &expecting = *reading_ahead;
  source_ = std::move(reading_ahead);
  if (ahead.is_distant) read_ends(expecting, ahead.request);
  scan_ = api::scan(*source_, true);
  plan_ = std::make_unique<FramePlan>(scan_.frames, expecting, ahead);
  if (ahead.is_distant && !scan_.frames.empty()) look_at_last_frame(expecting);
}

// The last frame often arrives with the index, and tells FramePlan the distance of key frames.
void FrameFile::look_at_last_frame(const AheadSource &source) const {
  const IndexEntry &last = scan_.frames.back();
  if (!source.holds({last.offset, last.length})) return;
  try {
    head(scan_.frames.size() - 1);
  } catch (const Error &) {  // whoever asks for the frame gets the error
  }
}

format::FrameHead FrameFile::head(std::size_t i, std::uint64_t *body) const {
  if (i >= scan_.frames.size()) {
    throw Error(Status::not_found,
                "no frame " + std::to_string(i) + ": there are " + std::to_string(scan_.frames.size()), name());
  }
  if (!plan_) return head_at(*source_, scan_.frames[i], body);
  plan_->reading_head(i);
  return dropping_damage([&] {
    format::FrameHead found = head_at(*source_, scan_.frames[i], body);
    plan_->found(i, found.info.since_key);
    return found;
  });
}

format::FrameHead head_at(const Source &source, const IndexEntry &entry, std::uint64_t *body) {
  return locating_errors(source.name(), entry.offset, [&] {
    Bytes prefix;
    const auto record = complete_record_at(source, entry.offset, entry.offset + entry.length, prefix);
    if (!record || record->type != format::frame_type || record->length != entry.length) {
      corrupt("no complete frame where the index has one");
    }
    const std::uint8_t *bytes = prefix.data() + format::record_start_size;
    format::FrameHead frame = format::parse_frame_head(bytes, record->head_length, record->body_length());
    frame.checksum = format::head_checksum(prefix.data(), *record);
    if (frame.info.particles != entry.particles || frame.info.timestep != entry.timestep ||
        std::memcmp(&frame.info.time, &entry.time, sizeof entry.time) != 0) {
      corrupt("a frame does not agree with the index");
    }
    if (body != nullptr) *body = entry.offset + record->prefix_length();
    return frame;
  });
}

ChunkEntry FrameFile::chunk(std::size_t i, std::size_t k, std::uint64_t &position) const {
  const format::FrameHead head = this->head(i, &position);
  if (k >= head.chunks.size()) {
    throw Error(Status::not_found,
                "no chunk " + std::to_string(k) + " in frame " + std::to_string(i) + ": there are " +
                    std::to_string(head.chunks.size()),
                name());
  }
  for (std::size_t before = 0; before < k; ++before) position += head.chunks[before].length;
  return head.chunks[k];
}

std::vector<RecordEntry> FrameFile::records(std::size_t i) const {
  const std::vector<IndexEntry> &frames = scan_.frames;
  if (i > frames.size())
    throw Error(Status::not_found,
                "no records in front of frame " + std::to_string(i) + ": there are " + std::to_string(frames.size()),
                name());
  const std::uint64_t begin = i == 0 ? scan_.frames_begin : frames[i - 1].offset + frames[i - 1].length;
  const std::uint64_t end = i == frames.size() ? scan_.frames_end : frames[i].offset;
  std::vector<RecordEntry> found;
  if (scan_.from_index) {
    if (begin == end) return found;
    if (plan_) plan_->reading_space(i);
    locating_errors(name(), begin, [&] {
      if (!take_other_records(*source_, begin, end, found))
        corrupt("no complete records where the index has room for them");
    });
  } else {
    const auto lies_before = [](const RecordEntry &record, std::uint64_t offset) { return record.offset < offset; };
    const auto first = std::lower_bound(scan_.records.begin(), scan_.records.end(), begin, lies_before);
    const auto last = std::lower_bound(first, scan_.records.end(), std::max(begin, end), lies_before);
    found.assign(first, last);
  }
  return found;
}

StoredRecord FrameFile::stored(const RecordEntry &entry) const {
  return locating_errors(name(), entry.offset, [&] {
    Bytes prefix;
    const auto record = complete_record_at(*source_, entry.offset, entry.offset + entry.length, prefix);
    if (!record || record->type != entry.type || record->length != entry.length)
      corrupt("the record of type " + std::to_string(entry.type) + " has changed since it was found");
    StoredRecord stored;
    stored.type = record->type;
    const auto head = prefix.begin() + static_cast<std::ptrdiff_t>(format::record_start_size);
    stored.head.assign(head, head + static_cast<std::ptrdiff_t>(record->head_length));
    // The complete record is in the file, so its size limits this memory.
    format::require_memory(record->body_length(), 1);
    stored.body.resize(static_cast<std::size_t>(record->body_length()));
    source_->read_at(entry.offset + record->prefix_length(), stored.body.data(), stored.body.size());
    return stored;
  });
}

void FrameFile::read_bytes(const ChunkEntry &chunk, std::uint64_t position, std::uint8_t *bytes) const {
  dropping_damage([&] {
    locating_errors(name(), position, [&] {
      source_->read_at(position, bytes, static_cast<std::size_t>(chunk.length));
      format::require_checksum(chunk, bytes);
    });
  });
}

format::OpenedChunk FrameFile::read_chunk(const ChunkEntry &chunk, std::uint64_t position, std::size_t fields,
                                          std::uint8_t *bytes) const {
  read_bytes(chunk, position, bytes);
  return locating_errors(name(), position, [&] {
    format::OpenedChunk opened = format::open_chunk(bytes, static_cast<std::size_t>(chunk.length), fields);
    format::require_features(scan_.metadata.features, format::needed_features(opened));
    return opened;
  });
}

void FrameFile::check_features(const ChunkEntry &chunk, std::uint64_t position, std::size_t fields,
                               const format::ReadChunk &read) const {
  locating_errors(name(), position, [&] {
    const std::uint32_t needed = format::needed_features(read, static_cast<std::size_t>(chunk.length), fields);
    format::require_features(scan_.metadata.features, needed);
  });
}

}  // namespace gpz::api
