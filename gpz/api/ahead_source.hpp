// SPDX-License-Identifier: BSD-3-Clause
// Reads parts of a source before they are needed, many in one request, on its own thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpz/source.hpp"

namespace gpz::api {

class AheadSource final : public Source {
 public:
  // A range of bytes of the source.
  struct Range {
    std::uint64_t position = 0;
    std::uint64_t size = 0;
  };

  // Without a thread, expect() acts as read_now(). `kept`: bytes of requests that are kept, beyond the last two.
  explicit AheadSource(std::shared_ptr<Source> source, bool has_thread = true, std::uint64_t kept = 0);
  // Waits for the current request.
  ~AheadSource() override;

  // Read these ascending ranges in one request: expect() in the background, read_now() before it returns. The last two
  // requests are kept, and up to eight if they are small. If memory or threads run out, nothing is read ahead.
  void expect(const std::vector<Range> &ranges);
  void read_now(const std::vector<Range> &ranges);
  // Whether a kept request contains this range.
  bool holds(const Range &range) const;
  // Frees the memory of all requests.
  void forget();

  // Bytes inside one range of a kept request are copied from there, after waiting if necessary. All others, and those
  // of a failed request, are read from the source.
  const std::string &name() const override { return source_->name(); }
  std::uint64_t size() const override { return source_->size(); }
  void read_at(std::uint64_t position, void *data, std::size_t size) const override;
  void read_pieces(const std::vector<Piece> &pieces) const override { source_->read_pieces(pieces); }
  void allow_replacement() override { source_->allow_replacement(); }

 private:
  struct Batch;
  struct Shared;

  bool is_forked() const;
  std::shared_ptr<Batch> new_batch(const std::vector<Range> &ranges);
  bool is_full(std::uint64_t size) const;

  std::shared_ptr<Source> source_;
  std::unique_ptr<Shared> shared_;
  bool has_thread_;
  std::uint64_t kept_;        // bytes
  unsigned long generation_;  // of the process that started the thread
};

}  // namespace gpz::api
