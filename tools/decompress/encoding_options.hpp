// SPDX-License-Identifier: BSD-3-Clause
// How a command encodes frames.
#pragma once

#include "gpz/trajectory.hpp"

namespace gpz::tool {

struct EncodingOptions {
  int threads = 1;
  unsigned key_interval = default_key_interval;
  Order order = Order::id;
};

}  // namespace gpz::tool
