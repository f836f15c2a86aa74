// Reads .gpz files: any frame of a file, or one after the other from a pipe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/container.hpp"
#include "gpz/export.h"
#include "gpz/frame.hpp"

namespace gpz {

// How a frame is read.
struct ReadOptions {
  // 1 runs in the caller's thread, 0 uses all cores. Values do not depend on it.
  int threads = 1;
  // Particles by ascending values of the integer column "id", those of equal ids in the order in which they are stored;
  // otherwise all are in the order in which they are stored, which is another in each frame. Throws not_found if a
  // frame has no such column. A file stores ids with every frame, so that ids need not be read with the values.
  bool sort_by_id = false;
};

// A column by its name ("x", "id", ...) and the caller's array for it, with room for FrameInfo::particles elements.
// Integers go to int32 or int64, floats of any type to float32 or float64. float64 values in a float32 array are
// rounded to the nearest, beyond its range to an infinity, so that they may be off by half a unit in the last place of
// a float32 more than the error bound. The bits of a NaN stay as they are in an array of the field's own type.
struct ColumnOutput {
  std::string name;
  Array values;
};

// Random access by frame.
class GPZ_API Reader {
 public:
  // Throws io_error, not_gpz, unsupported_version, corrupt, truncated. A torn tail is no error: see scan().
  explicit Reader(const std::string &path);
  // A whole file in memory, which has to outlive the reader. `name` stands for it in error messages.
  Reader(const std::uint8_t *bytes, std::size_t size, const std::string &name = "memory");
  ~Reader();
  Reader(Reader &&) noexcept;
  Reader &operator=(Reader &&) noexcept;

  const Metadata &metadata() const { return scan().metadata; }
  const FileScan &scan() const;
  std::size_t frames() const { return scan().frames.size(); }

  // The head of frame i (no chunk is read), and its chunks.
  FrameInfo info(std::size_t i, std::vector<ChunkEntry> *chunks = nullptr) const;
  // Decodes frame i; only the fields with wanted[field] true if `wanted` is not empty. A frame that is no key frame is
  // decoded from its key frame on, or from the last one read if that lies between: fastest in ascending order. Throws
  // corrupt (checksum, structure, a frame that it builds on), not_found, invalid_argument (`wanted` has not one entry a
  // field). May be called by several threads, which then take turns where frames build on others.
  Frame read(std::size_t i, const ReadOptions &options, const std::vector<bool> &wanted = {}) const;
  Frame read(std::size_t i, int threads = 1, const std::vector<bool> &wanted = {}) const {
    return read(i, ReadOptions{threads, false}, wanted);
  }
  // Decodes these columns of frame i straight into the caller's arrays, which have room for `capacity` particles each;
  // returns the head of the frame. Throws as read, and not_found (no such column), invalid_argument (a column asked for
  // twice, integers into floats or floats into integers, no data), limit_exceeded (more particles than `capacity`, or
  // an integer that does not fit into an int32). After an exception the arrays may be partly written.
  FrameInfo read_columns(std::size_t i, const std::vector<ColumnOutput> &columns, std::size_t capacity,
                         const ReadOptions &options = {}) const;
  // The bytes of chunk k of frame i, their checksum seen to: for a decoder of its own, on a GPU for example. Throws
  // corrupt (checksum), not_found.
  std::vector<std::uint8_t> chunk(std::size_t i, std::size_t k) const;
  // The kind of chunk k of frame i, from its first bytes; its checksum is not checked. Throws not_found, corrupt.
  ChunkKind chunk_kind(std::size_t i, std::size_t k) const;
  // Checks every checksum and the structure of frame i by decoding it.
  void verify(std::size_t i, int threads = 1) const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

// Frames in file order from any file descriptor, seekable or not. Does not close it.
class GPZ_API StreamReader {
 public:
  // `name` stands for the stream in error messages. Reads the file header.
  StreamReader(int descriptor, const std::string &name);
  ~StreamReader();
  StreamReader(StreamReader &&) noexcept;
  StreamReader &operator=(StreamReader &&) noexcept;

  const Metadata &metadata() const;
  // False at the end of the stream. Throws truncated if it ends inside a frame, corrupt, and not_found if it is to be
  // sorted by id and has none; `frame` is empty then.
  bool next(Frame &frame, const ReadOptions &options);
  bool next(Frame &frame, int threads = 1) { return next(frame, ReadOptions{threads, false}); }

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

// Copies columns of a decoded frame, such as StreamReader's, to the caller's arrays. Throws what Reader::read_columns
// says of its columns, the capacity and the order.
GPZ_API void copy_columns(const Frame &frame, const std::vector<ColumnOutput> &columns, std::size_t capacity,
                          bool sort_by_id = false);

}  // namespace gpz
