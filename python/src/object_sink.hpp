// SPDX-License-Identifier: BSD-3-Clause
// A Python file object as the place of a .gpz file.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "gpz/container.hpp"
#include "gpz/sink.hpp"

namespace gpz::python {

// Takes bytes to a Python function, as of io.BytesIO.write. What was taken cannot be cut, so the file header waits for
// the first frame, before which the writer may replace it. Exceptions of the function pass through.
class ObjectSink final : public Sink {
 public:
  ObjectSink(nanobind::object write, std::string name) : write_(std::move(write)), name_(std::move(name)) {}
  ~ObjectSink() override;

  const std::string &name() const override { return name_; }
  void write(const std::vector<Span> &pieces) override;
  void cut(std::uint64_t size) override;
  void close() override;

 private:
  void take(const void *data, std::size_t size);
  // The same, and keeps the bytes where the object has taken none of them.
  void take_all(Bytes all);

  nanobind::object write_;
  std::string name_;
  Bytes waiting_;            // the header
  std::uint64_t taken_ = 0;  // bytes that the function has
};

}  // namespace gpz::python
