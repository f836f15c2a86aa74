// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/reader/landing.hpp"

#include <algorithm>

namespace gpz::cuda {

Landing::Landing(int device, std::size_t slots, std::uint64_t longest) : device_(device), longest_(longest) {
  for (std::size_t k = 0; k < slots; ++k) slots_.push_back(std::make_unique<Slot>());
}

Landing::~Landing() {
  try {
    const CurrentDevice current(device_);
    release();
  } catch (const Error &) {  // the device is lost, and its memory with it
    forget_last_error();
  }
}

void Landing::wait(Slot &slot) {
  if (slot.copying) check_handled(cudaStreamSynchronize(stream_.get()), "copies to the device");
  slot.copying = false;
  slot.copied.wait();
}

std::uint8_t *Landing::reserve(std::size_t index, std::size_t size) {
  Slot &slot = *slots_[index];
  wait(slot);
  if (size > std::min(slot.host.capacity(), slot.device.capacity())) {
    slot.host.release();
    slot.device.release();
    slot.charge = {};
    // Key frames are larger than the others, and each slot has one of them sooner or later. Taking pinned memory takes
    // longer than filling it.
    const std::size_t wanted = longest_ / 4 <= size ? std::max<std::size_t>(longest_, size) : size + size / 8;
    slot.charge = format::Charge(2 * std::uint64_t{wanted});
    slot.host.allocate(wanted, 0);
    slot.device.allocate(wanted, 0);
    ++allocations_;
  }
  return static_cast<std::uint8_t *>(slot.host.data());
}

void Landing::begin_thread() { check_handled(cudaSetDevice(device_), "setting the device"); }

void Landing::arrived(std::size_t index, std::size_t from, std::size_t size) {
  Slot &slot = *slots_[index];
  slot.copying = true;
  check_handled(cudaMemcpyAsync(static_cast<std::uint8_t *>(slot.device.data()) + from,
                                static_cast<std::uint8_t *>(slot.host.data()) + from, size, cudaMemcpyHostToDevice,
                                stream_.get()),
                "copy to the device");
}

void Landing::complete(std::size_t index) {
  Slot &slot = *slots_[index];
  slot.copied.record(stream_.get());
  slot.copying = false;
}

const std::uint8_t *Landing::on_device(std::size_t slot) const {
  return static_cast<const std::uint8_t *>(slots_[slot]->device.data());
}

void Landing::follow(std::size_t slot, Stream stream) const { slots_[slot]->copied.hold(stream); }

void Landing::release() {
  for (const auto &slot : slots_) {
    wait(*slot);
    slot->host.release();
    slot->device.release();
    slot->charge = {};
  }
}

MemoryUse Landing::memory() const {
  std::size_t bytes = 0;
  for (const auto &slot : slots_) bytes += slot->device.capacity();
  return {bytes, allocations_};
}

}  // namespace gpz::cuda
