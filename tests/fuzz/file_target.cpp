// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer's hooks for targets whose input is a .gpz file.
#include "mutator.hpp"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size, std::size_t capacity,
                                               unsigned seed) {
  gpz::fuzz::Random random(seed);
  return gpz::fuzz::mutate_file(data, size, capacity, random);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t *first, std::size_t first_size,
                                                 const std::uint8_t *second, std::size_t second_size, std::uint8_t *out,
                                                 std::size_t capacity, unsigned seed) {
  gpz::fuzz::Random random(seed);
  return gpz::fuzz::cross_files(first, first_size, second, second_size, out, capacity, random);
}
