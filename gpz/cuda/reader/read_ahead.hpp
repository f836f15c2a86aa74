// SPDX-License-Identifier: BSD-3-Clause
// Brings the bytes of frames from a file into memory before they are asked for, on threads of its own.
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

// Where the bytes of frames go: slots, each for the chunks of one frame, one behind the other.
class ByteLanding {
 public:
  // The way there of one of the threads that read, which is the only one that uses it. It may throw.
  class Lane {
   public:
    virtual ~Lane() = default;
    // Memory for the next load: Settings::room() bytes. Waits until what was there has been sent on.
    virtual std::uint8_t *room() = 0;
    // Sends the first `size` bytes of what room() returned last to [from, from + size) of the slot. They stay where
    // they are until the next room().
    virtual void send(std::size_t slot, std::size_t from, std::size_t size) = 0;
  };

  virtual ~ByteLanding() = default;

  // Called by the thread that uses ReadAhead: makes room for `size` bytes in a slot into which nothing is being read.
  // What was there is lost. May throw.
  virtual void reserve(std::size_t slot, std::size_t size) = 0;
  // Called by the threads that read. They may throw.
  // Once by each of them, at its beginning.
  virtual std::unique_ptr<Lane> lane() = 0;
  // All bytes of the slot have been sent.
  virtual void complete(std::size_t slot) = 0;
};

// One thread uses an object: those that it starts are its own affair.
class ReadAhead {
 public:
  struct Settings {
    int threads = 1;  // at least 1
    // How much is under way at a time: so many frames at most (at least 1), and two frames or this many bytes, whatever
    // is more.
    std::size_t frames = 2;
    std::uint64_t bytes = 0;
    // Bytes that a thread reads and checks at a time: what it checks is still in its cache.
    std::size_t piece = std::size_t{256} << 10;
    // Pieces that it sends together: each copy costs something.
    std::size_t load = 8;

    // Bytes that they may have.
    std::size_t room() const { return load * FrameChecks::longest(piece); }
  };

  // A frame whose bytes have arrived. Valid until give_back() or aim() without it.
  struct Frame {
    std::size_t slot = 0;
    const format::FrameHead *head = nullptr;
    std::uint64_t position = 0;  // of its first chunk in the file
  };

  // `file` and `landing` have to outlive this object. Starts no thread yet.
  ReadAhead(const api::FrameFile &file, ByteLanding &landing, const Settings &settings);
  // Waits for what is being read at the moment; the rest is given up.
  ~ReadAhead();
  ReadAhead(const ReadAhead &) = delete;
  ReadAhead &operator=(const ReadAhead &) = delete;

  // From now on frames `first` to `end` - 1 will be taken, in this order. Of other frames nothing is read any more, and
  // those that were taken are given back. Errors of frames that are read ahead are kept for take().
  void aim(std::size_t first, std::size_t end);

  // The head of a frame that is under way, or was taken and not given back; otherwise nullptr.
  const format::FrameHead *head(std::size_t i) const;
  // Waits until all bytes of frame i are there: the first one that has not been given back. Throws as
  // api::FrameFile::head and ByteLanding; truncated, io_error.
  Frame take(std::size_t i);
  // Waits until the checksums of its chunks are known. Throws corrupt if one is wrong.
  void check(std::size_t i);
  // Its slot may be used for another frame.
  void give_back(std::size_t i);

 private:
  struct Slot {
    Slot(std::size_t at, const api::FrameFile &file) : index(at), checks(file) {}

    std::size_t index;
    bool in_use = false;
    std::size_t frame = 0;
    format::FrameHead head;
    std::uint64_t position = 0;
    // Pieces.
    FrameChecks checks;
    std::size_t next = 0;  // that no thread has begun to read
    std::size_t left = 0;  // that have not been sent
    int busy = 0;          // threads that work on this slot
    bool complete = false;
    // Checks.
    std::vector<char> looked_at;  // which pieces
    bool finishing = false;       // a thread is
    std::size_t finished = 0;     // pieces
    std::exception_ptr unread;    // why its bytes did not arrive
    std::exception_ptr damaged;   // which of its chunks is not what it should be

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
  // Of the thread that uses the object.
  std::size_t next_ = 0;  // frames from the first slot in use on, up to this one, have slots
  std::size_t end_ = 0;
  std::uint64_t bytes_ = 0;  // of the frames that have slots
  std::size_t in_use_ = 0;
  std::vector<std::thread> threads_;
  // Shared.
  std::mutex mutex_;
  std::condition_variable work_;      // there may be something to do
  std::condition_variable progress_;  // something was done
  std::vector<Slot> slots_;
  bool stopping_ = false;
  std::exception_ptr idle_;  // why a thread cannot go on
};

}  // namespace gpz::cuda
