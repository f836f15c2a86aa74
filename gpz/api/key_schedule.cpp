// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/error.hpp"
#include "gpz/trajectory.hpp"

namespace gpz {

void KeySchedule::set_interval(unsigned interval) {
  if (interval < 1 || interval > max_key_interval)
    throw Error(Status::invalid_argument, "a key interval is a number of frames from 1 to " +
                                              std::to_string(max_key_interval) + ", not " + std::to_string(interval));
  interval_ = interval;
  restart();
}

std::uint16_t KeySchedule::next(const std::vector<Field> &fields) const {
  return static_cast<std::uint16_t>(has_identity(fields) ? next_ : 0);
}

void KeySchedule::written(const FrameInfo &frame) {
  next_ = has_identity(frame.fields) ? (frame.since_key + 1U) % interval_ : 0;
}

}  // namespace gpz
