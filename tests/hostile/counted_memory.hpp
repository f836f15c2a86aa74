// SPDX-License-Identifier: BSD-3-Clause
// Operators new that count the bytes in use.
#pragma once

#include <atomic>
#include <cstdint>

namespace gpz::test {

extern std::atomic<std::int64_t> in_use;    // bytes
extern std::atomic<std::int64_t> most_use;  // bytes; for the tests to set

}  // namespace gpz::test
