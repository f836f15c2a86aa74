// Where the bytes of a .gpz file go, for programs that have a place of their own for them: a socket, an object store, a
// section of another file. gpz::Writer brings sinks for files, descriptors and memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpz/export.h"

namespace gpz {

// Bytes of someone else.
struct Span {
  const void *data = nullptr;
  std::size_t size = 0;  // bytes
};

// Takes bytes in order. Failures are thrown as gpz::Error (io_error, out_of_memory).
class GPZ_API Sink {
 public:
  virtual ~Sink() = default;
  Sink() = default;
  Sink(const Sink &) = delete;
  Sink &operator=(const Sink &) = delete;

  // What error messages call it.
  virtual const std::string &name() const = 0;
  // Appends all pieces, one after the other. If it throws, it may have taken some of the bytes.
  virtual void write(const std::vector<Span> &pieces) = 0;
  // Gives up all bytes but the first `size`, and continues behind these. Throws if it cannot, as a pipe does: the
  // writer then accepts no more frames, and what was written ends with an incomplete record, which readers recognise.
  virtual void cut(std::uint64_t size) = 0;
  // Makes the bytes durable, as far as that has a meaning.
  virtual void sync() {}
  // No other call follows.
  virtual void close() {}
};

}  // namespace gpz
