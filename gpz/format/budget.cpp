// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/budget.hpp"

#include <string>

#include "gpz/error.hpp"

namespace gpz::format {

thread_local Budget *Budget::current_ = nullptr;

void Budget::take(std::uint64_t bytes) {
  std::uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > limit_ - used) exceed(1, bytes);
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
}

void Budget::require(std::uint64_t count, std::uint64_t size) const {
  if (size != 0 && count > (limit_ - used()) / size) exceed(count, size);
}

void Budget::exceed(std::uint64_t count, std::uint64_t size) const {
  const std::uint64_t in_use = used();
  const bool fits = count <= (Limits::unlimited - in_use) / size;
  const std::string needed = fits ? std::to_string(in_use + count * size) + " bytes"
                                  : "more than " + std::to_string(Limits::unlimited) + " bytes";
  throw Error(Status::limit_exceeded, "reading this takes " + needed + " of memory, and the limit is " +
                                          std::to_string(limit_) +
                                          " (Limits::memory, in C max_memory, in gpz --max-memory)");
}

}  // namespace gpz::format
