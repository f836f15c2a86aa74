// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/molecule/section.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "gpz/codec/number_coder.hpp"
#include "gpz/codec/parallel.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/molecule/opened_section.hpp"
#include "gpz/molecule/sides.hpp"
#include "gpz/molecule/walk.hpp"

namespace gpz::molecule {

using format::corrupt;

namespace {

codec::IndexColumns last_of(const codec::DifferenceState &state) {
  return {state.axes[0].last.data(), state.axes[1].last.data(), state.axes[2].last.data()};
}

// State without earlier sections of particles first, ... end - 1: the positions of the last frame, at rest. Sets all of
// `particles`, and the roots of `now`, of which the pass sets only a part.
void rest(const Tree &tree, const codec::IndexColumns &last, const Cell &cell, std::size_t first, std::size_t end,
          format::Column<Particle> &particles, format::Column<Particle> &now) {
  const codec::WayKernels &kernels = codec::kernels().ways;
  codec::WayBatch batch;
  std::array<std::size_t, codec::most_lanes> slots;
  std::size_t lanes = 0;
  const auto remember = [&] {
    kernels.find_axes(batch);
    kernels.remember(batch);
    for (std::size_t l = 0; l < lanes; ++l) keep_place(batch, l, particles[slots[l]]);
    lanes = 0;
  };
  const Particle nothing;
  for (std::size_t i = first; i < end; ++i) {
    Particle &particle = particles[i];
    particle = nothing;
    if (tree[i].parent == 0) {
      now[i] = nothing;
      continue;
    }
    Way way = difference_of(place_of(last, i), place_of(last, i - tree[i].parent));
    particle.image = cell.shorten(way);
    particle.way = limited_steps(way, longest_way);
    take_place(tree, particles.data(), nothing, i, lanes, batch);
    for (std::size_t d = 0; d < particle.way.size(); ++d) batch.way[d][lanes] = particle.way[d];
    slots[lanes++] = i;
    if (lanes == kernels.lanes) remember();
  }
  remember();
}

void learn(const std::vector<std::vector<ClassSums>> &of_segments, std::vector<ClassRecord> &classes) {
  for (std::size_t c = 0; c < classes.size(); ++c) {
    ClassRecord &record = classes[c];
    record.sums.fade();
    for (const auto &sums : of_segments) record.sums.add(sums[c]);
    record.fit.update(record.sums);
  }
}

// What is found of particles: exceptions, the number of images that differ from both candidates, and whether the
// candidates differ for all of these.
struct Moves {
  std::vector<ImageCode> images;  // of all particles; threads set parts of it
  StoredParticles exceptions;
  std::size_t unusual = 0;
  bool is_quiet = true;

  void add(const Moves &behind) {
    exceptions.add(behind.exceptions);
    unusual += behind.unusual;
    is_quiet = is_quiet && behind.is_quiet;
  }
};

// Computes bond vectors and images of particles first, ... end - 1.
Moves find_moves(const Scene &scene, const codec::IndexColumns &q, std::size_t first, std::size_t end,
                 ImageCode *codes) {
  Moves moves;
  for (std::size_t i = first; i < end; ++i) {
    const Links &links = (*scene.walk.tree)[i];
    const Way place = place_of(q, i);
    Particle &now = scene.walk.now[i];
    if (!find_move(scene, i, place, links.parent == 0 ? Way{} : place_of(q, i - links.parent), now)) {
      moves.exceptions.add(i, place);
      codes[i] = {};
      continue;
    }
    const ImageCode code = code_of_image(scene.cell, place, now.image, usual_image(scene, i),
                                         [&] { return open_place(scene, i, now, q); });
    codes[i] = code;
    if (!code.is_unusual()) continue;
    ++moves.unusual;
    moves.is_quiet = moves.is_quiet && code.differs();
  }
  return moves;
}

Contexts choose_contexts(const std::vector<EncodeSide> &sides) {
  std::int64_t least = Contexts::most_levels - 1;
  std::int64_t most = 0;
  for (const EncodeSide &side : sides) {
    least = std::min(least, side.least_level);
    most = std::max(most, side.most_level);
  }
  return Contexts::over(static_cast<unsigned>(least), static_cast<unsigned>(most));
}

}  // namespace

// Codes one section, for the encoder and the decoder.
class SectionCoder {
 public:
  SectionCoder(State &molecules, const codec::DifferenceState &state, int threads)
      : molecules_(molecules), state_(state), most_threads_(threads), sums_(molecules.sums_) {
    scene_.last = last_of(state);
    scene_.stored = &stored_particles_;
    update_.frames = state.frames + 1;
  }

