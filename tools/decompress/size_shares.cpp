// SPDX-License-Identifier: BSD-3-Clause
#include "size_shares.hpp"

#include <algorithm>

#include "exit_code.hpp"
#include "frame_input.hpp"
#include "gpz/error.hpp"

namespace gpz::tool {

void for_field_sizes(const Reader &reader, const std::function<void(const Field &, double)> &use,
                     std::size_t most_frames_read) {
  constexpr std::size_t most_sections_read = 20'000;  // of a frame: whoever made it, it costs a moment only
  const std::size_t frames = reader.frames();
  const std::size_t sample = std::min(frames, most_frames_read);
  // A frame stands for others of its size: key frames are longer than others.
  double all = 0, taken = 0;  // bytes
  for (const IndexEntry &frame : reader.scan().frames) all += static_cast<double>(frame.length);
  for (std::size_t k = 0; k < sample; ++k) {
    const std::size_t i = k * frames / sample;
    taken += static_cast<double>(reader.scan().frames[i].length);
  }
  for (std::size_t k = 0; k < sample; ++k) {
    const std::size_t i = k * frames / sample;
    try {
      std::vector<ChunkEntry> chunks;
      const std::vector<Field> fields = reader.info(i, &chunks).fields;
      if (!fields.empty() && chunks.size() > most_sections_read / fields.size()) continue;
      const std::vector<std::uint64_t> sizes = reader.field_sizes(i);
      for (std::size_t f = 0; f < fields.size(); ++f) use(fields[f], static_cast<double>(sizes[f]) * (all / taken));
    } catch (const Error &error) {
      if (!concerns_one_frame(error)) throw;
    }
  }
}

}  // namespace gpz::tool
