// SPDX-License-Identifier: BSD-3-Clause
// Reads .gpz files into memory of an NVIDIA GPU: compressed bytes go from the file through pinned host memory to the
// device, where they are decoded. Built with GPZ_CUDA=ON only.
//
//   gpz::cuda::Reader reader("traj.gpz", device);
//   for (std::size_t i = 0; i < reader.frames(); ++i) reader.read(i, columns, capacity, gpz::cuda::OutputOrder::id);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpz/container.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/cuda_trajectory_decoder.hpp"
#include "gpz/export.h"
#include "gpz/frame.hpp"
#include "gpz/limits.hpp"
#include "gpz/reader.hpp"

namespace gpz::cuda {

struct ReaderOptions {
  // Limits host and device memory together. The gpz::Reader for frames decoded on the CPU has a limit of its own.
  Limits limits;
  // Threads that read the file, verify checksums, start copies, and decode frames on the CPU. 0: three reading threads
  // for every four cores, at most 12, and one decoding thread per core, at most 16.
  int threads = 0;
  // Bytes that are read ahead when frames are requested in file order: this many, or the next frame if it is longer.
  // The device memory for them is the same amount, allocated as frames need it. 0: nothing is read ahead. In pinned
  // host memory, each thread has three copies in flight, of 64 KiB to 2 MiB: with 12 threads 2 to 72 MiB, about the
  // size of the longest frame.
  std::uint64_t ahead = std::uint64_t{512} << 20;
  // The CPU decodes frames of efforts standard and dense that have fewer particles than this, because it is faster for
  // them: molecules are decoded in blocks of about 12,288 particles side by side, and a block takes a GPU a
  // millisecond. 0: 30,000.
  std::uint64_t least_chained = 0;
};

// Result of read() for a frame.
struct FrameRead {
  FrameInfo info;
  // false: the frame was decoded on the CPU, and its values were copied to the device. `reason` says why.
  bool decoded_on_device = true;
  std::string reason;
};

// Reads any frame of a file. One host thread at a time may use an object; objects are independent. Every call makes its
// device the current one and restores the caller's before it returns.
class GPZ_API Reader {
 public:
  // Opens a file as gpz::Reader does, with the same errors. Allocates no device memory yet. Throws not_found if there
  // is no such device.
  explicit Reader(const std::string &path, int device = 0, const ReaderOptions &options = {});
  // Opens the bytes of a whole file in host memory, which have to outlive the reader. Error messages call them `name`.
  Reader(const std::uint8_t *bytes, std::size_t size, const std::string &name = "memory", int device = 0,
         const ReaderOptions &options = {});
  // Reads from a source, which may be shared with other readers. Threads of the reader call it, several at once. Throws
  // invalid_argument if it is nullptr, and what the source throws.
  explicit Reader(const std::shared_ptr<Source> &source, int device = 0, const ReaderOptions &options = {});
  // Waits for reads in progress.
  ~Reader();
  Reader(Reader &&) noexcept;
  Reader &operator=(Reader &&) noexcept;

  int device() const;
  const Metadata &metadata() const { return scan().metadata; }
  const FileScan &scan() const;
  std::size_t frames() const { return scan().frames.size(); }
  // The head of frame i. Throws as gpz::Reader::info.
  FrameInfo info(std::size_t i) const;

  // Decodes these columns of frame i into arrays in device memory, whose addresses and strides are multiples of the
  // size of an element, with room for `capacity` particles each. Runs after the work that is already in `stream`, a
  // stream of this device, and returns when it is complete and all checksums have been verified. In the order of ids,
  // particles with equal ids stay in stored order, over all chunks of the frame.
  //
  // Columns and errors are those of gpz::Reader::read_columns, with the same messages: not_found, invalid_argument,
  // limit_exceeded, corrupt, truncated, io_error. An integer that does not fit into an int32 is no error: its low bits
  // are written. Also throws invalid_argument (arrays that the device cannot reach, or that are not aligned),
  // out_of_memory, internal, as Codec. After an exception the contents of the arrays are unspecified, and the reader
  // can be used.
  //
  // A difference frame is decoded from its key frame on, or from the frame read last, if that is an earlier frame of
  // the same key interval. For speed, request all columns of a frame in one call, and frames in ascending order: then
  // the next frames are read ahead.
  //
  // gpz::Reader decodes frames that TrajectoryDecoder does not support, damaged frames, and the frames after either up
  // to the next key frame.
  FrameRead read(std::size_t i, const std::vector<ColumnOutput> &columns, std::size_t capacity,
                 OutputOrder order = OutputOrder::stored, Stream stream = nullptr);

  // Gives device memory back to the pool (gpz/cuda_memory.hpp), and frees pinned memory. The next call allocates again.
  void release();
  MemoryUse memory() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz::cuda
