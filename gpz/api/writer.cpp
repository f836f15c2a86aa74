#include "gpz/writer.hpp"

#include <algorithm>
#include <utility>

#include "gpz/api/file_writer.hpp"
#include "gpz/api/scan.hpp"
#include "gpz/error.hpp"
#include "gpz/trajectory.hpp"

namespace gpz {
namespace api {

FileWriter::FileWriter(const std::string &path, const Metadata &metadata, bool append, System &system)
    : file_(path, append ? File::Mode::update : File::Mode::create, system) {
  if (append && file_.size() > 0) {
    FileScan found = scan(file_, true);
    frames_ = std::move(found.frames);
    end_ = found.frames_end;
    cut();
    return;
  }
  const Bytes header = in_place(path, Error::no_position, [&] { return file_header(metadata); });
  put({{header.data(), header.size()}}, header.size());
}

void FileWriter::put(std::vector<Span> pieces, std::uint64_t length) {
  if (torn_) cut();
  torn_ = true;
  try {
    file_.write(std::move(pieces));
  } catch (const Error &) {
    try {
      cut();
    } catch (const Error &) {  // the first error is the one to report; torn_ stays
    }
    throw;
  }
  torn_ = false;
  end_ += length;
}

void FileWriter::cut() {
  file_.truncate(end_);
  torn_ = false;
}

void FileWriter::write(const FrameInfo &given, const std::vector<ChunkEntry> &chunks, const std::vector<Span> &bodies) {
  in_place(file_.name(), Error::no_position, [&] {
    FrameInfo info = given;
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

    frames_.push_back({end_, record.length, info.timestep, info.time, info.particles});
    try {
      put(std::move(pieces), record.length);
    } catch (...) {
      frames_.pop_back();
      throw;
    }
    has_last_ = true;
    last_since_key_ = info.since_key;
    last_chunks_ = chunks.size();
    last_checksum_ = record.checksum;
  });
}

void FileWriter::close() {
  in_place(file_.name(), Error::no_position, [&] {
    const Bytes index = index_record(frames_);
    try {
      put({{index.data(), index.size()}}, index.size());
    } catch (const Error &) {
      try {
        file_.close();
      } catch (const Error &) {  // the first error is the one to report
      }
      throw;
    }
    file_.close();
  });
}

}  // namespace api

struct Writer::State {
  api::FileWriter file;
  TrajectoryEncoder encoder;
  unsigned key_interval = 1;
  unsigned since_key = 0;  // of the next frame
  EncodedChunk chunk;      // keeps its memory from frame to frame

  State(const std::string &path, const Metadata &metadata, bool append, int threads)
      : file(path, metadata, append), encoder(threads) {}

  void write(const FrameInfo &info, const std::vector<ChunkView> &chunks) {
    since_key = 0;  // chunks may be of other encoders: what `encoder` knows is not the last frame
    FrameInfo complete = info;
    for (Field &field : complete.fields) fill_step(field);
    std::vector<ChunkEntry> entries;
    std::vector<api::Span> bodies;
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
    : state_(std::make_unique<State>(path, metadata, mode == Mode::append, threads)) {}
Writer::~Writer() = default;
Writer::Writer(Writer &&) noexcept = default;
Writer &Writer::operator=(Writer &&) noexcept = default;

void Writer::set_key_interval(unsigned frames) {
  if (frames < 1 || frames > max_key_interval)
    throw Error(Status::invalid_argument,
                "a key interval is a number of frames from 1 to " + std::to_string(max_key_interval));
  state_->key_interval = frames;
  state_->since_key = 0;
}

void Writer::set_key_order(KeyOrder order) { state_->encoder.set_order(order); }

void Writer::write(const FrameInfo &info, const std::vector<FieldInput> &fields, const int *rows) {
  api::in_place(state_->file.name(), Error::no_position, [&] {
    FrameInfo complete = info;
    complete.fields.clear();
    for (const FieldInput &input : fields) complete.fields.push_back(input.field);
    for (Field &field : complete.fields) field.largest_error = 0;
    const bool follows = has_identity(complete.fields);
    if (!follows) state_->since_key = 0;
    complete.since_key =
        static_cast<std::uint16_t>(std::exchange(state_->since_key, 0));  // after an error: a key frame
    state_->encoder.encode(fields, static_cast<std::size_t>(info.particles), rows, info.box, complete.since_key == 0,
                           state_->chunk);
    state_->write(complete, {view_of(state_->chunk)});
    if (follows) state_->since_key = (complete.since_key + 1) % state_->key_interval;
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
