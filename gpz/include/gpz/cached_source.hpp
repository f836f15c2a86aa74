// SPDX-License-Identifier: BSD-3-Clause
// Keeps what was read from a source whose requests take long, such as an object store or a web server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpz/export.h"
#include "gpz/source.hpp"

namespace gpz {

struct CacheOptions {
  // The most bytes that are kept. What was used longest ago is dropped first. Larger requests than half of this are not
  // kept at all.
  std::uint64_t memory = std::uint64_t{64} << 20;
  // Bytes are read and kept in blocks of this size, at positions that are multiples of it. At least 512.
  std::uint64_t block = std::uint64_t{16} << 10;
  // Ranges with at most this many bytes between them are read as one range, with these bytes.
  std::uint64_t gap = std::uint64_t{64} << 10;
};

// A source over another one. All pieces of read_pieces() that are not kept are read in one call of
// source->read_pieces(), with the pieces in ascending order and joined where they are close. If several threads need
// the same bytes, one of them reads them. The other source needs no lock of its own beyond that of any Source.
//
//   gpz::Reader reader(std::make_shared<gpz::CachedSource>(std::make_shared<MyObjectStore>(url)));
class GPZ_API CachedSource final : public Source {
 public:
  // The reads from the other source.
  struct Counts {
    std::uint64_t requests = 0;  // calls of read_at and read_pieces
    std::uint64_t ranges = 0;    // pieces in them
    std::uint64_t bytes = 0;
  };

  // Throws invalid_argument for a null pointer and for blocks of less than 512 bytes.
  explicit CachedSource(std::shared_ptr<Source> source, const CacheOptions &options = {});
  ~CachedSource() override;

  const std::string &name() const override;
  std::uint64_t size() const override;
  void read_at(std::uint64_t position, void *data, std::size_t size) const override;
  void read_pieces(const std::vector<Piece> &pieces) const override;
  void allow_replacement() override;

  // Drops what is kept: later calls read again.
  void forget();
  Counts counts() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz
