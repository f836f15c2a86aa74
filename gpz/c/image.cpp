// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/c/image.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace gpz::c {

Image::~Image() { std::free(bytes_); }

void Image::write(const std::vector<Span> &pieces) {
  std::size_t more = 0;
  for (const Span &piece : pieces) more += piece.size;
  if (more > capacity_ - size_) {
    const std::size_t capacity = std::max(size_ + more, capacity_ + capacity_ / 2);
    void *const larger = std::realloc(bytes_, capacity);
    if (larger == nullptr) throw std::bad_alloc();
    bytes_ = static_cast<unsigned char *>(larger);
    capacity_ = capacity;
  }
  for (const Span &piece : pieces) {
    if (piece.size == 0) continue;
    std::memcpy(bytes_ + size_, piece.data, piece.size);
    size_ += piece.size;
  }
}

void *Image::release() {
  void *const exact = size_ == 0 ? nullptr : std::realloc(bytes_, size_);
  void *const bytes = exact == nullptr ? bytes_ : exact;
  bytes_ = nullptr;
  size_ = capacity_ = 0;
  return bytes;
}

}  // namespace gpz::c
