// SPDX-License-Identifier: BSD-3-Clause
// The C API: frame arrays.
#include "gpz/frame_array.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "gpz/c/c_api.hpp"
#include "gpz/c/structures.hpp"

namespace {

using gpz::c::guarded;
using gpz::c::number;
using gpz::c::require;

gpz::FrameArrayShape shape_of(const gpz_frame_array &array) {
  require(number(array.type) == GPZ_FLOAT32 || number(array.type) == GPZ_FLOAT64,
          "type of a gpz_frame_array is GPZ_FLOAT32 (3) or GPZ_FLOAT64 (4)", number(array.type));
  return {array.type == GPZ_FLOAT64 ? gpz::ValueType::float64 : gpz::ValueType::float32, array.frames, array.particles,
          array.components};
}

gpz::FrameArrayOptions options_of(const gpz_frame_array &array) {
  gpz::FrameArrayOptions options;
  options.bound = array.bound;
  gpz::c::require_effort(number(array.effort));
  options.effort = static_cast<gpz::Effort>(number(array.effort));
  options.key_interval = array.key_interval;
  gpz::c::check_threads(array.threads);
  options.threads = array.threads;
  require(array.reserved == 0, "reserved of a gpz_frame_array is not 0");
  if (array.box_count > 0) require(array.boxes != nullptr, "boxes of a gpz_frame_array is a null pointer");
  // Before anything is read from the array of boxes: as many as the library accepts.
  require(array.box_count <= 1 || array.box_count == array.frames,
          "box_count of a gpz_frame_array is 0, 1 or the number of frames",
          static_cast<long long>(array.box_count));
  for (std::uint64_t k = 0; k < array.box_count; ++k) {
    const std::size_t size = gpz::c::size_given(array.boxes, "gpz_frame");
    options.boxes.push_back(
        gpz::c::frame_info(gpz::c::element(array.boxes, size, static_cast<std::size_t>(k))).box);
  }
  return options;
}

}  // namespace

extern "C" {

gpz_status gpz_compress_frames(const gpz_frame_array *array, const void *values, void **bytes, size_t *size) {
  return guarded([&] {
    require(bytes != nullptr && size != nullptr, "a null pointer");
    *bytes = nullptr;
    *size = 0;
    const gpz_frame_array given = gpz::c::taken(array, "gpz_frame_array");
    const gpz::Bytes compressed = gpz::compress_frames(values, shape_of(given), options_of(given));
    void *const copy = std::malloc(compressed.size());
    if (copy == nullptr) throw std::bad_alloc();
    std::memcpy(copy, compressed.data(), compressed.size());
    *bytes = copy;
    *size = compressed.size();
  });
}

gpz_status gpz_frame_array_info(const void *bytes, size_t size, gpz_frame_array *array) {
  return guarded([&] {
    gpz_frame_array found = gpz::c::taken(static_cast<const gpz_frame_array *>(array), "gpz_frame_array");
    require(bytes != nullptr, "bytes is a null pointer");
    const gpz::FrameArrayInfo info = gpz::frame_array_info(bytes, size);
    found.frames = info.shape.frames;
    found.particles = info.shape.particles;
    found.bound = info.bound;
    found.type = info.shape.type == gpz::ValueType::float64 ? GPZ_FLOAT64 : GPZ_FLOAT32;
    found.components = info.shape.components;
    gpz::c::give(found, array, "gpz_frame_array");
  });
}

gpz_status gpz_decompress_frames(const void *bytes, size_t size, uint64_t first, uint64_t count, void *values,
                                 size_t capacity, int threads, uint64_t max_memory) {
  return guarded([&] {
    require(bytes != nullptr, "bytes is a null pointer");
    gpz::c::check_threads(threads);
    gpz::FrameArrayReadOptions options;
    options.threads = threads;
    options.limits.memory = max_memory;
    gpz::decompress_frames(bytes, size, first, count, values, capacity, options);
  });
}

}  // extern "C"
