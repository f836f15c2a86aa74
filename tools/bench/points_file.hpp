// SPDX-License-Identifier: BSD-3-Clause
// The points of a benchmark as a file for other programs.
#pragma once

#include <string>

#include "bench/cloud_source.hpp"

namespace gpz::bench {

// `path` is NAME.f32: all x, all y, all z, little-endian f32. NAME.json says what they are. `input` is the file of the
// source, or empty. Throws tool::Failure (usage if the name is another, or one of the two is `input`; io),
// std::bad_alloc.
void write_points(const std::string &path, const std::string &input, const Source &source);

}  // namespace gpz::bench
