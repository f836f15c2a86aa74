// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/writer.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "gpz/api/frame_fields.hpp"
#include "gpz/api/identities.hpp"
#include "gpz/api/input_grids.hpp"
#include "gpz/api/memory_sink.hpp"
#include "gpz/api/origins.hpp"
#include "gpz/api/pending_frames.hpp"
#include "gpz/api/record_writer.hpp"
#include "gpz/codec/parallel.hpp"
#include "gpz/error.hpp"
#include "gpz/format/arithmetic.hpp"
#include "gpz/format/container_bytes.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/trajectory.hpp"
#include "gpz/trajectory/key_interval_choice.hpp"

namespace gpz {
namespace {

void require_finite(const Box &box) {
  const std::size_t counts[] = {0, 6, 9, 12};  // by Box::Kind
  const auto kind = static_cast<std::size_t>(box.kind);
  if (kind >= 4) throw Error(Status::invalid_argument, "the box is of no kind that there is");
  for (std::size_t k = 0; k < counts[kind]; ++k)
    if (!std::isfinite(box.values[k]))
      throw Error(Status::invalid_argument, "the box: number " + std::to_string(k) + " of its " +
                                                std::to_string(counts[kind]) + " is " + std::to_string(box.values[k]) +
                                                "; boxes are finite");
}

}  // namespace

struct Writer::State {
  api::RecordWriter file;
  IntervalEncoder encoder;
  KeySchedule schedule;
  std::optional<trajectory::KeyIntervalChoice> choice;  // until the choice of the key interval is final
  Order order = default_order;
  Effort effort = default_effort;
  EncodedChunk chunk;  // `chunk` and the next member keep their memory between frames
  api::FrameFields columns;
  api::Identities identities;
  api::Origins origins;
  api::InputGrids grids;
  FrameInfo last;  // head of the last frame
  // checksum of the last frame in the file that it was copied from, if it is a stored frame
  std::optional<std::uint64_t> stored;
  std::optional<std::vector<Observable>> observables;  // the last ones, whose names the file has
  int threads;
  std::uint64_t most_pending = 0;               // bytes; 0: no frames wait
  std::unique_ptr<api::PendingFrames> pending;  // frames that are not in the file yet
  bool interval_waits = false;                  // frames of this key interval may wait
  std::vector<StoredRecord> held;               // after the last frame that waits

  State(api::RecordWriter to, int count) : file(std::move(to)), encoder(count), threads(count) {}
  State(std::unique_ptr<Sink> sink, const Metadata &metadata, int count,
        api::RecordWriter::Header header = api::RecordWriter::Header::at_once)
      : State(api::RecordWriter(std::move(sink), metadata, header), count) {}

  void apply_origins(std::vector<FieldInput> &fields, std::size_t particles, const int *rows) {
    std::vector<double> asked;
    asked.reserve(fields.size());
    for (const FieldInput &input : fields) asked.push_back(input.field.bound);
    origins.apply(fields, particles, rows);
    grids.apply(fields, particles, rows);
    // Values decoded with a smaller bound keep it, also in a continued file.
    for (std::size_t f = 0; f < fields.size(); ++f)
      if (fields[f].field.bound < asked[f]) file.allow_other_bound(fields[f].field);
  }

  // Writes encoded frames in order; if `all` is true, waits for the others. After an error the frames after it are
  // lost.
  void write_pending(bool all) {
    while (pending && pending->size() != 0) {
      std::unique_ptr<api::PendingFrame> frame = pending->take(all || pending->is_full(most_pending));
      if (!frame) return;
      try {
        if (frame->error) std::rethrow_exception(frame->error);
        for (const StoredRecord &record : frame->records) file.write(record);
        write_chunks(frame->info, {view_of(frame->chunk)});
      } catch (...) {
        pending->clear();
        held.clear();
        observables.reset();  // the table of their names may be among what is lost
        schedule.restart();
        throw;
      }
      pending->recycle(std::move(frame));
    }
    for (const StoredRecord &record : held) file.write(record);
    held.clear();
  }

