// SPDX-License-Identifier: BSD-3-Clause
// The C API: writing.
#include <cstdlib>
#include <limits>
#include <memory>

#include "gpz/c/c_api.hpp"
#include "gpz/c/image.hpp"
#include "gpz/c/structures.hpp"
#include "gpz/units.hpp"

namespace {

using gpz::Error;
using gpz::Status;
using gpz::c::frame_info;
using gpz::c::guarded;
using gpz::c::metadata_of;
using gpz::c::number;
using gpz::c::opened;
using gpz::c::require;

std::vector<gpz::FieldInput> field_inputs(const gpz_field *given, std::size_t count, std::size_t particles) {
  const std::vector<gpz_field> fields = gpz::c::taken_fields(given, count);
  std::vector<gpz::FieldInput> inputs = gpz::c::unbounded_inputs(fields, particles);
  for (std::size_t f = 0; f < count; ++f) {
    const double bound = gpz::c::given_bound(fields[f]);
    const bool relative = fields[f].bound_kind == GPZ_RELATIVE;
    if (fields[f].bound_kind == GPZ_AS_STORED) inputs[f].field.step = fields[f].origin_step;
    inputs[f].field.bound = relative ? bound * gpz::value_range(inputs[f], particles) : bound;
    inputs[f].relative_bound = relative;
  }
  return inputs;
}

std::size_t particle_count(const gpz::FrameInfo &frame) {
  if (frame.particles > std::numeric_limits<std::size_t>::max()) {
    throw Error(Status::limit_exceeded, "too many particles for this machine");
  }
  return static_cast<std::size_t>(frame.particles);
}

std::unique_ptr<gpz_writer> open_memory(const gpz::Metadata &metadata, int threads) {
  gpz::c::check_threads(threads);
  auto image = std::make_unique<gpz::c::Image>();
  gpz::c::Image *const seen = image.get();
  return std::make_unique<gpz_writer>(gpz::Writer(std::move(image), metadata, threads), seen);
}

void close_memory(gpz_writer &writer, void **image, size_t *size) {
  writer.writer.close();
  *size = writer.image->size();
  *image = writer.image->release();
}

}  // namespace

