// SPDX-License-Identifier: BSD-3-Clause
// Encodes numbers in device memory as a segmented number stream (docs/format.md, section 10h), with the bytes of
// codec::append_segments.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/number_symbols.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/common/pinned_ring.hpp"
#include "gpz/cuda/numbers/params.hpp"

namespace gpz::cuda {

class SegmentEncoder {
 public:
  static constexpr std::size_t most_places = 4096;

  // Encodes, and returns the bytes of the stream, a multiple of 8. `contexts` has the context of each of `places`
  // places; if it is nullptr, the places are contexts. Waits for the work in `stream`. Overwrites the items, which must
  // then stay as they are until write() is done, as must begins and counts. Throws out_of_memory, std::bad_alloc, and
  // invalid_argument for too many places.
  std::size_t encode(const DeviceNumbers &numbers, unsigned context_count, const std::uint8_t *contexts,
                     std::size_t places, cudaStream_t stream);
  // Queues writing of the stream of the last encode() to device memory, aligned to 8 bytes.
  void write(void *out, cudaStream_t stream);

  // The caller has waited for all work.
  void release();
  std::size_t device_bytes() const;
  std::uint64_t allocations() const { return allocations_; }

 private:
  struct Arrays {
    CodedSegment *coded;
    std::uint32_t *lengths;
    std::uint64_t *offsets;
  };

  // Counts of the tokens of all contexts. `context_of` has the context of each place. Waits for the work in `stream`.
  std::vector<std::uint32_t> count(const DeviceLimits &limits, unsigned contexts,
                                   const std::vector<std::uint32_t> &context_of, cudaStream_t stream);
  // Lengths of the segments. Waits for the work in `stream`.
  std::vector<std::uint32_t> encode(const DeviceLimits &limits, const codec::NumberSymbols &symbols, unsigned contexts,
                                    const std::vector<std::uint32_t> &context_of, const Arrays &arrays,
                                    cudaStream_t stream);
  // The arrays of the segments of numbers_.
  Arrays reserve_arrays();
  void reserve(DeviceBuffer &buffer, std::size_t size);
  template <typename T>
  void send(const std::vector<T> &from, const T *to, cudaStream_t stream);
  template <typename T>
  std::vector<T> fetch(const T *from, std::size_t count, cudaStream_t stream);

  DeviceNumbers numbers_{};
  std::vector<std::uint8_t> head_;  // of the stream, in front of its segments
  DeviceBuffer counts_;             // with the tables that are needed to count
  DeviceBuffer symbols_;
  DeviceBuffer segments_;
  PinnedBuffer fetched_;
  PinnedRing sent_;
  std::uint64_t allocations_ = 0;
};

}  // namespace gpz::cuda
