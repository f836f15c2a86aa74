// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/reader.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "gpz/api/arrangement.hpp"
#include "gpz/api/file.hpp"
#include "gpz/api/follower.hpp"
#include "gpz/api/frame_file.hpp"
#include "gpz/api/frame_memory.hpp"
#include "gpz/api/frames_ahead.hpp"
#include "gpz/api/read_output.hpp"
#include "gpz/api/table_history.hpp"
#include "gpz/chunk.hpp"
#include "gpz/error.hpp"
#include "gpz/format/arithmetic.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/container_parse.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/trajectory/frame_history.hpp"

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
  std::mutex mutex;
  api::Follower follower;  // guarded by the mutex
  api::TableHistory table_history;
  api::SpareMemory spare;
  api::FramesAhead ahead;  // last member: its threads use the others

  // A source of the caller may be slow. It gets large requests in file order, so its frames are not decoded ahead.
  enum class Where : std::uint8_t { file, memory, source };

  State(const std::shared_ptr<Source> &from, const Limits &limits)
      : budget(limits),
        file(opened(from, budget)),
        decodes_ahead(where_is(*from) != Where::source),
        follower(file),
        table_history(file),
        ahead(file, std::min(most_ahead, budget.limit() / 8),
              [this](std::size_t i, const api::FrameRequest &request, int threads, api::Follower &of_run,
                     api::SpareMemory &memory,
                     api::HeldValues &values) { decode_ahead(i, request, threads, of_run, memory, values); }) {}

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

  struct LocatedFrame {
    std::size_t i;
    std::uint64_t chunks = 0;  // position of the first chunk
    format::FrameHead head;

    LocatedFrame(const api::FrameFile &file, std::size_t number) : i(number), head(file.head(number, &chunks)) {}
  };

  // Finds a requested frame. If frames may be decoded ahead, bytes are not read ahead.
  LocatedFrame find(std::size_t i, const ReadOptions &options, bool anew) const {
    if (!may_decode_ahead(options.threads)) file.asked_for(i, anew);
    return {file, i};
  }
  bool may_decode_ahead(int threads) const { return decodes_ahead && threads != 1; }

  // Reads these fields of a frame (an empty list: all), and calls use(frame). `of_run`: follower of a run for frames
  // decoded ahead, otherwise nullptr.
  template <typename Use>
  void open(const LocatedFrame &located, const std::vector<bool> &wanted, const api::Follower::How &how,
            api::Follower *of_run, api::SpareMemory &memory, const Use &use) {
    const format::UsualArithmetic arithmetic;
    api::decoding(file.name(), located.chunks, located.head.info.particles, [&] {
      const bool is_key = located.head.info.since_key == 0;
      std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
      // Key frames need no lock: several threads may decode them at the same time.
      if (of_run == nullptr && !is_key) lock.lock();
      if (of_run == nullptr && is_key) (void)lock.try_lock();
      if (is_key && !is_followed(located.i, of_run, lock.owns_lock(), how.in_order)) {
        if (lock.owns_lock()) lock.unlock();
        open_key(located, wanted, memory, use);
        return;
      }
      api::Follower &used = of_run != nullptr ? *of_run : follower;
      trajectory::FrameHistory &opened = used.go_to(located.i, located.head, wanted, how, memory);
      in_file(file.name(), [&] { use(opened); });
    });
  }

  // Whether a key frame is decoded into the history, as the start of its interval: the next frame then continues from
  // it, instead of decoding the key frame again.
  bool is_followed(std::size_t i, const api::Follower *of_run, bool is_locked, bool in_order) const {
    if (of_run == nullptr && !in_order) return is_locked && follower.is_at(i);
    if (of_run == nullptr && !is_locked) return false;
    if (i + 1 >= file.scan().frames.size()) return false;
    try {
      return file.head(i + 1).info.since_key != 0;
    } catch (const Error &error) {
      // Damage of the next frame is no reason not to read this one.
      if (error.status() != Status::corrupt && error.status() != Status::truncated) throw;
      return false;
    }
  }

  // Writes these fields of a frame (an empty list: all) to targets_of(rows), which returns one target per field. Uses
  // values decoded ahead if possible.
  template <typename TargetsOf>
  void write(const LocatedFrame &located, const api::FrameRequest &request, const std::vector<bool> &wanted,
             const ReadOptions &options, bool anew, const TargetsOf &targets_of) {
    const FrameInfo &info = located.head.info;
    trajectory::Arrangement arrangement;
    std::vector<bool> decoded;
    in_file(file.name(), [&] {
      arrangement = api::arrangement_of(info, options);
      decoded = api::with_fields_of(arrangement, info, wanted);
    });
    const auto decode = [&] {
      if (may_decode_ahead(options.threads)) file.asked_for(located.i, anew);
      open(located, decoded, {options.threads, anew, true, arrangement.selection, options.in_order}, nullptr, spare,
           [&](trajectory::FrameHistory &opened) {
             const auto rows = opened.arrange(info, arrangement, options.threads);
             opened.write_all(info.fields, targets_of(rows.count), rows, options.threads);
           });
      file.was_read(located.i);
    };
    const auto copy = [&](const api::HeldValues &values) {
      if (!values.are_of(info)) return false;
      values.copy_to(targets_of(values.rows()));
      return true;
    };
    try {
      if (!take_ahead(located, request, options.threads, copy)) decode();
    } catch (const Error &error) {
      // Frames decoded ahead must not take the memory that this frame needs.
      if (error.status() != Status::limit_exceeded && error.status() != Status::out_of_memory) throw;
      if (!ahead.stop()) throw;
      decode();
    }
  }

  template <typename Use>
  bool take_ahead(const LocatedFrame &located, const api::FrameRequest &request, int threads, const Use &use) {
    const FrameInfo &info = located.head.info;
    if (!may_decode_ahead(threads) || info.particles < api::FramesAhead::least_particles || info.since_key > located.i)
      return false;
    const auto start = [&]() -> std::optional<api::Follower> {
      const std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
      if (!lock || !follower.is_before(located.i, info.since_key)) return {};
      return std::exchange(follower, api::Follower(file));
    };
    return ahead.take(located.i, located.i - info.since_key, request, threads, start, use);
  }

  // Called by threads that decode ahead.
  void decode_ahead(std::size_t i, const api::FrameRequest &request, int threads, api::Follower &of_run,
                    api::SpareMemory &memory, api::HeldValues &values) {
    const format::Budget::Scope scope(budget);
    const LocatedFrame located(file, i);
    const FrameInfo &info = located.head.info;
    const auto arrangement = api::arrangement_of(info, {threads, request.sort_by_id, request.selection});
    std::vector<bool> wanted(info.fields.size());
    for (const api::FrameRequest::Column &column : request.columns)
      if (column.field < wanted.size()) wanted[column.field] = true;
    open(located, api::with_fields_of(arrangement, info, std::move(wanted)),
         {threads, false, false, arrangement.selection, true}, &of_run, memory, [&](trajectory::FrameHistory &opened) {
           const auto rows = opened.arrange(info, arrangement, threads);
           opened.write_all(info.fields, values.make_room(request, info.fields, opened.particles(), rows.count), rows,
                            threads);
         });
  }

  void read(std::size_t i, const ReadOptions &options, const std::vector<bool> &wanted, bool anew, Frame &frame) {
    const format::Budget::Scope scope(budget);
    const LocatedFrame located = find(i, options, anew);
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

  template <typename Use>
  void open_key(const LocatedFrame &located, const std::vector<bool> &wanted, api::SpareMemory &spare_memory,
                const Use &use) {
    file.reading_frame(located.i);
    api::FrameMemory memory = spare_memory.take();
    trajectory::FrameHistory &frame = memory.frame;
    frame.begin(located.head, wanted, nullptr, true);
    api::read_frame(file, located.head, located.chunks, true, 1, memory, frame);
    in_file(file.name(), [&] { use(frame); });
    frame.forget();
    spare_memory.give_back(std::move(memory));
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
    State::LocatedFrame located = state_->find(i, options, false);
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
