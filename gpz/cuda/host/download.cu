// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::Download and DeviceRows: pack rows on the device, for pinned host memory or memory of the device.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpz/core/types.hpp"
#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/device_object.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda_transfer.hpp"

namespace gpz::cuda {
namespace {

using Word = std::uint64_t;

struct PackedColumn {
  const char *data;
  std::ptrdiff_t stride;  // bytes
  std::uint32_t offset;   // in a packed row, bytes
  bool is_wide;           // 8 bytes instead of 4
};

// The components of fields side by side, those of 8 bytes first, so that every one is aligned.
struct Layout {
  std::vector<PackedColumn> columns;  // in the order of the fields
  std::uint32_t row_size = 0;         // bytes, a multiple of 8

  explicit Layout(const std::vector<FieldInput> &fields) {
    std::uint32_t wide = 0;
    std::uint32_t narrow = 0;
    for_components(fields, [&](const FieldInput &input, std::size_t d) {
      const ConstArray &array = input.components[d];
      const bool is_wide = element_size(array.type) == sizeof(Word);
      std::uint32_t &end = is_wide ? wide : narrow;
      columns.push_back({static_cast<const char *>(array.data), array.stride, end, is_wide});
      end += static_cast<std::uint32_t>(element_size(array.type));
    });
    for (PackedColumn &column : columns)
      if (!column.is_wide) column.offset += wide;
    row_size = static_cast<std::uint32_t>((wide + narrow + sizeof(Word) - 1) / sizeof(Word) * sizeof(Word));
  }

  template <typename Fields, typename Work>
  static void for_components(Fields &fields, const Work &work) {
    for (auto &input : fields)
      for (std::size_t d = 0; d < std::min<std::size_t>(input.field.components.size(), core::max_components); ++d)
        work(input, d);
  }
};

// Columns that one launch packs.
struct PackedColumns {
  static constexpr unsigned most = 96;

  PackedColumn of[most];
  unsigned count = 0;
};

// Packs `count` rows: rows[0 .. count), or `first` and those after it.
__global__ void pack_rows(const __grid_constant__ PackedColumns columns, const int *rows, std::uint64_t first,
                          std::uint64_t count, char *packed, std::uint32_t row_size) {
  const std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const std::int64_t row = rows != nullptr ? rows[i] : static_cast<std::int64_t>(first + i);
  char *const out = packed + i * row_size;
  for (unsigned c = 0; c < columns.count; ++c) {
    const PackedColumn &column = columns.of[c];
    const char *const from = column.data + row * column.stride;
    if (column.is_wide)
      *reinterpret_cast<Word *>(out + column.offset) = *reinterpret_cast<const Word *>(from);
    else
      *reinterpret_cast<std::uint32_t *>(out + column.offset) = *reinterpret_cast<const std::uint32_t *>(from);
  }
}

const KernelFile kernels(reinterpret_cast<const void *>(pack_rows));

void launch_pack_rows(const Layout &layout, const int *rows, std::uint64_t first, std::uint64_t count, char *packed,
                      Stream stream) {
  constexpr unsigned threads = 256;
  const auto blocks = static_cast<unsigned>((count + threads - 1) / threads);
  for (std::size_t c = 0; c < layout.columns.size(); c += PackedColumns::most) {
    PackedColumns part;
    part.count = static_cast<unsigned>(std::min<std::size_t>(PackedColumns::most, layout.columns.size() - c));
    std::copy_n(layout.columns.begin() + static_cast<std::ptrdiff_t>(c), part.count, part.of);
    pack_rows<<<blocks, threads, 0, stream>>>(part, rows, first, count, packed, layout.row_size);
    check_handled(cudaGetLastError(), "packing rows");
  }
}

// Lets the fields refer to packed rows.
void refer(std::vector<FieldInput> &fields, const Layout &layout, const void *packed) {
  auto column = layout.columns.begin();
  Layout::for_components(fields, [&](FieldInput &input, std::size_t d) {
    input.components[d].data = static_cast<const char *>(packed) + column++->offset;
    input.components[d].stride = static_cast<std::ptrdiff_t>(layout.row_size);
  });
}

// Throws invalid_argument, limit_exceeded.
void check(const std::vector<FieldInput> &fields, std::uint64_t count, const int *rows, int device) {
  check_size(0, count);
  Layout::for_components(fields, [&](const FieldInput &input, std::size_t d) {
    const std::string name = "field " + input.field.components[d].name;
    const ConstArray &array = input.components[d];
    check_memory(array.data, count, element_size(array.type), name.c_str());
    if (array.stride % static_cast<std::ptrdiff_t>(element_size(array.type)) != 0)
      throw Error(Status::invalid_argument, name + ": the stride is not a multiple of the size of an element");
    if (count != 0) require_reachable(array.data, device, name);
  });
  check_memory(rows, 0, sizeof(int), "the list of rows");
  if (rows != nullptr) require_reachable(rows, device, "the list of rows");
}

}  // namespace

struct Download::State : DeviceObject {
  explicit State(int on) : DeviceObject(on) { require_device(on); }
  ~State() {
    give_back([this] {
      staging.release();
      copies.release();
    });
  }