extern "C" {

gpz_status gpz_compress(const gpz_frame *frame, const gpz_field *fields, size_t field_count, int threads, void **image,
                        size_t *size) {
  return guarded([&] {
    require(image != nullptr && size != nullptr, "a null pointer");
    *image = nullptr;
    *size = 0;
    const gpz::FrameInfo info = frame_info(frame);
    const std::vector<gpz::FieldInput> inputs = field_inputs(fields, field_count, particle_count(info));
    gpz::Metadata metadata;
    for (const gpz::FieldInput &input : inputs)
      for (const auto &component : input.field.components) metadata.columns.push_back(component.name);
    const std::unique_ptr<gpz_writer> writer = open_memory(metadata, threads);
    writer->writer.write(info, inputs);
    close_memory(*writer, image, size);
  });
}

gpz_status gpz_default_position_bound(const char *units, double *bound) {
  return guarded([&] {
    require(bound != nullptr, "bound is a null pointer");
    *bound = 0;
    require(units != nullptr, "units is a null pointer");
    *bound = gpz::unit_style(units).position_bound;
  });
}

gpz_status gpz_thermal_bound(const gpz_field *fields, size_t field_count, size_t particles, double *bound) {
  return guarded([&] {
    require(bound != nullptr, "bound is a null pointer");
    *bound = 0;
    *bound =
        gpz::thermal_bound(gpz::c::unbounded_inputs(gpz::c::taken_fields(fields, field_count), particles), particles);
  });
}

void gpz_free(void *image) { std::free(image); }

gpz_status gpz_writer_open(const char *path, gpz_mode mode, const gpz_metadata *metadata, int threads,
                           gpz_writer **writer) {
  return guarded([&] {
    gpz::c::start(writer, "writer");
    require(path != nullptr, "path is a null pointer");
    require(number(mode) == GPZ_CREATE || number(mode) == GPZ_APPEND, "mode is GPZ_CREATE (0) or GPZ_APPEND (1)",
            number(mode));
    gpz::c::check_threads(threads);
    const auto writer_mode = mode == GPZ_APPEND ? gpz::Writer::Mode::append : gpz::Writer::Mode::create;
    *writer = new gpz_writer(gpz::Writer(path, metadata_of(metadata), writer_mode, threads));
  });
}

gpz_status gpz_writer_open_descriptor(int descriptor, const char *name, const gpz_metadata *metadata, int threads,
                                      gpz_writer **writer) {
  return guarded([&] {
    gpz::c::start(writer, "writer");
    require(name != nullptr, "name is a null pointer");
    gpz::c::check_threads(threads);
    *writer = new gpz_writer(gpz::Writer(descriptor, name, metadata_of(metadata), threads));
  });
}

gpz_status gpz_writer_open_memory(const gpz_metadata *metadata, int threads, gpz_writer **writer) {
  return guarded([&] {
    gpz::c::start(writer, "writer");
    *writer = open_memory(metadata_of(metadata), threads).release();
  });
}

gpz_status gpz_writer_set_key_interval(gpz_writer *writer, unsigned frames) {
  return guarded([&] { opened(writer, "writer").writer.set_key_interval(frames); });
}

gpz_status gpz_writer_choose_key_interval(gpz_writer *writer) {
  return guarded([&] { opened(writer, "writer").writer.choose_key_interval(); });
}

gpz_status gpz_writer_set_order(gpz_writer *writer, gpz_order order) {
  return guarded([&] {
    gpz::Writer &to = opened(writer, "writer").writer;
    gpz::c::require_order(number(order));
    to.set_order(static_cast<gpz::Order>(order));
  });
}

gpz_status gpz_writer_set_effort(gpz_writer *writer, gpz_effort effort) {
  return guarded([&] {
    gpz::Writer &to = opened(writer, "writer").writer;
    gpz::c::require_effort(number(effort));
    to.set_effort(static_cast<gpz::Effort>(effort));
  });
}

gpz_status gpz_writer_write(gpz_writer *writer, const gpz_frame *frame, const gpz_field *fields, size_t field_count) {
  return guarded([&] {
    gpz::Writer &to = opened(writer, "writer").writer;
    const gpz::FrameInfo info = frame_info(frame);
    to.write(info, field_inputs(fields, field_count, particle_count(info)));
  });
}

gpz_status gpz_writer_write_record(gpz_writer *writer, const gpz_record *record) {
  return guarded([&] {
    gpz::Writer &to = opened(writer, "writer").writer;
    const gpz_record given = gpz::c::taken(record, "gpz_record");
    require(given.reserved == 0, "gpz_record: reserved is not 0");
    const auto bytes_of = [](const void *from, std::size_t size, const char *name) {
      require(from != nullptr || size == 0, name);
      const auto *const bytes = static_cast<const std::uint8_t *>(from);
      return std::vector<std::uint8_t>(bytes, bytes + size);
    };
    to.write(gpz::StoredRecord{given.type, bytes_of(given.head, given.head_size, "gpz_record: head is a null pointer"),
                               bytes_of(given.body, given.body_size, "gpz_record: body is a null pointer")});
  });
}

size_t gpz_writer_frames(const gpz_writer *writer) { return writer == nullptr ? 0 : writer->writer.frames().size(); }
uint64_t gpz_writer_size(const gpz_writer *writer) { return writer == nullptr ? 0 : writer->writer.size(); }

gpz_status gpz_writer_sync(gpz_writer *writer) {
  return guarded([&] { opened(writer, "writer").writer.sync(); });
}

gpz_status gpz_writer_close(gpz_writer *writer) {
  if (writer == nullptr) return GPZ_OK;
  const gpz_status status = guarded([&] { writer->writer.close(); });
  delete writer;
  return status;
}

gpz_status gpz_writer_close_memory(gpz_writer *writer, void **image, size_t *size) {
  const gpz_status status = guarded([&] {
    require(image != nullptr && size != nullptr, "a null pointer");
    *image = nullptr;
    *size = 0;
    require(writer != nullptr && writer->image != nullptr, "no writer to memory");
    close_memory(*writer, image, size);
  });
  delete writer;
  return status;
}

}  // extern "C"
