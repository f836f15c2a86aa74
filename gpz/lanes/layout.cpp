// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/layout.hpp"

#include <algorithm>
#include <array>
#include <queue>
#include <string>
#include <unordered_map>

#include "gpz/codec/memory.hpp"
#include "gpz/error.hpp"

namespace gpz::lanes {

namespace {

constexpr std::size_t lanes = core::step_lanes;
// Rows of references are 8 times as many integers, and have 32 bits.
constexpr std::size_t most_slots = std::size_t{1} << 29;

// Lists of particles, one after the other.
struct Lists {
  format::Column<std::uint32_t> end;  // of each list
  format::Column<std::uint32_t> of;

  // `each(use)` calls use(list, particle) for all entries, in the same order each time.
  template <typename Each>
  Lists(std::size_t count, const Each &each) : end(count + 1) {
    std::size_t all = 0;
    each([&](std::uint32_t list, std::uint32_t) {
      ++end[list + 1];
      ++all;
    });
    for (std::size_t k = 1; k <= count; ++k) end[k] += end[k - 1];
    of.resize(all);
    each([&](std::uint32_t list, std::uint32_t particle) { of[end[list]++] = particle; });
    for (std::size_t k = count; k > 0; --k) end[k] = end[k - 1];
    if (count != 0) end[0] = 0;
  }
  std::uint32_t first(std::size_t list) const { return end[list]; }
  std::uint32_t last(std::size_t list) const { return end[list + 1]; }
};

}  // namespace

References references_of(const molecule::Tree &tree, std::size_t particle) {
  using molecule::Reference;
  const auto i = static_cast<std::uint32_t>(particle);
  const molecule::Links &links = tree[i];
  References of;
  if (links.parent == 0) return of;
  of.parent = i - links.parent;
  const auto above = [&](std::uint32_t p) { return p - tree[p].parent; };
  if (links.along == Reference::above) of.axis = above(of.parent);
  if (links.along == Reference::beside) of.axis = i - links.along_lag;
  if (links.across == Reference::above) of.second = above(of.axis);
  if (links.across == Reference::beside || links.across == Reference::beyond) of.second = i - links.across_lag;
  return of;
}

core::StepKind Molecules::kind_of(std::size_t particle) const {
  if (!have_bonds()) return core::StepKind::root;
  const molecule::Links &links = tree[particle];
  if (links.parent == 0) return core::StepKind::root;
  if (links.along == molecule::Reference::none) return core::StepKind::sphere;
  return kind[of_class[particle]];
}

References Molecules::references_of(std::size_t particle) const {
  if (!have_bonds()) return {};
  References of = lanes::references_of(tree, particle);
  if (kind_of(particle) == core::StepKind::sphere) of.axis = of.second = UINT32_MAX;
  return of;
}

void Layout::build(const Molecules &molecules, std::uint32_t particles_a_block) {
  clear();
  if (!molecules.have_bonds()) return line_up(molecules, particles_a_block);
  format::Column<References> references(molecules.particles());
  for (std::size_t i = 0; i < references.size(); ++i) references[i] = molecules.references_of(i);
  schedule(molecules, references, particles_a_block);
  refer(molecules, references);
}

// Particles without bonds, in the order in which they are.
void Layout::line_up(const Molecules &molecules, std::uint32_t particles_a_block) {
  const std::size_t n = molecules.particles(), steps = (n + lanes - 1) / lanes;
  if (steps * lanes > most_slots) throw Error(Status::limit_exceeded, "more than 2^29 slots of steps");
  slot_of_.resize(n);
  particle_at_.assign(steps * lanes, nobody);
  for (std::size_t i = 0; i < n; ++i) slot_of_[i] = particle_at_[i] = static_cast<std::uint32_t>(i);
  const std::size_t classes = molecules.kind.size();
  columns_.resize(classes * lanes);
  for (std::size_t k = 0; k < columns_.size(); ++k) columns_[k] = static_cast<std::uint8_t>(k / lanes);
  steps_.resize(steps);
  for (std::size_t s = 0; s < steps; ++s)
    steps_[s] = {core::StepKind::root, static_cast<std::uint8_t>(std::min(lanes, n - s * lanes)), true, false,
                 molecules.of_class[s * lanes]};
  const std::size_t blocks = std::max<std::size_t>(1, (n + particles_a_block / 2) / particles_a_block);
  for (std::size_t b = 0; b < blocks; ++b) blocks_.push_back({b * steps / blocks, (b + 1) * steps / blocks});
}

// List scheduling: of the particles whose references are placed, those that most others wait for come first.
void Layout::schedule(const Molecules &molecules, const format::Column<References> &references,
                      std::uint32_t particles_a_block) {
  const std::size_t n = molecules.particles();
  const molecule::Tree &tree = molecules.tree;
  format::Column<std::uint32_t> height(n, 1), piece(n), waits(n);
  const auto each_reference = [&](const auto &use) {
    for (std::size_t i = 0; i < n; ++i)
      references[i].each([&](std::uint32_t of) { use(of, static_cast<std::uint32_t>(i)); });
  };
  for (std::size_t i = n; i-- > 0;)
    references[i].each([&](std::uint32_t of) { height[of] = std::max(height[of], height[i] + 1); });
  const Lists waiting(n, each_reference);
  format::Column<std::uint32_t> roots;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint8_t lag = tree[i].parent;
    piece[i] = lag == 0 ? static_cast<std::uint32_t>(roots.size()) : piece[i - lag];
    if (lag == 0) roots.push_back(static_cast<std::uint32_t>(i));
  }
  const Lists pieces(roots.size(), [&](const auto &use) {
    for (std::size_t i = 0; i < n; ++i) use(piece[i], static_cast<std::uint32_t>(i));
  });
  format::Column<std::uint32_t> order(roots.size());
  for (std::size_t p = 0; p < order.size(); ++p) order[p] = static_cast<std::uint32_t>(p);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return height[roots[a]] > height[roots[b]]; });

  // Particles of each kind that are ready: the highest first, then those of lower slots.
  using Queue = std::priority_queue<std::uint64_t, format::Column<std::uint64_t>>;
  std::array<Queue, core::step_kinds> ready;
  const auto add = [&](std::uint32_t i) {
    ready[static_cast<std::size_t>(molecules.kind_of(i))].push(std::uint64_t{height[i]} << 32 | (UINT32_MAX - i));
  };
  const auto admit = [&](std::uint32_t p) {
    for (std::uint32_t k = pieces.first(p); k < pieces.last(p); ++k) {
      const std::uint32_t i = pieces.of[k];
      std::uint32_t count = 0;
      references[i].each([&](std::uint32_t) { ++count; });
      waits[i] = count;
      if (count == 0) add(i);
    }
  };
  slot_of_.resize(n);
  const std::size_t blocks = std::max<std::size_t>(1, (n + particles_a_block / 2) / particles_a_block);
  std::size_t done = 0, next = 0;
  std::vector<std::uint32_t> taken;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t first = steps_.size();
    const auto is_of_block = [&] { return next < order.size() && (b + 1 == blocks || done * blocks / n == b); };
    for (;;) {
      const Queue *best = nullptr;
      for (;;) {
        for (const Queue &queue : ready)
          if (queue.size() >= lanes && (best == nullptr || queue.top() >> 32 > best->top() >> 32)) best = &queue;
        if (best != nullptr || !is_of_block()) break;
        const std::uint32_t p = order[next++];
        done += pieces.last(p) - pieces.first(p);
        admit(p);
      }
      if (best == nullptr)
        for (const Queue &queue : ready)
          if (!queue.empty() && (best == nullptr || queue.size() > best->size())) best = &queue;
      if (best == nullptr) break;
      const auto kind = static_cast<std::size_t>(best - ready.data());

      taken.clear();
      while (taken.size() < lanes && !ready[kind].empty()) {
        taken.push_back(UINT32_MAX - static_cast<std::uint32_t>(ready[kind].top()));
        ready[kind].pop();
      }
      if (particle_at_.size() == most_slots) throw Error(Status::limit_exceeded, "more than 2^29 slots of steps");
      std::sort(taken.begin(), taken.end());
      steps_.push_back({static_cast<core::StepKind>(kind), static_cast<std::uint8_t>(taken.size()), false, false, 0});
      for (const std::uint32_t i : taken) {
        slot_of_[i] = static_cast<std::uint32_t>(particle_at_.size());
        particle_at_.push_back(i);
        for (std::uint32_t k = waiting.first(i); k < waiting.last(i); ++k)
          if (--waits[waiting.of[k]] == 0) add(waiting.of[k]);
      }
      particle_at_.resize(steps_.size() * lanes, nobody);
    }
    blocks_.push_back({first, steps_.size()});
  }
}

