// SPDX-License-Identifier: BSD-3-Clause
// The checksum of bytes that come piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace gpz::format {

class RunningChecksum {
 public:
  RunningChecksum();
  ~RunningChecksum();
  RunningChecksum(RunningChecksum &&) noexcept;
  RunningChecksum &operator=(RunningChecksum &&) noexcept;

  // Begins anew.
  void restart();
  void add(const void *bytes, std::size_t size);
  // Of all bytes so far: that of xxh3() (checksum.hpp).
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz::format
