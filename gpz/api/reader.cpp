// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/reader.hpp"

#include <algorithm>
#include <utility>

#include "gpz/api/arrangement.hpp"
#include "gpz/api/file.hpp"
#include "gpz/api/frame_file.hpp"
#include "gpz/api/frames_ahead.hpp"
#include "gpz/api/interval_cursors.hpp"
#include "gpz/api/read_output.hpp"
#include "gpz/api/table_history.hpp"
#include "gpz/chunk.hpp"
#include "gpz/error.hpp"
#include "gpz/format/arithmetic.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/container_parse.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/trajectory/interval_decoder.hpp"

namespace gpz {
namespace {

using api::in_file;
using api::locating_errors;

std::vector<bool> wanted_of(const std::vector<codec::Target> &targets) {
  std::vector<bool> wanted(targets.size());
  std::transform(targets.begin(), targets.end(), wanted.begin(),
                 [](const codec::Target &target) { return target.is_wanted(); });
  return wanted;
}

// The operating system reads files ahead. One request for many small frames saves calls; for large frames it would only
// add a copy.
constexpr api::FramePlan::Most ahead_in_files = {std::uint64_t{256} << 10, std::uint64_t{32} << 10, false, false};
constexpr api::FramePlan::Most ahead_in_sources = {std::uint64_t{8} << 20, std::uint64_t{64} << 20, true, true};

}  // namespace

struct Reader::State {
  format::Budget budget;  // first member: others are charged to it
  api::FrameFile file;
  const bool decodes_ahead;
  api::IntervalCursors cursors;
  api::TableHistory table_history;
  api::FramesAhead ahead;  // last member: its threads use the others

  // A source of the caller may be slow. It gets large requests in file order, so its frames are not decoded ahead.
  enum class Where : std::uint8_t { file, memory, source };

  State(const std::shared_ptr<Source> &from, const Limits &limits)
      : budget(limits),
        file(opened(from, budget)),
        decodes_ahead(where_is(*from) != Where::source),
        cursors(file),
        table_history(file),
        ahead(file, cursors, std::min(most_ahead, budget.limit() / 8),
              [this](std::size_t i, const api::FrameRequest &request, int threads, api::IntervalCursor &cursor,
                     api::HeldValues &values) { decode_ahead(i, request, threads, cursor, values); }) {}

  static constexpr std::uint64_t most_ahead = std::uint64_t{256} << 20;

  static Where where_is(const Source &source) {
    if (dynamic_cast<const api::File *>(&source) != nullptr) return Where::file;
    return dynamic_cast<const api::MemorySource *>(&source) != nullptr ? Where::memory : Where::source;
  }

  static api::FrameFile opened(const std::shared_ptr<Source> &from, format::Budget &budget) {
    const format::Budget::Scope scope(budget);
    const Where where = where_is(*from);
    const api::FramePlan::Most ahead = where == Where::file     ? ahead_in_files
                                       : where == Where::source ? ahead_in_sources
                                                                : api::FramePlan::Most{};
    // Reading ahead takes less than a quarter of the limit.
    const std::uint64_t most = budget.limit() / 16;
    return api::FrameFile(
        from, {std::min(ahead.request, most), std::min(ahead.frame, most), ahead.has_thread, ahead.is_distant});
  }

  // Finds a requested frame. If frames may be decoded ahead, bytes are not read ahead.
  api::LocatedFrame find(std::size_t i, const ReadOptions &options, bool anew) const {
    if (!may_decode_ahead(options.threads)) file.asked_for(i, anew);
    return {file, i};
  }
  bool may_decode_ahead(int threads) const { return decodes_ahead && threads != 1; }

  // Writes fields of a frame to targets_of(particles, rows), which returns one target per field. `wanted`: those that
  // are decoded (an empty list: all).
  template <typename TargetsOf>
  void decode(const api::LocatedFrame &located, const std::vector<bool> &wanted,
              const trajectory::Arrangement &arrangement, api::IntervalCursor::How how, api::IntervalCursor &cursor,
              const TargetsOf &targets_of) {
    const format::UsualArithmetic arithmetic;
    const FrameInfo &info = located.head.info;
    how.selection = arrangement.selection;
    api::decoding(file.name(), located.chunks, info.particles, [&] {
      trajectory::IntervalDecoder &frame = cursor.go_to(
          located, in_file(file.name(), [&] { return api::with_fields_of(arrangement, info, wanted); }), how);
      in_file(file.name(), [&] {
        const auto rows = frame.arrange(info, arrangement, how.threads);
        frame.write_all(info.fields, targets_of(frame.particles(), rows.count), rows, how.threads);
      });
    });
  }

