// Reads .gpz files: any frame of a file, or one after the other from a pipe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpz/container.hpp"
#include "gpz/export.h"
#include "gpz/frame.hpp"

namespace gpz {

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
  // decoded from its key frame on, or, if the frames are read in order, from the last one. Throws corrupt (checksum,
  // structure, a frame that it builds on), not_found. May be called by several threads, which then take turns where
  // frames build on others.
  Frame read(std::size_t i, int threads = 1, const std::vector<bool> &wanted = {}) const;
  // The bytes of chunk k of frame i, their checksum seen to: for a decoder of its own, on a GPU for example. Throws
  // corrupt (checksum), not_found.
  std::vector<std::uint8_t> chunk(std::size_t i, std::size_t k) const;
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
  // False at the end of the stream. Throws truncated if it ends inside a frame, corrupt.
  bool next(Frame &frame, int threads = 1);

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz
