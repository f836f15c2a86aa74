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
  // docs/results/remote.md: on average half of an interval is read for a frame. So much arrives, and is decoded, in
  // about the time of a request.
  constexpr std::uint64_t interval_bytes = std::uint64_t{1} << 20;
  // With fewer frames files grow noticeably, with more they hardly shrink (docs/performance.md).
  constexpr std::uint64_t fewest = 5, most = 100;
  // Difference frames have 0.65 to 0.9 times the size of key frames.
  const std::uint64_t frames = 5 * interval_bytes / (4 * std::max<std::uint64_t>(key_frame_bytes, 1));
  return static_cast<unsigned>(std::clamp(frames, fewest, most));
}

}  // namespace gpz::tool
