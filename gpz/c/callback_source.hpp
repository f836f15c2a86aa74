// SPDX-License-Identifier: BSD-3-Clause
// A source that calls functions of a C program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpz/gpz.h"
#include "gpz/source.hpp"

namespace gpz::c {

class CallbackSource final : public Source {
 public:
  // Takes ownership of `source`, and calls `source.close` in the end. Throws invalid_argument, after calling it, if
  // read_at is a null pointer.
  explicit CallbackSource(const gpz_source &source);
  ~CallbackSource() override;

  const std::string &name() const override { return name_; }
  std::uint64_t size() const override { return source_.size; }
  void read_at(std::uint64_t position, void *data, std::size_t size) const override;
  void read_pieces(const std::vector<Piece> &pieces) const override;

 private:
  void require_read(int code, std::uint64_t position) const;

  gpz_source source_;
  std::string name_;
};

}  // namespace gpz::c
