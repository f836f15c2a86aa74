// SPDX-License-Identifier: BSD-3-Clause
// The .gpz file that a command writes frames to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "encoding_options.hpp"
#include "gpz/writer.hpp"

namespace gpz::tool {

// "-" is standard output. A regular file that has no complete frame in the end is removed. Throws gpz::Error, Failure.
class EncodedOutput {
 public:
  EncodedOutput(const std::string &path, const Metadata &metadata, const EncodingOptions &options);
  ~EncodedOutput();
  EncodedOutput(const EncodedOutput &) = delete;
  EncodedOutput &operator=(const EncodedOutput &) = delete;

  void write(const Frame &frame) { writer_.write(frame); }
  // Every value keeps its bits (Writer::rewrite).
  void rewrite(const Frame &frame) { writer_.rewrite(frame); }
  // A record that is no frame.
  void copy(const StoredRecord &record) { writer_.write(record); }
  // The head of the last frame as the file has it.
  const FrameInfo &last_frame() const { return writer_.last_frame(); }
  void rewrite(const FrameInfo &info, const std::vector<FieldInput> &decoded) { writer_.write(info, decoded); }
  // Returns when all frames are in the file.
  void settle() { writer_.set_pending(0); }
  // Frames in the file.
  std::size_t frames() const { return writer_.frames().size(); }
  std::uint64_t size() const { return writer_.size(); }  // bytes
  // Writes the index.
  void close();

 private:
  std::string path_;
  std::uint64_t most_pending_;  // found out before the file exists, as that takes memory
  Writer writer_;
  bool closed_ = false;
};

}  // namespace gpz::tool
