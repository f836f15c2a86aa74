// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::Upload, and functions about devices.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "gpz/core/types.hpp"
#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/device_object.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda_transfer.hpp"
#include "gpz/error.hpp"

namespace gpz::cuda {
namespace {

std::uintptr_t address(const void *data) { return reinterpret_cast<std::uintptr_t>(data); }

// A component in host memory.
struct Column {
  ConstArray *array;
  const char *begin;   // element with the lowest address
  std::size_t length;  // up to the end of the element with the highest address
  std::size_t offset;  // of `begin` in device memory
};

// Bytes that are copied together.
struct Extent {
  const char *begin;
  std::size_t length;
  std::size_t offset;  // in device memory
};

// More than any memory; sums of smaller extents do not overflow.
constexpr std::uint64_t max_extent = std::uint64_t{1} << 56;

Column column_of(ConstArray &array, std::uint64_t rows) {
  const bool descends = array.stride < 0;
  const std::uint64_t stride = descends ? 0 - static_cast<std::uint64_t>(array.stride) : array.stride;
  if (stride > max_extent / rows) throw Error(Status::limit_exceeded, "an array is larger than any memory");
  const std::uint64_t span = stride * (rows - 1);
  const char *first = static_cast<const char *>(array.data);
  return {&array, descends ? first - span : first, static_cast<std::size_t>(span + element_size(array.type)), 0};
}

std::vector<Column> columns_in_host_memory(std::vector<FieldInput> &fields, std::uint64_t rows) {
  std::vector<Column> columns;
  for (FieldInput &input : fields) {
    const std::size_t components = std::min<std::size_t>(input.field.components.size(), core::max_components);
    for (std::size_t d = 0; d < components; ++d) {
      ConstArray &array = input.components[d];
      if (array.data != nullptr && is_in_host_memory(array.data)) columns.push_back(column_of(array, rows));
    }
  }
  return columns;
}

// The next offset from `used` on with the alignment of `data`.
std::size_t offset_for(const void *data, std::size_t used) { return (used + 255) / 256 * 256 + address(data) % 16; }

// Assigns an offset in device memory to each column.
std::vector<Extent> lay_out(std::vector<Column> &columns) {
  std::sort(columns.begin(), columns.end(), [](const Column &a, const Column &b) {
    return std::make_tuple(a.array->stride, address(a.begin)) < std::make_tuple(b.array->stride, address(b.begin));
  });
  std::vector<Extent> extents;
  std::size_t used = 0;
  std::ptrdiff_t stride = 0;
  for (Column &column : columns) {
    const std::size_t distance = extents.empty() ? 0 : address(column.begin) - address(extents.back().begin);
    const auto row = static_cast<std::size_t>(stride < 0 ? -stride : stride);
    if (extents.empty() || column.array->stride != stride || distance >= row) {
      extents.push_back({column.begin, column.length, offset_for(column.begin, used)});
      column.offset = extents.back().offset;
      stride = column.array->stride;
    } else {
      extents.back().length = std::max(extents.back().length, distance + column.length);
      column.offset = extents.back().offset + distance;
    }
    used = extents.back().offset + extents.back().length;
  }
  return extents;
}

// Two pieces of pinned memory: the host fills one while the other is copied.
class Staging : DeviceObject {
 public:
  explicit Staging(int on) : DeviceObject(on) {
    for (Piece &piece : pieces_) piece.memory.allocate(piece_size, 0);
  }
  ~Staging() {
    give_back([this] {
      for (const Piece &piece : pieces_) piece.gone.wait();
    });
  }

  void copy(char *to, const char *from, std::size_t size, Stream stream) {
    while (size != 0) {
      Piece &piece = pieces_[next_];
      next_ = 1 - next_;
      piece.gone.wait();
      const std::size_t part = std::min(size, piece_size);
      std::memcpy(piece.memory.data(), from, part);
      check_handled(cudaMemcpyAsync(to, piece.memory.data(), part, cudaMemcpyHostToDevice, stream),
                    "copy to the device");
      piece.gone.record(stream);
      to += part;
      from += part;
      size -= part;
    }
  }

 private:
  // Large enough that the start of a copy costs little, small enough for the caches of the host.
  static constexpr std::size_t piece_size = std::size_t{4} << 20;

