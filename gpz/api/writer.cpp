// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/writer.hpp"

#include <algorithm>
#include <utility>

#include "gpz/api/memory_sink.hpp"
#include "gpz/api/record_writer.hpp"
#include "gpz/error.hpp"
#include "gpz/format/arithmetic.hpp"
#include "gpz/trajectory.hpp"

namespace gpz {
struct Writer::State {
  api::RecordWriter file;
  TrajectoryEncoder encoder;
  KeySchedule schedule{1};
  EncodedChunk chunk;  // keeps its memory from frame to frame

  State(api::RecordWriter to, int threads) : file(std::move(to)), encoder(threads) {}
  State(std::unique_ptr<Sink> sink, const Metadata &metadata, int threads)
      : State(api::RecordWriter(std::move(sink), metadata), threads) {}

  void write(const FrameInfo &info, const std::vector<ChunkView> &chunks) {
    const format::UsualArithmetic arithmetic;
    schedule.restart();  // chunks may be of other encoders: what `encoder` knows is not the last frame
    FrameInfo complete = info;
    for (Field &field : complete.fields) fill_step(field);
    std::vector<ChunkEntry> entries;
    std::vector<Span> bodies;
    for (const ChunkView &view : chunks) {
      entries.push_back({view.particles, view.size, view.checksum});
      bodies.push_back({view.data, view.size});
      const std::size_t fields = std::min(view.largest_error.size(), complete.fields.size());
      for (std::size_t f = 0; f < fields; ++f) {
        complete.fields[f].largest_error = std::max(complete.fields[f].largest_error, view.largest_error[f]);
      }
    }
    file.write(complete, entries, bodies);
  }
};

Writer::Writer(const std::string &path, const Metadata &metadata, Mode mode, int threads)
    : state_(api::in_file(path, [&] {
        return std::make_unique<State>(api::write_file(path, metadata, mode == Mode::append), threads);
      })) {}
Writer::Writer(int descriptor, const std::string &name, const Metadata &metadata, int threads)
    : Writer(api::in_file(name, [&] { return std::make_unique<api::File>(descriptor, name); }), metadata, threads) {}
Writer::Writer(Bytes &memory, const Metadata &metadata, int threads)
    : Writer(api::in_file("memory", [&] { return std::make_unique<api::MemorySink>(memory); }), metadata, threads) {}
// Its name goes with the sink.
Writer::Writer(std::unique_ptr<Sink> sink, const Metadata &metadata, int threads)
    : state_(api::in_file({}, [&] { return std::make_unique<State>(std::move(sink), metadata, threads); })) {}
Writer::~Writer() = default;
Writer::Writer(Writer &&) noexcept = default;
Writer &Writer::operator=(Writer &&) noexcept = default;

void Writer::set_key_interval(unsigned frames) { state_->schedule.set_interval(frames); }
void Writer::set_order(Order order) { state_->encoder.set_order(order); }

void Writer::write(const FrameInfo &info, const std::vector<FieldInput> &fields, const int *rows) {
  api::in_place(state_->file.name(), Error::no_position, [&] {
    FrameInfo complete = info;
    complete.fields.clear();
    for (const FieldInput &input : fields) complete.fields.push_back(input.field);
    for (Field &field : complete.fields) field.largest_error = 0;
    complete.since_key = state_->schedule.next(complete.fields);
    state_->schedule.restart();  // for the frame behind this one, if this one fails
    state_->encoder.encode(fields, static_cast<std::size_t>(info.particles), rows, info.box, complete.since_key == 0,
                           state_->chunk);
    state_->write(complete, {view_of(state_->chunk)});
    state_->schedule.written(complete);
  });
}

void Writer::write(const FrameInfo &info, const std::vector<ChunkView> &chunks) {
  api::in_place(state_->file.name(), Error::no_position, [&] { state_->write(info, chunks); });
}

void Writer::write(const FrameInfo &info, const std::vector<EncodedChunk> &chunks) {
  api::in_place(state_->file.name(), Error::no_position, [&] {
    std::vector<ChunkView> views;
    views.reserve(chunks.size());
    for (const EncodedChunk &chunk : chunks) views.push_back(view_of(chunk));
    state_->write(info, views);
  });
}

const std::vector<IndexEntry> &Writer::frames() const { return state_->file.frames(); }
std::uint64_t Writer::size() const { return state_->file.size(); }
void Writer::sync() { state_->file.sync(); }
void Writer::close() { state_->file.close(); }

}  // namespace gpz
