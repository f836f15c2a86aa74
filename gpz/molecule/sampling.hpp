// SPDX-License-Identifier: BSD-3-Clause
// The sample of particles from which classes of molecules are fitted (docs/format.md, section 9c), for CPUs and GPUs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/core/config.hpp"

namespace gpz::molecule {

// Fits use a sample of about 256 particles of each class and frame.
GPZ_HD bool is_sampled(std::size_t slot, std::size_t members) {
  constexpr std::uint64_t enough = 256;
  if (members <= enough) return true;
  return (slot * 0x9E3779B1u & 0xFFFFFFFFu) * members < enough << 32;
}

}  // namespace gpz::molecule
