// SPDX-License-Identifier: BSD-3-Clause
// How a command encodes frames.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "gpz/limits.hpp"
#include "gpz/trajectory.hpp"

namespace gpz::tool {

struct EncodingOptions {
  int threads = 1;
  unsigned key_interval = default_key_interval;
  bool is_key_interval_chosen = false;  // instead of key_interval: Writer::choose_key_interval
  Order order = default_order;
  std::optional<Effort> effort;  // without: default_effort; where frames are copied, what their files have
};

// Bytes of frames that wait for a thread to encode them (Writer::set_pending).
inline std::uint64_t most_pending() { return std::min(std::uint64_t{1} << 30, default_memory_limit() / 4); }

}  // namespace gpz::tool
