// SPDX-License-Identifier: BSD-3-Clause
// Frame arrays, for the tests of the reference decoder.
#pragma once

#include <string>

// For every file of the folder its name, and below it what the array is and a digest of each frame, or "refused:
// CAUSE".
void print_arrays(const std::string &folder);
