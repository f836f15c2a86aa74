// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/id_order.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "gpz/codec/parallel.hpp"
#include "gpz/error.hpp"

namespace gpz::trajectory {

codec::Target IdOrder::target(std::size_t n) {
  if (n > UINT32_MAX) throw Error(Status::limit_exceeded, "more particles than can be sorted by id");
  ids_.resize(n);
  codec::Target out;
  out.components[0] = {ids_.data(), sizeof(std::int64_t), ConstArray::Type::int64};
  return out;
}

void IdOrder::rank(int threads) {
  is_sorted_ = std::is_sorted(ids_.begin(), ids_.end());
  if (is_sorted_) return;
  rows_.resize(ids_.size());
  if (rank_all_present(1, threads)) return;
  std::int64_t least = ids_[0];
  std::int64_t most = ids_[0];
  for (const std::int64_t id : ids_) {
    least = std::min(least, id);
    most = std::max(most, id);
  }
  const std::uint64_t range = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
  if (range == ids_.size() - 1 && rank_all_present(least, threads)) return;
  if (range < 4 * ids_.size())
    rank_by_counting(least, static_cast<std::size_t>(range) + 1);
  else
    rank_by_sorting();
}

// Fast path: ids are nearly always 1 to N, so each id gives its row. Returns false unless the ids are n consecutive
// numbers from `least` on, each once.
bool IdOrder::rank_all_present(std::int64_t least, int threads) {
  const std::size_t n = ids_.size();
  seen_.assign(n + 1, 0);  // the last entry is for ids out of range
  // Local pointers, because stores to bytes may alias the members.
  const std::int64_t *const id = ids_.data();
  std::uint32_t *const rows = rows_.data();
  std::uint8_t *const seen = seen_.data();
  codec::parallel_particles(threads, n, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t row =
          std::min<std::uint64_t>(static_cast<std::uint64_t>(id[i]) - static_cast<std::uint64_t>(least), n);
      rows[i] = static_cast<std::uint32_t>(row);
      __atomic_store_n(seen + row, std::uint8_t{1}, __ATOMIC_RELAXED);  // of several threads, if an id occurs twice
    }
  });
  return std::memchr(seen, 0, n) == nullptr;
}

void IdOrder::rank_by_counting(std::int64_t least, std::size_t range) {
  format::Column<std::uint32_t> next(range + 1);
  const auto at = [&](std::int64_t id) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(least));
  };
  for (const std::int64_t id : ids_) ++next[at(id) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (std::size_t i = 0; i < ids_.size(); ++i) rows_[i] = next[at(ids_[i])]++;
}

void IdOrder::rank_by_sorting() {
  format::Column<std::uint32_t> sorted(ids_.size());
  std::iota(sorted.begin(), sorted.end(), 0u);
  // Not std::stable_sort, which allocates memory that is not counted.
  std::sort(sorted.begin(), sorted.end(),
            [&](std::uint32_t a, std::uint32_t b) { return ids_[a] < ids_[b] || (ids_[a] == ids_[b] && a < b); });
  for (std::size_t row = 0; row < sorted.size(); ++row) rows_[sorted[row]] = static_cast<std::uint32_t>(row);
}

}  // namespace gpz::trajectory
