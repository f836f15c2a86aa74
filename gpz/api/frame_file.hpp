// SPDX-License-Identifier: BSD-3-Clause
// Reads heads of frames and bytes of chunks from a file, without decoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpz/api/frame_plan.hpp"
#include "gpz/api/source.hpp"
#include "gpz/container.hpp"
#include "gpz/format/container_parse.hpp"
#include "gpz/format/opened_chunk.hpp"

namespace gpz::api {

// Reads the head of a frame found by a scan; `body` receives the position of its first chunk. Throws corrupt,
// limit_exceeded, io_error.
format::FrameHead head_at(const Source &source, const IndexEntry &entry, std::uint64_t *body = nullptr);

// Thread-safe.
class FrameFile {
 public:
  // Finds the frames. Throws as scan_file. `ahead`: limits of reading ahead; nothing by default.
  explicit FrameFile(std::shared_ptr<Source> source, const FramePlan::Most &ahead = {});
  FrameFile(const FrameFile &) = delete;
  FrameFile &operator=(const FrameFile &) = delete;

  const Source &source() const { return *source_; }
  void allow_replacement() { source_->allow_replacement(); }
  const std::string &name() const { return source_->name(); }
  const FileScan &scan() const { return scan_; }

  // The head of frame i; `body` receives the position of its first chunk. Throws not_found, corrupt, truncated,
  // limit_exceeded, io_error.
  format::FrameHead head(std::size_t i, std::uint64_t *body = nullptr) const;
  // Chunk k of frame i, and its position in the file. Throws as head.
  ChunkEntry chunk(std::size_t i, std::size_t k, std::uint64_t &position) const;

  // Reports the frame to FramePlan, which reads ahead the frames that will probably follow.
  void asked_for(std::size_t i, bool anew = false) const {
    if (plan_) plan_->asked_for(i, anew);
  }
  void was_read(std::size_t i) const {
    if (plan_) plan_->was_read(i);
  }
  void reading(std::size_t i, std::size_t end) const {
    if (plan_) plan_->reading(i, end);
  }
  // Whether bytes that contradict the format may be right the next time.
  bool is_distant() const { return plan_ && plan_->is_distant(); }
  void reading_frame(std::size_t i) const {
    if (plan_) plan_->reading_frame(i);
  }

  // The records of other types in front of frame i, or after the last frame if i is the number of frames. Throws
  // not_found, corrupt, unsupported_version, io_error.
  std::vector<RecordEntry> records(std::size_t i) const;
  // Reads one of these records. Throws corrupt, limit_exceeded, io_error.
  StoredRecord stored(const RecordEntry &entry) const;

  // Reads the chunk at this position and verifies its checksum. Throws corrupt, truncated, io_error.
  void read_bytes(const ChunkEntry &chunk, std::uint64_t position, std::uint8_t *bytes) const;
  // Reads and opens a chunk of a frame with this many fields. Checks that the file header names all features that the
  // chunk needs. Throws as read_bytes.
  format::OpenedChunk read_chunk(const ChunkEntry &chunk, std::uint64_t position, std::size_t fields,
                                 std::uint8_t *bytes) const;
  // Checks features as read_chunk does, for a chunk that is not decoded. A chunk that cannot be opened passes; decoders
  // report it. Throws corrupt, and whatever `read` throws.
  void check_features(const ChunkEntry &chunk, std::uint64_t position, std::size_t fields,
                      const format::ReadChunk &read) const;

 private:
  // Calls f(). If bytes contradict the format, what was read ahead is dropped.
  template <class F>
  auto dropping_damage(F &&f) const -> decltype(f()) {
    try {
      return f();
    } catch (const Error &error) {
      if (plan_ && error.status() == Status::corrupt) plan_->drop();
      throw;
    }
  }
  void look_at_last_frame(const AheadSource &source) const;

  std::shared_ptr<Source> source_;
  FileScan scan_;
  std::unique_ptr<FramePlan> plan_;
};

}  // namespace gpz::api
