// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/layout.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>

#include "gpz/codec/memory.hpp"
#include "gpz/codec/parallel.hpp"
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

// List scheduling: of the particles whose references are placed, those that most others wait for come first. Blocks are
// ranges of molecules, whose particles need no others: they can be scheduled on several threads.
class Scheduler {
 public:
  struct Block {
    format::Column<codec::Step> steps;
    format::Column<std::uint32_t> particle_at;  // of their slots
  };

  // `molecules` and `references` must outlive this object.
  Scheduler(const Molecules &molecules, const format::Column<References> &references, std::uint32_t particles_a_block)
      : molecules_(molecules),
        references_(references),
        height_(molecules.particles(), 1),
        waiting_(molecules.particles(),
                 [&](const auto &use) {
                   for (std::size_t i = 0; i < references.size(); ++i)
                     references[i].each([&](std::uint32_t of) { use(of, static_cast<std::uint32_t>(i)); });
                 }),
        waits_(molecules.particles()) {
    const std::size_t n = molecules.particles();
    for (std::size_t i = n; i-- > 0;)
      references[i].each([&](std::uint32_t of) { height_[of] = std::max(height_[of], height_[i] + 1); });
    find_pieces();
    cut(std::max<std::size_t>(1, (n + particles_a_block / 2) / particles_a_block));
  }

  std::size_t blocks() const { return first_piece_.size() - 1; }
  // Calls for different blocks may run at the same time.
  Block schedule(std::size_t block) const {
    // Particles of each kind that are ready: the highest first, then those of lower slots.
    using Queue = std::priority_queue<std::uint64_t, format::Column<std::uint64_t>>;
    std::array<Queue, core::step_kinds> ready;
    const auto add = [&](std::uint32_t i) {
      ready[static_cast<std::size_t>(molecules_.kind_of(i))].push(std::uint64_t{height_[i]} << 32 | (UINT32_MAX - i));
    };
    const auto admit = [&](std::uint32_t p) {
      for (std::uint32_t k = pieces_->first(p); k < pieces_->last(p); ++k) {
        const std::uint32_t i = pieces_->of[k];
        std::uint32_t count = 0;
        references_[i].each([&](std::uint32_t) { ++count; });
        waits_[i] = count;
        if (count == 0) add(i);
      }
    };
    Block out;
    std::size_t next = first_piece_[block];
    std::vector<std::uint32_t> taken;
    for (;;) {
      const Queue *best = nullptr;
      for (;;) {
        for (const Queue &queue : ready)
          if (queue.size() >= lanes && (best == nullptr || queue.top() >> 32 > best->top() >> 32)) best = &queue;
        if (best != nullptr || next == first_piece_[block + 1]) break;
        admit(order_[next++]);
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
      std::sort(taken.begin(), taken.end());
      out.steps.push_back(
          {static_cast<core::StepKind>(kind), static_cast<std::uint8_t>(taken.size()), false, false, 0});
      for (const std::uint32_t i : taken) {
        out.particle_at.push_back(i);
        for (std::uint32_t k = waiting_.first(i); k < waiting_.last(i); ++k)
          if (--waits_[waiting_.of[k]] == 0) add(waiting_.of[k]);
      }
      out.particle_at.resize(out.steps.size() * lanes, Layout::nobody);
    }
    return out;
  }

 private:
  // Molecules and their parts, those of the most steps first.
  void find_pieces() {
    const molecule::Tree &tree = molecules_.tree;
    const std::size_t n = height_.size();
    format::Column<std::uint32_t> roots, piece(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint8_t lag = tree[i].parent;
      piece[i] = lag == 0 ? static_cast<std::uint32_t>(roots.size()) : piece[i - lag];
      if (lag == 0) roots.push_back(static_cast<std::uint32_t>(i));
    }
    pieces_.emplace(roots.size(), [&](const auto &use) {
      for (std::size_t i = 0; i < n; ++i) use(piece[i], static_cast<std::uint32_t>(i));
    });
    order_.resize(roots.size());
    for (std::size_t p = 0; p < order_.size(); ++p) order_[p] = static_cast<std::uint32_t>(p);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return height_[roots[a]] > height_[roots[b]]; });
  }
  // A block takes pieces until its share of the particles is reached.
  void cut(std::size_t blocks) {
    first_piece_.push_back(0);
    std::size_t done = 0, next = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      while (next < order_.size() && (b + 1 == blocks || done * blocks / height_.size() == b)) {
        const std::uint32_t p = order_[next++];
        done += pieces_->last(p) - pieces_->first(p);
      }
      first_piece_.push_back(next);
    }
  }

  const Molecules &molecules_;
  const format::Column<References> &references_;
  format::Column<std::uint32_t> height_;         // the longest chain of particles that wait for each other
  Lists waiting_;                                // for each particle
  std::optional<Lists> pieces_;                  // their particles
  format::Column<std::uint32_t> order_;          // of pieces
  std::vector<std::size_t> first_piece_;         // in that order, of each block, and the end
  mutable format::Column<std::uint32_t> waits_;  // for so many references; a block writes those of its particles
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

