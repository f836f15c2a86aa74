// SPDX-License-Identifier: BSD-3-Clause
// Integers of the last frame in device memory, in the order and type of the caller's arrays. If a frame has equal
// integers, no particle changed its row and no value changed, which a comparison of bytes finds out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/trajectory/fields.hpp"

namespace gpz::cuda {

class LastFrame {
 public:
  // Keeps component d of field f. Throws out_of_memory.
  void keep(std::size_t f, std::size_t d, const ConstArray &values, std::uint64_t particles, cudaStream_t stream) {
    const std::size_t at = f * core::max_components + d;
    while (kept_.size() <= at) kept_.push_back(std::make_unique<Kept>());
    Kept &kept = *kept_[at];
    kept.particles = 0;
    const std::size_t size = particles * element_size(values.type);
    if (size > kept.memory.capacity()) {
      kept.memory.release();
      kept.memory.allocate(size);
      ++allocations_;
    }
    copy_integers(values, particles, kept.memory.data(), stream);
    kept.particles = particles;
    kept.type = values.type;
  }

  // The kept values, if they have this number and type; otherwise null.
  const void *find(std::size_t f, std::size_t d, ConstArray::Type type, std::uint64_t particles) const {
    const std::size_t at = f * core::max_components + d;
    if (at >= kept_.size() || kept_[at]->particles != particles || kept_[at]->type != type) return nullptr;
    return kept_[at]->memory.data();
  }

  void forget() {
    for (const auto &kept : kept_) kept->particles = 0;
  }
  void release() { kept_.clear(); }
  std::size_t device_bytes() const {
    std::size_t bytes = 0;
    for (const auto &kept : kept_) bytes += kept->memory.capacity();
    return bytes;
  }
  std::uint64_t allocations() const { return allocations_; }

 private:
  struct Kept {
    DeviceBuffer memory;
    std::uint64_t particles = 0;
    ConstArray::Type type = ConstArray::Type::int32;
  };
  std::vector<std::unique_ptr<Kept>> kept_;
  std::uint64_t allocations_ = 0;
};

}  // namespace gpz::cuda
