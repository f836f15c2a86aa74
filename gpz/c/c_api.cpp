#include "gpz/c/c_api.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include "gpz/chunk.hpp"
#include "gpz/reader.hpp"

struct gpz_reader {
  gpz_reader(gpz::Reader from, int thread_count) : reader(std::move(from)), threads(thread_count) {}

  gpz::Reader reader;
  int threads;
  // What was decoded of the frame asked for last.
  std::optional<std::size_t> frame;
  gpz::FrameInfo info;
  // Per field: all columns, of which only its own are filled once it was decoded. A frame that builds on others is
  // decoded as a whole, into the first: column by column, each would start from the key frame.
  std::vector<gpz::Frame> fields;
};

namespace {

using gpz::Error;
using gpz::Status;
using gpz::c::frame_info;
using gpz::c::guarded;
using gpz::c::require;

std::string text(const char *string) { return string == nullptr ? std::string() : std::string(string); }

gpz_type stored_type(gpz::ValueType type) {
  if (type == gpz::ValueType::float32) return GPZ_FLOAT32;
  return type == gpz::ValueType::float64 ? GPZ_FLOAT64 : GPZ_INT64;
}

std::ptrdiff_t size_of(gpz_type type) { return type == GPZ_INT32 || type == GPZ_FLOAT32 ? 4 : 8; }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

// Counted without taking memory: gpz_interleaved cannot fail.
std::size_t count_words(const char *names) {
  std::size_t words = 0;
  for (const char *c = names; c != nullptr && *c != '\0'; ++c)
    words += !is_blank(*c) && (c == names || is_blank(c[-1]));
  return words;
}

std::vector<gpz::FieldInput> field_inputs(const gpz_field *fields, std::size_t count, std::size_t particles) {
  std::vector<gpz::FieldInput> inputs = gpz::c::unbounded_inputs(fields, count, particles);
  for (std::size_t f = 0; f < count; ++f) {
    const double bound = gpz::c::given_bound(fields[f]);
    const bool relative = fields[f].bound_kind == GPZ_RELATIVE;
    inputs[f].field.bound = relative ? bound * gpz::value_range(inputs[f], particles) : bound;
  }
  return inputs;
}

std::size_t particle_count(const gpz_frame &frame) {
  if (frame.particles > std::numeric_limits<std::size_t>::max()) {
    throw Error(Status::limit_exceeded, "too many particles for this machine");
  }
  return static_cast<std::size_t>(frame.particles);
}

gpz_field make_field(const char *names, gpz_type type, std::ptrdiff_t stride) {
  gpz_field field{};
  field.names = names;
  field.type = type;
  field.stride = stride;
  return field;
}

// The frame's info, from the cache if it was asked for last.
const gpz::FrameInfo &info_of(gpz_reader &reader, std::size_t frame) {
  if (reader.frame != frame) {
    gpz::FrameInfo info = reader.reader.info(frame);
    std::vector<gpz::Frame> fields(info.fields.size());
    reader.fields = std::move(fields);
    reader.info = std::move(info);
    reader.frame = frame;
  }
  return reader.info;
}

const gpz::Frame::Column &decoded_column(gpz_reader &reader, std::size_t frame, const char *name) {
  require(name != nullptr, "name is a null pointer");
  const gpz::FrameInfo &info = info_of(reader, frame);
  for (std::size_t f = 0; f < info.fields.size(); ++f) {
    for (const gpz::Field::Component &component : info.fields[f].components) {
      if (component.name != name) continue;
      const bool whole = info.since_key != 0;
      gpz::Frame &field = reader.fields[whole ? 0 : f];
      if (field.columns.empty()) {
        std::vector<bool> wanted(info.fields.size(), whole);
        wanted[f] = true;
        field = reader.reader.read(frame, reader.threads, wanted);
      }
      return *field.find(name);
    }
  }
  throw Error(Status::not_found, std::string("no column \"") + name + "\"");
}

template <class T>
void copy_column(const std::vector<T> &from, T *values, std::size_t capacity) {
  if (from.size() > capacity)
    throw Error(Status::limit_exceeded, "the column has more elements than there is room for");
  require(values != nullptr || from.empty(), "values is a null pointer");
  std::copy(from.begin(), from.end(), values);
}

}  // namespace

