// Writes a .gpz file from one process: to a path, a descriptor, memory, or a sink of the caller's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/container.hpp"
#include "gpz/export.h"
#include "gpz/frame.hpp"
#include "gpz/sink.hpp"
#include "gpz/trajectory.hpp"

namespace gpz {

class GPZ_API Writer {
 public:
  enum class Mode { create, append };

  // create replaces an existing file. append keeps the complete frames of an existing file, cuts a torn tail and the
  // index, and ignores `metadata`; if there is no such file (or an empty one) it creates it. Throws io_error, and what
  // scan_file throws.
  Writer(const std::string &path, const Metadata &metadata, Mode mode = Mode::create, int threads = 1);
  // Writes to a descriptor, seekable or not, from where it stands: a pipe, a socket, standard output. The descriptor
  // has to block, and is not closed. Bytes that it has accepted cannot be taken back: when it fails inside a frame, it
  // has the frames before and an incomplete record, which readers recognise as torn, and every later write() or close()
  // throws io_error. Where nobody reads a pipe, SIGPIPE comes first, unless the program ignores it. `name` stands for
  // the descriptor in error messages.
  Writer(int descriptor, const std::string &name, const Metadata &metadata, int threads = 1);
  // Writes to `memory`, which is emptied first and has to outlive the writer. It has complete frames after every call,
  // also one that throws (out_of_memory), and is a closed file after close().
  Writer(Bytes &memory, const Metadata &metadata, int threads = 1);
  // Writes to a place of the caller's (gpz/sink.hpp), which is empty. What write() says of files holds as far as the
  // sink can be cut.
  Writer(std::unique_ptr<Sink> sink, const Metadata &metadata, int threads = 1);
  // Closes without an index if close() was not called; errors are lost then.
  ~Writer();
  Writer(Writer &&) noexcept;
  Writer &operator=(Writer &&) noexcept;

  // A key frame every `frames` frames (KeySchedule; 1 to max_key_interval; 1 until this is called), the next one first.
  // The others are difference frames, if frames have an integer column `id`: much smaller, but read from their key
  // frame on. Throws invalid_argument.
  void set_key_interval(unsigned frames);
  // How particles are ordered in independent chunks (gpz/trajectory.hpp): Order::place until this is called.
  void set_order(Order order);

  // Compresses and writes one frame of info.particles particles; info.fields is ignored: the fields are those of
  // `fields`. When it returns, the operating system has accepted all bytes. After an error the file is cut back to the
  // frames before, and the next frame is a key frame.
  void write(const FrameInfo &info, const std::vector<FieldInput> &fields, const int *rows = nullptr);

  // Writes one frame of chunks that are compressed already; info.fields describe them, but for steps that are 0 and the
  // largest errors, which are filled in. Checksums are taken as they are. Chunks of a TrajectoryEncoder are written in
  // the order in which they were encoded, with info.since_key as it was asked for.
  void write(const FrameInfo &info, const std::vector<ChunkView> &chunks);
  void write(const FrameInfo &info, const std::vector<EncodedChunk> &chunks);

  // Frames of the file so far, those of an appended file included.
  const std::vector<IndexEntry> &frames() const;
  // Bytes of the file so far.
  std::uint64_t size() const;

  // Makes what was written durable (fsync); does nothing for memory, pipes and sockets.
  void sync();
  // Writes the index and closes. No other call but the destructor may follow.
  void close();

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz
