// SPDX-License-Identifier: BSD-3-Clause
// The checksum of bytes that come piece by piece, in their order or not, with the best instruction set of this
// processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpz/kernels/checksum_kernels.hpp"

namespace gpz::cpu {

class RunningChecksum {
 public:
  RunningChecksum();
  explicit RunningChecksum(const ChecksumKernels &kernels);
  ~RunningChecksum();
  RunningChecksum(RunningChecksum &&) noexcept;
  RunningChecksum &operator=(RunningChecksum &&) noexcept;

  // Begins anew.
  void restart();
  void add(const void *bytes, std::size_t size);

  // For who has the bytes in another order: blocks of `block` bytes each become `lanes` numbers, anywhere and at any
  // time. They are added in their order, from the beginning on, and then, with add(), at least `tail` bytes.
  static constexpr std::size_t block = checksum_block;
  static constexpr std::size_t lanes = checksum_lanes;
  static constexpr std::size_t tail = checksum_tail;
  void sum(const void *bytes, std::size_t blocks, std::uint64_t *sums) const;
  void add_sums(const std::uint64_t *sums, std::size_t blocks);

  // Of all bytes so far: that of xxh3() (gpz/format/checksum.hpp).
  std::uint64_t value() const;

 private:
  struct State;
  const ChecksumKernels *kernels_;
  std::unique_ptr<State> state_;
};

}  // namespace gpz::cpu
