// SPDX-License-Identifier: BSD-3-Clause
// An airborne laser scan of made-up ground, in metres: points 0.5 apart, eight octaves of value noise with wavelengths
// from 1,024 to 8, trees up to 25 high, 5 mm of noise. In the order of measurement: scan lines in zigzag, strips 400
// apart flown back and forth.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpz::bench::data {

// x y z of each point. The same number and seed give the same values on every machine.
std::vector<std::array<double, 3>> laser_scan(std::size_t particles, std::uint64_t seed);

}  // namespace gpz::bench::data
