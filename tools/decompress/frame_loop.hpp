// SPDX-License-Identifier: BSD-3-Clause
// Some of the frames of a .gpz file, one after the other, and what is said where they cannot be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exit_code.hpp"
#include "frame_input.hpp"
#include "frame_range.hpp"

namespace gpz::tool {

// The value of --frames.
struct FrameChoice {
  explicit FrameChoice(std::string value) : text(std::move(value)), range(text) {}

  std::string text;
  FrameRange range;
};

// Says that none of the frames of a file is chosen. Throws Failure (usage) for a single number: that frame must be
// there; a slice may be empty.
void report_none_taken(const std::string &name, const FrameChoice &choice, std::uint64_t frames);

// Errors of the input in spite of which frames could be written.
struct Outcome {
  std::size_t written = 0;
  std::optional<Failure> problem;
};

// Calls take(reader, i, next) for each chosen frame of a file; `next` is the number of the chosen frame after it, or
// the number of frames. Frames for which it throws that they are corrupt are left out. `verb` says what is done.
using TakeStored = std::function<void(const Reader &reader, std::size_t i, std::size_t next)>;
Outcome for_each_stored(const Reader &reader, const std::string &name, const FrameChoice &choice, const char *verb,
                        const TakeStored &take);

// The work to do with decoded frames.
struct FrameUse {
  const char *verb;
  std::function<std::vector<bool>(const FrameInfo &)> wanted;  // the fields to decode; of a pipe all are
  std::function<void(Frame)> take;
  // For a pipe: takes the other records in front of chosen frames, and those after the last frame if it is chosen.
  // Without it they are skipped.
  std::function<void(const StoredRecord &)> take_record = nullptr;
  // Takes the observables of the frame that is taken next. Without it they are not read.
  std::function<void(std::vector<Observable>)> take_observables = nullptr;
};
// Calls use.take() for each chosen frame of a file or pipe. Throws Failure (usage) for frames of a pipe that cannot be
// chosen while they arrive.
Outcome for_each_frame(FrameInput &input, const FrameChoice &choice, int threads, const FrameUse &use);

}  // namespace gpz::tool
