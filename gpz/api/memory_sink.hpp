// SPDX-License-Identifier: BSD-3-Clause
// A file in memory, as a vector of bytes.
#pragma once

#include <string>
#include <vector>

#include "gpz/container.hpp"
#include "gpz/sink.hpp"

namespace gpz::api {

class MemorySink final : public Sink {
 public:
  // Empties `bytes`, which must outlive the sink.
  explicit MemorySink(Bytes &bytes) : bytes_(bytes) { bytes_.clear(); }

  const std::string &name() const override { return name_; }
  void write(const std::vector<Span> &pieces) override {
    for (const Span &piece : pieces) {
      const auto *from = static_cast<const std::uint8_t *>(piece.data);
      bytes_.insert(bytes_.end(), from, from + piece.size);
    }
  }
  void cut(std::uint64_t size) override { bytes_.resize(static_cast<std::size_t>(size)); }

 private:
  Bytes &bytes_;
  std::string name_ = "memory";
};

}  // namespace gpz::api
