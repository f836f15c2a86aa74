// SPDX-License-Identifier: BSD-3-Clause
// make_gpu() in a build without CUDA.
#include "bench/device.hpp"

namespace gpz::bench {

std::unique_ptr<Device> make_gpu(int /*index*/, std::string &reason) {
  reason = "this gpz was built without CUDA";
  return nullptr;
}

}  // namespace gpz::bench