  struct Piece {
    PinnedBuffer memory;
    Event gone;
  };
  std::array<Piece, 2> pieces_;
  std::size_t next_ = 0;
};

}  // namespace

int device_count() noexcept {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess) return devices;
  forget_last_error();
  return 0;
}

void use_device(int device) {
  require_device(device);
  check_handled(cudaSetDevice(device), "setting the device");
}

struct Upload::State : DeviceObject {
  explicit State(int on) : DeviceObject(on) { require_device(on); }
  ~State() {
    give_back([this] {
      staging.reset();
      release();
    });
  }

  void release() {
    arrays.release();
    rows.release();
  }

  void reserve(DeviceBuffer &buffer, std::size_t size) {
    if (size <= buffer.capacity()) return;
    buffer.release();
    buffer.allocate(size);
    ++allocations;
  }

  // cudaMemcpyAsync also copies pageable memory, but blocks the host for each part.
  void copy_pageable(char *to, const Extent &from, Stream stream) {
    if (!staging) staging.emplace(device);
    staging->copy(to, from.begin, from.length, stream);
  }

  // Returns whether the host memory is still being read.
  bool copy(char *to, const Extent &from, Stream stream) {
    // An array may extend beyond the pinned range.
    const bool pinned = kind_of_memory(from.begin) == cudaMemoryTypeHost &&
                        kind_of_memory(from.begin + from.length - 1) == cudaMemoryTypeHost;
    if (pinned)
      check_handled(cudaMemcpyAsync(to, from.begin, from.length, cudaMemcpyHostToDevice, stream), "copy to the device");
    else
      copy_pageable(to, from, stream);
    return pinned;
  }

  // Returns when the host memory has been read.
  void copy(DeviceBuffer &buffer, const std::vector<Extent> &extents, Stream stream) {
    if (extents.empty()) return;
    try {
      reserve(buffer, extents.back().offset + extents.back().length);
      bool reading = false;
      for (const Extent &extent : extents) {
        const bool pinned = copy(static_cast<char *>(buffer.data()) + extent.offset, extent, stream);
        reading = reading || pinned;
      }
      if (reading) check_handled(cudaStreamSynchronize(stream), "copy to the device");
    } catch (const Error &error) {
      if (cudaStreamSynchronize(stream) != cudaSuccess) forget_last_error();
      if (error.status() == Status::out_of_memory) release();
      throw;
    }
  }

  std::uint64_t allocations = 0;
  DeviceBuffer arrays;
  DeviceBuffer rows;
  std::optional<Staging> staging;
};

Upload::Upload(int device) : state_(std::make_unique<State>(device)) {}
Upload::~Upload() = default;
Upload::Upload(Upload &&) noexcept = default;
Upload &Upload::operator=(Upload &&) noexcept = default;

int Upload::device() const { return state_->device; }

void Upload::upload(std::vector<FieldInput> &fields, std::uint64_t rows, Stream stream) {
  check_size(fields.size(), rows);
  if (rows == 0) return;
  const CurrentDevice current(state_->device);
  std::vector<Column> columns = columns_in_host_memory(fields, rows);
  state_->copy(state_->arrays, lay_out(columns), stream);
  for (const Column &column : columns) {
    const char *begin = static_cast<const char *>(state_->arrays.data()) + column.offset;
    column.array->data = begin + (static_cast<const char *>(column.array->data) - column.begin);
  }
}

const int *Upload::upload_rows(const int *rows, std::uint64_t count, Stream stream) {
  check_size(0, count);
  if (rows == nullptr || count == 0) return rows;
  const CurrentDevice current(state_->device);
  if (!is_in_host_memory(rows)) return rows;
  const Extent extent{reinterpret_cast<const char *>(rows), static_cast<std::size_t>(count) * sizeof(int),
                      offset_for(rows, 0)};
  state_->copy(state_->rows, {extent}, stream);
  return reinterpret_cast<const int *>(static_cast<const char *>(state_->rows.data()) + extent.offset);
}

void Upload::release() {
  const CurrentDevice current(state_->device);
  state_->release();
}

MemoryUse Upload::memory() const { return {state_->arrays.capacity() + state_->rows.capacity(), state_->allocations}; }

}  // namespace gpz::cuda
