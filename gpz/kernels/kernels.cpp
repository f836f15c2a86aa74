// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/kernels/kernels.hpp"

#include <cstring>
#include <initializer_list>

namespace gpz::codec {

namespace generic {
extern const Kernels table;
}
#if defined(GPZ_CPU_X86)
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
#endif

const Kernels *kernels(const char *name) {
#if defined(GPZ_CPU_X86)
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  if (has_avx512 && std::strcmp(name, "avx512") == 0) return &avx512::table;
  if (has_avx2 && std::strcmp(name, "avx2") == 0) return &avx2::table;
#endif
  return std::strcmp(name, "generic") == 0 ? &generic::table : nullptr;
}

const Kernels &kernels() {
  static const Kernels &best = []() -> const Kernels & {
    for (const char *name : {"avx512", "avx2"})
      if (const Kernels *table = kernels(name)) return *table;
    return generic::table;
  }();
  return best;
}

}  // namespace gpz::codec
