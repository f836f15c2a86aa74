// SPDX-License-Identifier: BSD-3-Clause
// Reads .gpz files: Reader any frame of a file, StreamReader one frame after the other from a pipe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/container.hpp"
#include "gpz/export.h"
#include "gpz/frame.hpp"
#include "gpz/limits.hpp"
#include "gpz/selection.hpp"
#include "gpz/source.hpp"
#include "gpz/tables.hpp"

namespace gpz {

// How a frame is read.
struct ReadOptions {
  // 1: the caller's thread, 0: all cores. Values do not depend on it. With more than one thread, a Reader that gets
  // requests for frames in ascending order, at even distances and for the same columns, decodes the next frames ahead.
  // Their values take up to 256 MiB, and at most an eighth of Limits::memory.
  int threads = 1;
  // true: particles come in ascending order of the integer column "id", equal ids in stored order. The column need not
  // be read itself. Throws not_found if a frame has no such column. false: particles come in stored order, which
  // differs from frame to frame.
  bool sort_by_id = false;
  // Only these particles, in the same order; all if nullptr. The selection must not change. The columns that it looks
  // at need not be read themselves. FrameInfo::particles is the number of selected particles. Throws not_found if a
  // frame lacks a column of the selection.
  std::shared_ptr<const Selection> selection = nullptr;
};

// A column by its name ("x", "id", ...) and the caller's array for it, with room for FrameInfo::particles elements.
// Integers go to int32 or int64, floats of any type to float32 or float64. In a float32 array float64 values are
// rounded to the nearest float32, and to an infinity beyond its range. Their error may then be larger than the error
// bound, by half a unit in the last place of a float32. The bits of a NaN stay as they are in an array of the field's
// own type.
struct ColumnOutput {
  std::string name;
  Array values;
};

// Reads any frame of a file, in any order.
class GPZ_API Reader {
 public:
  // Opens a file. A torn file opens with its complete frames: see scan(). While the file is open, a Writer of this
  // process does not replace it. Throws io_error, not_gpz, unsupported_version, corrupt, truncated, limit_exceeded
  // (Limits; so do all functions that read).
  explicit Reader(const std::string &path, const Limits &limits = {});
  // Opens the bytes of a whole file in memory, which have to outlive the reader. Error messages call them `name`.
  Reader(const std::uint8_t *bytes, std::size_t size, const std::string &name = "memory", const Limits &limits = {});
  // Reads a whole file from a source of the caller (gpz/source.hpp), which several readers may share. Exceptions of the
  // source pass through the functions of the reader.
  explicit Reader(const std::shared_ptr<Source> &source, const Limits &limits = {});
  ~Reader();
  Reader(Reader &&) noexcept;
  Reader &operator=(Reader &&) noexcept;

  const Metadata &metadata() const { return scan().metadata; }
  const FileScan &scan() const;
  std::size_t frames() const { return scan().frames.size(); }

