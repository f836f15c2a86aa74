// SPDX-License-Identifier: BSD-3-Clause
// The C API: reading files and images.
#include "gpz/reader.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gpz/c/c_api.hpp"
#include "gpz/c/callback_source.hpp"
#include "gpz/c/decoded.hpp"
#include "gpz/c/reader.hpp"
#include "gpz/c/structures.hpp"
#include "gpz/cached_source.hpp"

namespace {

using gpz::Error;
using gpz::Status;
using gpz::c::guarded;
using gpz::c::opened;
using gpz::c::require;

void open_file(const char *path, const gpz::c::ReadChoice &choice, gpz_reader **reader) {
  gpz::c::start(reader, "reader");
  gpz::c::check_threads(choice.threads);
  require(path != nullptr, "path is a null pointer");
  *reader = new gpz_reader(gpz::Reader(path, choice.limits), choice.threads);
}

void open_memory(const void *image, std::size_t size, const gpz::c::ReadChoice &choice, gpz_reader **reader) {
  gpz::c::start(reader, "reader");
  gpz::c::check_threads(choice.threads);
  require(image != nullptr || size == 0, "image is a null pointer");
  *reader = new gpz_reader(gpz::Reader(static_cast<const std::uint8_t *>(image), size, "memory", choice.limits),
                           choice.threads);
}

std::vector<gpz::ChunkEntry> chunks_of(const gpz_reader *reader, std::size_t frame) {
  std::vector<gpz::ChunkEntry> chunks;
  opened(reader, "reader").reader.info(frame, &chunks);
  return chunks;
}

void read_column(const gpz_reader *reader, std::size_t frame, const gpz_output &output, std::size_t capacity) {
  require(output.names != nullptr, "name is a null pointer");
  // Uses the name unchanged, because a name with blanks cannot be part of a list of names.
  const gpz::Array values = {output.data[0], output.stride, gpz::c::array_type(output.type)};
  require(values.data != nullptr || capacity == 0, "values is a null pointer");
  opened(reader, "reader").read(frame, {{output.names, values}}, capacity, false);
}

}  // namespace

extern "C" {

gpz_status gpz_reader_open(const char *path, int threads, gpz_reader **reader) {
  return guarded([&] { open_file(path, {threads, {}}, reader); });
}

gpz_status gpz_reader_open_with(const char *path, const gpz_read_options *options, gpz_reader **reader) {
  return guarded([&] {
    gpz::c::start(reader, "reader");
    open_file(path, gpz::c::read_choice(options), reader);
  });
}

gpz_status gpz_reader_open_memory(const void *image, size_t size, int threads, gpz_reader **reader) {
  return guarded([&] { open_memory(image, size, {threads, {}}, reader); });
}

gpz_status gpz_reader_open_memory_with(const void *image, size_t size, const gpz_read_options *options,
                                       gpz_reader **reader) {
  return guarded([&] {
    gpz::c::start(reader, "reader");
    open_memory(image, size, gpz::c::read_choice(options), reader);
  });
}

gpz_status gpz_reader_open_source(const gpz_source *source, const gpz_read_options *options, gpz_reader **reader) {
  return guarded([&] {
    gpz::c::start(reader, "reader");
    const gpz_source taken = gpz::c::taken(source, "gpz_source");
    std::shared_ptr<gpz::Source> from = std::make_shared<gpz::c::CallbackSource>(taken);
    if (taken.cache_bytes > 0) {
      gpz::CacheOptions cache;
      cache.memory = taken.cache_bytes;
      from = std::make_shared<gpz::CachedSource>(std::move(from), cache);
    }
    const gpz::c::ReadChoice choice = options == nullptr ? gpz::c::ReadChoice() : gpz::c::read_choice(options);
    *reader = new gpz_reader(gpz::Reader(from, choice.limits), choice.threads);
  });
}

void gpz_reader_close(gpz_reader *reader) { delete reader; }

size_t gpz_reader_frames(const gpz_reader *reader) { return reader == nullptr ? 0 : reader->reader.frames(); }

gpz_status gpz_reader_metadata(const gpz_reader *reader, gpz_metadata *metadata) {
  return guarded([&] { opened(reader, "reader").metadata.give(metadata); });
}

gpz_status gpz_reader_scan(const gpz_reader *reader, gpz_scan *scan) {
  return guarded([&] {
    const gpz::FileScan &from = opened(reader, "reader").reader.scan();
    gpz_scan to = gpz_new_scan();
    to.file_size = from.file_size;
    to.complete_size = from.frames_end;
    to.has_index = from.has_index ? 1 : 0;
    to.torn = from.torn ? 1 : 0;
    to.damaged = from.damaged ? 1 : 0;
    gpz::c::give(to, scan, "gpz_scan");
  });
}

gpz_status gpz_reader_index(const gpz_reader *reader, int64_t *timesteps, double *times, uint64_t *particles,
                            size_t capacity) {
  return guarded([&] {
    const std::vector<gpz::IndexEntry> &frames = opened(reader, "reader").reader.scan().frames;
    if (frames.size() > capacity)
      throw Error(Status::limit_exceeded,
                  "the file has " + std::to_string(frames.size()) + " frames, more than there is room for");
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (timesteps != nullptr) timesteps[i] = frames[i].timestep;
      if (times != nullptr) times[i] = frames[i].time;
      if (particles != nullptr) particles[i] = frames[i].particles;
    }
  });
}

gpz_status gpz_reader_frame(const gpz_reader *reader, size_t frame, gpz_frame *info) {
  return guarded([&] { gpz::c::give_frame(opened(reader, "reader").info(frame), info); });
}