  // Writes these fields of a frame (an empty list: all) to targets_of(rows), which returns one target per field. Uses
  // values decoded ahead if possible.
  template <typename TargetsOf>
  void write(const api::LocatedFrame &located, const api::FrameRequest &request, const std::vector<bool> &wanted,
             const ReadOptions &options, bool anew, const TargetsOf &targets_of) {
    const FrameInfo &info = located.head.info;
    const auto arrangement = in_file(file.name(), [&] { return api::arrangement_of(info, options); });
    int threads = options.threads;
    const auto decode_now = [&] {
      if (may_decode_ahead(options.threads)) file.asked_for(located.i, anew);
      const auto cursor = cursors.lease(located.i, info.since_key, anew);
      decode(located, wanted, arrangement, {threads, anew, true}, *cursor,
             [&](std::uint64_t, std::uint64_t rows) -> decltype(auto) { return targets_of(rows); });
      file.was_read(located.i);
    };
    const auto copy = [&](const api::HeldValues &values) {
      if (!values.are_of(info)) return false;
      values.copy_to(targets_of(values.rows()));
      return true;
    };
    try {
      const bool may_be_ahead = may_decode_ahead(options.threads) &&
                                info.particles >= api::FramesAhead::least_particles && info.since_key <= located.i;
      if (!may_be_ahead || !ahead.take(located.i, info.since_key, request, threads, copy)) decode_now();
    } catch (const Error &error) {
      // Frames decoded ahead, and other cursors, must not take the memory that this frame needs.
      if (error.status() != Status::limit_exceeded && error.status() != Status::out_of_memory) throw;
      const bool was_ahead = ahead.stop();
      if (!cursors.clear() && !was_ahead) throw;
      threads = options.threads;
      decode_now();
    }
  }

  // Called by threads that decode ahead.
  void decode_ahead(std::size_t i, const api::FrameRequest &request, int threads, api::IntervalCursor &cursor,
                    api::HeldValues &values) {
    const format::Budget::Scope scope(budget);
    const api::LocatedFrame located(file, i);
    const std::vector<Field> &fields = located.head.info.fields;
    std::vector<bool> wanted(fields.size());
    for (const api::FrameRequest::Column &column : request.columns)
      if (column.field < wanted.size()) wanted[column.field] = true;
    const auto arrangement = api::arrangement_of(located.head.info, {threads, request.sort_by_id, request.selection});
    decode(located, wanted, arrangement, {threads}, cursor, [&](std::uint64_t particles, std::uint64_t rows) {
      return values.make_room(request, fields, particles, rows);
    });
  }

