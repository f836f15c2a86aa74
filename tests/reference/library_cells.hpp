// SPDX-License-Identifier: BSD-3-Clause
// Files of particles without ids, for the tests of the reference decoder.
#pragma once

#include <string>

// Writes files into `folder` that between them have all that cell chunks can hold.
void write_cells(const std::string &folder);
