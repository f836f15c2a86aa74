// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

// Liquids and solids of particles without bonds, in sections of steps where the encoder takes them.
void write_steps(const std::string &folder);
