// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/identity.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "gpz/codec/parallel.hpp"

namespace gpz::trajectory {
namespace {

// Fibonacci hashing: spreads consecutive ids, the usual case.
std::size_t hash(std::int64_t id, int bits) {
  return static_cast<std::size_t>((static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15u) >> (64 - bits));
}

// Limit of the search among equal ids; beyond it, particles with that id are stored as leaving and arriving.
constexpr int longest_probe = 256;

}  // namespace

// The guess has each particle once.
bool Identity::is_as_guessed(const format::Column<std::int64_t> &slot_ids, const format::Column<std::int64_t> &ids,
                             int threads) const {
  if (guess_.size() != slot_ids.size() || guess_.size() != ids.size()) return false;
  std::atomic<bool> all{true};
  codec::parallel_particles(threads, ids.size(), [&](std::size_t first, std::size_t last) {
    bool same = true;
    for (std::size_t slot = first; slot < last; ++slot) {
      const std::uint32_t particle = guess_[slot];
      same = same && particle < ids.size() && ids[particle] == slot_ids[slot];
    }
    if (!same) all = false;
  });
  return all;
}

void Identity::match(const format::Column<std::int64_t> &slot_ids, const format::Column<std::int64_t> &ids,
                     int threads) {
  // Without a guess, particles may have the order of slots. Ids that occur more than once are left to the hash, which
  // gives up some of them.
  const auto not_ascending = [](std::int64_t a, std::int64_t b) { return a >= b; };
  if (guess_.empty() && ids == slot_ids && std::adjacent_find(ids.begin(), ids.end(), not_ascending) == ids.end()) {
    guess_.resize(ids.size());
    std::iota(guess_.begin(), guess_.end(), 0u);
  }
  if (is_as_guessed(slot_ids, ids, threads)) {
    particle_of_slot_ = guess_;
    arriving_.clear();
    return;
  }
  particle_of_slot_.assign(slot_ids.size(), nowhere);
  taken_.assign(ids.size(), false);
  arriving_.clear();
  std::size_t matched = 0;
  if (guess_.size() == slot_ids.size()) {
    for (std::size_t slot = 0; slot < slot_ids.size(); ++slot) {
      const std::uint32_t particle = guess_[slot];
      if (particle >= ids.size() || ids[particle] != slot_ids[slot] || taken_[particle]) continue;
      particle_of_slot_[slot] = particle;
      taken_[particle] = true;
      ++matched;
    }
  }
  if (matched < slot_ids.size() || matched < ids.size()) match_by_hash(slot_ids, ids);
}

void Identity::match_by_hash(const format::Column<std::int64_t> &slot_ids, const format::Column<std::int64_t> &ids) {
  const auto left = static_cast<std::size_t>(std::count(particle_of_slot_.begin(), particle_of_slot_.end(), nowhere));
  int bits = 4;
  while ((std::size_t{1} << bits) < 2 * left) ++bits;
  const std::size_t mask = (std::size_t{1} << bits) - 1;
  table_.assign(mask + 1, nowhere);
  for (std::size_t slot = 0; slot < slot_ids.size(); ++slot) {
    if (particle_of_slot_[slot] != nowhere) continue;
    std::size_t at = hash(slot_ids[slot], bits);
    int probes = 0;
    for (; table_[at] != nowhere && probes < longest_probe; ++probes) at = (at + 1) & mask;
    if (probes < longest_probe) table_[at] = static_cast<std::uint32_t>(slot);
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (taken_[i]) continue;
    std::size_t at = hash(ids[i], bits);
    const auto is_other = [&](std::uint32_t slot) {
      return slot != nowhere && (slot_ids[slot] != ids[i] || particle_of_slot_[slot] != nowhere);
    };
    for (int probes = 0; is_other(table_[at]) && probes < longest_probe; ++probes) at = (at + 1) & mask;
    if (table_[at] == nowhere || is_other(table_[at]))
      arriving_.push_back(static_cast<std::uint32_t>(i));
    else
      particle_of_slot_[table_[at]] = static_cast<std::uint32_t>(i);
  }
}

bool Identity::repeats(const format::Column<std::int64_t> &ids) {
  std::vector<std::int64_t> sorted(ids.begin(), ids.end());
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

// A repeated id has only one slot, so one of its particles is among the arriving ones.
bool Identity::repeats_match(const format::Column<std::int64_t> &ids) const {
  if (arriving_.empty()) return false;
  std::vector<std::int64_t> arrived;
  for (const std::uint32_t i : arriving_) arrived.push_back(ids[i]);
  std::sort(arrived.begin(), arrived.end());
  if (std::adjacent_find(arrived.begin(), arrived.end()) != arrived.end()) return true;
  // A bit per hash value, so that few of the other particles need a search.
  constexpr int filter_bits = 16;
  std::vector<bool> filter(std::size_t{1} << filter_bits);
  for (const std::int64_t id : arrived) filter[hash(id, filter_bits)] = true;
  std::size_t next = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (next < arriving_.size() && arriving_[next] == i)
      ++next;
    else if (filter[hash(ids[i], filter_bits)] && std::binary_search(arrived.begin(), arrived.end(), ids[i]))
      return true;
  }
  return false;
}

void Identity::renumber() {
  if (arriving_.empty() && guess_ == particle_of_slot_) return;
  guess_.clear();
  for (const std::uint32_t particle : particle_of_slot_)
    if (particle != nowhere) guess_.push_back(particle);
  guess_.insert(guess_.end(), arriving_.begin(), arriving_.end());
}

std::size_t Identity::memory_usage() const {
  return (guess_.capacity() + particle_of_slot_.capacity() + arriving_.capacity() + table_.capacity()) *
             sizeof(std::uint32_t) +
         taken_.capacity() / 8;
}

}  // namespace gpz::trajectory
