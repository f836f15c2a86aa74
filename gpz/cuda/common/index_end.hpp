// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace gpz::cuda {

// States on the device hold grid indices below this in magnitude.
inline constexpr std::int64_t device_index_end = std::int64_t{1} << 30;

}  // namespace gpz::cuda