extern "C" {

gpz_field gpz_interleaved(const char *names, gpz_type type, const void *data) {
  const std::size_t components = count_words(names);
  gpz_field field = make_field(names, type, static_cast<std::ptrdiff_t>(components) * size_of(type));
  for (std::size_t c = 0; c < components && c < 3 && data != nullptr; ++c) {
    field.data[c] = static_cast<const char *>(data) + static_cast<std::ptrdiff_t>(c) * size_of(type);
  }
  return field;
}

gpz_field gpz_column(const char *name, gpz_type type, const void *data) {
  gpz_field field = make_field(name, type, size_of(type));
  field.data[0] = data;
  return field;
}

gpz_field gpz_columns3(const char *names, gpz_type type, const void *x, const void *y, const void *z) {
  gpz_field field = make_field(names, type, size_of(type));
  field.data[0] = x;
  field.data[1] = y;
  field.data[2] = z;
  return field;
}

gpz_frame gpz_new_frame(uint64_t particles, int64_t timestep) {
  gpz_frame frame{};
  frame.particles = particles;
  frame.timestep = timestep;
  frame.time = std::numeric_limits<double>::quiet_NaN();
  frame.dimension = 3;
  return frame;
}

gpz_status gpz_compress(const gpz_frame *frame, const gpz_field *fields, size_t field_count, int threads, void **image,
                        size_t *size) {
  return guarded([&] {
    require(frame != nullptr && image != nullptr && size != nullptr, "a null pointer");
    *image = nullptr;
    *size = 0;
    const std::size_t particles = particle_count(*frame);
    std::vector<gpz::FieldInput> inputs = field_inputs(fields, field_count, particles);
    gpz::EncodedChunk chunk;
    gpz::ChunkEncoder(threads).encode(inputs, particles, nullptr, chunk);

    gpz::Metadata metadata;
    gpz::FrameInfo info = frame_info(*frame);
    for (std::size_t f = 0; f < inputs.size(); ++f) {
      gpz::Field field = inputs[f].field;
      gpz::fill_step(field);
      field.largest_error = chunk.largest_error[f];
      for (const auto &component : field.components) metadata.columns.push_back(component.name);
      info.fields.push_back(std::move(field));
    }
    const gpz::Bytes header = gpz::file_header(metadata);
    const gpz::FrameRecord record = gpz::frame_record(info, {{chunk.particles, chunk.bytes.size(), chunk.checksum}});
    const gpz::Bytes index =
        gpz::index_record({{header.size(), record.length, info.timestep, info.time, info.particles}});

    const std::size_t total = header.size() + static_cast<std::size_t>(record.length) + index.size();
    auto *bytes = static_cast<std::uint8_t *>(std::malloc(total));
    if (bytes == nullptr) throw std::bad_alloc();
    std::uint8_t *end = bytes;
    const gpz::Bytes *const parts[] = {&header, &record.prefix, &chunk.bytes, &record.trailer, &index};
    for (const gpz::Bytes *part : parts) end = std::copy(part->begin(), part->end(), end);
    *image = bytes;
    *size = total;
  });
}

void gpz_free(void *image) { std::free(image); }

gpz_status gpz_writer_open(const char *path, gpz_mode mode, const gpz_metadata *metadata, int threads,
                           gpz_writer **writer) {
  return guarded([&] {
    require(writer != nullptr, "writer is a null pointer");
    *writer = nullptr;
    require(path != nullptr, "path is a null pointer");
    require(mode == GPZ_CREATE || mode == GPZ_APPEND, "unknown mode");
    gpz::Metadata facts;
    if (metadata != nullptr) {
      facts.generator = text(metadata->generator);
      facts.units = text(metadata->units);
      facts.timestep_size = metadata->timestep_size;
      require(metadata->elements != nullptr || metadata->element_count == 0, "elements is a null pointer");
      for (std::size_t i = 0; i < metadata->element_count; ++i) facts.elements.push_back(text(metadata->elements[i]));
    }
    const auto writer_mode = mode == GPZ_APPEND ? gpz::Writer::Mode::append : gpz::Writer::Mode::create;
    *writer = new gpz_writer{gpz::Writer(path, facts, writer_mode, threads)};
  });
}

gpz_status gpz_writer_write(gpz_writer *writer, const gpz_frame *frame, const gpz_field *fields, size_t field_count) {
  return guarded([&] {
    require(writer != nullptr && frame != nullptr, "a null pointer");
    writer->writer.write(frame_info(*frame), field_inputs(fields, field_count, particle_count(*frame)));
  });
}

gpz_status gpz_writer_set_key_interval(gpz_writer *writer, unsigned frames, int order_by_id) {
  return guarded([&] {
    require(writer != nullptr, "writer is a null pointer");
    writer->writer.set_key_interval(frames);
    writer->writer.set_order(order_by_id != 0 ? gpz::Order::id : gpz::Order::place);
  });
}

size_t gpz_writer_frames(const gpz_writer *writer) { return writer == nullptr ? 0 : writer->writer.frames().size(); }

gpz_status gpz_writer_sync(gpz_writer *writer) {
  return guarded([&] {
    require(writer != nullptr, "writer is a null pointer");
    writer->writer.sync();
  });
}

gpz_status gpz_writer_close(gpz_writer *writer) {
  if (writer == nullptr) return GPZ_OK;
  const gpz_status status = guarded([&] { writer->writer.close(); });
  delete writer;
  return status;
}

gpz_status gpz_reader_open(const char *path, int threads, gpz_reader **reader) {
  return guarded([&] {
    require(reader != nullptr, "reader is a null pointer");
    *reader = nullptr;
    require(path != nullptr, "path is a null pointer");
    *reader = new gpz_reader(gpz::Reader(path), threads);
  });
}

gpz_status gpz_reader_open_memory(const void *image, size_t size, int threads, gpz_reader **reader) {
  return guarded([&] {
    require(reader != nullptr, "reader is a null pointer");
    *reader = nullptr;
    require(image != nullptr || size == 0, "image is a null pointer");
    *reader = new gpz_reader(gpz::Reader(static_cast<const std::uint8_t *>(image), size), threads);
  });
}

void gpz_reader_close(gpz_reader *reader) { delete reader; }

size_t gpz_reader_frames(const gpz_reader *reader) { return reader == nullptr ? 0 : reader->reader.frames(); }

const char *gpz_reader_units(const gpz_reader *reader) {
  return reader == nullptr ? "" : reader->reader.metadata().units.c_str();
}

gpz_status gpz_reader_frame(gpz_reader *reader, size_t frame, gpz_frame *info) {
  return guarded([&] {
    require(reader != nullptr && info != nullptr, "a null pointer");
    const gpz::FrameInfo &from = info_of(*reader, frame);
    gpz_frame to = gpz_new_frame(from.particles, from.timestep);
    to.time = from.time;
    to.dimension = from.box.dimension;
    to.box_kind = static_cast<gpz_box_kind>(from.box.kind);
    std::copy(from.box.boundary.begin(), from.box.boundary.end(), to.boundary);
    std::copy(from.box.values.begin(), from.box.values.end(), to.box);
    *info = to;
  });
}

gpz_status gpz_chunk_kind_of(const void *chunk, size_t size, gpz_chunk_kind *kind) {
  return guarded([&] {
    require(chunk != nullptr && kind != nullptr, "a null pointer");
    *kind = static_cast<gpz_chunk_kind>(gpz::chunk_kind(static_cast<const std::uint8_t *>(chunk), size));
  });
}

gpz_status gpz_reader_chunk_count(gpz_reader *reader, size_t frame, size_t *count) {
  return guarded([&] {
    require(reader != nullptr && count != nullptr, "a null pointer");
    std::vector<gpz::ChunkEntry> chunks;
    reader->reader.info(frame, &chunks);
    *count = chunks.size();
  });
}

gpz_status gpz_reader_chunk(gpz_reader *reader, size_t frame, size_t chunk, uint64_t *particles, size_t *size) {
  return guarded([&] {
    require(reader != nullptr && particles != nullptr && size != nullptr, "a null pointer");
    std::vector<gpz::ChunkEntry> chunks;
    reader->reader.info(frame, &chunks);
    if (chunk >= chunks.size())
      throw gpz::Error(gpz::Status::not_found, "no chunk " + std::to_string(chunk) + " in frame " +
                                                   std::to_string(frame) + ": there are " +
                                                   std::to_string(chunks.size()));
    *particles = chunks[chunk].particles;
    *size = static_cast<std::size_t>(chunks[chunk].length);
  });
}

gpz_status gpz_reader_read_chunk(gpz_reader *reader, size_t frame, size_t chunk, void *bytes, size_t capacity) {
  return guarded([&] {
    require(reader != nullptr && (bytes != nullptr || capacity == 0), "a null pointer");
    const std::vector<std::uint8_t> from = reader->reader.chunk(frame, chunk);
    if (from.size() > capacity)
      throw gpz::Error(gpz::Status::limit_exceeded,
                       "the chunk has " + std::to_string(from.size()) + " bytes, more than there is room for");
    std::copy(from.begin(), from.end(), static_cast<std::uint8_t *>(bytes));
  });
}

gpz_status gpz_reader_column_count(gpz_reader *reader, size_t frame, size_t *count) {
  return guarded([&] {
    require(reader != nullptr && count != nullptr, "a null pointer");
    std::size_t columns = 0;
    for (const gpz::Field &field : info_of(*reader, frame).fields) columns += field.components.size();
    *count = columns;
  });
}

gpz_status gpz_reader_column(gpz_reader *reader, size_t frame, size_t column, gpz_column_info *info) {
  return guarded([&] {
    require(reader != nullptr && info != nullptr, "a null pointer");
    for (const gpz::Field &field : info_of(*reader, frame).fields) {
      if (column < field.components.size()) {
        *info = {};
        std::snprintf(info->name, sizeof info->name, "%s", field.components[column].name.c_str());
        info->type = stored_type(field.type);
        info->bound = field.bound;
        info->largest_error = field.largest_error;
        return;
      }
      column -= field.components.size();
    }
    throw Error(Status::not_found, "no such column");
  });
}

gpz_status gpz_reader_read_double(gpz_reader *reader, size_t frame, const char *name, double *values, size_t capacity) {
  return guarded([&] {
    require(reader != nullptr, "reader is a null pointer");
    const gpz::Frame::Column &column = decoded_column(*reader, frame, name);
    require(reader->info.fields[column.field].type != gpz::ValueType::integer, "an integer column, read as double");
    copy_column(column.floats, values, capacity);
  });
}

gpz_status gpz_reader_read_int64(gpz_reader *reader, size_t frame, const char *name, int64_t *values, size_t capacity) {
  return guarded([&] {
    require(reader != nullptr, "reader is a null pointer");
    const gpz::Frame::Column &column = decoded_column(*reader, frame, name);
    require(reader->info.fields[column.field].type == gpz::ValueType::integer, "a float column, read as int64");
    copy_column(column.integers, values, capacity);
  });
}

}  // extern "C"
