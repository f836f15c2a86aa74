// SPDX-License-Identifier: BSD-3-Clause
// Memory that is reused from frame to frame. Results do not depend on what it holds of earlier frames of its owner.
#pragma once

#include <cstddef>
#include <memory>

namespace gpz::model {

// Made when it is first needed: a file may have many small states. A copy begins without any, and an owner that another
// one is copied to loses its own: what is remembered there is of other frames.
template <typename T>
class WorkingMemory {
 public:
  WorkingMemory() = default;
  WorkingMemory(const WorkingMemory & /*other*/) {}
  WorkingMemory(WorkingMemory &&) noexcept = default;
  WorkingMemory &operator=(const WorkingMemory &other) {
    if (this != &other) memory_.reset();
    return *this;
  }
  WorkingMemory &operator=(WorkingMemory &&) noexcept = default;
  ~WorkingMemory() = default;

  T &get() {
    if (!memory_) memory_ = std::make_unique<T>();
    return *memory_;
  }
  T *if_made() { return memory_.get(); }
  std::size_t memory_usage() const { return memory_ ? sizeof(T) + memory_->memory_usage() : 0; }

 private:
  std::unique_ptr<T> memory_;
};

}  // namespace gpz::model
