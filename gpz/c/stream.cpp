// SPDX-License-Identifier: BSD-3-Clause
// The C API: reading streams.
#include <string>

#include "gpz/c/c_api.hpp"
#include "gpz/c/decoded.hpp"
#include "gpz/c/structures.hpp"
#include "gpz/reader.hpp"

struct gpz_stream {
  gpz_stream(int descriptor, const std::string &name, const gpz::c::ReadChoice &choice)
      : reader(descriptor, name, choice.limits), threads(choice.threads), metadata(reader.metadata()) {}

  gpz::StreamReader reader;
  int threads;
  gpz::c::MetadataView metadata;
  bool has_frame = false;
  gpz::Frame frame;
};

namespace {

using gpz::c::guarded;
using gpz::c::opened;
using gpz::c::require;

// Throws not_found.
const gpz::Frame &frame_of(const gpz_stream *stream) {
  if (!opened(stream, "stream").has_frame) throw gpz::Error(gpz::Status::not_found, "no frame was found yet");
  return stream->frame;
}

}  // namespace

extern "C" {

gpz_status gpz_stream_open(int descriptor, const char *name, int threads, gpz_stream **stream) {
  return guarded([&] {
    gpz::c::start(stream, "stream");
    require(name != nullptr, "name is a null pointer");
    gpz::c::check_threads(threads);
    *stream = new gpz_stream(descriptor, name, {threads, {}});
  });
}

gpz_status gpz_stream_open_with(int descriptor, const char *name, const gpz_read_options *options,
                                gpz_stream **stream) {
  return guarded([&] {
    gpz::c::start(stream, "stream");
    require(name != nullptr, "name is a null pointer");
    *stream = new gpz_stream(descriptor, name, gpz::c::read_choice(options));
  });
}

void gpz_stream_close(gpz_stream *stream) { delete stream; }

gpz_status gpz_stream_metadata(const gpz_stream *stream, gpz_metadata *metadata) {
  return guarded([&] { opened(stream, "stream").metadata.give(metadata); });
}

gpz_status gpz_stream_next(gpz_stream *stream, gpz_frame *info, int *found) {
  return guarded([&] {
    require(found != nullptr, "found is a null pointer");
    *found = 0;
    if (info != nullptr) gpz::c::size_given(info, "gpz_frame");  // checked before a frame is taken from the stream
    opened(stream, "stream").has_frame = false;
    stream->has_frame = stream->reader.next(stream->frame, stream->threads);
    if (!stream->has_frame) return;
    if (info != nullptr) gpz::c::give_frame(stream->frame.info, info);
    *found = 1;
  });
}

gpz_status gpz_stream_column_count(const gpz_stream *stream, size_t *count) {
  return guarded([&] {
    require(count != nullptr, "count is a null pointer");
    *count = gpz::c::column_count(frame_of(stream).info);
  });
}

gpz_status gpz_stream_column(const gpz_stream *stream, size_t column, gpz_column_info *info) {
  return guarded([&] { gpz::c::give_column(frame_of(stream).info, column, info); });
}

gpz_status gpz_stream_read(const gpz_stream *stream, const gpz_output *outputs, size_t output_count, size_t capacity,
                           unsigned flags) {
  return guarded([&] {
    gpz::copy_columns(frame_of(stream), gpz::c::column_outputs(outputs, output_count, capacity), capacity,
                      gpz::c::sorts_by_id(flags));
  });
}

}  // extern "C"
