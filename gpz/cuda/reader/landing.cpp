// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/reader/landing.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <utility>

namespace gpz::cuda {
namespace {

// Rounds up to whole pages.
std::size_t rounded(std::size_t size) { return (size + 4095) / 4096 * 4096; }

}  // namespace

class Landing::PinnedLane final : public Lane {
 public:
  PinnedLane(Landing &landing, std::uint8_t *memory) : landing_(landing), memory_(memory) {}

  std::uint8_t *room() override {
    // Sleep, because enough copies are queued and the caller's thread needs a core. Waking up by events is slower.
    while (!sent_[turn_].is_over()) std::this_thread::sleep_for(std::chrono::microseconds(20));
    return here();
  }
  void send(std::size_t slot, std::size_t from, std::size_t size) override {
    Slot &to = *landing_.slots_[slot];
    to.copying = true;
    check_handled(cudaMemcpyAsync(static_cast<std::uint8_t *>(to.bytes.data()) + from, here(), size,
                                  cudaMemcpyHostToDevice, landing_.stream_.get()),
                  "copy to the device");
    sent_[turn_].record(landing_.stream_.get());
    turn_ = (turn_ + 1) % rooms_a_lane;
  }

 private:
  std::uint8_t *here() const { return memory_ + turn_ * landing_.room_; }

  Landing &landing_;
  std::uint8_t *memory_;
  std::array<Event, rooms_a_lane> sent_;
  std::size_t turn_ = 0;
};

Landing::Landing(int on, const ReadAhead::Settings &settings, std::uint64_t longest)
    : DeviceObject(on),
      room_(rounded(settings.room())),
      lanes_(static_cast<std::size_t>(settings.threads)),
      longest_(longest) {
  for (std::size_t k = 0; k < settings.frames; ++k) slots_.push_back(std::make_unique<Slot>());
}

Landing::~Landing() {
  give_back([this] { release(); });
}

void Landing::wait(Slot &slot) {
  if (slot.copying) check_handled(cudaStreamSynchronize(stream_.get()), "copies to the device");
  slot.copying = false;
  slot.copied.wait();
}

void Landing::reserve(std::size_t index, std::size_t size) {
  reserve_lanes();
  Slot &slot = *slots_[index];
  wait(slot);
  if (size <= slot.bytes.capacity()) return;
  slot.bytes.release();
  slot.charge = {};
  // Key frames are larger than other frames, and sooner or later each slot holds one.
  const std::size_t wanted = longest_ / 4 <= size ? std::max<std::size_t>(longest_, size) : size + size / 8;
  slot.charge = format::Charge(wanted);
  slot.bytes.allocate(wanted, 0);
  ++allocations_;
}

void Landing::reserve_lanes() {
  if (pinned_.data() != nullptr) return;
  const std::size_t size = lanes_ * rooms_a_lane * room_;
  format::Charge charge(size);
  pinned_.allocate(size, 0);
  charge_ = std::move(charge);
}

std::unique_ptr<Landing::Lane> Landing::lane() {
  check_handled(cudaSetDevice(device), "setting the device");
  const std::size_t k = lanes_used_++;
  if (k >= lanes_) throw Error(Status::internal, "more threads that read than lanes");
  return std::make_unique<PinnedLane>(*this, static_cast<std::uint8_t *>(pinned_.data()) + k * rooms_a_lane * room_);
}

void Landing::complete(std::size_t index) {
  Slot &slot = *slots_[index];
  slot.copied.record(stream_.get());
  slot.copying = false;
}

const std::uint8_t *Landing::on_device(std::size_t slot) const {
  return static_cast<const std::uint8_t *>(slots_[slot]->bytes.data());
}

void Landing::follow(std::size_t slot, Stream stream) const { slots_[slot]->copied.hold(stream); }

void Landing::release() {
  for (const auto &slot : slots_) {
    wait(*slot);
    slot->bytes.release();
    slot->charge = {};
  }
  check_handled(cudaStreamSynchronize(stream_.get()), "copies to the device");
  pinned_.release();
  charge_ = {};
  lanes_used_ = 0;
}

MemoryUse Landing::memory() const {
  std::size_t bytes = 0;
  for (const auto &slot : slots_) bytes += slot->bytes.capacity();
  return {bytes, allocations_};
}

}  // namespace gpz::cuda
