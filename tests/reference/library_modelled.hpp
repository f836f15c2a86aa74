// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

// Files that between them have all of modelled sections.
void write_modelled(const std::string &folder);
