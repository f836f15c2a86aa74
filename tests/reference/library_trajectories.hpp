// SPDX-License-Identifier: BSD-3-Clause
// Trajectories in difference frames for the tests of the reference decoder.
#pragma once

#include <string>

// Writes files into `folder` that between them have all that difference frames can hold.
void write_trajectories(const std::string &folder);
