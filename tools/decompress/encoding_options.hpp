// SPDX-License-Identifier: BSD-3-Clause
// How a command encodes frames.
#pragma once

#include <optional>

#include "gpz/trajectory.hpp"

namespace gpz::tool {

struct EncodingOptions {
  int threads = 1;
  unsigned key_interval = default_key_interval;
  Order order = default_order;
  std::optional<Effort> effort;  // without: default_effort; where frames are copied, what their files have
};

}  // namespace gpz::tool
