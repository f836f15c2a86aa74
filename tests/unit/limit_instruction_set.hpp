// SPDX-License-Identifier: BSD-3-Clause
// For programs that use the library from outside, which cannot choose its kernels: they choose the processor instead.
#pragma once

#include <string>

#if defined(__x86_64__)
// The variable that __builtin_cpu_supports reads. Its layout is part of the interface between compilers and their
// libraries.
extern "C" {
struct ProcessorModel {
  unsigned vendor, type, subtype, features;
};
extern ProcessorModel processor_model __asm__("__cpu_model") __attribute__((visibility("hidden")));
}
#endif

namespace gpz::test {

// Makes the library believe that the processor has nothing better than `name` (generic, avx2, avx512). Before its first
// call of the codec.
inline void limit_instruction_set(const std::string &name) {
#if defined(__x86_64__)
  constexpr unsigned avx2 = 1u << 10, avx512f = 1u << 15;
  __builtin_cpu_init();
  if (name == "avx2" || name == "generic") processor_model.features &= ~avx512f;
  if (name == "generic") processor_model.features &= ~avx2;
#else
  static_cast<void>(name);
#endif
}

}  // namespace gpz::test
