// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "gpz/api/arrangement.hpp"
#include "gpz/api/file.hpp"
#include "gpz/api/read_output.hpp"
#include "gpz/api/stream_tables.hpp"
#include "gpz/error.hpp"
#include "gpz/format/arithmetic.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/container_parse.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/reader.hpp"
#include "gpz/trajectory/interval_decoder.hpp"

namespace gpz {
namespace {

using api::in_file;
using api::locating_errors;
using format::corrupt;
using format::RecordStart;

}  // namespace

using Buffer = format::Column<std::uint8_t>;

struct StreamReader::State {
  format::Budget budget;  // first member: others are charged to it
  api::File file;
  Metadata metadata;
  std::uint64_t position = 0;  // of the next byte
  Buffer buffer;
  std::function<void(const StoredRecord &)> use_record;
  std::optional<api::StreamTables> tables;  // if the caller wants them
  trajectory::IntervalDecoder decoder;
  std::vector<Buffer> key_chunks;  // bytes of the last key frame, until a frame builds on it

  State(int descriptor, const std::string &name, const Limits &limits)
      : budget(limits), file(descriptor, name, api::File::Mode::read) {
    const format::Budget::Scope scope(budget);
    locating_errors(file.name(), 0, [&] {
      buffer.resize(format::file_header_start_size);
      buffer.resize(file.read(buffer.data(), buffer.size()));
      position = buffer.size();
      const std::size_t length = format::file_header_length(buffer.data(), buffer.size());
      append_to_buffer(length - buffer.size());
      metadata = format::parse_file_header(buffer.data(), buffer.size());
    });
  }

  void read_whole(std::uint8_t *data, std::size_t size) {
    const std::size_t got = file.read(data, size);
    position += got;
    if (got < size) throw Error(Status::truncated, "the file ends inside a record", file.name(), position);
  }

  // Lengths from the stream may be wrong: memory grows only as fast as bytes arrive.
  void append_to_buffer(std::uint64_t size) {
    constexpr std::size_t first_piece = std::size_t{64} << 20;
    while (size > 0) {
      const std::size_t old = buffer.size();
      const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(size, std::max(first_piece, old)));
      buffer.resize(old + piece);
      read_whole(buffer.data() + old, piece);
      size -= piece;
    }
  }

  void read_trailer(const RecordStart &record, std::uint64_t checksum) {
    std::uint8_t trailer[format::trailer_size];
    read_whole(trailer, sizeof trailer);
    if (format::checksum_in_trailer(trailer, record) != checksum)
      corrupt("the trailer of a record does not agree with its head");
  }

  // Reads the rest of a record of another type, whose head is in the buffer, and passes the record to the caller.
  void take_other(const RecordStart &record, std::uint64_t checksum) {
    StoredRecord stored;
    stored.type = record.type;
    const auto head = buffer.begin() + static_cast<std::ptrdiff_t>(format::record_start_size);
    stored.head.assign(head, head + static_cast<std::ptrdiff_t>(record.head_length));
    buffer.clear();
    append_to_buffer(record.body_length());
    format::require_memory(record.body_length(), 2);
    stored.body.assign(buffer.begin(), buffer.end());
    read_trailer(record, checksum);
    if (tables) tables->take(stored);
    if (use_record) use_record(stored);
  }

  // Reads the rest of a record that is not a frame.
  void skip(const RecordStart &record, std::uint64_t checksum) {
    constexpr std::uint64_t piece = std::uint64_t{1} << 20;
    for (std::uint64_t left = record.body_length(); left > 0;) {
      buffer.resize(static_cast<std::size_t>(std::min(left, piece)));
      read_whole(buffer.data(), buffer.size());
      left -= buffer.size();
    }
    read_trailer(record, checksum);
  }

  // Reads one record. Returns whether it was a frame. At the end of the stream, `at_end` becomes true.
  bool next_record(Frame &frame, const ReadOptions &options, bool &at_end) {
    RecordStart record;
    format::FrameHead head;
    if (!locating_errors(file.name(), position, [&] { return read_head(record, head, at_end); })) return false;
    trajectory::Arrangement arrangement;
    in_file(file.name(), [&] { arrangement = api::arrangement_of(head.info, options); });
    api::begin_frame(head.info, frame);
    api::decoding(file.name(), position, head.info.particles, [&] {
      read_chunks(record, head, options.threads);
      decoder.end(head);
      write(frame, arrangement, options.threads);
    });
    return true;
  }

