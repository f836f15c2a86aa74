// SPDX-License-Identifier: BSD-3-Clause
#include "failing_allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace gpz::test {
namespace {

std::atomic<std::size_t> made{0};
std::atomic<std::size_t> fails_at{0};  // 0: none
std::atomic<bool> all_from_it{false};
std::atomic<std::ptrdiff_t> living{0};

void *allocate(std::size_t size) {
  const std::size_t n = fails_at;
  if (n != 0) {
    const std::size_t number = ++made;
    if (number == n || (all_from_it && number > n)) return nullptr;
  }
  void *const memory = std::malloc(size == 0 ? 1 : size);
  if (memory != nullptr) ++living;
  return memory;
}

void *allocate_or_throw(std::size_t size) {
  if (void *memory = allocate(size)) return memory;
  throw std::bad_alloc();
}

void release(void *memory) {
  if (memory != nullptr) --living;
  std::free(memory);
}

}  // namespace

FailingAllocation::FailingAllocation(std::size_t n, Failing failing) {
  made = 0;
  all_from_it = failing == Failing::all_from_it;
  fails_at = n;
}
FailingAllocation::~FailingAllocation() { fails_at = 0; }
bool FailingAllocation::happened() const { return made >= fails_at; }

std::ptrdiff_t living_blocks() { return living; }

}  // namespace gpz::test

void *operator new(std::size_t size) { return gpz::test::allocate_or_throw(size); }
void *operator new[](std::size_t size) { return gpz::test::allocate_or_throw(size); }
void *operator new(std::size_t size, const std::nothrow_t &) noexcept { return gpz::test::allocate(size); }
void *operator new[](std::size_t size, const std::nothrow_t &) noexcept { return gpz::test::allocate(size); }
void operator delete(void *memory) noexcept { gpz::test::release(memory); }
void operator delete[](void *memory) noexcept { gpz::test::release(memory); }
void operator delete(void *memory, std::size_t) noexcept { gpz::test::release(memory); }
void operator delete[](void *memory, std::size_t) noexcept { gpz::test::release(memory); }
void operator delete(void *memory, const std::nothrow_t &) noexcept { gpz::test::release(memory); }
void operator delete[](void *memory, const std::nothrow_t &) noexcept { gpz::test::release(memory); }
