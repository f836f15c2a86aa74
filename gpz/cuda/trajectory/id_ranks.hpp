// SPDX-License-Identifier: BSD-3-Clause
// Rows of slots when particles are sorted by id: the counterpart of IdOrder.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/cuda.hpp"
#include "gpz/cuda/common/memory.hpp"

namespace gpz::cuda {

class IdRanks {
 public:
  // Ranks n ids in device memory; equal ids keep their order. Waits for the stream to find out how many bits the ids
  // have, for which `bits` is pinned memory. Throws out_of_memory.
  void find(const std::int64_t *ids, std::uint64_t n, std::uint64_t *bits, Stream stream);

  // Results of the last find(), in device memory.
  const std::uint32_t *rows() const { return rows_; }    // row of each slot
  const std::uint32_t *slots() const { return slots_; }  // slot of each row
  const std::int64_t *sorted_ids() const { return sorted_; }

  // Writes the caller's row of each slot in the order of ids, where particle i of find() is row rows[i], or i if `rows`
  // is null. *repeats (device memory) becomes 1 if two ids are equal, and is left alone otherwise.
  void sort_rows(const int *rows, std::uint64_t n, std::uint32_t *sorted_rows, std::uint32_t *repeats,
                 Stream stream) const;

  void release();
  std::size_t device_bytes() const { return memory_.capacity(); }
  std::uint64_t allocations() const { return allocations_; }

 private:
  struct Arrays {
    std::uint64_t *bits;
    std::uint32_t *rows;
    std::int64_t *sorted;
    std::uint32_t *numbers;  // slots in ascending order; `slots` has them by id
    std::uint32_t *slots;
    char *sort;
    std::size_t sort_bytes;
    std::size_t used;
  };
  static Arrays carve(void *memory, std::uint64_t n);

  DeviceBuffer memory_;
  std::uint64_t capacity_ = 0;
  std::uint64_t allocations_ = 0;
  const std::uint32_t *rows_ = nullptr;
  const std::uint32_t *slots_ = nullptr;
  const std::int64_t *sorted_ = nullptr;
};

}  // namespace gpz::cuda
