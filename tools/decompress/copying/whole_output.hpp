// SPDX-License-Identifier: BSD-3-Clause
// A .gpz file that a command puts together from frames of others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "encoding_options.hpp"
#include "gpz/reader.hpp"
#include "gpz/writer.hpp"
#include "output_file.hpp"

namespace gpz::tool {

// It appears under its name in commit(), as a whole; without that, nothing does (OutputFile). Throws gpz::Error,
// Failure.
class WholeOutput {
 public:
  // The file has the required features of `metadata`, which are those of all frames that are copied, and those of the
  // effort. Without an effort, frames are encoded again with what these features allow.
  WholeOutput(const std::string &path, const Metadata &metadata, const EncodingOptions &options);

  // Writes a frame as it stands in its file.
  void copy(const StoredFrame &frame);
  // Writes a frame made of chunks of several files.
  void copy(const FrameInfo &info, const std::vector<ChunkView> &chunks);
  // Writes a record that is no frame.
  void copy(const StoredRecord &record);
  // Encodes a frame that was decoded, or some particles and columns of it. Values keep their bits (Writer::rewrite).
  void encode(const Frame &frame);
  // Writes a table that this command made, after the last frame.
  void write(const Table &table);
  // Writes the index.
  void commit();

  const std::string &name() const { return file_.name(); }
  std::uint64_t last_particles() const { return writer_.frames().back().particles; }  // of the last frame
  std::size_t copied() const { return copied_; }
  std::size_t encoded() const { return encoded_; }
  std::size_t other_records() const { return other_records_; }

 private:
  OutputFile file_;
  Writer writer_;
  std::size_t copied_ = 0;
  std::size_t encoded_ = 0;
  std::size_t other_records_ = 0;
};

}  // namespace gpz::tool