  // Returns false at the end of the stream, or after skipping a record that is not a frame.
  bool read_head(RecordStart &record, format::FrameHead &head, bool &at_end) {
    buffer.resize(format::record_start_size);
    const std::size_t got = file.read(buffer.data(), buffer.size());
    position += got;
    if (got == 0) {
      at_end = true;
      return false;
    }
    if (got < buffer.size()) throw Error(Status::truncated, "the file ends inside a record", file.name(), position);
    const std::optional<RecordStart> start = format::parse_record_start(buffer.data());
    if (!start) corrupt("no record begins here");
    record = *start;
    append_to_buffer(std::uint64_t{record.head_length} + format::checksum_size);
    format::require_memory(record.head_length, format::memory_of_head_byte);
    if (!format::head_holds(buffer.data(), record)) corrupt("the checksum of the head of a record does not hold");
    const std::uint64_t checksum = format::head_checksum(buffer.data(), record);
    if (record.type != format::frame_type) {
      if (!record.is_known() && !record.may_be_skipped())
        throw Error(Status::unsupported_version, "a record of unknown type " + std::to_string(record.type));
      if ((use_record || tables) && !record.is_known())
        take_other(record, checksum);
      else
        skip(record, checksum);
      return false;
    }
    head =
        format::parse_frame_head(buffer.data() + format::record_start_size, record.head_length, record.body_length());
    head.checksum = checksum;
    return true;
  }

  // Reads a chunk of a frame with this many fields into `buffer`.
  format::OpenedChunk read_chunk(const ChunkEntry &chunk, std::size_t fields) {
    return locating_errors(file.name(), position, [&] {
      buffer.clear();
      append_to_buffer(chunk.length);
      format::require_checksum(chunk, buffer.data());
      format::OpenedChunk opened = format::open_chunk(buffer.data(), buffer.size(), fields);
      format::require_features(metadata.features, format::needed_features(opened));
      return opened;
    });
  }

  void read_chunks(const RecordStart &record, const format::FrameHead &head, int threads) {
    const bool is_key = head.info.since_key == 0;
    locating_errors(file.name(), position, [&] { decoder.begin(head, {}, threads); });
    key_chunks.clear();
    for (std::size_t k = 0; k < head.chunks.size(); ++k) {
      const std::uint64_t start = position;
      const format::OpenedChunk opened = read_chunk(head.chunks[k], head.info.fields.size());
      if (is_key) key_chunks.push_back(std::move(buffer));
      locating_errors(file.name(), start,
                      [&] { decoder.chunk(k, opened, head.chunks[k].particles, head.info.fields, threads, start); });
    }
    locating_errors(file.name(), position, [&] { read_trailer(record, head.checksum); });
  }

  void write(Frame &frame, const trajectory::Arrangement &arrangement, int threads) {
    in_file(file.name(), [&] {
      const auto rows = decoder.arrange(frame.info, arrangement, threads);
      const format::Charge columns = api::charge_for_columns(rows.count, frame.info.fields, {});
      frame.info.particles = rows.count;
      decoder.write_all(frame.info.fields, api::frame_targets(frame, {}, rows.count), rows, threads);
    });
  }
};

StreamReader::StreamReader(int descriptor, const std::string &name, const Limits &limits)
    : state_(in_file(name, [&] { return std::make_unique<State>(descriptor, name, limits); })) {}
StreamReader::~StreamReader() = default;
StreamReader::StreamReader(StreamReader &&) noexcept = default;
StreamReader &StreamReader::operator=(StreamReader &&) noexcept = default;

const Metadata &StreamReader::metadata() const { return state_->metadata; }

void StreamReader::on_record(std::function<void(const StoredRecord &)> use) { state_->use_record = std::move(use); }

void StreamReader::keep_tables() {
  if (!state_->tables) state_->tables.emplace();
}

std::vector<Table> StreamReader::tables() const {
  const format::Budget::Scope scope(state_->budget);
  return in_file(state_->file.name(), [&] { return state_->tables ? state_->tables->tables() : std::vector<Table>(); });
}

std::vector<Observable> StreamReader::observables() const {
  const format::Budget::Scope scope(state_->budget);
  return in_file(state_->file.name(),
                 [&] { return state_->tables ? state_->tables->observables() : std::vector<Observable>(); });
}

bool StreamReader::next(Frame &frame, const ReadOptions &options) {
  const format::UsualArithmetic arithmetic;
  const format::Budget::Scope scope(state_->budget);
  try {
    return in_file(state_->file.name(), [&] {
      bool at_end = false;
      while (!at_end) {
        if (!state_->next_record(frame, options, at_end)) continue;
        if (state_->tables) state_->tables->pass_frame(frame.info.timestep);
        return true;
      }
      return false;
    });
  } catch (...) {
    api::begin_frame({}, frame);  // a part of a damaged frame is never returned
    throw;
  }
}

}  // namespace gpz
