// SPDX-License-Identifier: BSD-3-Clause
// The checksum of bytes that come piece by piece, with the best instruction set of this processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace gpz::cpu {

struct ChecksumKernels;  // gpz/cpu/checksum_kernels.hpp

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
  // Of all bytes so far: that of xxh3() (gpz/format/checksum.hpp).
  std::uint64_t value() const;

 private:
  struct State;
  const ChecksumKernels *kernels_;
  std::unique_ptr<State> state_;
};

}  // namespace gpz::cpu
