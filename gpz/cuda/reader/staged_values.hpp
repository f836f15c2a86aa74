// SPDX-License-Identifier: BSD-3-Clause
// Decoded columns of a frame to be copied to the caller's arrays, in stored order or from the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::cuda {

// Contiguous columns of n values, one for each array of the caller. Uses the device that is current in each call.
class StagedValues {
 public:
  // Source of the values of an array: floats have the type of the caller's array, integers have 64 bits.
  struct Column {
    std::size_t at = 0;  // offset in the memory, in bytes
    DeviceArray to;      // the caller's array

    ConstArray::Type type() const { return is_integer(to.type) ? ConstArray::Type::int64 : to.type; }
    std::size_t size() const { return type() == ConstArray::Type::float32 ? 4 : 8; }  // bytes per element
  };

  // Makes room for these columns. Charged to the current budget. Throws limit_exceeded, out_of_memory.
  void reserve(const std::vector<DeviceArray> &arrays, std::uint64_t n);
  // Makes as much room on the host, which copy_from_host() copies as a whole.
  void reserve_on_host();
  void copy_from_host(Stream stream);

  const std::vector<Column> &columns() const { return columns_; }
  void *on_device(const Column &column) const;
  void *on_host(const Column &column) const;

  // Writes each column to the caller's array: value i to element rows[i], or to element i if rows is null. 32-bit
  // integers get the low bits.
  void place(const std::uint32_t *rows, Stream stream) const;

  void release();
  MemoryUse memory() const;

 private:
  std::vector<Column> columns_;
  std::uint64_t n_ = 0;
  std::size_t size_ = 0;
  DeviceBuffer device_;
  PinnedBuffer host_;
  format::Charge device_charge_;
  format::Charge host_charge_;
  std::uint64_t allocations_ = 0;
};

// Writes n contiguous values of this type in that way.
void place_values(const void *values, ConstArray::Type type, const DeviceArray &to, std::uint64_t n,
                  const std::uint32_t *rows, Stream stream);

}  // namespace gpz::cuda
