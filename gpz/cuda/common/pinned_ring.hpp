// SPDX-License-Identifier: BSD-3-Clause
// Copies lists from the host to the device, for several frames at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>

#include "gpz/cuda/common/memory.hpp"

namespace gpz::cuda {

class PinnedRing {
 public:
  // Queues the copy of `size` bytes. Waits for the copy that was queued four calls before.
  void send(const void *from, std::size_t size, void *to, cudaStream_t stream) {
    Piece &piece = pieces_[next_];
    next_ = (next_ + 1) % pieces_.size();
    if (piece.copied == nullptr) piece.copied = std::make_unique<Event>();
    piece.copied->wait();
    largest_ = std::max(largest_, size);
    if (size > piece.memory.capacity()) {
      piece.memory.release();
      piece.memory.allocate(largest_);
    }
    std::memcpy(piece.memory.data(), from, size);
    check(cudaMemcpyAsync(to, piece.memory.data(), size, cudaMemcpyHostToDevice, stream), "copy to the device");
    piece.copied->record(stream);
  }
  // Call after all copies are done.
  void release() {
    for (Piece &piece : pieces_) {
      piece.memory.release();
      piece.copied.reset();
    }
  }

 private:
  struct Piece {
    PinnedBuffer memory;
    std::unique_ptr<Event> copied;
  };
  std::array<Piece, 4> pieces_;
  std::size_t next_ = 0;
  // Calls with few and with many bytes alternate. Pieces that take turns would grow one after the other.
  std::size_t largest_ = 0;
};

}  // namespace gpz::cuda