  void write(const StoredRecord &record) {
    format::require_other_record(record);
    held.push_back(record);
    write_pending(false);
  }

  // Options for encoding the next frame.
  Encoding encoding() const { return {order, effort, file.features()}; }

  // Number of frames in the file and of frames that wait.
  std::size_t accepted() const { return file.frames().size() + (pending ? pending->size() : 0); }

  // Whether the frames of the key interval that begins with this frame may wait. With Order::memory, a frame without
  // ids may have to be encoded again.
  bool may_wait(const std::vector<FieldInput> &fields) {
    if (most_pending == 0 || (order == Order::memory && api::Identities::may_lose_rows(fields))) return false;
    try {
      if (!pending) pending = std::make_unique<api::PendingFrames>(codec::thread_count(threads, UINT64_MAX));
    } catch (const std::system_error &) {  // no thread can be started
      most_pending = 0;
    }
    return most_pending != 0;
  }

  void add_pending(const FrameInfo &info, const std::vector<FieldInput> &fields, const int *rows) {
    const auto particles = static_cast<std::size_t>(info.particles);
    std::vector<FieldInput> checked = fields;
    format::prepare_fields(checked, particles);
    write_pending(false);
    std::unique_ptr<api::PendingFrame> frame = pending->new_frame();
    frame->copy(fields, particles, rows);
    frame->info = info;
    frame->encoding = encoding();
    frame->records = std::move(held);
    held.clear();
    pending->add(std::move(frame));
    schedule.written(info);
    last = info;
    for (Field &field : last.fields) fill_step(field);
    // The first new frame of a continued file must be written first: its bounds are compared with those of the file.
    if (most_pending == 0 || file.continued() != nullptr || is_measured(info)) write_pending(true);
    choose_interval(info);
  }

  // Whether the size of this frame helps to choose the key interval. Frames without ids have none.
  bool is_measured(const FrameInfo &frame) const { return choice && has_identity(frame.fields); }

  // After this frame was encoded, and written if it is measured.
  void choose_interval(const FrameInfo &frame) {
    if (!is_measured(frame)) return;
    const std::optional<unsigned> interval = choice->add(file.frames().back().length, frame.since_key == 0);
    if (interval) {
      schedule.set_interval(*interval);
      // A shorter interval begins with the next frame.
      if (*interval > trajectory::KeyIntervalChoice::frames) schedule.written(frame);
    }
    if (choice->is_final()) choice.reset();
  }

  void finish() {
    api::locating_errors(file.name(), Error::no_position, [&] { write_pending(true); });
  }

  void write(const FrameInfo &info, const std::vector<ChunkView> &chunks) {
    write_pending(true);
    schedule.restart();  // the chunks may come from another encoder, so `encoder` cannot continue
    write_chunks(info, chunks);
  }

  void write_chunks(const FrameInfo &info, const std::vector<ChunkView> &chunks) {
    const format::UsualArithmetic arithmetic;
    stored.reset();
    FrameInfo complete = info;
    for (Field &field : complete.fields) fill_step(field);
    std::vector<ChunkEntry> entries;
    std::vector<Span> bodies;
    for (const ChunkView &view : chunks) {
      if (!file.add_features(format::needed_features(format::read_from(view.data), view.size, info.fields.size())))
        throw Error(Status::invalid_argument,
                    "the frame needs a feature that the header of this file does not name (Metadata::features)");
      entries.push_back({view.particles, view.size, view.checksum});
      bodies.push_back({view.data, view.size});
      const std::size_t fields = std::min(view.largest_error.size(), complete.fields.size());
      for (std::size_t f = 0; f < fields; ++f) {
        complete.fields[f].largest_error = std::max(complete.fields[f].largest_error, view.largest_error[f]);
      }
    }
    file.write(complete, entries, bodies);
    last = std::move(complete);
  }

