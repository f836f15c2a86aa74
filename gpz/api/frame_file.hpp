// SPDX-License-Identifier: BSD-3-Clause
// The frames of a file as they stand there: heads, and the bytes of chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpz/api/source.hpp"
#include "gpz/container.hpp"
#include "gpz/format/container_parse.hpp"

namespace gpz::api {

// The head of the frame that a scan has found; `body` receives the position of its first chunk. Throws corrupt,
// limit_exceeded, io_error.
format::FrameHead head_at(const Source &source, const IndexEntry &entry, std::uint64_t *body = nullptr);

// Threads may share it.
class FrameFile {
 public:
  // Finds the frames. Throws as scan_file.
  explicit FrameFile(std::unique_ptr<Source> source);

  const Source &source() const { return *source_; }
  const std::string &name() const { return source_->name(); }
  const FileScan &scan() const { return scan_; }

  // The head of frame i; `body` receives the position of its first chunk. Throws not_found, corrupt, truncated,
  // limit_exceeded, io_error.
  format::FrameHead head(std::size_t i, std::uint64_t *body = nullptr) const;
  // Chunk k of frame i, and its position in the file. Throws as head.
  ChunkEntry chunk(std::size_t i, std::size_t k, std::uint64_t &position) const;

  // The records of other types in front of frame i; behind the last frame, if i is the number of frames. Throws
  // not_found, corrupt, unsupported_version, io_error.
  std::vector<RecordEntry> records(std::size_t i) const;
  // One of them. Throws corrupt, limit_exceeded, io_error.
  StoredRecord stored(const RecordEntry &entry) const;

  // Reads a chunk at this position, of a frame with so many fields: its checksum has to hold, and it may need no
  // feature that the file header does not name. Throws corrupt, truncated, io_error.
  void read_chunk(const ChunkEntry &chunk, std::uint64_t position, std::size_t fields, std::uint8_t *bytes) const;
  // The checks of read_chunk, of bytes that were read and have this checksum: the few that say what features they need
  // are read again. Throws as read_chunk.
  void check_chunk(const ChunkEntry &chunk, std::uint64_t position, std::size_t fields, std::uint64_t checksum) const;

 private:
  std::unique_ptr<Source> source_;
  FileScan scan_;
};

}  // namespace gpz::api