void Layout::build(const Molecules &molecules, std::uint32_t particles_a_block, int threads) {
  clear();
  if (!molecules.have_bonds()) return line_up(molecules, particles_a_block);
  format::Column<References> references(molecules.particles());
  codec::parallel_particles(threads, references.size(), [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) references[i] = molecules.references_of(i);
  });
  schedule(molecules, references, particles_a_block, threads);
  refer(molecules, references, threads);
}

// Particles without bonds, in the order in which they are.
void Layout::line_up(const Molecules &molecules, std::uint32_t particles_a_block) {
  const std::size_t n = molecules.particles(), steps = (n + lanes - 1) / lanes;
  if (steps * lanes > most_slots) throw Error(Status::limit_exceeded, "more than 2^29 slots of steps");
  // Memory is written once: of many particles, the pages of new memory take most of the time.
  slot_of_.reserve(n);
  for (std::size_t i = 0; i < n; ++i) slot_of_.push_back(static_cast<std::uint32_t>(i));
  particle_at_.reserve(steps * lanes);
  particle_at_.assign(slot_of_.begin(), slot_of_.end());
  particle_at_.resize(steps * lanes, nobody);
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

void Layout::schedule(const Molecules &molecules, const format::Column<References> &references,
                      std::uint32_t particles_a_block, int threads) {
  const Scheduler scheduler(molecules, references, particles_a_block);
  std::vector<Scheduler::Block> scheduled(scheduler.blocks());
  codec::parallel_ranges(codec::thread_count(threads, scheduled.size()), scheduled.size(),
                         [&](int, std::uint64_t first, std::uint64_t last) {
                           for (auto b = static_cast<std::size_t>(first); b < last; ++b)
                             scheduled[b] = scheduler.schedule(b);
                         });
  std::size_t steps = 0;
  for (const Scheduler::Block &block : scheduled) {
    blocks_.push_back({steps, steps + block.steps.size()});
    steps += block.steps.size();
  }
  if (steps > most_slots / lanes) throw Error(Status::limit_exceeded, "more than 2^29 slots of steps");
  steps_.reserve(steps);
  particle_at_.reserve(steps * lanes);
  slot_of_.resize(molecules.particles());
  for (Scheduler::Block &block : scheduled) {
    steps_.insert(steps_.end(), block.steps.begin(), block.steps.end());
    for (const std::uint32_t particle : block.particle_at) {
      if (particle != nobody) slot_of_[particle] = static_cast<std::uint32_t>(particle_at_.size());
      particle_at_.push_back(particle);
    }
    block = {};
  }
}

void Layout::refer(const Molecules &molecules, const format::Column<References> &references, int threads) {
  for (auto *rows : {&parent_, &axis_, &second_}) rows->resize(particle_at_.size());
  const auto particle_of = [&](std::size_t s, std::size_t l) {
    const std::uint32_t particle = particle_at_[s * lanes + l];
    return particle == nobody ? particle_at_[s * lanes] : particle;
  };
  codec::parallel_ranges(codec::threads_for_particles(threads, particle_at_.size()), steps_.size(),
                         [&](int, std::uint64_t first, std::uint64_t last) {
                           for (auto s = static_cast<std::size_t>(first); s < last; ++s) {
                             bool has_seconds = false;
                             for (std::size_t l = 0; l < lanes; ++l) {
                               const std::size_t slot = s * lanes + l;
                               const std::uint32_t i = particle_of(s, l);
                               const References &of = references[i];
                               const std::uint32_t parent = of.parent == nobody ? i : of.parent;
                               const auto row = [&](std::uint32_t particle) {
                                 return 8 * slot_of_[particle == nobody ? parent : particle];
                               };
                               parent_[slot] = row(parent);
                               axis_[slot] = row(of.axis);
                               second_[slot] = row(of.second);
                               has_seconds = has_seconds || of.second != nobody;
                             }
                             codec::Step &step = steps_[s];
                             step.has_seconds = has_seconds;
                             step.is_regular = true;
                             for (const auto *rows : {&parent_, &axis_, &second_})
                               for (std::size_t l = 1; l < lanes; ++l)
                                 step.is_regular =
                                     step.is_regular && (*rows)[s * lanes + l] == (*rows)[s * lanes] + 8 * l;
                           }
                         });
  std::unordered_map<std::string, std::uint32_t> column_of;
  std::string classes(lanes + 1, '\0');  // and whether there is an axis, which constants depend on
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    for (std::size_t l = 0; l < lanes; ++l) classes[l] = static_cast<char>(molecules.of_class[particle_of(s, l)]);
    classes[lanes] = steps_[s].kind == core::StepKind::sphere ? 1 : 0;
    const auto added = column_of.emplace(classes, static_cast<std::uint32_t>(column_of.size()));
    if (added.second) columns_.insert(columns_.end(), classes.begin(), classes.begin() + lanes);
    steps_[s].constants = added.first->second;
  }
}

