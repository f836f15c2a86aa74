// SPDX-License-Identifier: BSD-3-Clause
// The C interface of gpz/cuda_reader.hpp.
#include "gpz/c/c_api.hpp"

#include <cstddef>
#include <string>

#include "gpz/c/decoded.hpp"
#include "gpz/c/structures.hpp"
#include "gpz/cuda_reader.hpp"
#include "gpz/gpz_cuda.h"

struct gpz_cuda_reader {
  gpz_cuda_reader(const char *path, int device, const gpz::cuda::ReaderOptions &options)
      : reader(path, device, options) {}

  gpz::cuda::Reader reader;
  std::string reason;
};

namespace {

namespace cuda = gpz::cuda;
using gpz::c::guarded;
using gpz::c::opened;
using gpz::c::require;

static_assert(offsetof(gpz_cuda_reader_options, least_chained) + sizeof(std::uint64_t) ==
                  sizeof(gpz_cuda_reader_options),
              "padding at the end would count as a member");

}  // namespace

extern "C" {

gpz_status gpz_cuda_reader_open(const char *path, const gpz_cuda_reader_options *options, gpz_cuda_reader **reader) {
  return guarded([&] {
    gpz::c::start(reader, "reader");
    require(path != nullptr, "path is a null pointer");
    const gpz_cuda_reader_options given =
        options == nullptr ? gpz_cuda_new_reader_options() : gpz::c::taken(options, "gpz_cuda_reader_options");
    cuda::ReaderOptions chosen;
    chosen.limits.memory = given.max_memory;
    chosen.threads = given.threads;
    chosen.least_chained = given.least_chained;
    if (given.ahead != 0) chosen.ahead = given.ahead;
    *reader = new gpz_cuda_reader(path, given.device, chosen);
  });
}

void gpz_cuda_reader_close(gpz_cuda_reader *reader) { delete reader; }

size_t gpz_cuda_reader_frames(const gpz_cuda_reader *reader) { return reader == nullptr ? 0 : reader->reader.frames(); }

gpz_status gpz_cuda_reader_frame(const gpz_cuda_reader *reader, size_t frame, gpz_frame *info) {
  return guarded([&] { gpz::c::give_frame(opened(reader, "reader").reader.info(frame), info); });
}

gpz_status gpz_cuda_reader_column_count(const gpz_cuda_reader *reader, size_t frame, size_t *count) {
  return guarded([&] {
    require(count != nullptr, "count is a null pointer");
    *count = gpz::c::column_count(opened(reader, "reader").reader.info(frame));
  });
}

gpz_status gpz_cuda_reader_column(const gpz_cuda_reader *reader, size_t frame, size_t column, gpz_column_info *info) {
  return guarded([&] { gpz::c::give_column(opened(reader, "reader").reader.info(frame), column, info); });
}

gpz_status gpz_cuda_reader_read(gpz_cuda_reader *reader, size_t frame, const gpz_output *outputs, size_t output_count,
                                size_t capacity, unsigned flags, struct CUstream_st *stream, int *on_device) {
  return guarded([&] {
    gpz_cuda_reader &to = opened(reader, "reader");
    to.reason.clear();
    const auto order = gpz::c::sorts_by_id(flags) ? cuda::OutputOrder::id : cuda::OutputOrder::stored;
    cuda::FrameRead read =
        to.reader.read(frame, gpz::c::column_outputs(outputs, output_count, capacity), capacity, order, stream);
    if (on_device != nullptr) *on_device = read.decoded_on_device ? 1 : 0;
    to.reason = std::move(read.reason);
  });
}

const char *gpz_cuda_reader_reason(const gpz_cuda_reader *reader) {
  return reader == nullptr ? "" : reader->reason.c_str();
}

gpz_status gpz_cuda_reader_release(gpz_cuda_reader *reader) {
  return guarded([&] { opened(reader, "reader").reader.release(); });
}

gpz_status gpz_cuda_reader_memory(const gpz_cuda_reader *reader, size_t *device_bytes, uint64_t *allocations) {
  return guarded([&] {
    const cuda::MemoryUse use = opened(reader, "reader").reader.memory();
    if (device_bytes != nullptr) *device_bytes = use.device_bytes;
    if (allocations != nullptr) *allocations = use.allocations;
  });
}

}  // extern "C"
