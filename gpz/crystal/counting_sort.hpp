// SPDX-License-Identifier: BSD-3-Clause
// Counting sort of particles by a small key, such as the number of a cell or a site.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gpz::crystal {

// Stable sort of particles by keys below `count`. `order` receives the particles; first[k] the index of the first one
// with key k, and first[count] the number of particles. Both are columns of std::uint32_t.
template <typename Column>
void counting_sort(const Column &number, std::size_t count, Column &first, Column &order) {
  first.assign(count + 1, 0);
  for (const std::uint32_t k : number) ++first[k + std::size_t{1}];
  for (std::size_t k = 1; k <= count; ++k) first[k] += first[k - 1];
  order.resize(number.size());
  for (std::size_t i = 0; i < number.size(); ++i) order[first[number[i]]++] = static_cast<std::uint32_t>(i);
  // Each entry now points to the beginning of the next key.
  std::copy_backward(first.begin(), first.end() - 1, first.end());
  first[0] = 0;
}

}  // namespace gpz::crystal
