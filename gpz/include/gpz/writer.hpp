// Writes a .gpz file from one process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/container.hpp"
#include "gpz/export.h"
#include "gpz/frame.hpp"
#include "gpz/trajectory.hpp"

namespace gpz {

class GPZ_API Writer {
 public:
  enum class Mode { create, append };

  // create replaces an existing file. append keeps the complete frames of an existing file, cuts a torn tail and the
  // index, and ignores `metadata`; if there is no such file (or an empty one) it creates it. Throws io_error, and what
  // scan_file throws.
  Writer(const std::string &path, const Metadata &metadata, Mode mode = Mode::create, int threads = 1);
  // Closes without an index if close() was not called; errors are lost then.
  ~Writer();
  Writer(Writer &&) noexcept;
  Writer &operator=(Writer &&) noexcept;

  // A key frame, which stands alone, every `frames` frames (1 to max_key_interval; 1: all of them, which is so until
  // this is called), the next one first. The others are differences (gpz/trajectory.hpp), if frames have an integer
  // column `id`: much smaller, but read from their key frame on. Throws invalid_argument.
  void set_key_interval(unsigned frames);
  // How particles are ordered in frames that stand alone (gpz/trajectory.hpp): by place until this is called.
  void set_key_order(KeyOrder order);

  // Compresses and writes one frame of info.particles particles; info.fields is ignored: the fields are those of
  // `fields`. When it returns, the operating system has accepted all bytes. After an error the file is cut back to the
  // frames before.
  void write(const FrameInfo &info, const std::vector<FieldInput> &fields, const int *rows = nullptr);

  // The same with chunks that are compressed already; info.fields describe them, but for steps that are 0 and the
  // largest errors, which are filled in. Checksums are taken as they are. Chunks of a TrajectoryEncoder are written in
  // the order in which they were encoded, with info.since_key as it was asked for.
  void write(const FrameInfo &info, const std::vector<ChunkView> &chunks);
  void write(const FrameInfo &info, const std::vector<EncodedChunk> &chunks);

  // Frames of the file so far, those of an appended file included.
  const std::vector<IndexEntry> &frames() const;
  // Bytes in the file so far.
  std::uint64_t size() const;

  // Makes what was written durable (fsync).
  void sync();
  // Writes the index and closes. No other call but the destructor may follow.
  void close();

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz
