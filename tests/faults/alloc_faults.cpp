// SPDX-License-Identifier: BSD-3-Clause
// LD_PRELOAD library (glibc): one allocation of a program fails, as it does where memory is short. Counted are malloc,
// calloc, realloc, aligned_alloc, posix_memalign and memalign, hence operator new too, from the start of main() on.
//
//   ALLOC_FAULTS_AT=N         the N-th allocation fails; 0 or unset: none
//   ALLOC_FAULTS_FOLLOWING=1  all behind the N-th fail as well
//   ALLOC_FAULTS_WITHIN=TEXT  counts only allocations of a shared object whose file name has TEXT in it: those that its
//                             functions make, themselves or through the libraries of C and C++ (slow: it walks up the
//                             stack)
//   ALLOC_FAULTS_REPORT=FILE  the number of allocations is written there when the program ends
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// NOLINTBEGIN(bugprone-reserved-identifier): names of glibc
extern "C" {
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

std::atomic<bool> armed{false};
std::atomic<unsigned long> count{0};
unsigned long fails_at = 0;
bool following = false;
const char *within = nullptr;
const char *report = nullptr;

// Walking up the stack may itself allocate.
thread_local bool walking = false;

enum class Owner { unknown, language, chosen, other };

// Whose function is at this address? dladdr is slow, and the addresses are few: what it said is kept.
Owner owner_of(std::uintptr_t address) {
  static std::atomic<std::uintptr_t> known[1 << 14];  // 4 * address + owner
  auto &entry = known[address % (1 << 14)];
  const std::uintptr_t kept = entry.load();
  if (kept / 4 == address) return static_cast<Owner>(kept % 4);
  Dl_info object;
  Owner owner = Owner::other;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the unwinder gives addresses as numbers
  if (dladdr(reinterpret_cast<void *>(address), &object) != 0 && object.dli_fname != nullptr) {
    const auto has = [&](const char *text) { return std::strstr(object.dli_fname, text) != nullptr; };
    if (has(within)) owner = Owner::chosen;
    if (has("alloc_faults") || has("libc.so") || has("libstdc++") || has("libgcc")) owner = Owner::language;
  }
  entry = 4 * address + static_cast<std::uintptr_t>(owner);
  return owner;
}

_Unwind_Reason_Code is_within(struct _Unwind_Context *context, void *found) {
  const Owner owner = owner_of(_Unwind_GetIP(context));
  if (owner == Owner::language) return _URC_NO_REASON;
  *static_cast<bool *>(found) = owner == Owner::chosen;
  return _URC_END_OF_STACK;
}

bool counts() {
  if (within == nullptr) return true;
  if (walking) return false;
  walking = true;
  bool found = false;
  _Unwind_Backtrace(is_within, &found);
  walking = false;
  return found;
}

bool fails() {
  if (!armed || !counts()) return false;
  const unsigned long number = ++count;
  const bool now = fails_at != 0 && (following ? number >= fails_at : number == fails_at);
  if (now) errno = ENOMEM;
  return now;
}

void write_report() {
  armed = false;
  if (report == nullptr || count == 0) return;  // a program that this one has started would write over it
  char text[32];
  const int size = std::snprintf(text, sizeof text, "%lu\n", count.load());
  const int file = open(report, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0 || write(file, text, static_cast<size_t>(size)) != size) std::perror(report);
  if (file >= 0) close(file);
}

int (*real_main)(int, char **, char **);

int counted_main(int argc, char **argv, char **environment) {
  if (const char *at = std::getenv("ALLOC_FAULTS_AT")) fails_at = std::strtoul(at, nullptr, 10);
  following = std::getenv("ALLOC_FAULTS_FOLLOWING") != nullptr;
  within = std::getenv("ALLOC_FAULTS_WITHIN");
  report = std::getenv("ALLOC_FAULTS_REPORT");
  std::atexit(write_report);
  armed = true;
  return real_main(argc, argv, environment);
}

}  // namespace

extern "C" {

// NOLINTNEXTLINE(bugprone-reserved-identifier): the name of glibc
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void *stack_end) {
  const auto start = reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
  real_main = main;
  return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

void *malloc(size_t size) { return fails() ? nullptr : __libc_malloc(size); }
void *calloc(size_t number, size_t size) { return fails() ? nullptr : __libc_calloc(number, size); }
void *realloc(void *memory, size_t size) { return fails() ? nullptr : __libc_realloc(memory, size); }
void *memalign(size_t alignment, size_t size) { return fails() ? nullptr : __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *const given = memalign(alignment, size);
  if (given == nullptr) return ENOMEM;
  *memory = given;
  return 0;
}

}  // extern "C"
