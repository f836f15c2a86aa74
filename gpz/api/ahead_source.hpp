// SPDX-License-Identifier: BSD-3-Clause
// Reads parts of a source before they are asked for, many in one request, on a thread of its own.
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
  // Bytes of the source.
  struct Range {
    std::uint64_t position = 0;
    std::uint64_t size = 0;
  };

  // Without a thread, expect() does what read_now() does.
  explicit AheadSource(std::shared_ptr<Source> source, bool has_thread = true);
  // Waits for the request that is under way.
  ~AheadSource() override;

  // Reads these ranges, which ascend, in one request: expect() while the caller goes on, read_now() before it returns.
  // What the second call before has asked for is dropped. Without memory or a thread nothing is read ahead.
  void expect(const std::vector<Range> &ranges);
  void read_now(const std::vector<Range> &ranges);
  // Gives the memory back. What was expected is read when somebody asks for it.
  void forget();

  // What lies in one range that was expected comes from there, if need be after waiting for it; everything else, and
  // what could not be read ahead, from the source.
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

  std::shared_ptr<Source> source_;
  std::unique_ptr<Shared> shared_;
  bool has_thread_;
  unsigned long generation_;  // of the process that has the thread
};

}  // namespace gpz::api
