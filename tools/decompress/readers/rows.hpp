// SPDX-License-Identifier: BSD-3-Clause
// Lines of a text to the columns of a frame.
#pragma once

#include <cstddef>
#include <string>

#include "gpz/frame.hpp"
#include "readers/byte_input.hpp"
#include "readers/frame_layout.hpp"
#include "readers/row_parser.hpp"

namespace gpz::tool {

// Reads `rows` lines of the layout's columns into the frame, on at most `threads` threads. `where` says where the file
// ends if it ends early.
void read_rows(ByteInput &input, const FrameLayout &layout, std::size_t rows, int threads, Words &words,
               const std::string &where, Frame &frame);

}  // namespace gpz::tool
