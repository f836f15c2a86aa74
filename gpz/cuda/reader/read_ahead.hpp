// SPDX-License-Identifier: BSD-3-Clause
// Reads the bytes of frames from a file into memory before they are requested, on its own threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "gpz/api/frame_file.hpp"
#include "gpz/cuda/reader/frame_checks.hpp"

namespace gpz::cuda {

// Destination of the bytes: slots, each for the consecutive chunks of one frame.
class ByteLanding {
 public:
  // Transport for one reading thread, not shared. Functions may throw.
  class Lane {
   public:
    virtual ~Lane() = default;
    // Memory for the next load: Settings::room() bytes. Waits until its last contents have been sent.
    virtual std::uint8_t *room() = 0;
    // Sends the first `size` bytes of the last room() to [from, from + size) of the slot. The bytes must stay until the
    // next room().
    virtual void send(std::size_t slot, std::size_t from, std::size_t size) = 0;
  };

  virtual ~ByteLanding() = default;

  // Called by the thread that uses ReadAhead: makes room for `size` bytes in a slot that no thread reads into. Discards
  // its contents. May throw.
  virtual void reserve(std::size_t slot, std::size_t size) = 0;
  // The others are called by reading threads, and may throw. lane(): once per thread, first.
  virtual std::unique_ptr<Lane> lane() = 0;
  // Called when all bytes of the slot have been sent.
  virtual void complete(std::size_t slot) = 0;
};

// Not thread-safe for callers.
class ReadAhead {
 public:
  struct Settings {
    int threads = 1;  // at least 1
    // Limits of frames in progress: at most `frames` (at least 1), and at most `bytes` or two frames, whichever is
    // more.
    std::size_t frames = 2;
    std::uint64_t bytes = 0;
    // Bytes that a thread reads and checks at a time, so that the check finds them in its cache.
    std::size_t piece = std::size_t{256} << 10;
    // Pieces that are sent together, because each copy has a cost.
    std::size_t load = 8;

    // Largest size of a load, in bytes.
    std::size_t room() const { return load * FrameChecks::longest(piece); }
  };

  // A frame whose bytes have arrived. Valid until give_back(), or until aim() excludes it.
  struct Frame {
    std::size_t slot = 0;
    const format::FrameHead *head = nullptr;
    std::uint64_t position = 0;  // of the first chunk in the file
  };

  // `file` and `landing` must outlive this object. Starts no thread yet.
  ReadAhead(const api::FrameFile &file, ByteLanding &landing, const Settings &settings);
  // Waits for reads in progress; the rest is cancelled.
  ~ReadAhead();
  ReadAhead(const ReadAhead &) = delete;
  ReadAhead &operator=(const ReadAhead &) = delete;

  // Sets the frames to read: `first` to `end` - 1, which take() requests in this order. Gives back all others and stops
  // reading them. take() reports errors of frames that are read ahead.
  void aim(std::size_t first, std::size_t end);

  // The head of a frame that is being read, or was taken and not given back; otherwise nullptr.
  const format::FrameHead *head(std::size_t i) const;
  // Waits until all bytes of frame i have arrived: the first one that has not been given back. Throws as
  // api::FrameFile::head and ByteLanding; truncated, io_error.
  Frame take(std::size_t i);
  // Waits until the checksums of the frame's chunks are verified. Throws corrupt if one is wrong.
  void check(std::size_t i);
  // Frees the frame's slot for another frame.
  void give_back(std::size_t i);

 private:
  struct Slot {
    Slot(std::size_t at, const api::FrameFile &file) : index(at), checks(file) {}

    std::size_t index;
    bool in_use = false;
    std::size_t frame = 0;
    format::FrameHead head;
    std::uint64_t position = 0;
    // Pieces:
    FrameChecks checks;
    std::size_t next = 0;  // first piece that no thread has begun to read
    std::size_t left = 0;  // number of those that are not sent
    int busy = 0;          // number of threads that work on this slot
    bool complete = false;
    // Checks:
    std::vector<char> looked_at;  // per piece
    bool finishing = false;       // a thread is in finish()
    std::size_t finished = 0;     // number of pieces
    std::exception_ptr unread;    // why bytes did not arrive
    std::exception_ptr damaged;   // wrong checksum of a chunk

    std::size_t pieces() const { return checks.pieces().size(); }
    bool can_be_read() const { return in_use && next < pieces(); }
    bool can_be_finished() const {
      return !finishing && finished < pieces() && looked_at[finished] != 0 && !unread && !damaged;
    }
    bool is_checked() const { return finished == pieces() || unread || damaged; }
  };

  const Slot *find(std::size_t i) const;
  Slot &present(std::size_t i);
  void fill();
  void begin(std::size_t i);
  void drop(Slot &slot);
  void start_threads();

  void work();
  void read(std::unique_lock<std::mutex> &lock);
  Slot *slot_to_read();
  void read_load(Slot &slot, ByteLanding::Lane &lane, std::uint8_t *room, std::unique_lock<std::mutex> &lock);
  std::exception_ptr read_and_look(Slot &slot, std::size_t first, std::size_t end, ByteLanding::Lane &lane,
                                   std::uint8_t *room) const;
  static void finish_checks(Slot &slot, std::unique_lock<std::mutex> &lock);

  const api::FrameFile &file_;
  ByteLanding &landing_;
  const Settings settings_;
  // Used by the calling thread:
  std::size_t next_ = 0;  // frames before this one, from the first slot in use on, have slots
  std::size_t end_ = 0;
  std::uint64_t bytes_ = 0;  // of frames with slots
  std::size_t in_use_ = 0;
  std::vector<std::thread> threads_;
  // Guarded by the mutex:
  std::mutex mutex_;
  std::condition_variable work_;      // there may be work
  std::condition_variable progress_;  // work was done
  std::vector<Slot> slots_;
  bool stopping_ = false;
  std::exception_ptr idle_;  // why a thread has ended
};

}  // namespace gpz::cuda
