// SPDX-License-Identifier: BSD-3-Clause
// Base of objects that own memory, streams or events of one device.
#pragma once

#include "gpz/cuda/common/memory.hpp"

namespace gpz::cuda {

struct DeviceObject {
  // Does not check that the device exists: require_device() does.
  explicit DeviceObject(int on) : device(on) {}
  DeviceObject(const DeviceObject &) = delete;
  DeviceObject &operator=(const DeviceObject &) = delete;

  const int device;

 protected:
  ~DeviceObject() = default;

  // Call in destructors of derived classes, while their members exist: runs `release` with the device as the current
  // one. If this throws, the device is lost, and its memory with it.
  template <typename Release>
  void give_back(const Release &release) const noexcept {
    try {
      const CurrentDevice current(device);
      release();
    } catch (const Error &) {
      forget_last_error();
    }
  }
};

}  // namespace gpz::cuda