  bool encode(const codec::IndexColumns &q, const Edges &edges, std::vector<std::uint8_t> &bytes) {
    scene_.cell = Cell(edges.axes);
    if (edges.is_tilted) scene_.cell = Cell(edges.tilted_axes, edges.tilts, false);
    std::uint8_t flags = 0;
    if (molecules_.empty()) {
      const format::Column<std::uint8_t> lags =
          Tree::find(scene_.last, q, state_.particles, scene_.cell, most_threads_);
      if (lags.empty()) return false;
      flags |= new_tree;
      update_.tree.emplace().build(lags, scene_.last, scene_.cell, most_threads_);
    }
    start();
    Moves moves = all_moves(q);
    if (edges.is_tilted) {
      flags |= tilted;
      const Cell whole = scene_.cell;
      scene_.cell = Cell(edges.tilted_axes, edges.tilts, true);
      Moves of_brick = all_moves(q);
      if (of_brick.unusual < moves.unusual) {
        flags |= brick;
        moves = std::move(of_brick);
      } else {
        scene_.cell = whole;
      }
    }
    stored_particles_ = std::move(moves.exceptions);
    scene_.is_quiet = moves.is_quiet;
    if (moves.is_quiet) flags |= quiet;

    std::vector<std::uint8_t> levels;
    if (update_.tree) levels = find_levels(moves.images);
    const std::vector<EncodeSide> sides = walk(moves.images);
    learn(sums_, update_.classes);

    const Contexts contexts = choose_contexts(sides);
    std::vector<codec::NumberSegment> numbers;
    numbers.reserve(sides.size());
    for (const EncodeSide &side : sides) numbers.push_back(side.numbers());
    const std::size_t begin = bytes.size();
    append_start(flags, contexts, bytes);
    if (edges.is_tilted) append_tilted(edges.tilted_axes, edges.tilts, bytes);
    format::ByteWriter writer(bytes);
    stored_particles_.append(writer);
    if (update_.tree) tree().append(bytes, most_threads_);
    bytes.insert(bytes.end(), levels.begin(), levels.end());
    bytes.resize(begin + format::round_up_8(bytes.size() - begin));
    codec::append_segments(numbers, contexts.count(), ContextTable(contexts).by_place(), threads(), bytes);
    return true;
  }

  void decode(const std::uint8_t *bytes, std::size_t size, const core::GridBox &axes, const codec::IndexOutput &q) {
    const std::size_t n = state_.particles;
    OpenedSection section = open_section(bytes, size, axes, n);
    const Contexts &contexts = section.contexts;
    scene_.cell = section.cell;
    scene_.is_quiet = section.is_quiet;
    stored_particles_ = std::move(section.stored);
    std::size_t at = section.size;
    if (section.has_tree) {
      format::Column<std::uint8_t> lags;
      at += Tree::read(bytes + at, size - at, n, lags);
      update_.tree.emplace();
      if (is_in_place_) update_.tree = std::move(molecules_.tree_);
      update_.tree->build(lags, scene_.last, scene_.cell, most_threads_);
    } else if (molecules_.empty() || molecules_.tree_.particles() != n) {
      corrupt("molecules that were never given", 0);
    }
    start();
    if (update_.tree) {
      format::ByteReader levels(bytes + at, size - at);
      read_levels(levels, update_.classes);
      at += levels.position();
    }

    const std::vector<std::uint32_t> &ends = tree().segment_ends();
    std::vector<codec::NumberDecoder> streams =
        codec::open_segments(bytes + at, size - at, contexts.count(), ends.size());
    const ContextTable table(contexts);
    std::vector<DecodeSide> sides;
    sides.reserve(ends.size());
    for (std::size_t s = 0; s < ends.size(); ++s)
      sides.emplace_back(scene_, contexts, table, streams[s], q, s == 0 ? 0 : ends[s - 1]);
    pass(sides);
    for (const codec::NumberDecoder &stream : streams) stream.end();
    learn(sums_, update_.classes);
  }

  Update &&update() { return std::move(update_); }
  // Decoder: the section overwrites the particles of the state. Each is read before it is overwritten, which takes half
  // of the memory, and of its traffic.
  void overwrite() { is_in_place_ = true; }

 private:
  int threads() const { return tree().threads_for(most_threads_); }

  template <typename Side>
  void pass(std::vector<Side> &sides) {
    // A thread decodes as many segments side by side as a vector has lanes, in hardly more time than half as many.
    const std::size_t lanes = codec::kernels().ways.lanes;
    const int used = codec::thread_count(most_threads_, (sides.size() + lanes - 1) / lanes);
    codec::parallel_ranges(used, sides.size(), [&](int, std::uint64_t from, std::uint64_t to) {
      Pass<Side>(scene_.walk, sums_, sides).run(from, to);
    });
  }

  Moves all_moves(const codec::IndexColumns &q) const {
    std::vector<ImageCode> codes(state_.particles);
    std::vector<Moves> moves(static_cast<std::size_t>(threads()));
    tree().for_segments(most_threads_, [&](int t, std::size_t first, std::size_t end) {
      moves[static_cast<std::size_t>(t)] = find_moves(scene_, q, first, end, codes.data());
    });
    moves[0].images = std::move(codes);
    for (std::size_t t = 1; t < moves.size(); ++t) moves[0].add(moves[t]);
    return std::move(moves[0]);
  }

