// SPDX-License-Identifier: BSD-3-Clause
// Links of a particle of a molecule (docs/format.md, section 9d).
#pragma once

#include <cstdint>

#include "gpz/core/config.hpp"

namespace gpz::molecule {

// A direction from the parent of a particle that is known before the particle: to another child of the parent (beside),
// to the parent's parent (above), or to another child of the parent's parent (beyond).
enum class Reference : std::uint8_t { none, beside, above, beyond };

// Parent and reference directions of a particle. Lags count slots backwards.
struct Links {
  std::uint8_t parent = 0;  // lag; 0: a root
  Reference along = Reference::none;
  Reference across = Reference::none;
  std::uint8_t along_lag = 0;   // if along is `beside`
  std::uint8_t across_lag = 0;  // if across is `beside` or `beyond`

  // Number of directions: 0, 1 or 2.
  GPZ_HD int references() const { return along == Reference::none ? 0 : across == Reference::none ? 1 : 2; }
};

}  // namespace gpz::molecule
