// SPDX-License-Identifier: BSD-3-Clause
// Floating-point settings that the format needs, independent of those of the calling program.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace gpz::format {

// While an object exists, its thread and the threads started by it round to nearest, keep subnormal numbers and do not
// trap. This is needed because programs linked with -ffast-math flush subnormal numbers to zero, and others trap
// invalid operations. Every public function with arithmetic on values or bounds creates one.
class UsualArithmetic {
 public:
#if defined(__x86_64__)
  UsualArithmetic() : before_(_mm_getcsr()) { set(0x1F80); }  // default of a new process
  ~UsualArithmetic() { set(before_); }
#elif defined(__aarch64__)
  UsualArithmetic() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(before_)::"memory");
    set(0);
  }
  ~UsualArithmetic() { set(before_); }
#else
  UsualArithmetic() {
    std::feholdexcept(&before_);
    std::fesetround(FE_TONEAREST);
  }
  ~UsualArithmetic() { std::fesetenv(&before_); }
#endif
  UsualArithmetic(const UsualArithmetic &) = delete;
  UsualArithmetic &operator=(const UsualArithmetic &) = delete;

 private:
  // Prevents the compiler from moving computations on memory across the change.
#if defined(__x86_64__)
  static void set(unsigned state) {
    __asm__ volatile("" ::: "memory");
    _mm_setcsr(state);
    __asm__ volatile("" ::: "memory");
  }
  unsigned before_;
#elif defined(__aarch64__)
  static void set(unsigned long state) { __asm__ volatile("msr fpcr, %0" ::"r"(state) : "memory"); }
  unsigned long before_;
#else
  std::fenv_t before_;
#endif
};

}  // namespace gpz::format