  // The head of frame i; if `chunks` is not nullptr, it becomes the list of the frame's chunks. No chunk is read.
  FrameInfo info(std::size_t i, std::vector<ChunkEntry> *chunks = nullptr) const;
  // Decodes frame i: all fields, or those with wanted[field] true if `wanted` is not empty. A difference frame is
  // decoded from its key frame on, or from the frame read last, if that is in between. Ascending order is therefore
  // fastest. Several threads may call it, but difference frames are decoded one at a time. Throws corrupt (a checksum
  // or the structure of this frame or of an earlier one that it needs), not_found (no such frame), invalid_argument
  // (the size of `wanted` is not the number of fields).
  Frame read(std::size_t i, const ReadOptions &options, const std::vector<bool> &wanted = {}) const;
  Frame read(std::size_t i, int threads = 1, const std::vector<bool> &wanted = {}) const {
    return read(i, ReadOptions{threads, false}, wanted);
  }
  // Decodes these columns of frame i straight into the caller's arrays, which have room for `capacity` particles each.
  // With a selection, the room has to suffice for the selected ones. Returns the head of the frame. Throws as read, and
  // not_found (no such column), invalid_argument (a column named twice, integers into floats or floats into integers,
  // no data), limit_exceeded (more particles than `capacity`, or an integer that does not fit into an int32). After an
  // exception the contents of the arrays are unspecified.
  FrameInfo read_columns(std::size_t i, const std::vector<ColumnOutput> &columns, std::size_t capacity,
                         const ReadOptions &options = {}) const;
  // Frame i as stored in the file, for Writer::write. Nothing is decoded; the checksum of every chunk is verified.
  // Throws corrupt, not_found.
  StoredFrame stored(std::size_t i) const;
  // The records that are neither frames nor indices, in front of frame i, or after the last frame if i is frames().
  // Throws not_found, corrupt, unsupported_version.
  std::vector<RecordEntry> records(std::size_t i) const;
  // Reads one of these records, for Writer::write. Throws corrupt.
  StoredRecord stored(const RecordEntry &record) const;
  // The tables that are valid for frame i: for each name the last table in front of the frame, or else the last one
  // after all frames. i may be frames(). Only these names if there are any. Ascending by name. Throws not_found (no
  // such frame), corrupt.
  std::vector<Table> tables(std::size_t i, const std::vector<std::string> &names = {}) const;
  // The observables of frame i, in the order of the table `observables`. Empty if there are none. Throws not_found,
  // corrupt.
  std::vector<Observable> observables(std::size_t i) const;
  // The bytes of chunk k of frame i, for another decoder such as one on a GPU. Verifies their checksum. Throws corrupt
  // (checksum), not_found.
  std::vector<std::uint8_t> chunk(std::size_t i, std::size_t k) const;
  // The kind of chunk k of frame i, from its first bytes. The checksum is not verified. Throws not_found, corrupt.
  ChunkKind chunk_kind(std::size_t i, std::size_t k) const;
  // The bytes of each field in the chunks of frame i. The rest of a frame are heads and, in difference frames, the list
  // of particles that leave. Reads the heads of the chunks only; checksums are not verified. Throws not_found, corrupt,
  // truncated.
  std::vector<std::uint64_t> field_sizes(std::size_t i) const;
  // Verifies all checksums and the structure of frame i by decoding it.
  void verify(std::size_t i, int threads = 1) const;
  // Lets a Writer of this process replace the open file. After that, frames can no longer be read.
  void allow_replacement();

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

// Reads frames in file order from a file descriptor, seekable or not. Does not close the descriptor.
class GPZ_API StreamReader {
 public:
  // Reads the file header. Error messages call the stream `name`. Throws as Reader.
  StreamReader(int descriptor, const std::string &name, const Limits &limits = {});
  ~StreamReader();
  StreamReader(StreamReader &&) noexcept;
  StreamReader &operator=(StreamReader &&) noexcept;

  const Metadata &metadata() const;
  // Reads the next frame; returns false at the end of the stream. Throws truncated if the stream ends inside a frame,
  // corrupt, not_found if ReadOptions::sort_by_id is set and the frame has no ids. After an exception `frame` is empty.
  bool next(Frame &frame, const ReadOptions &options);
  bool next(Frame &frame, int threads = 1) { return next(frame, ReadOptions{threads, false}); }
  // From now on next() calls use(record) for each record that is neither a frame nor an index, before it returns the
  // frame after the record, or false. Without this call such records take no memory. Exceptions of `use` pass through
  // next().
  void on_record(std::function<void(const StoredRecord &record)> use);
  // From now on keeps the tables and observables of the stream. Without this call they take no memory.
  void keep_tables();
  // The tables that are valid for the frame that next() returned last, and the observables of that frame, as of Reader.
  // Tables after the last frame come when next() has returned false. Throws corrupt; a damaged table does not keep
  // next() from returning frames.
  std::vector<Table> tables() const;
  std::vector<Observable> observables() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

// Copies columns of a decoded frame, for example of a StreamReader, to the caller's arrays. Arguments and errors as in
// Reader::read_columns.
GPZ_API void copy_columns(const Frame &frame, const std::vector<ColumnOutput> &columns, std::size_t capacity,
                          bool sort_by_id = false);

}  // namespace gpz
