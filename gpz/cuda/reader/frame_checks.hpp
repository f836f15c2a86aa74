// SPDX-License-Identifier: BSD-3-Clause
// The checksums of a frame's chunks, of pieces that are read in any order and by several threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/api/frame_file.hpp"
#include "gpz/codec/running_checksum.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::cuda {

class FrameChecks {
 public:
  // Whole chunks, or a part of one. Positions are in the bytes of all chunks, one behind the other.
  struct Piece {
    std::size_t from = 0;
    std::size_t size = 0;
    std::size_t chunk = 0;  // the first
    std::size_t begin = 0;  // of that chunk
    std::size_t chunks = 0;
    // Of a part:
    bool is_part = false;
    bool is_last = false;
    std::size_t blocks = 0;  // of the checksum; what is behind those of the last part is its tail
    std::size_t sums = 0;    // where those of its blocks begin
    std::size_t tail = 0;    // of its chunk
  };

  explicit FrameChecks(const api::FrameFile &file) : file_(&file) {}

  // No piece is longer than this if they are to have `piece` bytes.
  static constexpr std::size_t longest(std::size_t piece) {
    return std::max(piece, codec::RunningChecksum::block) + shortest;
  }

  // Cuts a frame, whose chunks begin at `position` of the file, into pieces: at least one. `head` has to stay. The
  // memory is charged to the current budget. Throws limit_exceeded.
  void start(const format::FrameHead &head, std::uint64_t position, std::size_t piece);
  const std::vector<Piece> &pieces() const { return pieces_; }

  // What can be done with the bytes of piece p alone. Threads may do it for several pieces at a time. Throws corrupt.
  void look_at(std::size_t p, const std::uint8_t *bytes);
  // The rest, behind look_at(p), in the order of the pieces and one at a time. Throws corrupt.
  void finish(std::size_t p);

 private:
  // The tail of a chunk is shorter, and must not be cut.
  static constexpr std::size_t shortest = codec::RunningChecksum::block + codec::RunningChecksum::tail;

  void add_whole(std::size_t chunk, std::size_t begin, std::size_t piece);
  void cut(std::size_t chunk, std::size_t begin, std::size_t piece);
  std::size_t length(std::size_t chunk) const { return static_cast<std::size_t>(head_->chunks[chunk].length); }
  void check(std::size_t chunk, std::size_t begin, std::uint64_t checksum) const;

  const api::FrameFile *file_;
  const format::FrameHead *head_ = nullptr;
  std::uint64_t position_ = 0;
  std::vector<Piece> pieces_;
  std::size_t sums_used_ = 0;
  std::size_t tails_used_ = 0;
  format::Column<std::uint64_t> sums_;
  std::vector<std::array<std::uint8_t, shortest>> tails_;
  codec::RunningChecksum checksum_;  // of the chunk that is being finished
};

}  // namespace gpz::cuda
