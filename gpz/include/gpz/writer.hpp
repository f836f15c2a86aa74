// SPDX-License-Identifier: BSD-3-Clause
// Writes a .gpz file from one process: to a path, a descriptor, memory, or a sink of the caller.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/container.hpp"
#include "gpz/export.h"
#include "gpz/frame.hpp"
#include "gpz/sink.hpp"
#include "gpz/tables.hpp"
#include "gpz/trajectory.hpp"

namespace gpz {

class GPZ_API Writer {
 public:
  enum class Mode { create, append };

  // Writes to the file `path`, which no other writer may have open, in this process or another one: otherwise it throws
  // invalid_argument, and the file stays (gpz/write_lock.hpp). create replaces an existing file; if a Reader of this
  // process has it open, it throws invalid_argument, and the file stays. append continues an existing file after its
  // complete frames, and creates a missing or empty file. Every item of `metadata` must equal that of the continued
  // file, and the first new frame must have the bounds of its frames. Otherwise append throws invalid_argument
  // (gpz/continuation.hpp) and changes no byte of the file. Items that `metadata` leaves out are taken from the file.
  // The first new frame overwrites the index, or an incomplete frame at the end. `threads`: 1 is the caller's thread, 0
  // all cores; the bytes do not depend on it. Throws io_error, and as scan_file.
  Writer(const std::string &path, const Metadata &metadata, Mode mode = Mode::create, int threads = 1);
  // Writes to a file descriptor, seekable or not: a pipe, a socket, standard output. A file must not be open in another
  // writer, as above. Writing begins at its current position. The descriptor must be blocking. It is not closed. Error
  // messages call it `name`. Accepted bytes cannot be withdrawn: after an error inside a frame, the output holds the
  // earlier frames and an incomplete record, which readers recognise as torn, and every later write() or close() throws
  // io_error. If the reading end of a pipe is closed, the process gets SIGPIPE; io_error is thrown only if the program
  // ignores SIGPIPE. The file header is written with the first frame, or by sync() or close().
  Writer(int descriptor, const std::string &name, const Metadata &metadata, int threads = 1);
  // Writes to `memory`, which is emptied first and has to outlive the writer. After every call, even one that throws
  // (out_of_memory), it holds complete frames only. After close() it is a complete file.
  Writer(Bytes &memory, const Metadata &metadata, int threads = 1);
  // Writes to a sink of the caller (gpz/sink.hpp), which has to be empty. After an error the sink is cut back to the
  // earlier frames with Sink::cut.
  Writer(std::unique_ptr<Sink> sink, const Metadata &metadata, int threads = 1);
  // Closes without an index if close() was not called. Errors are then ignored.
  ~Writer();
  Writer(Writer &&) noexcept;
  Writer &operator=(Writer &&) noexcept;

  // Makes the next frame a key frame, and from then on every `frames`th frame (1 to max_key_interval; see KeySchedule).
  // Initially default_key_interval. Frames in between are difference frames if they have an integer column `id`.
  // Difference frames are smaller, but a reader has to decode from their key frame on. Throws invalid_argument.
  void set_key_interval(unsigned frames);
  // Makes the next frame a key frame, and chooses a key interval by the sizes of the first six frames: the shortest one
  // that makes the file at most 2 % larger than default_key_interval does, if later frames are as large as these. The
  // six frames are encoded at once, also after set_pending(). Only frames that this writer encodes, and that have ids,
  // are among the six.
  void choose_key_interval();
  // The order of particles in independent chunks (gpz/trajectory.hpp). Initially default_order.
  void set_order(Order order);
  // How much time is spent on smaller files (gpz/trajectory.hpp). Initially default_effort. The first frame of a new
  // file adds the features that the effort needs to the file header (Metadata::features). Later, and in a continued
  // file, frames use only features that the header names, whatever the effort.
  void set_effort(Effort effort);

