// SPDX-License-Identifier: BSD-3-Clause
// Writes records to a sink. The sink always holds complete frames, and at most one torn record at its end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpz/api/file.hpp"
#include "gpz/container.hpp"
#include "gpz/sink.hpp"

namespace gpz::api {

class RecordWriter {
 public:
  // When to write the header of a new file. A sink that cannot replace the header waits for the features of the first
  // frame.
  enum class Header : std::uint8_t { at_once, with_first_record };

  // Begins a file: the sink is empty and receives the file header.
  RecordWriter(std::unique_ptr<Sink> sink, const Metadata &metadata, Header when = Header::at_once);
  // Continues a scanned file behind its complete frames; `last` is the head of the last one, if any. The first new
  // frame overwrites everything behind them: an index, a torn frame. Its bounds must be those of `last`
  // (require_continuation).
  RecordWriter(std::unique_ptr<Sink> sink, FileScan found, std::optional<FrameInfo> last);

  // chunks[i] describes the bytes bodies[i]. A difference frame must follow a frame that this object wrote, with as
  // many chunks; its reference is filled in. If write() throws, the sink is cut back to the earlier frames; if cutting
  // fails, the next write() repeats it first.
  void write(const FrameInfo &info, const std::vector<ChunkEntry> &chunks, const std::vector<Span> &bodies);
  // Writes a record that is neither a frame nor an index. In a new file it waits for the first frame, whose features
  // may still change the header.
  void write(const StoredRecord &record);
  // Adds required features to the file header if they are missing. Returns false if it is too late: a record was
  // written, or the file existed before.
  bool add_features(std::uint32_t features);
  std::uint32_t features() const { return metadata_.features; }
  // Allows the next frame a bound of this field that differs from the last frame of a continued file. begin_frame()
  // revokes the permission if that frame was not written.
  void allow_other_bound(const Field &field);
  void begin_frame() { other_bounds_.clear(); }
  // The last frame of a continued file, until a new frame is written; otherwise nullptr.
  const FrameInfo *continued() const { return continued_ ? &*continued_ : nullptr; }
  void sync();
  // Writes the index and closes. A continued file is not changed if its first new frame was refused, or if it has an
  // index and no record was added.
  void close();

  const std::string &name() const { return sink_->name(); }
  const std::vector<IndexEntry> &frames() const { return frames_; }
  std::uint64_t size() const { return end_ + header_.size() + leading_.size(); }

 private:
  void begin();
  void replace_header();
  // Writes waiting bytes and one record at the end, all or nothing.
  void put(const std::vector<Span> &pieces, std::uint64_t length);
  void cut();

  std::unique_ptr<Sink> sink_;
  Metadata metadata_;
  bool is_new_ = true;                     // this object created the file
  bool stays_ = false;                     // without a new record, close() leaves the sink unchanged
  std::optional<FrameInfo> continued_;     // the last frame of a continued file, until a new frame is written
  std::vector<std::string> other_bounds_;  // columns of the next frame that may have other bounds
  Bytes header_;                           // while it is not written yet
  Bytes leading_;                          // records that wait for the first frame
  bool wrote_ = false;                     // a record was written to the sink
  std::vector<IndexEntry> frames_;
  std::uint64_t end_ = 0;  // end of the header or of the last complete record
  bool torn_ = false;      // the sink may have bytes after end_
  bool has_last_ = false;  // a frame was written by this object
  std::uint16_t last_since_key_ = 0;
  std::size_t last_chunks_ = 0;
  std::uint64_t last_checksum_ = 0;  // of the head of the last frame
};

// For the file `path`, as in Writer's constructor; `append` continues an existing file.
RecordWriter write_file(const std::string &path, const Metadata &metadata, bool append,
                        System &system = System::posix());

}  // namespace gpz::api
