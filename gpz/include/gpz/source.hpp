// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a .gpz file, for gpz::Reader. Reader has sources for files and memory. A program derives a class for
// anything else: an object store, a part of another file, an archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpz/export.h"

namespace gpz {

// Bytes that can be read at any position. Several threads may call the functions at once. They throw gpz::Error
// (io_error, out_of_memory) on failure.
class GPZ_API Source {
 public:
  // A range of the file, and the memory that it is read into.
  struct Piece {
    std::uint64_t position = 0;  // of the first byte in the file
    void *data = nullptr;
    std::size_t size = 0;  // bytes
  };

  virtual ~Source() = default;
  Source() = default;
  Source(const Source &) = delete;
  Source &operator=(const Source &) = delete;

  // The name of the source in error messages.
  virtual const std::string &name() const = 0;
  // Bytes of the file; the same at every call.
  virtual std::uint64_t size() const = 0;
  // Reads all `size` bytes. Throws truncated if the file has become shorter.
  virtual void read_at(std::uint64_t position, void *data, std::size_t size) const = 0;
  // Reads all pieces, which do not overlap, in ascending positions. The default reads one after the other. If requests
  // have a high latency, override it to read all pieces at once, including small gaps between them.
  virtual void read_pieces(const std::vector<Piece> &pieces) const {
    for (const Piece &piece : pieces) read_at(piece.position, piece.data, piece.size);
  }
  // Reader::allow_replacement was called: writers of this process may replace the file. For sources that are files.
  virtual void allow_replacement() {}
};

}  // namespace gpz