void Layout::refer(const Molecules &molecules, const format::Column<References> &references) {
  for (auto *rows : {&parent_, &axis_, &second_}) rows->resize(particle_at_.size());
  std::unordered_map<std::string, std::uint32_t> column_of;
  std::string classes(lanes + 1, '\0');  // and whether there is an axis, which constants depend on
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    bool has_seconds = false;
    for (std::size_t l = 0; l < lanes; ++l) {
      const std::size_t slot = s * lanes + l;
      const std::uint32_t i = particle_at_[slot] == nobody ? particle_at_[s * lanes] : particle_at_[slot];
      const References &of = references[i];
      const std::uint32_t parent = of.parent == nobody ? i : of.parent;
      const auto row = [&](std::uint32_t particle) { return 8 * slot_of_[particle == nobody ? parent : particle]; };
      parent_[slot] = row(parent);
      axis_[slot] = row(of.axis);
      second_[slot] = row(of.second);
      has_seconds = has_seconds || of.second != nobody;
      classes[l] = static_cast<char>(molecules.of_class[i]);
    }
    codec::Step &step = steps_[s];
    step.has_seconds = has_seconds;
    step.is_regular = true;
    for (const auto *rows : {&parent_, &axis_, &second_})
      for (std::size_t l = 1; l < lanes; ++l)
        step.is_regular = step.is_regular && (*rows)[s * lanes + l] == (*rows)[s * lanes] + 8 * l;
    classes[lanes] = step.kind == core::StepKind::sphere ? 1 : 0;
    const auto added = column_of.emplace(classes, static_cast<std::uint32_t>(column_of.size()));
    if (added.second) columns_.insert(columns_.end(), classes.begin(), classes.begin() + lanes);
    step.constants = added.first->second;
  }
}

