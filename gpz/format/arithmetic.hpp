// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic as the format needs it, whatever the program has set for its own.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace gpz::format {

// While an object lives, its thread and those that it starts round to nearest, keep subnormal numbers and do not trap:
// programs linked with -ffast-math flush subnormal numbers to zero, others let invalid operations end the program.
// Every public function with arithmetic on values or bounds has one.
class UsualArithmetic {
 public:
#if defined(__x86_64__)
  UsualArithmetic() : before_(_mm_getcsr()) { set(0x1F80); }  // what a program starts with
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
  // No value is computed on the other side of the change, as far as it goes through memory.
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
