// SPDX-License-Identifier: BSD-3-Clause
// The base of objects that have memory, streams or events of one device.
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

  // For destructors of derived classes, whose members are still there: runs `release` while the device is current. If
  // this throws, the device is lost, and its memory with it.
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
