// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/record_writer.hpp"

#include <algorithm>
#include <utility>

#include "gpz/api/frame_file.hpp"
#include "gpz/api/scan.hpp"
#include "gpz/continuation.hpp"
#include "gpz/error.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/container_bytes.hpp"

namespace gpz::api {

RecordWriter::RecordWriter(std::unique_ptr<Sink> sink, const Metadata &metadata, Header when)
    : sink_(std::move(sink)), metadata_(metadata) {
  header_ = locating_errors(name(), Error::no_position, [&] { return file_header(metadata_); });
  if (when == Header::at_once) begin();
}

RecordWriter::RecordWriter(std::unique_ptr<Sink> sink, FileScan found, std::optional<FrameInfo> last)
    : sink_(std::move(sink)),
      metadata_(std::move(found.metadata)),
      is_new_(false),
      stays_(found.has_index),
      continued_(std::move(last)),
      frames_(std::move(found.frames)),
      end_(found.frames_end),
      torn_(true) {}

bool RecordWriter::add_features(std::uint32_t features) {
  if ((features & ~metadata_.features) == 0) return true;
  if (!is_new_ || wrote_) return false;
  Metadata with = metadata_;
  with.features |= features;
  Bytes header = file_header(with);
  const bool waits = !header_.empty();
  header_ = std::move(header);
  metadata_ = std::move(with);
  if (!waits) replace_header();
  return true;
}

void RecordWriter::replace_header() {
  const std::uint64_t end = end_;
  end_ = 0;  // on failure, everything is cut, and the header is written with the first record
  torn_ = true;
  sink_->replace({header_.data(), header_.size()});
  torn_ = false;
  end_ = end;
  header_ = {};
}

void RecordWriter::begin() {
  if (!header_.empty() || !leading_.empty()) put({}, 0);
}

void RecordWriter::allow_other_bound(const Field &field) {
  for (const Field::Component &component : field.components) other_bounds_.push_back(component.name);
}

void RecordWriter::sync() {
  begin();
  sink_->sync();
}

void RecordWriter::put(const std::vector<Span> &record, std::uint64_t length) {
  if (torn_) cut();
  std::vector<Span> pieces;
  pieces.reserve(record.size() + 2);
  for (const Bytes *const waiting : {&header_, &leading_})
    if (!waiting->empty()) pieces.push_back({waiting->data(), waiting->size()});
  pieces.insert(pieces.end(), record.begin(), record.end());
  torn_ = true;
  try {
    sink_->write(pieces);
  } catch (...) {
    try {
      cut();
    } catch (...) {  // the first error is the one to report; torn_ stays
    }
    throw;
  }
  torn_ = false;
  end_ += header_.size() + leading_.size() + length;
  wrote_ = wrote_ || leading_.size() + length > 0;
  header_ = {};
  leading_ = {};
}

void RecordWriter::cut() {
  sink_->cut(end_);
  torn_ = false;
}

void RecordWriter::write(const FrameInfo &given, const std::vector<ChunkEntry> &chunks,
                         const std::vector<Span> &bodies) {
  locating_errors(name(), Error::no_position, [&] {
    FrameInfo info = given;
    if (continued_) {
      const bool was_whole = std::exchange(stays_, true);
      const auto may_differ = [&](const Field &field) {
        return std::any_of(field.components.begin(), field.components.end(), [&](const Field::Component &component) {
          return std::find(other_bounds_.begin(), other_bounds_.end(), component.name) != other_bounds_.end();
        });
      };
      FrameInfo last = *continued_;
      last.fields.erase(std::remove_if(last.fields.begin(), last.fields.end(), may_differ), last.fields.end());
      require_continuation(last, info);
      stays_ = was_whole;
    }
    if (info.since_key != 0) {
      if (!has_last_ || info.since_key != last_since_key_ + 1)
        throw Error(Status::invalid_argument, "the frame that this one builds on is not the last one of the file");
      if (chunks.size() != last_chunks_)
        throw Error(Status::invalid_argument, "the frame that this one builds on has another number of chunks");
      info.reference = last_checksum_;
    }
    const FrameRecord record = frame_record(info, chunks);
    std::vector<Span> pieces;
    pieces.reserve(bodies.size() + 2);
    pieces.push_back({record.prefix.data(), record.prefix.size()});
    pieces.insert(pieces.end(), bodies.begin(), bodies.end());
    pieces.push_back({record.trailer.data(), record.trailer.size()});

    frames_.push_back({size(), record.length, info.timestep, info.time, info.particles});
    try {
      put(pieces, record.length);
    } catch (...) {
      frames_.pop_back();
      throw;
    }
    continued_.reset();
    has_last_ = true;
    last_since_key_ = info.since_key;
    last_chunks_ = chunks.size();
    last_checksum_ = record.checksum;
  });
}

void RecordWriter::write(const StoredRecord &record) {
  locating_errors(name(), Error::no_position, [&] {
    if (is_new_ && !wrote_) {
      const Bytes bytes = record_bytes(record);
      leading_.insert(leading_.end(), bytes.begin(), bytes.end());
      return;
    }
    format::require_other_record(record);
    const FrameRecord made = format::make_record(record.type, record.head, record.body.size());
    put({{made.prefix.data(), made.prefix.size()},
         {record.body.data(), record.body.size()},
         {made.trailer.data(), made.trailer.size()}},
        made.length);
  });
}

void RecordWriter::close() {
  locating_errors(name(), Error::no_position, [&] {
    if (stays_ && !wrote_) {
      sink_->close();
      return;
    }
    const Bytes index = index_record(frames_);
    try {
      put({{index.data(), index.size()}}, index.size());
    } catch (...) {
      try {
        sink_->close();
      } catch (...) {  // the first error is the one to report
      }
      throw;
    }
    sink_->close();
  });
}

RecordWriter write_file(const std::string &path, const Metadata &metadata, bool append, System &system) {
  auto file = std::make_unique<File>(path, append ? File::Mode::update : File::Mode::create, system);
  if (!append || file->size() == 0) return {std::move(file), metadata};
  format::Budget budget{Limits{}};
  const format::Budget::Scope scope(budget);
  FileScan found = scan(*file, true);
  locating_errors(file->name(), Error::no_position, [&] { require_continuation(found.metadata, metadata); });
  std::optional<FrameInfo> last;
  if (!found.frames.empty()) last = head_at(*file, found.frames.back()).info;
  return {std::move(file), std::move(found), std::move(last)};
}

}  // namespace gpz::api
