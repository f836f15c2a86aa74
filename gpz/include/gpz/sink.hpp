// SPDX-License-Identifier: BSD-3-Clause
// A sink for the bytes of a .gpz file, for gpz::Writer. Writer has sinks for files, descriptors and memory. A program
// derives a class for anything else: an object store, a part of another file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpz/export.h"

namespace gpz {

// Bytes that belong to the caller.
struct Span {
  const void *data = nullptr;
  std::size_t size = 0;  // bytes
};

// Receives bytes in order. Functions throw gpz::Error (io_error, out_of_memory) on failure.
class GPZ_API Sink {
 public:
  virtual ~Sink() = default;
  Sink() = default;
  Sink(const Sink &) = delete;
  Sink &operator=(const Sink &) = delete;

  // The name of the sink in error messages.
  virtual const std::string &name() const = 0;
  // Appends all pieces, one after the other. After an exception, some of the bytes may have been appended.
  virtual void write(const std::vector<Span> &pieces) = 0;
  // Discards all bytes except the first `size`; the next write() continues there. Throws if that is impossible, as it
  // is for a pipe. The writer then accepts no more frames, and the file ends with an incomplete record, which readers
  // recognise.
  virtual void cut(std::uint64_t size) = 0;
  // Replaces all bytes so far by the same number of bytes: the file header, before the first frame. The default cuts
  // and writes; override it to overwrite in place if others read the sink meanwhile. After an error the writer cuts
  // everything.
  virtual void replace(const Span &bytes) {
    cut(0);
    write({bytes});
  }
  // Returns when all bytes are on the disk. Does nothing where there is no disk.
  virtual void sync() {}
  // The last call. The default does nothing.
  virtual void close() {}
};

}  // namespace gpz
