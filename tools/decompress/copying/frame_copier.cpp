// SPDX-License-Identifier: BSD-3-Clause
#include "copying/frame_copier.hpp"

#include "frame_input.hpp"

namespace gpz::tool {
namespace {

// Whether frame i is the last one or is followed by a key frame; what cannot be read counts as no difference frame.
bool ends_its_interval(const Reader &reader, std::size_t i) {
  if (i + 1 >= reader.frames()) return true;
  try {
    return reader.info(i + 1).since_key == 0;
  } catch (const Error &error) {
    if (!concerns_one_frame(error)) throw;
    return true;
  }
}

}  // namespace

bool FrameCopier::can_copy(const Reader &reader, std::size_t i, std::size_t next) const {
  const FrameInfo info = reader.info(i);
  if (info.since_key != 0) return last_ == Last::copied && info.reference == checksum_;
  if (next == i + 1 || ends_its_interval(reader, i)) return true;
  return last_ != Last::encoded && next >= reader.frames();
}

void FrameCopier::put(const Reader &reader, std::size_t i, std::size_t next) {
  if (can_copy(reader, i, next)) {
    StoredFrame frame = reader.stored(i);
    if (change_ == nullptr || change_->of_stored(frame)) {
      out_.copy(frame);
      last_ = Last::copied;
      checksum_ = frame.checksum;
      return;
    }
  }
  Frame frame = reader.read(i, threads_, change_ == nullptr ? std::vector<bool>() : change_->wanted(reader.info(i)));
  if (change_ != nullptr) change_->of_decoded(frame);
  out_.encode(frame);
  last_ = Last::encoded;
}

}  // namespace gpz::tool