// Blocks in turn, if they have a class of which few particles, and few blocks, were taken before.
void Layout::find_sample(const Molecules &molecules) {
  constexpr std::uint32_t enough = 65536, enough_blocks = 16;
  std::vector<std::uint32_t> taken(molecules.kind.size()), of_blocks(taken.size());
  std::vector<std::uint32_t> own(taken.size());
  sample_.clear();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    std::fill(own.begin(), own.end(), 0);
    for (std::size_t s = blocks_[b].first * lanes; s < blocks_[b].end * lanes; ++s)
      if (particle_at_[s] != nobody) ++own[molecules.of_class[particle_at_[s]]];
    bool is_needed = false;
    for (std::size_t c = 0; c < own.size(); ++c)
      is_needed = is_needed || (own[c] != 0 && taken[c] < enough && of_blocks[c] < enough_blocks);
    if (!is_needed) continue;
    sample_.push_back(static_cast<std::uint32_t>(b));
    for (std::size_t c = 0; c < own.size(); ++c) {
      taken[c] += own[c];
      of_blocks[c] += own[c] != 0 ? 1 : 0;
    }
  }
}

std::size_t Layout::memory_usage() const {
  return codec::memory_of(blocks_, steps_, slot_of_, particle_at_, parent_, axis_, second_, columns_);
}

}  // namespace gpz::lanes
