// SPDX-License-Identifier: BSD-3-Clause
// For a plugin that is linked with tests/gpu/allocation_spy.cpp. GPZ_TEST_ALLOCATIONS=N lets N allocations of device or
// pinned memory succeed and all others fail. At the end of the process, the numbers of those that succeeded go to the
// file that GPZ_TEST_ALLOCATIONS_LOG names: one line, device and pinned.
#include <cstdio>
#include <cstdlib>

#include "allocation_spy.hpp"

namespace {

struct FromEnvironment {
  FromEnvironment() {
    if (const char *count = std::getenv("GPZ_TEST_ALLOCATIONS"))
      gpz::test::allocation_spy::fail_after(std::strtoull(count, nullptr, 10));
  }
  ~FromEnvironment() {
    const char *path = std::getenv("GPZ_TEST_ALLOCATIONS_LOG");
    std::FILE *const log = path == nullptr ? nullptr : std::fopen(path, "w");
    if (log == nullptr) return;
    std::fprintf(log, "%llu %llu\n", static_cast<unsigned long long>(gpz::test::allocation_spy::device_allocations()),
                 static_cast<unsigned long long>(gpz::test::allocation_spy::pinned_allocations()));
    std::fclose(log);
  }
};

const FromEnvironment from_environment;

}  // namespace
