// SPDX-License-Identifier: BSD-3-Clause
#include "counted_memory.hpp"

#include <malloc.h>

#include <cstdlib>
#include <new>

namespace gpz::test {

std::atomic<std::int64_t> in_use{0};
std::atomic<std::int64_t> most_use{0};

namespace {

void *allocate(std::size_t size) {
  void *const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) return nullptr;
  const std::int64_t now = in_use += static_cast<std::int64_t>(malloc_usable_size(memory));
  std::int64_t most = most_use;
  while (now > most && !most_use.compare_exchange_weak(most, now)) {
  }
  return memory;
}

void *allocate_or_throw(std::size_t size) {
  if (void *memory = allocate(size)) return memory;
  throw std::bad_alloc();
}

void give_back(void *memory) {
  in_use -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace
}  // namespace gpz::test

void *operator new(std::size_t size) { return gpz::test::allocate_or_throw(size); }
void *operator new[](std::size_t size) { return gpz::test::allocate_or_throw(size); }
void *operator new(std::size_t size, const std::nothrow_t &) noexcept { return gpz::test::allocate(size); }
void *operator new[](std::size_t size, const std::nothrow_t &) noexcept { return gpz::test::allocate(size); }
void operator delete(void *memory) noexcept { gpz::test::give_back(memory); }
void operator delete[](void *memory) noexcept { gpz::test::give_back(memory); }
void operator delete(void *memory, std::size_t) noexcept { gpz::test::give_back(memory); }
void operator delete[](void *memory, std::size_t) noexcept { gpz::test::give_back(memory); }
