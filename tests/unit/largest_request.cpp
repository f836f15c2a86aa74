// SPDX-License-Identifier: BSD-3-Clause
#include "largest_request.hpp"

#include <cstdlib>
#include <new>

namespace gpz::test {

std::atomic<std::size_t> largest_request{0};

namespace {

void *allocate(std::size_t size) {
  std::size_t largest = largest_request;
  while (size > largest && !largest_request.compare_exchange_weak(largest, size)) {
  }
  return std::malloc(size == 0 ? 1 : size);
}

void *allocate_or_throw(std::size_t size) {
  if (void *memory = allocate(size)) return memory;
  throw std::bad_alloc();
}

}  // namespace
}  // namespace gpz::test

void *operator new(std::size_t size) { return gpz::test::allocate_or_throw(size); }
void *operator new[](std::size_t size) { return gpz::test::allocate_or_throw(size); }
void *operator new(std::size_t size, const std::nothrow_t &) noexcept { return gpz::test::allocate(size); }
void *operator new[](std::size_t size, const std::nothrow_t &) noexcept { return gpz::test::allocate(size); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::size_t) noexcept { std::free(memory); }