  // Lets frames wait to be encoded, with a copy of their values, so that the threads of the constructor encode several
  // key intervals at the same time; a key interval is encoded by one thread. The bytes of the file are the same.
  // `bytes`: the most values that wait, besides one frame. 0, the initial state: none wait, and this call returns when
  // waiting frames are written. write() of fields or of a Frame then returns before the frame is in the file. A later
  // write(), sync() or close() throws the errors of a waiting frame; the file has the frames before it. Those after
  // it are lost, and so are the tables and other records that stand in front of it or of these. frames(), last_frame()
  // and size() do not wait. Waiting begins with the next key frame. Frames without ids do not wait with Order::memory,
  // nor does the first frame of a continued file.
  void set_pending(std::uint64_t bytes);

  // Compresses and writes one frame of info.particles particles. `fields` has the fields; info.fields is ignored.
  // Largest errors in `fields` count only with FieldInput::decoded. A frame of positions without ids keeps the caller's
  // order: its last field becomes the ids 1, 2, ..., with Order::memory only if its particles are sorted. With
  // Order::place it is a set, sorted by position. Throws invalid_argument if some frames have ids that are not the
  // numbers of their rows, and others have none. `rows` is as in ChunkEncoder::encode. When write() returns, the
  // operating system has accepted all bytes. After an error the file is cut back to the earlier frames, and the next
  // frame is a key frame.
  void write(const FrameInfo &info, const std::vector<FieldInput> &fields, const int *rows = nullptr);

  // Writes one frame of chunks that are compressed already. info.fields describe them; steps of 0 and the largest
  // errors are filled in. Checksums are not computed again. Write the chunks of a TrajectoryEncoder in the order in
  // which they were encoded, with info.since_key 0 if `key` was true. Throws invalid_argument if they need a feature
  // that the file header does not name, unless this is the first frame of a new file.
  void write(const FrameInfo &info, const std::vector<ChunkView> &chunks);
  void write(const FrameInfo &info, const std::vector<EncodedChunk> &chunks);

  // Writes a frame of another file with the bytes and checksums of its chunks. A difference frame must follow the frame
  // that it builds on: the last frame of this file must be a copy of its predecessor, written by this function. Throws
  // invalid_argument otherwise, and if the frame needs a feature that the file header does not name. To merge files,
  // open the writer with the features of all (Metadata::features).
  void write(const StoredFrame &frame);

  // Writes a record that is neither a frame nor an index, between the last frame and the next one. Readers that do not
  // know its type skip it. In a new file, records in front of the first frame are kept in memory until it is written,
  // or until sync() or close(). Throws invalid_argument (record_bytes).
  void write(const StoredRecord &record);

  // Writes these tables as one record. Each replaces the table of its name for the frames after it. Throws as
  // tables_record.
  void write(const std::vector<Table> &tables);
  // Writes the observables of the next frame, which must have this timestep, with the table of their names where these
  // are not those of the observables before. Throws as observables_record.
  void write(std::int64_t timestep, const std::vector<Observable> &observables);

  // Compresses and writes a decoded frame, as Reader::read returns it with all its fields. If bound and step are
  // unchanged, every value keeps its bits. With a larger bound, and step 0, the new bound includes the error of the
  // file that was read (Field::origin), and the largest errors are added. In a frame without origins,
  // Field::largest_error is the error of the values. Throws as write(info, fields), and invalid_argument for a bound
  // that cannot be kept, or if a column does not have one value per particle. A frame without ids is a set, sorted by
  // position, unless the order is Order::memory.
  void write(const Frame &frame);
  // As write(frame), for values, bounds and steps of a frame that was read, of which some particles or fields may be
  // removed. Every value keeps its bits (FieldInput::decoded), except signalling NaNs of f32 fields, which a Frame
  // cannot hold.
  void rewrite(const Frame &frame);

  // Frames of the file, including those of a continued file.
  const std::vector<IndexEntry> &frames() const;
  // The head of the frame that was written last, with the bounds, steps and largest errors in the file. Empty before
  // the first frame. While a frame waits, its largest errors are unknown and 0.
  const FrameInfo &last_frame() const;
  // Bytes of the file.
  std::uint64_t size() const;

  // Returns when all written bytes are on the disk (fsync). Does nothing for memory, pipes and sockets.
  void sync();
  // Writes the index and closes. Only the destructor may be called after it.
  void close();

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz
