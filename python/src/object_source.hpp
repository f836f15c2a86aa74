// SPDX-License-Identifier: BSD-3-Clause
// A Python object as the source of a .gpz file.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpz/cached_source.hpp"
#include "gpz/source.hpp"

namespace gpz::python {

// Reads by `object.read_ranges(ranges)`, a list of (begin, end), which returns a list of objects with these bytes.
// `object.name` is a text, `object.size` the number of bytes. Exceptions of the object pass through. Threads of the
// library call it, too: it takes the GIL for itself.
class ObjectSource final : public Source {
 public:
  explicit ObjectSource(nanobind::object object);
  ~ObjectSource() override;

  const std::string &name() const override { return name_; }
  std::uint64_t size() const override { return size_; }
  void read_at(std::uint64_t position, void *data, std::size_t size) const override {
    read_pieces({{position, data, size}});
  }
  void read_pieces(const std::vector<Piece> &pieces) const override;

 private:
  void read_with_gil(const std::vector<Piece> &pieces) const;

  nanobind::object object_;
  std::string name_;
  std::uint64_t size_;
};

// gpz._core.Source: the source of one or more readers.
struct SharedSource {
  std::shared_ptr<CachedSource> cached;
};

}  // namespace gpz::python
