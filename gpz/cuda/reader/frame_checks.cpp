// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/reader/frame_checks.hpp"

namespace gpz::cuda {

using codec::RunningChecksum;

void FrameChecks::start(const format::FrameHead &head, std::uint64_t position, std::size_t piece) {
  head_ = &head;
  position_ = position;
  pieces_.clear();
  sums_used_ = tails_used_ = 0;
  piece = std::max(piece / RunningChecksum::block, std::size_t{1}) * RunningChecksum::block;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < head.chunks.size(); ++k) {
    if (length(k) <= piece)
      add_whole(k, begin, piece);
    else
      cut(k, begin, piece);
    begin += length(k);
  }
  if (pieces_.empty()) pieces_.emplace_back();
  if (sums_.size() < sums_used_) sums_.resize(sums_used_);
  if (tails_.size() < tails_used_) tails_.resize(tails_used_);
}

void FrameChecks::add_whole(std::size_t chunk, std::size_t begin, std::size_t piece) {
  if (pieces_.empty() || pieces_.back().is_part || pieces_.back().size + length(chunk) > piece) {
    Piece next;
    next.from = next.begin = begin;
    next.chunk = chunk;
    pieces_.push_back(next);
  }
  pieces_.back().size += length(chunk);
  ++pieces_.back().chunks;
}

void FrameChecks::cut(std::size_t chunk, std::size_t begin, std::size_t piece) {
  const std::size_t end = begin + length(chunk);
  for (std::size_t from = begin; from < end;) {
    Piece next;
    next.from = from;
    next.is_last = end - from < piece + shortest;
    next.size = next.is_last ? end - from : piece;
    next.chunk = chunk;
    next.begin = begin;
    next.chunks = 1;
    next.is_part = true;
    next.blocks = (next.size - (next.is_last ? RunningChecksum::tail : 0)) / RunningChecksum::block;
    next.sums = sums_used_;
    next.tail = tails_used_;
    pieces_.push_back(next);
    sums_used_ += next.blocks * RunningChecksum::lanes;
    from += next.size;
  }
  ++tails_used_;
}

void FrameChecks::look_at(std::size_t p, const std::uint8_t *bytes) {
  const Piece &piece = pieces_[p];
  if (piece.is_part) {
    checksum_.sum(bytes, piece.blocks, sums_.data() + piece.sums);
    if (piece.is_last)
      std::copy(bytes + piece.blocks * RunningChecksum::block, bytes + piece.size, tails_[piece.tail].begin());
    return;
  }
  RunningChecksum checksum;
  std::size_t begin = piece.begin;
  for (std::size_t k = piece.chunk; k < piece.chunk + piece.chunks; ++k) {
    checksum.restart();
    checksum.add(bytes + (begin - piece.from), length(k));
    check(k, begin, checksum.value());
    begin += length(k);
  }
}

void FrameChecks::finish(std::size_t p) {
  const Piece &piece = pieces_[p];
  if (!piece.is_part) return;
  if (piece.from == piece.begin) checksum_.restart();
  checksum_.add_sums(sums_.data() + piece.sums, piece.blocks);
  if (!piece.is_last) return;
  checksum_.add(tails_[piece.tail].data(), piece.size - piece.blocks * RunningChecksum::block);
  check(piece.chunk, piece.begin, checksum_.value());
}

void FrameChecks::check(std::size_t chunk, std::size_t begin, std::uint64_t checksum) const {
  api::locating_errors(file_->name(), position_ + begin,
                       [&] { format::require_checksum(head_->chunks[chunk], checksum); });
}

}  // namespace gpz::cuda
