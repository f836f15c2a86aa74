// Replaces operator new by one that remembers the largest size it was asked for. For one source file of an executable.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace gpz::test {

inline std::atomic<std::size_t> largest_request{0};

inline void *allocate(std::size_t size) {
  std::size_t largest = largest_request;
  while (size > largest && !largest_request.compare_exchange_weak(largest, size)) {
  }
  if (void *memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace gpz::test

void *operator new(std::size_t size) { return gpz::test::allocate(size); }
void *operator new[](std::size_t size) { return gpz::test::allocate(size); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::size_t) noexcept { std::free(memory); }
