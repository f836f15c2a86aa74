// SPDX-License-Identifier: BSD-3-Clause
// make_gpu() in a build without CUDA.
#include "bench/device.hpp"
#include "bench/trajectory.hpp"

namespace gpz::bench {

std::unique_ptr<Device> make_gpu(int /*index*/, std::string &reason) {
  reason = "this gpz was built without CUDA";
  return nullptr;
}

void read_on_gpu(int /*index*/, int /*threads*/, const Repeats & /*repeats*/, TrajectoryReport & /*report*/) {}

}  // namespace gpz::bench
