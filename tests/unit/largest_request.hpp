// SPDX-License-Identifier: BSD-3-Clause
// Operators new that remember the largest size they were asked for.
#pragma once

#include <atomic>
#include <cstddef>

namespace gpz::test {

extern std::atomic<std::size_t> largest_request;  // bytes; for the tests to set to 0

}  // namespace gpz::test