  std::vector<EncodeSide> walk(const std::vector<ImageCode> &codes) {
    const std::vector<std::uint32_t> &ends = tree().segment_ends();
    std::vector<EncodeSide> sides;
    sides.reserve(ends.size());
    if (molecules_.items_.size() < state_.particles * EncodeSide::most_items)
      molecules_.items_ = ItemMemory(state_.particles * EncodeSide::most_items);
    std::size_t first = 0;
    for (const std::uint32_t end : ends) {
      sides.emplace_back(scene_, codes, first, molecules_.items_.data() + first * EncodeSide::most_items);
      first = end;
    }
    pass(sides);
    return sides;
  }

  // Encoder: walks the first frame once to find start values for each class.
  std::vector<std::uint8_t> find_levels(const std::vector<ImageCode> &codes) {
    walk(codes);
    std::vector<std::uint8_t> levels;
    for (std::size_t c = 0; c < update_.classes.size(); ++c) {
      ClassSums sums;
      for (std::vector<ClassSums> &of_segment : sums_) {
        sums.add(of_segment[c]);
        of_segment[c] = {};
      }
      ClassFit fit = update_.classes[c].fit;
      fit.update(sums);
      const ClassFit::Levels found = fit.levels();
      update_.classes[c].fit.take(found);
      levels.insert(levels.end(), {found.length, found.along, found.bend});
    }
    return levels;
  }

  const Tree &tree() const { return update_.tree ? *update_.tree : molecules_.tree_; }

  // Prepares states and sums. Tree and cell must be set.
  void start() {
    const bool is_new = update_.tree.has_value();
    const bool is_at_rest = is_new || molecules_.frames_ != state_.frames;
    update_.particles = std::move(is_in_place_ ? molecules_.particles_ : molecules_.spare_);
    codec::resize(update_.particles, state_.particles, most_threads_);
    // Particles at rest replace those of the state, which are out of date then.
    format::Column<Particle> &before = is_in_place_ ? update_.particles : molecules_.particles_;
    if (is_at_rest) {
      codec::resize(before, tree().particles(), most_threads_);
      tree().for_segments(most_threads_, [&](int, std::size_t first, std::size_t end) {
        rest(tree(), scene_.last, scene_.cell, first, end, before, update_.particles);
      });
    }
    scene_.walk.tree = &tree();
    scene_.walk.last = before.data();
    scene_.walk.now = update_.particles.data();
    const auto length_of = [&](std::size_t i) { return before[i].length; };
    update_.classes = is_new ? first_classes(tree(), length_of, most_threads_) : molecules_.classes_;
    scene_.walk.classes = update_.classes.data();
    sums_.resize(tree().segment_ends().size());
    for (std::vector<ClassSums> &of_segment : sums_) of_segment.assign(update_.classes.size(), {});
  }

  State &molecules_;
  const codec::DifferenceState &state_;
  int most_threads_;
  Scene scene_;
  StoredParticles stored_particles_;
  bool is_in_place_ = false;
  std::vector<std::vector<ClassSums>> &sums_;
  Update update_;
};

std::size_t Update::firmly_bound() const {
  constexpr double most = 1.0 / 8;  // as a fraction of the length
  std::size_t count = 0;
  for (std::size_t c = 0; tree && c < classes.size(); ++c)
    if (classes[c].fit.mean_length > 0 && classes[c].fit.length_deviation <= most * classes[c].fit.mean_length)
      count += tree->members(c);
  return count;
}

void State::commit(Update &&update) {
  if (update.tree) tree_ = std::move(*update.tree);
  spare_ = std::exchange(particles_, std::move(update.particles));
  classes_ = std::move(update.classes);
  frames_ = update.frames;
}

void State::restart() {
  tree_.clear();
  classes_.clear();
  frames_ = 0;
}

void State::keep(const std::uint32_t *kept, std::size_t count) {
  spare_.clear();
  if (empty()) return;
  tree_.keep(kept, count);
  for (std::size_t i = 0; i < count; ++i) particles_[i] = particles_[kept[i]];
  particles_.resize(count);
}

void State::add(std::size_t count) {
  spare_.clear();
  if (empty()) return;
  tree_.add(count);
  particles_.resize(particles_.size() + count);
}

std::size_t State::memory_usage() const {
  std::size_t bytes = tree_.memory_usage() + codec::memory_of(particles_, classes_, spare_);
  for (const std::vector<ClassSums> &of_segment : sums_) bytes += codec::memory_of(of_segment);
  return bytes + items_.size() * sizeof(std::uint64_t);
}

std::optional<Update> encode(State &molecules, const codec::DifferenceState &state, const codec::IndexColumns &q,
                             const Edges &edges, std::vector<std::uint8_t> &bytes, int threads) {
  SectionCoder coder(molecules, state, threads);
  if (!coder.encode(q, edges, bytes)) return {};
  return coder.update();
}

void decode(State &molecules, const codec::DifferenceState &state, const std::uint8_t *bytes, std::size_t size,
            const core::GridBox &axes, int threads, const codec::IndexOutput &q) {
  try {
    SectionCoder coder(molecules, state, threads);
    coder.overwrite();
    coder.decode(bytes, size, axes, q);
    molecules.commit(coder.update());
  } catch (...) {
    molecules.restart();  // a tree without particles is of no use
    throw;
  }
}

}  // namespace gpz::molecule
