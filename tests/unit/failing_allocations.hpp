// SPDX-License-Identifier: BSD-3-Clause
// Operators new that fail when they are told to, and count what they have given and not got back.
#pragma once

#include <cstddef>

namespace gpz::test {

enum class Failing { one, all_from_it };

// The n-th allocation from now on fails, or all from it on. Ends with the object.
class FailingAllocation {
 public:
  FailingAllocation(std::size_t n, Failing failing);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation &) = delete;
  FailingAllocation &operator=(const FailingAllocation &) = delete;

  // Whether there were n allocations.
  bool happened() const;
};

// Blocks of memory that operators new have given, and operators delete have not got back.
std::ptrdiff_t living_blocks();

}  // namespace gpz::test
