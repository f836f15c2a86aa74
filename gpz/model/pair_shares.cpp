// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/pair_shares.hpp"

#include <algorithm>
#include <cstring>

#include "gpz/kernels/kernels.hpp"

namespace gpz::model {

namespace {

constexpr std::size_t index_of(PairShares::Which which) { return which == PairShares::Which::all ? 0 : 1; }

}  // namespace

void PairShares::Pairs::make_room(std::size_t pairs) {
  const std::size_t room = pairs + codec::PairKernels::padding;
  if (partner.size() >= room) return;
  partner.resize(room);
  for (auto &axis : separation) axis.resize(room);
}

codec::PairsOfParticles PairShares::Pairs::view(std::size_t begin, std::size_t end) const {
  return {begin,          end,
          first.data(),   first.data() + 1,
          partner.data(), {separation[0].data(), separation[1].data(), separation[2].data()},
          false};
}

codec::PairsOfParticles PairShares::inner(const Part &part) const {
  const auto &first = parts_count_ > 1 ? inner_first_ : list_->first();
  return {part.begin,
          part.end,
          first.data() + part.begin,
          list_->first().data() + part.begin + 1,
          list_->partner().data(),
          {list_->separation(0).data(), list_->separation(1).data(), list_->separation(2).data()},
          parts_count_ > 1};
}

void PairShares::find_border(Part &part) {
  const std::uint32_t *const first = list_->first().data();
  const std::uint32_t *const partner = list_->partner().data();
  constexpr std::uint32_t unused = UINT32_MAX;
  part.number.assign(part.end / block + 1, unused);
  std::size_t pairs = 0;
  for (std::size_t own = part.begin; own < part.end; ++own) {
    // Partners ascend.
    std::uint32_t pair = first[own];
    for (; pair < first[own + 1] && partner[pair] < part.begin; ++pair) part.number[partner[pair] / block] = 0;
    inner_first_[own] = pair;
    if (pair == first[own]) continue;
    part.number[own / block] = 0;
    pairs += pair - first[own];
  }
  Border &border = part.border;
  border.blocks.clear();
  for (std::size_t b = 0; b < part.number.size(); ++b) {
    if (part.number[b] == unused) continue;
    part.number[b] = static_cast<std::uint32_t>(border.blocks.size());
    border.blocks.push_back(static_cast<std::uint32_t>(b));
  }
  if (border.blocks.empty()) return;
  const auto index_in_part = [&](std::size_t index) { return part.number[index / block] * block + index % block; };
  Pairs &to = border.pairs[0];
  to.make_room(pairs);
  to.first.assign(1, 0);
  std::size_t at = 0;
  for (std::size_t own = part.begin; own < part.end; ++own) {
    if (inner_first_[own] == first[own]) continue;
    to.first.resize(index_in_part(own) + 1, static_cast<std::uint32_t>(at));
    for (std::uint32_t pair = first[own]; pair < inner_first_[own]; ++pair, ++at) {
      to.partner[at] = static_cast<std::uint32_t>(index_in_part(partner[pair]));
      for (std::size_t d = 0; d < to.separation.size(); ++d) to.separation[d][at] = list_->separation(d)[pair];
    }
  }
  to.first.resize(particles_of(border) + 1, static_cast<std::uint32_t>(at));
  std::fill_n(to.partner.begin() + static_cast<std::ptrdiff_t>(at), std::size_t{codec::PairKernels::padding}, 0u);
}

void PairShares::divide(const crystal::NeighbourList &list, int threads) {
  list_ = &list;
  close_end_ = 0;
  const std::size_t n = list.particles();
  parts_count_ = static_cast<std::size_t>(codec::threads_for_particles(threads, n));
  if (parts_.size() < parts_count_) parts_.resize(parts_count_);
  // About as many pairs for each part.
  const auto &first = list.first();
  std::size_t begin = 0;
  for (std::size_t p = 0; p < parts_count_; ++p) {
    const std::uint64_t target = std::uint64_t{list.pairs()} * (p + 1) / parts_count_;
    const auto at = std::lower_bound(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(n), target);
    const auto index = static_cast<std::size_t>(at - first.begin());
    const std::size_t end = p + 1 == parts_count_ ? n : std::max(begin, index / block * block);
    parts_[p].begin = begin;
    parts_[p].end = end;
    begin = end;
  }
  if (parts_count_ == 1) return;
  inner_first_.resize(n);
  for_each_part([&](std::size_t part, std::size_t, std::size_t) { find_border(parts_[part]); });
}

void PairShares::take_close(std::uint64_t end) {
  if (close_end_ == end && end != 0) return;
  close_end_ = 0;  // until all parts are done: one may throw
  const auto take = [&](const codec::PairsOfParticles &from, Pairs &to) {
    const std::size_t particles = from.end - from.begin;
    to.first.resize(particles + 1);
    to.make_room(particles == 0 ? 0 : from.last[particles - 1] - from.first[0]);
    codec::kernels().motion.take_close(
        from, end, to.first.data(),
        {to.partner.data(), {to.separation[0].data(), to.separation[1].data(), to.separation[2].data()}});
  };
  for_each_part([&](std::size_t p, std::size_t, std::size_t) {
    Part &part = parts_[p];
    take(inner(part), part.close);
    Border &border = part.border;
    if (parts_count_ == 1 || border.blocks.empty()) return;
    take(border.pairs[0].view(0, particles_of(border)), border.pairs[1]);
  });
  close_end_ = end;
}

void PairShares::sum(std::size_t p, Which which, const std::int32_t *fine, const core::PairLines &lines,
                     std::uint64_t *sums) {
  const codec::MotionKernels &kernels = codec::kernels().motion;
  Part &part = parts_[p];
  std::fill(sums + stride * part.begin, sums + stride * part.end, 0);
  codec::PairsOfParticles pairs = which == Which::all ? inner(part) : part.close.view(part.begin, part.end);
  pairs.shares_sums = parts_count_ > 1;
  kernels.sum_forces(pairs, fine, lines, sums);
  Border &border = part.border;
  if (parts_count_ == 1 || border.blocks.empty()) return;
  const std::size_t particles = particles_of(border);
  auto &of_border = border.sums[index_of(which)];
  of_border.assign(stride * particles, 0);
  if (fine != nullptr) {
    border.fine.resize(stride * particles);
    for (std::size_t b = 0; b < border.blocks.size(); ++b) {
      const std::size_t index = border.blocks[b] * block;
      const std::size_t count = std::min(block, list_->particles() - index);
      std::memcpy(&border.fine[stride * block * b], &fine[stride * index], stride * count * sizeof *fine);
    }
  }
  kernels.sum_forces(border.pairs[index_of(which)].view(0, particles), fine == nullptr ? nullptr : border.fine.data(),
                     lines, of_border.data());
}

void PairShares::add_borders(std::size_t p, Which which, std::uint64_t *sums) const {
  if (parts_count_ == 1) return;
  const Part &to = parts_[p];
  for (std::size_t q = p; q < parts_count_; ++q) {
    const Border &border = parts_[q].border;
    const auto &of_border = border.sums[index_of(which)];
    auto at = std::lower_bound(border.blocks.begin(), border.blocks.end(), to.begin / block);
    for (; at != border.blocks.end() && *at * block < to.end; ++at) {
      const std::size_t index = *at * block;
      const std::uint64_t *const from =
          &of_border[stride * block * static_cast<std::size_t>(at - border.blocks.begin())];
      const std::size_t count = stride * std::min(block, to.end - index);
      for (std::size_t k = 0; k < count; ++k) sums[stride * index + k] += from[k];
    }
  }
}

std::size_t PairShares::memory_usage() const {
  std::size_t bytes = codec::memory_of(inner_first_);
  for (const Part &part : parts_) {
    bytes += part.close.memory_usage() + codec::memory_of(part.border.fine, part.border.sums, part.number);
    for (const Pairs &pairs : part.border.pairs) bytes += pairs.memory_usage();
  }
  return bytes;
}

}  // namespace gpz::model
