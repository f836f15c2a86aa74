// SPDX-License-Identifier: BSD-3-Clause
// The rows of a block that are close together in memory, as difference sections read them on the GPU.
#include <numeric>
#include <string>
#include <vector>

#include "cuda_difference_support.hpp"

namespace gpz::test {
namespace {

// Every slot of a block is there once, with its row. Returns how many rows are outside of the window; 1,024 if there is
// none.
std::size_t expect_window(const std::vector<std::uint32_t> &row, std::uint32_t first,
                          const std::vector<std::uint16_t> &slot) {
  if (first == cuda::no_window) return 1024;
  std::size_t elsewhere = 0;
  std::vector<bool> seen(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool outside = (slot[i] & cuda::row_elsewhere) != 0;
    const std::size_t s = slot[i] & ~static_cast<unsigned>(cuda::row_elsewhere);
    EXPECT_LT(s, row.size());
    if (s >= row.size()) return elsewhere;
    EXPECT_FALSE(seen[s]);
    seen[s] = true;
    elsewhere += outside ? 1 : 0;
    if (!outside) {
      EXPECT_EQ(row[s], first + i);
    }
  }
  return elsewhere;
}

std::size_t rows_outside(const std::vector<std::uint32_t> &row) {
  const DeviceMemory there(row.data(), row.size() * 4);
  const DeviceMemory first(4);
  const DeviceMemory slots((row.size() + row.size() % 2) * 2);
  cuda::find_windows(there.as<std::uint32_t>(), row.size(), first.as<std::uint32_t>(), slots.as<std::uint16_t>(),
                     nullptr);
  std::uint32_t begin = 0;
  std::vector<std::uint16_t> slot(row.size());
  check(cudaMemcpy(&begin, first.get(), 4, cudaMemcpyDeviceToHost));
  check(cudaMemcpy(slot.data(), slots.get(), row.size() * 2, cudaMemcpyDeviceToHost));
  return expect_window(row, begin, slot);
}

TEST_F(CudaDifference, WindowsOfRows) {
  EXPECT_EQ(rows_outside({4, 5, 5, 7}), 1u);  // one that is there twice
  EXPECT_EQ(rows_outside({0, 1, 2, 3}), 0u);
  EXPECT_EQ(rows_outside({9}), 0u);
  EXPECT_EQ(rows_outside({3, 2, 2000000000, 1}), 1u);
  EXPECT_EQ(rows_outside({0, 5000, 10000, 15000, 20000}), 1024u);
  Random random(7);
  for (const std::size_t n : {1u, 2u, 31u, 700u, 1024u})
    for (const std::uint32_t begin : {0u, 1u, 500u, 1023u, 1024u, 2000000000u}) {
      SCOPED_TRACE(std::to_string(n) + " rows from " + std::to_string(begin));
      std::vector<std::uint32_t> row(n);
      std::iota(row.begin(), row.end(), begin);
      for (std::size_t i = n; i > 1; --i) std::swap(row[i - 1], row[random.below(i)]);
      EXPECT_EQ(rows_outside(row), 0u);
      const std::size_t others = random.below(n / 8 + 1);
      for (std::size_t k = 0; k < others; ++k) row[k] = static_cast<std::uint32_t>(1000000000 + random.below(1000000));
      EXPECT_EQ(rows_outside(row), others);
    }
}

}  // namespace
}  // namespace gpz::test