  void write(const FrameInfo &info, const std::vector<FieldInput> &fields, const int *rows) {
    FrameInfo complete = info;
    complete.fields.clear();
    for (const FieldInput &input : fields) complete.fields.push_back(input.field);
    for (Field &field : complete.fields) field.largest_error = 0;
    complete.since_key = schedule.next(complete.fields);
    schedule.restart();  // for the next frame, if this one fails
    if (!pending || pending->size() == 0) file.add_features(features_of(effort, order, has_identity(complete.fields)));
    for (const FieldInput &input : fields)
      if (input.relative_bound) file.allow_other_bound(input.field);
    if (complete.since_key == 0) interval_waits = may_wait(fields);
    if (interval_waits) return add_pending(complete, fields, rows);
    write_pending(true);
    encoder.encode(complete, fields, rows, encoding(), chunk);
    const auto particles = static_cast<std::size_t>(info.particles);
    // If another order turns out smaller than the order of memory, particles are sorted, and need ids.
    if (order == Order::memory && particles > 1 && api::Identities::may_lose_rows(fields) &&
        !format::keeps_order(format::rule_of(chunk_kind(chunk.bytes.data(), chunk.bytes.size())))) {
      std::vector<FieldInput> numbered = fields;
      identities.number(numbered, particles, rows);
      return write(info, numbered, rows);
    }
    write_chunks(complete, {view_of(chunk)});
    schedule.written(complete);
    choose_interval(complete);
  }

