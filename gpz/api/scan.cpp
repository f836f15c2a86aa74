// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/scan.hpp"

#include <algorithm>
#include <cstring>

#include "gpz/api/file.hpp"
#include "gpz/format/budget.hpp"

namespace gpz {
namespace api {
namespace {

using format::RecordStart;

// Number of gaps between indexed frames that are checked. Reading all of them would take as long as a scan without
// index.
constexpr std::size_t checked_spaces = 8;

// Reads the file header; `length` receives its length.
Metadata read_file_header(const Source &source, std::uint64_t &length) {
  return locating_errors(source.name(), 0, [&] {
    Bytes bytes(static_cast<std::size_t>(std::min<std::uint64_t>(source.size(), format::file_header_start_size)));
    source.read_at(0, bytes.data(), bytes.size());
    length = format::file_header_length(bytes.data(), bytes.size());
    if (length > source.size()) throw Error(Status::truncated, "the file ends inside its header", {}, source.size());
    bytes.resize(static_cast<std::size_t>(length));
    source.read_at(0, bytes.data(), bytes.size());
    return format::parse_file_header(bytes.data(), bytes.size());
  });
}

class Scanner {
 public:
  explicit Scanner(const Source &source) : source_(source) {
    scan_.file_size = source.size();
    scan_.metadata = read_file_header(source, header_length_);
    scan_.frames_begin = scan_.frames_end = header_length_;
  }

  FileScan run(bool use_index) {
    if (!use_index || !take_index()) walk();
    return std::move(scan_);
  }

 private:
  // Uses the index if the file ends with one and its frames lie in order between file header and index, with only other
  // records between them. walk() handles everything else: damage, concatenated files.
  bool take_index() {
    const std::uint64_t size = source_.size();
    if (size - header_length_ < format::record_overhead) return false;
    std::uint8_t trailer[format::trailer_size];
    source_.read_at(size - sizeof trailer, trailer, sizeof trailer);
    const auto length = format::length_in_trailer(trailer);
    if (!length || *length > size - header_length_ || *length < format::record_overhead) return false;
    const std::uint64_t index_start = size - *length;
    // A bad index is ignored, not an error, unlike a record of an unknown type.
    std::uint8_t start[format::record_start_size];
    source_.read_at(index_start, start, sizeof start);
    const auto claimed = format::parse_record_start(start);
    if (!claimed || claimed->type != format::index_type || claimed->length != *length) return false;
    const auto record = complete_record_at(source_, index_start, size, prefix_);
    if (!record) return false;

    std::vector<IndexEntry> frames;
    if (!parse_index(*record, frames)) return false;
    if (!hold_other_records(frames, index_start)) return false;

    scan_.frames = std::move(frames);
    scan_.frames_end = index_start;
    scan_.has_index = scan_.from_index = true;
    return true;
  }

  // Ranges of bytes that belong to no frame.
  struct Space {
    std::uint64_t begin = 0, end = 0;
  };

  // Calls use(space) for the spaces before, between and after the frames of an index that begins at `end`, while it
  // returns true. Returns false if a call did, if frames overlap, or if a space is too small for a record.
  template <typename Use>
  bool each_space(const std::vector<IndexEntry> &frames, std::uint64_t end, const Use &use) const {
    std::uint64_t position = header_length_;
    const auto is_space = [&](std::uint64_t next) {
      if (next == position) return true;
      if (next < position || next > end || next % 8 != 0) return false;
      return next - position >= format::record_overhead && use(Space{position, next});
    };
    for (const IndexEntry &frame : frames) {
      if (!is_space(frame.offset) || frame.length > end - frame.offset) return false;
      if (frame.length < format::record_overhead || frame.length % 8 != 0) return false;
      position = frame.offset + frame.length;
    }
    return is_space(end);
  }

  // Checks a few of the spaces, including the first and the last. The last one reveals concatenated files: it contains
  // the index of the first file and the header of the second.
  bool hold_other_records(const std::vector<IndexEntry> &frames, std::uint64_t end) {
    std::size_t count = 0;
    if (!each_space(frames, end, [&](const Space &) { return ++count != 0; })) return false;
    const std::size_t checked = std::min(count, checked_spaces);
    std::size_t k = 0, done = 0;  // spaces
    return each_space(frames, end, [&](const Space &space) {
      const bool is_next = k == (checked == count ? done : done * (count - 1) / (checked - 1));
      ++k;
      if (!is_next) return true;
      ++done;
      return holds_other_records(space);
    });
  }

  // Reads a short space at once.
  bool holds_other_records(const Space &space) {
    constexpr std::uint64_t most = std::uint64_t{1} << 16;
    std::vector<RecordEntry> ignored;
    const std::uint64_t size = space.end - space.begin;
    if (size > most) return take_other_records(source_, space.begin, space.end, ignored);
    window_.resize(static_cast<std::size_t>(size));
    source_.read_at(space.begin, window_.data(), window_.size());
    try {
      const MemorySource bytes(window_.data(), window_.size(), source_.name());
      const bool holds = take_other_records(bytes, 0, size, ignored);
      window_.clear();
      return holds;
    } catch (const Error &) {  // walk() reports it
      window_.clear();
      return false;
    }
  }

  void walk() {
    std::uint64_t position = header_length_;
    while (position < source_.size()) {
      const auto record = record_at(position);
      if (!record) {
        const auto next = find_record(position + 8);
        if (!next) {
          scan_.torn = true;
          return;
        }
        // Writers complete records in order, so this one may have been completed during the search after it.
        if (complete_record_at(source_, position, source_.size(), prefix_)) {
          window_.clear();  // forces a new search of that part
          window_start_ = 0;
          continue;
        }
        scan_.damaged = true;
        position = *next;
        continue;
      }
      take_record(*record, position);
      position += record->length;
    }
  }

