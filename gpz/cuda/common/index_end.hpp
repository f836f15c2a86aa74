// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace gpz::cuda {

// Grid indices of less than this, in magnitude, are what a state on the device can hold.
inline constexpr std::int64_t device_index_end = std::int64_t{1} << 30;

}  // namespace gpz::cuda