gpz_status gpz_reader_column_count(const gpz_reader *reader, size_t frame, size_t *count) {
  return guarded([&] {
    require(count != nullptr, "count is a null pointer");
    *count = gpz::c::column_count(opened(reader, "reader").info(frame));
  });
}

gpz_status gpz_reader_column(const gpz_reader *reader, size_t frame, size_t column, gpz_column_info *info) {
  return guarded([&] { gpz::c::give_column(opened(reader, "reader").info(frame), column, info); });
}

gpz_status gpz_reader_read(gpz_reader *reader, size_t frame, const gpz_output *outputs, size_t output_count,
                           size_t capacity, unsigned flags) {
  return guarded([&] {
    const bool sort_by_id = gpz::c::sorts_by_id(flags);
    opened(reader, "reader").read(frame, gpz::c::column_outputs(outputs, output_count, capacity), capacity, sort_by_id);
  });
}

gpz_status gpz_reader_read_double(gpz_reader *reader, size_t frame, const char *name, double *values, size_t capacity) {
  return guarded([&] { read_column(reader, frame, gpz_into_column(name, GPZ_FLOAT64, values), capacity); });
}

gpz_status gpz_reader_read_int64(gpz_reader *reader, size_t frame, const char *name, int64_t *values, size_t capacity) {
  return guarded([&] { read_column(reader, frame, gpz_into_column(name, GPZ_INT64, values), capacity); });
}

gpz_status gpz_reader_select_ids(gpz_reader *reader, const int64_t *ids, size_t count) {
  return guarded([&] {
    opened(reader, "reader");
    require(ids != nullptr || count == 0, "ids is a null pointer");
    std::shared_ptr<gpz::Selection> selection;
    std::uint64_t selected = 0;
    if (ids != nullptr) {
      selection = std::make_shared<gpz::Selection>();
      selection->ids.emplace(std::vector<std::int64_t>(ids, ids + count));
      for (const auto &[first, last] : selection->ids->ranges())
        selected += static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) + 1;
    }
    reader->selection = std::move(selection);
    reader->selected = selected;
  });
}

gpz_status gpz_reader_verify(gpz_reader *reader, size_t frame) {
  return guarded([&] { opened(reader, "reader").reader.verify(frame, reader->threads); });
}

gpz_status gpz_reader_record_count(gpz_reader *reader, size_t frame, size_t *count) {
  return guarded([&] {
    require(count != nullptr, "count is a null pointer");
    *count = opened(reader, "reader").records_before(frame).size();
  });
}

gpz_status gpz_reader_record(gpz_reader *reader, size_t frame, size_t record, gpz_record *info) {
  return guarded([&] {
    const std::vector<gpz::RecordEntry> &records = opened(reader, "reader").records_before(frame);
    if (record >= records.size())
      throw Error(Status::not_found, "no record " + std::to_string(record) + " in front of frame " +
                                         std::to_string(frame) + ": there are " + std::to_string(records.size()));
    gpz::c::size_given(info, "gpz_record");
    reader->record = reader->reader.stored(records[record]);
    gpz_record to = gpz_new_record();
    to.type = reader->record.type;
    to.head = reader->record.head.data();
    to.head_size = reader->record.head.size();
    to.body = reader->record.body.data();
    to.body_size = reader->record.body.size();
    gpz::c::give(to, info, "gpz_record");
  });
}

gpz_status gpz_chunk_kind_of(const void *chunk, size_t size, gpz_chunk_kind *kind) {
  return guarded([&] {
    require(chunk != nullptr && kind != nullptr, "a null pointer");
    *kind = static_cast<gpz_chunk_kind>(gpz::chunk_kind(static_cast<const std::uint8_t *>(chunk), size));
  });
}

gpz_status gpz_reader_chunk_count(const gpz_reader *reader, size_t frame, size_t *count) {
  return guarded([&] {
    require(count != nullptr, "count is a null pointer");
    *count = chunks_of(reader, frame).size();
  });
}

gpz_status gpz_reader_chunk(const gpz_reader *reader, size_t frame, size_t chunk, uint64_t *particles, size_t *size) {
  return guarded([&] {
    require(particles != nullptr && size != nullptr, "a null pointer");
    const std::vector<gpz::ChunkEntry> chunks = chunks_of(reader, frame);
    if (chunk >= chunks.size())
      throw Error(Status::not_found, "no chunk " + std::to_string(chunk) + " in frame " + std::to_string(frame) +
                                         ": there are " + std::to_string(chunks.size()));
    *particles = chunks[chunk].particles;
    *size = static_cast<std::size_t>(chunks[chunk].length);
  });
}

gpz_status gpz_reader_chunk_kind(const gpz_reader *reader, size_t frame, size_t chunk, gpz_chunk_kind *kind) {
  return guarded([&] {
    require(kind != nullptr, "kind is a null pointer");
    *kind = static_cast<gpz_chunk_kind>(opened(reader, "reader").reader.chunk_kind(frame, chunk));
  });
}

gpz_status gpz_reader_read_chunk(const gpz_reader *reader, size_t frame, size_t chunk, void *bytes, size_t capacity) {
  return guarded([&] {
    require(bytes != nullptr || capacity == 0, "bytes is a null pointer");
    const std::vector<std::uint8_t> from = opened(reader, "reader").reader.chunk(frame, chunk);
    if (from.size() > capacity)
      throw Error(Status::limit_exceeded,
                  "the chunk has " + std::to_string(from.size()) + " bytes, more than there is room for");
    std::copy(from.begin(), from.end(), static_cast<std::uint8_t *>(bytes));
  });
}

gpz_status gpz_writer_copy(gpz_writer *writer, const gpz_reader *reader, size_t frame) {
  return guarded([&] { opened(writer, "writer").writer.write(opened(reader, "reader").reader.stored(frame)); });
}

}  // extern "C"
