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

// The number of slots whose particle is the guessed one. The guess has each particle once.
std::size_t Identity::count_guessed(const format::Column<std::int64_t> &slot_ids,
                                    const format::Column<std::int64_t> &ids, int threads) const {
  if (guess_.size() != slot_ids.size()) return 0;
  std::atomic<std::size_t> all{0};
  codec::parallel_particles(threads, slot_ids.size(), [&](std::size_t first, std::size_t last) {
    std::size_t same = 0;
    for (std::size_t slot = first; slot < last; ++slot) {
      const std::uint32_t particle = guess_[slot];
      same += particle < ids.size() && ids[particle] == slot_ids[slot] ? 1 : 0;
    }
    all += same;
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
  arriving_.clear();
  const std::size_t stayed = count_guessed(slot_ids, ids, threads);
  is_guess_ = all_stay_ = stayed == slot_ids.size() && stayed == ids.size();
  if (is_guess_) return;
  // Few that are where they were: the caller has sorted its particles.
  constexpr std::size_t sorted_part = 8;
  if (stayed < slot_ids.size() - slot_ids.size() / sorted_part && match_by_table(slot_ids, ids, threads)) return;
  particle_of_slot_.assign(slot_ids.size(), nowhere);
  taken_.assign(ids.size(), false);
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
  all_stay_ = arriving_.empty() && slot_ids.size() == ids.size();
}

// Particles by their ids, which differ and lie close together as they nearly always do. Returns false if that is not
// so, or if a particle leaves or arrives.
bool Identity::match_by_table(const format::Column<std::int64_t> &slot_ids, const format::Column<std::int64_t> &ids,
                              int threads) {
  constexpr std::uint64_t most_sparse = 4;  // entries of the table for each particle
  if (slot_ids.empty() || slot_ids.size() != ids.size()) return false;
  const auto [least, most] = std::minmax_element(slot_ids.begin(), slot_ids.end());
  const auto entry_of = [first = static_cast<std::uint64_t>(*least)](std::int64_t id) {
    return static_cast<std::uint64_t>(id) - first;
  };
  const std::uint64_t last = entry_of(*most);
  if (last >= most_sparse * ids.size()) return false;
  table_.assign(static_cast<std::size_t>(last) + 1, nowhere);
  particle_of_slot_.resize(slot_ids.size());
  std::atomic<bool> all{true};
  const auto exchange = [this](std::uint64_t entry, std::uint32_t value) {
    return __atomic_exchange_n(&table_[entry], value, __ATOMIC_RELAXED);
  };
  codec::parallel_particles(threads, ids.size(), [&](std::size_t first, std::size_t end) {
    bool fits = true;
    for (std::size_t i = first; i < end && fits; ++i) {
      const std::uint64_t entry = entry_of(ids[i]);
      fits = entry <= last && exchange(entry, static_cast<std::uint32_t>(i)) == nowhere;
    }
    if (!fits) all = false;
  });
  if (!all) return false;
  codec::parallel_particles(threads, slot_ids.size(), [&](std::size_t first, std::size_t end) {
    bool found = true;
    for (std::size_t slot = first; slot < end; ++slot) {
      particle_of_slot_[slot] = exchange(entry_of(slot_ids[slot]), nowhere);
      found = found && particle_of_slot_[slot] != nowhere;
    }
    if (!found) all = false;
  });
  all_stay_ = all;
  return all;
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
  if (is_guess_) return;
  if (all_stay_) {
    guess_ = particle_of_slot_;
    return;
  }
  guess_.clear();
  guess_.reserve(particle_of_slot_.size() + arriving_.size());
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
