// SPDX-License-Identifier: BSD-3-Clause
#include "object_sink.hpp"

#include <cstdint>

#include "gpz/error.hpp"
#include "interpreter.hpp"

namespace nb = nanobind;

namespace gpz::python {

ObjectSink::~ObjectSink() {
  try {
    const RunningCall running(name_);
    const nb::gil_scoped_acquire acquired;
    write_.reset();
  } catch (const Error &) {
    (void)write_.release();  // Python has ended
  }
}

void ObjectSink::write(const std::vector<Span> &pieces) {
  Bytes all = std::move(waiting_);
  waiting_.clear();
  for (const Span &piece : pieces) {
    const auto *from = static_cast<const std::uint8_t *>(piece.data);
    all.insert(all.end(), from, from + piece.size);
  }
  // The first bytes are the header alone.
  if (taken_ == 0 && pieces.size() == 1 && all.size() == pieces[0].size)
    waiting_ = std::move(all);
  else
    take_all(std::move(all));
}

void ObjectSink::take_all(Bytes all) {
  const std::uint64_t before = taken_;
  try {
    take(all.data(), all.size());
  } catch (...) {
    // Nothing is lost where the object has taken nothing: cut() decides what the next call begins with.
    if (taken_ == before) waiting_ = std::move(all);
    throw;
  }
}

void ObjectSink::take(const void *data, std::size_t size) {
  const RunningCall running(name_);
  const nb::gil_scoped_acquire acquired;
  const auto *from = static_cast<const std::uint8_t *>(data);
  while (size > 0) {
    const nb::object answer = write_(nb::bytes(from, size));
    // Files without a buffer may take fewer bytes than they are given; other objects may return nothing.
    const std::size_t taken = nb::isinstance<nb::int_>(answer) ? nb::cast<std::size_t>(answer) : size;
    if (taken == 0 || taken > size)
      throw Error(Status::io_error, "write() of the file object took " + std::to_string(taken) + " of " +
                                        std::to_string(size) + " bytes");
    taken_ += taken;
    from += taken;
    size -= taken;
  }
}

void ObjectSink::cut(std::uint64_t size) {
  if (size < taken_ || size > taken_ + waiting_.size())
    throw Error(Status::io_error, "bytes that a file object has taken cannot be taken back");
  waiting_.resize(static_cast<std::size_t>(size - taken_));
}

void ObjectSink::close() {
  Bytes all = std::move(waiting_);
  waiting_.clear();
  take_all(std::move(all));
}

}  // namespace gpz::python