  void take_record(const RecordStart &record, std::uint64_t position) {
    const std::uint64_t end = position + record.length;
    if (record.type == format::index_type) {
      std::vector<IndexEntry> ignored;
      scan_.has_index = end == source_.size() && parse_index(record, ignored);
      return;
    }
    scan_.frames_end = end;
    if (record.type != format::frame_type) {
      scan_.records.push_back({record.type, position, record.length});
      return;
    }
    try {
      const std::uint8_t *head = prefix_.data() + format::record_start_size;
      format::parse_frame_head(head, record.head_length, record.body_length());
      IndexEntry entry = format::parse_frame_summary(head, record.head_length);
      entry.offset = position;
      entry.length = record.length;
      scan_.frames.push_back(entry);
    } catch (const Error &error) {
      // The checksum is right, so the bytes are as written: by a faulty writer or an unknown codec.
      if (error.status() != Status::corrupt) {
        throw Error(error.status(), error.cause(), source_.name(), position);
      }
      scan_.damaged = true;
    }
  }

  bool parse_index(const RecordStart &record, std::vector<IndexEntry> &frames) const {
    if (record.body_length() != 0) return false;
    try {
      frames = format::parse_index_head(prefix_.data() + format::record_start_size, record.head_length);
      return true;
    } catch (const Error &) {
      return false;
    }
  }

  // Reads the complete record at `position`, or nothing.
  std::optional<RecordStart> record_at(std::uint64_t position) {
    const auto record = complete_record_at(source_, position, source_.size(), prefix_);
    if (record) return record;
    // Count heads that were read in vain. In a damaged file each of them lies in a separate record. Only a malicious
    // file has overlapping heads, which would take quadratic time.
    false_heads_ += prefix_.size();
    if (false_heads_ > source_.size()) throw Error(Status::corrupt, "too many false records", source_.name(), position);
    return std::nullopt;
  }

  // Finds the first complete record at or after `position`. Positions only ascend, so every byte is read once.
  std::optional<std::uint64_t> find_record(std::uint64_t position) {
    constexpr std::uint64_t window_size = std::uint64_t{1} << 20;
    while (position < source_.size() && source_.size() - position >= format::record_overhead) {
      if (position >= window_start_ + window_.size()) {
        window_.resize(static_cast<std::size_t>(std::min(window_size, source_.size() - position)));
        source_.read_at(position, window_.data(), window_.size());
        window_start_ = position;
      }
      auto i = static_cast<std::size_t>(position - window_start_);
      for (; i + 8 <= window_.size(); i += 8) {
        if (std::memcmp(window_.data() + i, format::record_marker, 8) != 0) continue;
        if (record_at(window_start_ + i)) return window_start_ + i;
      }
      position = window_start_ + window_.size();
    }
    return std::nullopt;
  }

  const Source &source_;
  FileScan scan_;
  std::uint64_t header_length_ = 0;
  std::uint64_t false_heads_ = 0;  // of heads read in vain, bytes
  Bytes prefix_;
  Bytes window_;  // bytes of the current search
  std::uint64_t window_start_ = 0;
};

}  // namespace

std::optional<RecordStart> complete_record_at(const Source &source, std::uint64_t position, std::uint64_t end,
                                              Bytes &prefix) {
  prefix.clear();
  if (position > end || end - position < format::record_overhead) return std::nullopt;
  const std::uint64_t left = end - position;
  std::uint8_t start[format::record_start_size];
  source.read_at(position, start, sizeof start);
  const auto record = format::parse_record_start(start);
  if (!record || record->prefix_length() > left) return std::nullopt;

  // Check the trailer first: it is short, while heads may be long.
  const bool must_be_known = !record->is_known() && !record->may_be_skipped();
  std::optional<std::uint64_t> checksum;
  if (record->length <= left) {
    std::uint8_t trailer[format::trailer_size];
    source.read_at(position + record->trailer_offset(), trailer, sizeof trailer);
    checksum = format::checksum_in_trailer(trailer, *record);
  }
  if (!checksum && !must_be_known) return std::nullopt;

  format::require_memory(record->prefix_length(), format::memory_of_head_byte);
  prefix.resize(static_cast<std::size_t>(record->prefix_length()));
  source.read_at(position, prefix.data(), prefix.size());
  if (checksum != format::head_checksum(prefix.data(), *record) && !must_be_known) return std::nullopt;
  if (!format::head_holds(prefix.data(), *record)) return std::nullopt;
  if (must_be_known) {
    throw Error(Status::unsupported_version, "a record of unknown type " + std::to_string(record->type), source.name(),
                position);
  }
  return record;
}

bool take_other_records(const Source &source, std::uint64_t begin, std::uint64_t end,
                        std::vector<RecordEntry> &records) {
  Bytes prefix;
  for (std::uint64_t position = begin; position != end;) {
    const auto record = complete_record_at(source, position, end, prefix);
    if (!record || record->is_known()) return false;
    records.push_back({record->type, position, record->length});
    position += record->length;
  }
  return true;
}

FileScan scan(const Source &source, bool use_index) {
  return locating_errors(source.name(), 0, [&] { return Scanner(source).run(use_index); });
}

}  // namespace api

FileScan scan_file(const std::string &path, bool use_index, const Limits &limits) {
  format::Budget budget(limits);
  const format::Budget::Scope scope(budget);
  return api::in_file(path, [&] { return api::scan(api::File(path, api::File::Mode::read), use_index); });
}

}  // namespace gpz
