// SPDX-License-Identifier: BSD-3-Clause
// Key intervals: which frames begin one, and how its frames are encoded.
#include <cstddef>
#include <string>

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

void IntervalEncoder::encode(const FrameInfo &frame, const std::vector<FieldInput> &fields, const int *rows,
                             const Encoding &encoding, EncodedChunk &out) {
  encoder_.set_order(encoding.order);
  encoder_.set_effort(encoding.effort, encoding.features);
  encoder_.encode(fields, static_cast<std::size_t>(frame.particles), rows, frame.box, frame.since_key == 0, out);
  add_earlier_errors(fields, out.largest_error);
}

}  // namespace gpz
