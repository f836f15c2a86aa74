// SPDX-License-Identifier: BSD-3-Clause
// Verifies the checksums of a frame's chunks piece by piece. Several threads may read the pieces in any order.
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
  // Several whole chunks, or a part of one. `from` counts bytes from the start of the first chunk.
  struct Piece {
    std::size_t from = 0;
    std::size_t size = 0;
    std::size_t chunk = 0;  // number of the first chunk
    std::size_t begin = 0;  // position of that chunk, as `from`
    std::size_t chunks = 0;
    // For parts of a chunk:
    bool is_part = false;
    bool is_last = false;
    std::size_t blocks = 0;  // checksum blocks; the rest of the last part is the tail
    std::size_t sums = 0;    // index of their first sum
    std::size_t tail = 0;    // index of the chunk's tail
  };

  explicit FrameChecks(const api::FrameFile &file) : file_(&file) {}

  // Limit of a piece's length for pieces of about `piece` bytes.
  static constexpr std::size_t longest(std::size_t piece) {
    return std::max(piece, codec::RunningChecksum::block) + shortest;
  }

  // Cuts a frame, whose chunks begin at `position` of the file, into at least one piece. `head` must outlive the
  // checks. Memory is charged to the current budget. Throws limit_exceeded.
  void start(const format::FrameHead &head, std::uint64_t position, std::size_t piece);
  const std::vector<Piece> &pieces() const { return pieces_; }

  // The part of the check that needs only piece p. Thread-safe for different pieces. Throws corrupt.
  void look_at(std::size_t p, const std::uint8_t *bytes);
  // The rest, after look_at(p), for one piece after the other in order. Throws corrupt.
  void finish(std::size_t p);

 private:
  // Upper limit of the tail of a chunk, which must not be cut.
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
  codec::RunningChecksum checksum_;  // of the chunk in progress
};

}  // namespace gpz::cuda