  void write(const StoredFrame &frame) {
    if (frame.info.since_key != 0 && stored != frame.info.reference)
      throw Error(Status::invalid_argument, "the frame that this one builds on is not the last one of the file");
    std::vector<ChunkView> views;
    std::size_t at = 0;
    for (const ChunkEntry &entry : frame.chunks) {
      if (entry.length > frame.bytes.size() - at)
        throw Error(Status::invalid_argument, "a stored frame with fewer bytes than its chunks");
      const auto size = static_cast<std::size_t>(entry.length);
      views.push_back({entry.particles, entry.checksum, frame.bytes.data() + at, size, {}});
      at += size;
    }
    write(frame.info, views);
    stored = frame.checksum;
  }
};

Writer::Writer(const std::string &path, const Metadata &metadata, Mode mode, int threads)
    : state_(api::in_file(path, [&] {
        auto state = std::make_unique<State>(api::write_file(path, metadata, mode == Mode::append), threads);
        if (const FrameInfo *const last = state->file.continued()) state->identities.continue_after(*last);
        return state;
      })) {}
Writer::Writer(int descriptor, const std::string &name, const Metadata &metadata, int threads)
    : state_(api::in_file(name, [&] {
        return std::make_unique<State>(std::make_unique<api::File>(descriptor, name, api::File::Mode::create), metadata,
                                       threads, api::RecordWriter::Header::with_first_record);
      })) {}
Writer::Writer(Bytes &memory, const Metadata &metadata, int threads)
    : Writer(api::in_file("memory", [&] { return std::make_unique<api::MemorySink>(memory); }), metadata, threads) {}
Writer::Writer(std::unique_ptr<Sink> sink, const Metadata &metadata, int threads)
    : state_(api::in_file({}, [&] { return std::make_unique<State>(std::move(sink), metadata, threads); })) {}
Writer::~Writer() = default;
Writer::Writer(Writer &&) noexcept = default;
Writer &Writer::operator=(Writer &&) noexcept = default;

void Writer::set_key_interval(unsigned frames) {
  state_->schedule.set_interval(frames);
  state_->choice.reset();
}
void Writer::choose_key_interval() {
  state_->schedule.set_interval(default_key_interval);
  state_->choice.emplace();
}
void Writer::set_order(Order order) { state_->order = order; }
void Writer::set_effort(Effort effort) { state_->effort = effort; }
void Writer::set_pending(std::uint64_t bytes) {
  state_->most_pending = state_->threads == 1 ? 0 : bytes;
  if (bytes == 0) state_->finish();
}

void Writer::write(const FrameInfo &info, const std::vector<FieldInput> &fields, const int *rows) {
  const format::UsualArithmetic arithmetic;
  api::locating_errors(state_->file.name(), Error::no_position, [&] {
    state_->file.begin_frame();
    require_finite(info.box);
    std::vector<FieldInput> given = fields;
    for (FieldInput &input : given)
      if (!input.decoded) input.field.largest_error = 0;
    const auto particles = static_cast<std::size_t>(info.particles);
    state_->identities.make_whole(given, particles, rows);
    state_->identities.check_same(given, particles, rows, state_->accepted(), state_->order, false, state_->threads);
    // A decoded frame without ids was stored as a set, and is stored as a set again.
    const bool decoded = std::any_of(given.begin(), given.end(), [](const FieldInput &input) { return input.decoded; });
    if (!decoded && (state_->order == Order::id || state_->order == Order::automatic))
      state_->identities.number(given, particles, rows);
    state_->apply_origins(given, particles, rows);
    state_->write(info, given, rows);
  });
}

void Writer::write(const Frame &frame) {
  const format::UsualArithmetic arithmetic;
  api::locating_errors(state_->file.name(), Error::no_position, [&] {
    state_->file.begin_frame();
    std::vector<FieldInput> fields = state_->columns.fields_of(frame);
    require_finite(frame.info.box);
    const auto particles = static_cast<std::size_t>(frame.info.particles);
    state_->identities.make_whole(fields, particles, nullptr);
    state_->identities.check_same(fields, particles, nullptr, state_->accepted(), state_->order, true, state_->threads);
    state_->apply_origins(fields, particles, nullptr);
    state_->write(frame.info, fields, nullptr);
  });
}

void Writer::rewrite(const Frame &frame) {
  const format::UsualArithmetic arithmetic;
  api::locating_errors(state_->file.name(), Error::no_position, [&] {
    state_->file.begin_frame();
    std::vector<FieldInput> fields = state_->columns.fields_of(frame);
    for (FieldInput &input : fields) input.decoded = true;
    state_->write(frame.info, fields, nullptr);
  });
}

void Writer::write(const StoredFrame &frame) {
  api::locating_errors(state_->file.name(), Error::no_position, [&] { state_->write(frame); });
}

void Writer::write(const StoredRecord &record) {
  api::locating_errors(state_->file.name(), Error::no_position, [&] { state_->write(record); });
}

void Writer::write(const std::vector<Table> &tables) {
  const StoredRecord record =
      api::locating_errors(state_->file.name(), Error::no_position, [&] { return tables_record(tables); });
  write(record);
}

void Writer::write(std::int64_t timestep, const std::vector<Observable> &observables) {
  const auto named_alike = [](const Observable &a, const Observable &b) {
    return a.name == b.name && a.unit == b.unit;
  };
  const std::optional<std::vector<Observable>> &last = state_->observables;
  // Making the table of the names takes longer than all the rest.
  const bool same = last && std::equal(observables.begin(), observables.end(), last->begin(), last->end(), named_alike);
  const auto [values, names] = api::locating_errors(state_->file.name(), Error::no_position, [&] {
    return std::pair(observables_record(timestep, observables),
                     same ? StoredRecord() : tables_record({observables_table(observables)}));
  });
  if (!same) {
    write(names);
    state_->observables = observables;
  }
  write(values);
}

void Writer::write(const FrameInfo &info, const std::vector<ChunkView> &chunks) {
  api::locating_errors(state_->file.name(), Error::no_position, [&] { state_->write(info, chunks); });
}

void Writer::write(const FrameInfo &info, const std::vector<EncodedChunk> &chunks) {
  api::locating_errors(state_->file.name(), Error::no_position, [&] {
    std::vector<ChunkView> views;
    views.reserve(chunks.size());
    for (const EncodedChunk &chunk : chunks) views.push_back(view_of(chunk));
    state_->write(info, views);
  });
}

const std::vector<IndexEntry> &Writer::frames() const { return state_->file.frames(); }
const FrameInfo &Writer::last_frame() const { return state_->last; }
std::uint64_t Writer::size() const { return state_->file.size(); }
void Writer::sync() {
  state_->finish();
  state_->file.sync();
}
void Writer::close() {
  state_->finish();
  state_->file.close();
}

}  // namespace gpz
