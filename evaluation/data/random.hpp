// SPDX-License-Identifier: BSD-3-Clause
// The one source of chance in the data of the evaluation: xoshiro256** (Blackman, Vigna 2018), seeded by SplitMix64.
// Only operations that IEEE 754 rounds in one way are used (no libm but sqrt, no std:: distributions): a seed gives the
// same values with every compiler, library and processor.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace gpz::bench::data {

// The finaliser of SplitMix64: 64 well-mixed bits of x.
inline std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t &word : state_) word = mixed(seed += 0x9E3779B97F4A7C15u);
  }

  std::uint64_t bits() {
    const std::uint64_t result = rotated(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotated(state_[3], 45);
    return result;
  }

  // [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  // Mean 0, variance 1: the sum of four uniform numbers, close to a normal distribution within three sigma.
  double bell() {
    double sum = uniform();
    for (int k = 0; k < 3; ++k) sum += uniform();
    return (sum - 2) * std::sqrt(3.0);
  }

 private:
  static std::uint64_t rotated(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

  std::array<std::uint64_t, 4> state_{};
};

}  // namespace gpz::bench::data
