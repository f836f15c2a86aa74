// SPDX-License-Identifier: BSD-3-Clause
// Particles sorted by a small number: of their cell, of their site.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gpz::crystal {

// `order` becomes the particles by ascending number below `count`, those of the same number in their order; first[k]
// the place of the first one of number k, and first[count] the number of particles. Columns of std::uint32_t.
template <typename Column>
void counting_sort(const Column &number, std::size_t count, Column &first, Column &order) {
  first.assign(count + 1, 0);
  for (const std::uint32_t k : number) ++first[k + std::size_t{1}];
  for (std::size_t k = 1; k <= count; ++k) first[k] += first[k - 1];
  order.resize(number.size());
  for (std::size_t i = 0; i < number.size(); ++i) order[first[number[i]]++] = static_cast<std::uint32_t>(i);
  // Each has moved to where the next one begins.
  std::copy_backward(first.begin(), first.end() - 1, first.end());
  first[0] = 0;
}

}  // namespace gpz::crystal
