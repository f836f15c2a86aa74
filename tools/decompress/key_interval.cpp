// SPDX-License-Identifier: BSD-3-Clause
#include "key_interval.hpp"

#include <algorithm>

namespace gpz::tool {

std::uint64_t encoded_size(const Metadata &metadata, const EncodingOptions &options,
                           const std::function<void(Writer &)> &write) {
  Bytes bytes;
  Writer writer(bytes, metadata, options.threads);
  writer.set_order(options.order);
  writer.set_effort(options.effort.value_or(default_effort));
  write(writer);
  return writer.frames().front().length;
}

unsigned key_interval_for(std::uint64_t key_frame_bytes) {
  // Difference frames have 0.5 to 0.9 times the size of key frames, so an interval has 1 to 2 MB. On average half of it
  // is read for a frame, which takes about the time of a request (docs/results/remote.md).
  constexpr std::uint64_t key_frames_bytes = std::uint64_t{2} << 20;
  // With fewer frames files grow noticeably, with more they hardly shrink (docs/performance.md).
  constexpr std::uint64_t fewest = 5, most = 100;
  return static_cast<unsigned>(
      std::clamp(key_frames_bytes / std::max<std::uint64_t>(key_frame_bytes, 1), fewest, most));
}

}  // namespace gpz::tool