// Blocks in turn, if they have a class of which few particles, and few blocks, were taken before.
void Layout::find_sample(const Molecules &molecules) {
  constexpr std::uint32_t enough = 65536, enough_blocks = 16;
  std::vector<std::uint32_t> taken(molecules.kind.size()), of_blocks(taken.size());
  std::vector<std::uint32_t> own(taken.size());
  const auto lacks = [&](std::size_t c) { return taken[c] < enough && of_blocks[c] < enough_blocks; };
  sample_.clear();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    std::fill(own.begin(), own.end(), 0);
    for (std::size_t s = blocks_[b].first * lanes; s < blocks_[b].end * lanes; ++s)
      if (particle_at_[s] != nobody) ++own[molecules.of_class[particle_at_[s]]];
    bool is_needed = false;
    for (std::size_t c = 0; c < own.size(); ++c) is_needed = is_needed || (own[c] != 0 && lacks(c));
    if (!is_needed) continue;
    sample_.push_back(static_cast<std::uint32_t>(b));
    bool is_enough = true;
    for (std::size_t c = 0; c < own.size(); ++c) {
      taken[c] += own[c];
      of_blocks[c] += own[c] != 0 ? 1 : 0;
      is_enough = is_enough && !lacks(c);
    }
    if (is_enough) break;
  }
  sample_steps(molecules);
}

// Every 16th step of these blocks, then those between them, as long as a step has a class of which few were taken.
// Neighbours in slots are often neighbours in space: those of few places would not stand for all.
void Layout::sample_steps(const Molecules &molecules) {
  constexpr std::uint32_t enough = 512;
  constexpr std::size_t stride = 16;
  std::vector<std::uint32_t> taken(molecules.kind.size());
  sampled_steps_.clear();
  for (const std::size_t offset : {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15})
    for (const std::uint32_t b : sample_)
      for (std::size_t s = blocks_[b].first + offset; s < blocks_[b].end; s += stride) {
        const std::uint32_t *const particle = &particle_at_[s * lanes];
        const auto is_few = [&](std::uint32_t i) { return taken[molecules.of_class[i]] < enough; };
        if (std::none_of(particle, particle + steps_[s].lanes, is_few)) continue;
        sampled_steps_.push_back(static_cast<std::uint32_t>(s));
        for (std::size_t l = 0; l < steps_[s].lanes; ++l) ++taken[molecules.of_class[particle[l]]];
      }
  std::sort(sampled_steps_.begin(), sampled_steps_.end());
}

std::size_t Layout::memory_usage() const {
  return codec::memory_of(blocks_, steps_, slot_of_, particle_at_, parent_, axis_, second_, columns_);
}

}  // namespace gpz::lanes
