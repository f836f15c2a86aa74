// SPDX-License-Identifier: BSD-3-Clause
// The kernels that this machine can run.
#pragma once

#include <vector>

#include "gpz/kernels/kernels.hpp"

namespace gpz::codec {

inline std::vector<const Kernels *> all_kernels() {
  std::vector<const Kernels *> all;
  for (const char *name : {"generic", "avx2", "avx512"})
    if (const auto *found = kernels(name)) all.push_back(found);
  return all;
}

}  // namespace gpz::codec
