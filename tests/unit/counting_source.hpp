// SPDX-License-Identifier: BSD-3-Clause
// A source in memory that counts what is read from it.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>

#include "gpz/api/source.hpp"
#include "gpz/container.hpp"
#include "gpz/error.hpp"

namespace gpz::test {

// Several threads may call it. From request `failing` on, `failures` of them fail. The byte at `damaged` is another
// one.
class CountingSource final : public Source {
 public:
  struct Counts {
    std::atomic<std::size_t> requests{0};
    std::atomic<std::size_t> bytes{0};
    std::atomic<std::uint64_t> damaged{~std::uint64_t{0}};
    std::size_t failing = ~std::size_t{0}, failures = 1;
  };

  CountingSource(const Bytes &bytes, Counts &counts) : whole_(bytes.data(), bytes.size(), "memory"), counts_(counts) {}
  const std::string &name() const override { return whole_.name(); }
  std::uint64_t size() const override { return whole_.size(); }
  void read_at(std::uint64_t position, void *data, std::size_t size) const override {
    request(size);
    read_piece(position, data, size);
  }
  void read_pieces(const std::vector<Piece> &pieces) const override {
    std::size_t size = 0;
    for (const Piece &piece : pieces) size += piece.size;
    request(size);
    std::uint64_t end = 0;
    for (const Piece &piece : pieces) {
      EXPECT_GE(piece.position, end);
      end = piece.position + piece.size;
      read_piece(piece.position, piece.data, piece.size);
    }
  }

 private:
  void read_piece(std::uint64_t position, void *data, std::size_t size) const {
    whole_.read_at(position, data, size);
    const std::uint64_t damaged = counts_.damaged;
    if (damaged >= position && damaged - position < size) static_cast<std::uint8_t *>(data)[damaged - position] ^= 1U;
  }
  void request(std::size_t size) const {
    const std::size_t number = counts_.requests++;
    counts_.bytes += size;
    if (number >= counts_.failing && number - counts_.failing < counts_.failures)
      throw Error(Status::io_error, "a request that fails", name(), 0, EIO);
  }

  api::MemorySource whole_;
  Counts &counts_;
};

}  // namespace gpz::test