  void read(std::size_t i, const ReadOptions &options, const std::vector<bool> &wanted, bool anew, Frame &frame) {
    const format::Budget::Scope scope(budget);
    const api::LocatedFrame located = find(i, options, anew);
    const FrameInfo &info = located.head.info;
    if (!wanted.empty() && wanted.size() != info.fields.size())
      throw Error(Status::invalid_argument, "`wanted` does not have one entry for each field", file.name());
    api::begin_frame(info, frame);
    format::Charge columns;
    write(located, api::request_of(frame, wanted, options), wanted, options, anew, [&](std::uint64_t rows) {
      // Charged only here, after the chunks have proved the number of particles.
      columns = api::charge_for_columns(rows, info.fields, wanted);
      frame.info.particles = rows;
      return api::frame_targets(frame, wanted, static_cast<std::size_t>(rows));
    });
  }
};

Reader::Reader(const std::string &path, const Limits &limits)
    : state_(in_file(path, [&] {
        return std::make_unique<State>(std::make_shared<api::File>(path, api::File::Mode::read), limits);
      })) {}

Reader::Reader(const std::uint8_t *bytes, std::size_t size, const std::string &name, const Limits &limits)
    : state_(in_file(name, [&] {
        return std::make_unique<State>(std::make_shared<api::MemorySource>(bytes, size, name), limits);
      })) {}

Reader::Reader(const std::shared_ptr<Source> &source, const Limits &limits) {
  if (source == nullptr) throw Error(Status::invalid_argument, "the source is a null pointer");
  const std::string name = source->name();
  state_ = in_file(name, [&] { return std::make_unique<State>(source, limits); });
}

Reader::~Reader() = default;
Reader::Reader(Reader &&) noexcept = default;
Reader &Reader::operator=(Reader &&) noexcept = default;

void Reader::allow_replacement() { state_->file.allow_replacement(); }

const FileScan &Reader::scan() const { return state_->file.scan(); }

FrameInfo Reader::info(std::size_t i, std::vector<ChunkEntry> *chunks) const {
  const format::Budget::Scope scope(state_->budget);
  format::FrameHead head = state_->file.head(i);
  if (chunks != nullptr) *chunks = std::move(head.chunks);
  return std::move(head.info);
}

Frame Reader::read(std::size_t i, const ReadOptions &options, const std::vector<bool> &wanted) const {
  Frame frame;
  in_file(state_->file.name(), [&] { state_->read(i, options, wanted, false, frame); });
  return frame;
}

FrameInfo Reader::read_columns(std::size_t i, const std::vector<ColumnOutput> &columns, std::size_t capacity,
                               const ReadOptions &options) const {
  const format::Budget::Scope scope(state_->budget);
  return in_file(state_->file.name(), [&] {
    api::LocatedFrame located = state_->find(i, options, false);
    if (options.selection == nullptr) api::require_room(located.head.info.particles, capacity);
    const std::vector<codec::Target> targets = api::column_targets(located.head.info, columns);
    std::uint64_t selected = 0;
    state_->write(located, {targets, options}, wanted_of(targets), options, false,
                  [&](std::uint64_t rows) -> const std::vector<codec::Target> & {
                    api::require_room(rows, capacity);
                    selected = rows;
                    return targets;
                  });
    api::set_origins(located.head.info);
    located.head.info.particles = selected;
    return std::move(located.head.info);
  });
}

StoredFrame Reader::stored(std::size_t i) const {
  const format::Budget::Scope scope(state_->budget);
  state_->file.asked_for(i);
  state_->file.reading_frame(i);
  std::uint64_t position = 0;
  format::FrameHead head = state_->file.head(i, &position);
  StoredFrame frame;
  frame.info = std::move(head.info);
  frame.checksum = head.checksum;
  frame.chunks = std::move(head.chunks);
  std::uint64_t size = 0;
  for (const ChunkEntry &chunk : frame.chunks) size += chunk.length;
  locating_errors(state_->file.name(), position, [&] {
    // The complete record is in the file, so its size limits this memory.
    format::require_memory(size, 1);
    frame.bytes.resize(static_cast<std::size_t>(size));
  });
  std::uint8_t *at = frame.bytes.data();
  for (const ChunkEntry &chunk : frame.chunks) {
    state_->file.read_bytes(chunk, position, at);
    state_->file.check_features(chunk, position, frame.info.fields.size(), format::read_from(at));
    position += chunk.length;
    at += chunk.length;
  }
  return frame;
}

std::vector<RecordEntry> Reader::records(std::size_t i) const {
  const format::Budget::Scope scope(state_->budget);
  return state_->file.records(i);
}

StoredRecord Reader::stored(const RecordEntry &record) const {
  const format::Budget::Scope scope(state_->budget);
  return state_->file.stored(record);
}

std::vector<Table> Reader::tables(std::size_t i, const std::vector<std::string> &names) const {
  const format::Budget::Scope scope(state_->budget);
  return in_file(state_->file.name(), [&] { return state_->table_history.tables(i, names); });
}

std::vector<Observable> Reader::observables(std::size_t i) const {
  const format::Budget::Scope scope(state_->budget);
  return in_file(state_->file.name(), [&] { return state_->table_history.observables(i); });
}

Bytes Reader::chunk(std::size_t i, std::size_t k) const {
  const format::Budget::Scope scope(state_->budget);
  std::uint64_t position = 0;
  const ChunkEntry chunk = state_->file.chunk(i, k, position);
  return locating_errors(state_->file.name(), position, [&] {
    // The complete record is in the file, so its size limits this memory.
    format::require_memory(chunk.length, 1);
    Bytes bytes(static_cast<std::size_t>(chunk.length));
    state_->file.read_bytes(chunk, position, bytes.data());
    return bytes;
  });
}

ChunkKind Reader::chunk_kind(std::size_t i, std::size_t k) const {
  const format::Budget::Scope scope(state_->budget);
  std::uint64_t position = 0;
  const ChunkEntry chunk = state_->file.chunk(i, k, position);
  return locating_errors(state_->file.name(), position, [&] {
    std::uint8_t head[8];
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(chunk.length, sizeof head));
    state_->file.source().read_at(position, head, size);
    return gpz::chunk_kind(head, size);
  });
}

std::vector<std::uint64_t> Reader::field_sizes(std::size_t i) const {
  const format::Budget::Scope scope(state_->budget);
  std::uint64_t position = 0;
  const format::FrameHead head = state_->file.head(i, &position);
  return in_file(state_->file.name(), [&] {
    std::vector<std::uint64_t> sizes(head.info.fields.size());
    for (const ChunkEntry &chunk : head.chunks) {
      locating_errors(state_->file.name(), position, [&] {
        format::add_section_sizes([&](std::uint64_t at, std::uint8_t *bytes,
                                      std::size_t size) { state_->file.source().read_at(position + at, bytes, size); },
                                  static_cast<std::size_t>(chunk.length), sizes);
      });
      position += chunk.length;
    }
    return sizes;
  });
}

void Reader::verify(std::size_t i, int threads) const {
  Frame frame;
  in_file(state_->file.name(), [&] { state_->read(i, ReadOptions{threads, false}, {}, true, frame); });
}

}  // namespace gpz
