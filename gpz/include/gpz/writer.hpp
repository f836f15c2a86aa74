// SPDX-License-Identifier: BSD-3-Clause
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

  // Writes to the file `path`. create replaces an existing file, unless a Reader
  // of this process has it open: that is invalid_argument, and the file stays. append continues an existing file behind
  // its complete frames; a missing or empty file is created. What `metadata` says has to be what the file says, and the
  // first new frame has to have the file's bounds: otherwise that throws invalid_argument (gpz/continuation.hpp), and
  // no byte of the file changes. What `metadata` leaves out is that of the file. The first new frame takes the place of
  // a torn end and the index. `threads`: 1 is the caller's thread, 0 all cores; the bytes do not depend on it. Throws
  // io_error, and what scan_file throws.
  Writer(const std::string &path, const Metadata &metadata, Mode mode = Mode::create, int threads = 1);
  // Writes to a file descriptor, seekable or not: a pipe, a socket, standard output. Writing begins at its current
  // position. The descriptor must be blocking. It is not closed. Error messages call it `name`. Bytes that it has
  // accepted cannot be taken back: after an error inside a frame, it has the earlier frames and an incomplete record,
  // which readers recognise as torn, and every later write() or close() throws io_error. If nobody reads a pipe, the
  // process gets SIGPIPE; only a program that ignores SIGPIPE gets io_error. The file header goes out with the first
  // frame, or at sync() or close().
  Writer(int descriptor, const std::string &name, const Metadata &metadata, int threads = 1);
  // Writes to `memory`, which is emptied first and has to outlive the writer. After every call it holds complete frames
  // only, also after one that throws (out_of_memory). After close() it is a complete file.
  Writer(Bytes &memory, const Metadata &metadata, int threads = 1);
  // Writes to a sink of the caller (gpz/sink.hpp), which has to be empty. After an error write() cuts it with
  // Sink::cut.
  Writer(std::unique_ptr<Sink> sink, const Metadata &metadata, int threads = 1);
  // Closes without an index if close() was not called. Errors are then ignored.
  ~Writer();
  Writer(Writer &&) noexcept;
  Writer &operator=(Writer &&) noexcept;

  // Makes the next frame a key frame, and then one of every `frames` frames (1 to max_key_interval; see KeySchedule).
  // The others are difference frames if they have an integer column `id`. Difference frames are smaller, but a reader
  // has to decode from their key frame on. default_key_interval until this is called. Throws invalid_argument.
  void set_key_interval(unsigned frames);
  // The order of particles in independent chunks (gpz/trajectory.hpp). default_order until this is called.
  void set_order(Order order);
  // How much time is spent on smaller files (gpz/trajectory.hpp). default_effort until this is called. What the effort
  // needs stands in the file header (Metadata::features). The first frame of a new file adds it there; later, and in a
  // file that is appended to, frames are encoded with what the header names, whatever the effort.
  void set_effort(Effort effort);

  // Lets frames wait to be encoded, with a copy of their values, so that the threads of the constructor encode several
  // key intervals at the same time; one thread encodes frame after frame. The bytes of the file are the same. `bytes`:
  // of values that wait at most, besides one frame; 0, as before this call: none wait, and this call returns when those
  // that did are written. write() of fields or of a Frame
  // then returns before the file has the frame. What goes wrong with it is thrown by a later write(), by sync() or by
  // close(); the file has the frames before it, and those behind it are lost. frames(), last_frame() and size()
  // do not wait. The next key frame is the first that waits. Frames without ids do not wait with Order::memory, and
  // neither does the first one of a file that is continued.
  void set_pending(std::uint64_t bytes);

  // Compresses and writes one frame of info.particles particles. info.fields is ignored: `fields` has the fields, whose
  // largest errors count only with FieldInput::decoded. A frame of positions without ids keeps the caller's order: it
  // gets the ids 1, 2, ... as its last field, with Order::memory only if its particles are sorted. Only with
  // Order::place it is a set, sorted by position. Throws invalid_argument if some frames have ids, other than the
  // numbers of their rows, and others have none.
  // `rows` is as in ChunkEncoder::encode. When it returns, the operating system has accepted all bytes. After an error
  // the file is cut back to the earlier frames, and the next frame is a key frame.
  void write(const FrameInfo &info, const std::vector<FieldInput> &fields, const int *rows = nullptr);

  // Writes one frame of chunks that are compressed already. info.fields describe them; steps that are 0 and the largest
  // errors are filled in. Checksums are not computed again. Chunks of a TrajectoryEncoder have to be written in the
  // order in which they were encoded, with info.since_key 0 where `key` was true. Throws invalid_argument if they need
  // a feature that the file header does not name, unless this is the first frame of a new file.
  void write(const FrameInfo &info, const std::vector<ChunkView> &chunks);
  void write(const FrameInfo &info, const std::vector<EncodedChunk> &chunks);

  // Writes a frame of another file with the bytes and checksums of its chunks. A difference frame has to follow the
  // frame that it builds on: the last frame of this file has to be that one, written by this function. Throws
  // invalid_argument otherwise, and if the frame needs a feature that the file header does not name: a file that gets
  // frames of several files is opened with the features of all (Metadata::features).
  void write(const StoredFrame &frame);

  // Writes a record that is neither a frame nor an index, at the place where it is given: behind the last frame, and in
  // front of the next one. Readers that do not know its type skip it. In a new file, records in front of the first
  // frame are kept in memory until it is written, or until sync() or close(). Throws invalid_argument (record_bytes).
  void write(const StoredRecord &record);

  // Compresses and writes a decoded frame, as Reader::read returns it with all its fields. Without a change of bound
  // and step every value keeps its bits. With a larger bound, and step 0, the error of the file that was read and the
  // one that is added are within it together (Field::origin). The file gets the sum of both largest errors. Of a frame
  // without origins, Field::largest_error is the error that the values have already. Throws as write(info, fields), and
  // invalid_argument for a bound that cannot be kept, or if a column does not have one value for each particle. A frame
  // without ids is a set, sorted by position, unless the order is Order::memory.
  void write(const Frame &frame);
  // As write(frame) for values, bounds and steps that are those of the frame that was read, some particles or fields of
  // which may be gone. Every value keeps its bits (FieldInput::decoded), except signalling NaNs of f32 fields, which a
  // Frame does not have.
  void rewrite(const Frame &frame);

  // Frames of the file so far, with those of a file that is appended to.
  const std::vector<IndexEntry> &frames() const;
  // The head of the frame that was written last, with the bounds, steps and largest errors that the file has. Empty
  // before the first one. Of a frame that waits, the largest errors are not known: they are 0.
  const FrameInfo &last_frame() const;
  // Bytes of the file so far.
  std::uint64_t size() const;

  // Returns when all written bytes are on the disk (fsync). Does nothing for memory, pipes and sockets.
  void sync();
  // Writes the index and closes. After it only the destructor may be called.
  void close();

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz
