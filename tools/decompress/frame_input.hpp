// SPDX-License-Identifier: BSD-3-Clause
// A .gpz file that a command reads: by frame number from a file, or frame after frame from a pipe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "exit_code.hpp"
#include "gpz/error.hpp"
#include "gpz/reader.hpp"

namespace gpz::tool {

class FrameInput {
 public:
  // "-" is standard input. Throws gpz::Error, Failure (io).
  FrameInput(const std::string &path, const Limits &limits);
  ~FrameInput();
  FrameInput(const FrameInput &) = delete;
  FrameInput &operator=(const FrameInput &) = delete;

  const std::string &name() const { return name_; }
  const Metadata &metadata() const { return reader_ ? reader_->metadata() : stream_->metadata(); }
  // The reader of a file, or the stream of a pipe; the other is nullptr.
  const Reader *reader() const { return reader_ ? &*reader_ : nullptr; }
  StreamReader *stream() { return stream_ ? &*stream_ : nullptr; }

 private:
  std::string name_;
  int descriptor_ = -1;
  std::optional<Reader> reader_;
  std::optional<StreamReader> stream_;
};

// The error for a file that ends in the middle of a frame.
Failure truncated_after(const std::string &file, std::uint64_t complete_frames);
// The error for unreadable bytes between complete frames.
Failure damaged_between(const std::string &file);

// Whether all that cannot be read is the index after the last frame: nothing is lost.
bool only_index_damaged(const FileScan &scan, const std::string &path);
// The error for such a file.
std::string index_damaged(const std::string &file, std::uint64_t frames);

// Whether the rows of the first frame have no ids, and are stored in the order of memory.
bool is_in_order_of_memory(const Reader &reader);

// Whether the failure is about one frame, so that the others can still be read.
bool concerns_one_frame(const Error &error);

}  // namespace gpz::tool
