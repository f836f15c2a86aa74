// SPDX-License-Identifier: BSD-3-Clause
// Facts about the machine and the moment of a measurement.
#pragma once

#include <string>

namespace gpz::bench {

// As the operating system names it; "unknown" if it does not.
std::string cpu_name();

// Now, in UTC: 2026-01-31T12:00:00Z.
std::string utc_time();

}  // namespace gpz::bench
