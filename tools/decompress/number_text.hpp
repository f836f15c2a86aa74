// SPDX-License-Identifier: BSD-3-Clause
// Numbers to decimal text: what every text writer prints values with.
#pragma once

#include <cstdint>

#include "gpz/frame.hpp"

namespace gpz::tool {

// The largest number of bytes that an append_* function writes; the caller provides the room.
inline constexpr int max_number_length = 32;

// Stands for "as many digits as it takes to read the same value back".
inline constexpr int shortest = -1;
inline constexpr int max_decimals = 17;

// How many decimals values of `field` need so that what is printed, and read back as a double, is still within
// field.bound of the true value: the fewest d with 0.62 * 10^-d <= bound - (largest error of a decoded value). Of the
// 0.62, 0.5 is the rounding to d decimals and the rest that of a reader to a double. `shortest` for lossless fields,
// and where even max_decimals do not suffice.
int decimals_for(const Field &field);

// Each writes at `out` and returns the end of what it wrote.

// `decimals` digits after the point (no point if 0), correctly rounded. A value that is not finite, or has more
// than 15 digits, comes out as append_shortest does it.
char *append_fixed(char *out, double value, int decimals);
// Shortest decimal that reads back as the same double, or the same float.
char *append_shortest(char *out, double value);
char *append_shortest(char *out, float value);
char *append_integer(char *out, std::int64_t value);

}  // namespace gpz::tool
