// SPDX-License-Identifier: BSD-3-Clause
// gpz::LosslessAdvice for frames and files.
#pragma once

#include <cstdint>
#include <string>

#include "gpz/frame.hpp"
#include "gpz/limits.hpp"
#include "gpz/lossless.hpp"

namespace gpz::tool {

// `number`: of the frame, from 0.
void look_at(const Frame &frame, std::uint64_t number, LosslessAdvice &advice);

// The line about the file at `path`, which is complete. Empty where there is nothing to say, and for a file that cannot
// be read: the advice is not needed.
std::string text_of(const LosslessAdvice &advice, const std::string &path, const Limits &limits);

}  // namespace gpz::tool
