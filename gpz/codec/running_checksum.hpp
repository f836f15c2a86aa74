// SPDX-License-Identifier: BSD-3-Clause
// Incremental checksum with the best instruction set of this processor. Bytes may be summed out of order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpz/kernels/checksum_kernels.hpp"

namespace gpz::codec {

class RunningChecksum {
 public:
  RunningChecksum();
  explicit RunningChecksum(const ChecksumKernels &kernels);
  ~RunningChecksum();
  RunningChecksum(RunningChecksum &&) noexcept;
  RunningChecksum &operator=(RunningChecksum &&) noexcept;

  void restart();
  void add(const void *bytes, std::size_t size);

  // For bytes that arrive out of order: sum() turns blocks of `block` bytes into `lanes` numbers each, in any order and
  // thread. The sums are then added in file order from the beginning, followed by at least `tail` bytes through add().
  static constexpr std::size_t block = checksum_block;
  static constexpr std::size_t lanes = checksum_lanes;
  static constexpr std::size_t tail = checksum_tail;
  void sum(const void *bytes, std::size_t blocks, std::uint64_t *sums) const;
  void add_sums(const std::uint64_t *sums, std::size_t blocks);

  // Checksum of all bytes so far; equals xxh3() (gpz/format/checksum.hpp).
  std::uint64_t value() const;

 private:
  struct State;
  const ChecksumKernels *kernels_;
  std::unique_ptr<State> state_;
};

}  // namespace gpz::codec
