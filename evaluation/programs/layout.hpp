// SPDX-License-Identifier: BSD-3-Clause
// Particles for programs that compress arrays: the components one after the other as one array (`joined`), or an array
// each (`separate`).
#pragma once

#include <memory>

#include "program.hpp"

namespace evaluation {

enum class Layout : std::uint8_t { joined, separate };

// `program` with jobs of several components. It has to outlive what is returned.
std::unique_ptr<Program> with_layout(Program &program, Layout layout);

}  // namespace evaluation
