// SPDX-License-Identifier: BSD-3-Clause
// Counts every allocation that anything in the program makes through the CUDA runtime, and lets them fail on demand.
// The linker puts it in between: allocation_spy.cpp, with the options that CMakeLists.txt gives to the test.
#pragma once

#include <cstdint>

namespace gpz::test::allocation_spy {

// Calls so far that succeeded: allocations of device memory, and of pinned host memory; and both less their frees.
std::uint64_t device_allocations();
std::uint64_t pinned_allocations();
std::int64_t live();

// After `count` more allocations of either kind, all fail with cudaErrorMemoryAllocation; until stop_failing().
void fail_after(std::uint64_t count);
void stop_failing();

}  // namespace gpz::test::allocation_spy
