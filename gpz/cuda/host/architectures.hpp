// SPDX-License-Identifier: BSD-3-Clause
// Which code of a library a GPU runs. Compute capabilities are numbers: 86 is 8.6.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "gpz/cuda_transfer.hpp"

namespace gpz::cuda {

// `machine` and `ptx`: compute capabilities for which a library has machine code, and PTX. Machine code runs on devices
// of the same major version that are not older; PTX can be compiled for all that are not older.
inline KernelCode code_for(int device, std::initializer_list<int> machine, std::initializer_list<int> ptx) {
  const auto runs = [device](int of) { return of / 10 == device / 10 && of <= device; };
  if (std::any_of(machine.begin(), machine.end(), runs)) return KernelCode::native;
  const auto compiles = [device](int of) { return of <= device; };
  return std::any_of(ptx.begin(), ptx.end(), compiles) ? KernelCode::compiled_by_driver : KernelCode::none;
}

}  // namespace gpz::cuda
