// SPDX-License-Identifier: BSD-3-Clause
// Files whose particles stand in the order of their ids, for the tests of the reference decoder.
#pragma once

#include <string>

// Writes files into `folder` that between them have all that chunks of that kind can hold.
void write_ordered(const std::string &folder);