  void reserve(std::size_t bytes) {
    if (bytes <= copies.capacity()) return;
    copies.release();
    copies.allocate(bytes);
  }

  // In pieces, through device memory.
  void copy(const Layout &layout, std::uint64_t count, const int *rows, Stream stream) {
    if (staging.data() == nullptr) staging.allocate(piece_size, 0);
    const std::uint64_t rows_at_once = piece_size / layout.row_size;
    for (std::uint64_t first = 0; first < count; first += rows_at_once) {
      const std::uint64_t part = std::min(rows_at_once, count - first);
      launch_pack_rows(layout, rows == nullptr ? nullptr : rows + first, first, part,
                       static_cast<char *>(staging.data()), stream);
      check_handled(cudaMemcpyAsync(static_cast<char *>(copies.data()) + first * layout.row_size, staging.data(),
                                    part * layout.row_size, cudaMemcpyDeviceToHost, stream),
                    "copy to the host");
    }
    check_handled(cudaStreamSynchronize(stream), "copy to the host");
  }

  static constexpr std::size_t piece_size = std::size_t{64} << 20;

  DeviceBuffer staging;
  PinnedBuffer copies;
};

Download::Download(int device) : state_(std::make_unique<State>(device)) {}
Download::~Download() = default;
Download::Download(Download &&) noexcept = default;
Download &Download::operator=(Download &&) noexcept = default;

int Download::device() const { return state_->device; }

void Download::reserve(const std::vector<FieldInput> &fields, std::uint64_t count) {
  check_size(0, count);
  const CurrentDevice current(state_->device);
  state_->reserve(count * Layout(fields).row_size);
}

std::size_t Download::capacity() const { return state_->copies.capacity(); }

void Download::download(std::vector<FieldInput> &fields, std::uint64_t count, const int *rows, Stream stream) {
  const CurrentDevice current(state_->device);
  check(fields, count, rows, state_->device);
  const Layout layout(fields);
  if (count != 0 && layout.row_size != 0) {
    forget_last_error();  // earlier errors of the caller do not belong to this call
    state_->reserve(count * layout.row_size);
    state_->copy(layout, count, rows, stream);
  }
  refer(fields, layout, state_->copies.data());
}

struct DeviceRows::State : DeviceObject {
  explicit State(int on) : DeviceObject(on) { require_device(on); }
  ~State() {
    give_back([this] { rows.release(); });
  }

  DeviceBuffer rows;
  std::uint64_t allocations = 0;
};

DeviceRows::DeviceRows(int device) : state_(std::make_unique<State>(device)) {}
DeviceRows::~DeviceRows() = default;
DeviceRows::DeviceRows(DeviceRows &&) noexcept = default;
DeviceRows &DeviceRows::operator=(DeviceRows &&) noexcept = default;

void DeviceRows::copy(std::vector<FieldInput> &fields, std::uint64_t count, const int *rows, Stream stream) {
  const CurrentDevice current(state_->device);
  check(fields, count, rows, state_->device);
  const Layout layout(fields);
  if (count != 0 && layout.row_size != 0) {
    forget_last_error();  // earlier errors of the caller do not belong to this call
    if (grow(state_->rows, count * layout.row_size)) ++state_->allocations;
    launch_pack_rows(layout, rows, 0, count, static_cast<char *>(state_->rows.data()), stream);
    check_handled(cudaStreamSynchronize(stream), "copy of rows");
  }
  refer(fields, layout, state_->rows.data());
}

void DeviceRows::release() {
  const CurrentDevice current(state_->device);
  state_->rows.release();
}

MemoryUse DeviceRows::memory() const {
  MemoryUse use;
  use.allocations = state_->allocations;
  use.device_bytes = state_->rows.capacity();
  return use;
}

}  // namespace gpz::cuda
