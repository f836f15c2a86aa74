// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/section.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <utility>

#include "gpz/codec/memory.hpp"
#include "gpz/codec/parallel.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/lanes/stream.hpp"
#include "gpz/lanes/words.hpp"
#include "gpz/molecule/opened_section.hpp"

namespace gpz::lanes {

using format::corrupt;

namespace {

enum Flag : unsigned {
  new_plan = 1,
  new_constants = 2,
  new_codes = 4,
  wraps = 8,
  tilted = 16,
  brick = 32,
  motion_ends = 64,
  all_flags = 127
};

// Encoder: even if every second slot were empty, a layout could hold them.
constexpr std::size_t most_particles = std::size_t{1} << 28;
constexpr std::int64_t most_place = std::int64_t{1} << 30;
// Encoder: the sections with the same molecules, counted from 1, that constants and tables are fitted to, and those
// whose constants are fitted once more.
constexpr std::array<std::uint64_t, 8> fitted{1, 2, 3, 4, 6, 8, 10, 12};
constexpr std::array<std::uint64_t, 2> refitted{3, 12};
bool is_in(std::uint64_t number, const std::uint64_t *first, const std::uint64_t *last) {
  return std::find(first, last, number) != last;
}
// A block has this many words behind its end that can be read.
constexpr std::size_t block_margin = codec::step_most_words;

bool is_near(const Way &at) {
  return std::all_of(at.begin(), at.end(), [](std::int64_t x) { return x > -most_place && x < most_place; });
}

// The next frame's image fits as well.
bool is_moderate(RowImage image) {
  const Image edges = image_of(image);
  return std::all_of(edges.begin(), edges.end(), [](std::int8_t x) { return x > -100 && x < 100; });
}

}  // namespace

std::size_t Update::firmly_bound() const {
  if (plan == nullptr || numbers == nullptr) return 0;
  std::size_t count = 0;
  const Molecules &of = plan->molecules;
  for (std::size_t i = 0; i < of.particles(); ++i) {
    if (of.tree[i].parent == 0) continue;
    const ClassConstants &k = numbers->constants[of.of_class[i]];
    const double deviation = std::sqrt(power_of(k.length_variance, least_variance_exponent));
    count += deviation <= k.length / 16.0 / 8 ? 1 : 0;
  }
  return count;
}

// Codes one section.
class SectionCoder {
 public:
  SectionCoder(State &state, const codec::DifferenceState &history, int threads,
               const codec::FollowedBlocks *followed = nullptr)
      : state_(state),
        history_(history),
        threads_(threads),
        followed_(followed),
        plan_(state.plan_),
        numbers_(state.numbers_),
        codes_(state.codes_) {
    update_.frames = history.frames + 1;
  }

  bool encode(const codec::IndexColumns &q, const molecule::Edges &edges, bool rests,
              std::vector<std::uint8_t> &bytes) {
    unsigned flags = rests ? static_cast<unsigned>(motion_ends) : 0;
    update_.rests = rests;
    cell_ = Cell(edges.axes);
    if (edges.is_tilted) {
      flags |= tilted;
      cell_ = Cell(edges.tilted_axes, edges.tilts, false);
    }
    if (state_.empty() && !find_molecules(q)) return false;
    if (update_.plan != nullptr) flags |= new_plan;
    start();
    if (!find_rows(q)) return false;
    fit();
    if (update_.plan != nullptr) {
      // The first layout takes all circles for wide ones.
      for (std::size_t c = 0; c < plan_->molecules.is_wide.size(); ++c)
        plan_->molecules.is_wide[c] = power_of(numbers_->constants[c].bend2, least_bend_exponent) > 0.1F ? 1 : 0;
      plan_->layout.build(plan_->molecules, particles_a_block);
      start();
      if (!find_rows(q)) return false;
    }
    if (update_.numbers != nullptr) numbers_->columns.fill(plan_->layout, numbers_->constants);
    std::optional<ImageExceptions> best = find_images(false);
    const auto try_wraps = [&](unsigned as) {
      if (best && best->slot.empty()) return false;
      std::optional<ImageExceptions> found = find_images(true);
      if (!found || (best && best->slot.size() <= found->slot.size())) return false;
      best = std::move(found);
      flags |= as;
      return true;
    };
    try_wraps(wraps);
    if (edges.is_tilted) {
      const Cell whole = std::exchange(cell_, Cell(edges.tilted_axes, edges.tilts, true));
      if (!try_wraps(wraps | brick)) cell_ = whole;
    }
    if (!best) return false;

    find_items();
    const bool is_settled = has_settled();
    if (!is_settled && !refit()) choose_codes();
    std::vector<std::vector<std::uint16_t>> words = code_items();
    update_.words = is_settled ? state_.words_ : count_of(words);
    if (is_settled && count_of(words) > state_.words_ + state_.words_ / 32) {
      choose_codes();
      words = code_items();
      update_.words = count_of(words);
    }
    if (update_.numbers != nullptr) flags |= new_constants;
    if (update_.codes != nullptr) flags |= new_codes;

    const std::size_t begin = bytes.size();
    format::ByteWriter writer(bytes);
    writer.u64(flags);
    if (edges.is_tilted) molecule::append_tilted(edges.tilted_axes, edges.tilts, bytes);
    if (update_.plan != nullptr) {
      std::vector<std::uint8_t> plan;
      append_plan(plan_->molecules, plan, threads_);
      writer.u64(plan.size());
      bytes.insert(bytes.end(), plan.begin(), plan.end());
    }
    if (update_.numbers != nullptr) append_numbers(bytes);
    if (update_.codes != nullptr) codes_->append(bytes);
    update_.lasting_bytes = bytes.size() - begin;
    best->append(bytes);
    for (const auto &block : words) writer.u32(static_cast<std::uint32_t>(block.size()));
    for (const auto &block : words)
      for (const std::uint16_t word : block) writer.u16(word);
    bytes.resize(begin + format::round_up_8(bytes.size() - begin));
    return true;
  }

  void decode(const std::uint8_t *bytes, std::size_t size, const core::GridBox &axes, const codec::IndexOutput &q) {
    format::ByteReader in(bytes, size);
    const std::uint64_t flags = in.u64();
    if (flags > all_flags || ((flags & brick) != 0 && (flags & tilted) == 0) ||
        ((flags & new_plan) != 0 && (flags & (new_constants | new_codes)) != (new_constants | new_codes)))
      corrupt("flags of a section of steps", 0);
    update_.rests = (flags & motion_ends) != 0;
    cell_ = Cell(axes);
    if ((flags & tilted) != 0) cell_ = molecule::read_tilted(in, (flags & brick) != 0);
    if ((flags & new_plan) != 0) {
      const std::uint64_t length = in.u64();
      const std::size_t at = in.position();
      const std::uint8_t *const plan = in.take(static_cast<std::size_t>(std::min<std::uint64_t>(length, SIZE_MAX)));
      format::located(at, [&] { read_plan(plan, static_cast<std::size_t>(length)); });
    } else if (state_.empty()) {
      corrupt("molecules that were never given", 0);
    }
    if (plan_->layout.particles() != history_.particles) corrupt("molecules of other particles", 0);
    const auto rest = [&](const auto &read) {
      const std::size_t at = in.position();
      in.take(format::located(at, [&] { return read(bytes + at, size - at); }));
    };
    if ((flags & new_constants) != 0) {
      update_.numbers = numbers_ = std::make_shared<Numbers>();
      if ((flags & new_plan) == 0) numbers_->constants = state_.numbers_->constants;
      numbers_->constants.resize(plan_->molecules.is_wide.size());
      rest([&](const std::uint8_t *from, std::size_t left) { return read_constants(from, left, numbers_->constants); });
      numbers_->columns.fill(plan_->layout, numbers_->constants);
    }
    if ((flags & new_codes) != 0) {
      // Tables are large: they are written over, unless a copy of the state has them too.
      if (codes_ == nullptr || codes_.use_count() > 2) codes_ = std::make_shared<Codes>();
      update_.codes = codes_;
      rest([&](const std::uint8_t *from, std::size_t left) { return codes_->read(from, left); });
    }
    ImageExceptions exceptions;
    rest(
        [&](const std::uint8_t *from, std::size_t left) { return exceptions.read(from, left, plan_->layout.slots()); });
    if (followed_ != nullptr) find_followed();
    start();
    decode_blocks(in);
    write((flags & wraps) != 0, exceptions, q);
  }

  Update &&update() { return std::move(update_); }

 private:
  unsigned next() const { return 4 - state_.now_; }
  const Layout &layout() const { return plan_->layout; }
  // Calls work(block) on several threads, for all blocks or those that are followed.
  template <typename Work>
  void for_blocks(const Work &work) const {
    const format::Column<std::uint32_t> *const some = followed_ != nullptr ? &state_.followed_blocks_ : nullptr;
    const std::size_t blocks = some != nullptr ? some->size() : layout().blocks().size();
    codec::parallel_ranges(codec::thread_count(threads_, blocks), blocks,
                           [&](int, std::uint64_t from, std::uint64_t to) {
                             for (auto k = static_cast<std::size_t>(from); k < to; ++k)
                               work(some != nullptr ? (*some)[k] : k);
                           });
  }
  // Calls work(slot, particle) for the slots of a block in which a particle is.
  template <typename Work>
  void for_slots(std::size_t block, const Work &work) const {
    const Layout::Block of = layout().blocks()[block];
    const auto &particle_at = layout().particle_at();
    for (std::size_t s = of.first * core::step_lanes; s < of.end * core::step_lanes; ++s)
      if (particle_at[s] != Layout::nobody) work(s, particle_at[s]);
  }
  std::int32_t *row(std::size_t slot, unsigned frame) { return state_.rows_.data() + 8 * slot + frame; }

  void read_plan(const std::uint8_t *bytes, std::size_t size) {
    const bool is_known = state_.known_plan_ != nullptr && state_.plan_bytes_.size() == size &&
                          std::memcmp(state_.plan_bytes_.data(), bytes, size) == 0 &&
                          state_.known_plan_->layout.particles() == history_.particles;
    if (!is_known) {
      state_.known_plan_ = nullptr;
      state_.known_plan_ = lanes::read_plan(bytes, size, history_.particles, threads_);
      state_.plan_bytes_.assign(bytes, bytes + size);
    }
    update_.plan = plan_ = state_.known_plan_;
  }

  // Once for a plan: the same particles are followed as long as the state has it.
  void find_followed() {
    format::Column<std::uint32_t> &found = state_.followed_blocks_;
    if (update_.plan == nullptr && !found.empty()) return;
    const auto &blocks = layout().blocks();
    std::vector<bool> has(blocks.size());
    std::size_t block = 0;
    codec::parallel_wanted(1, layout().particles(), followed_->blocks, [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) {
        const std::size_t step = layout().slot_of()[i] / core::step_lanes;
        if (step < blocks[block].first || step >= blocks[block].end)
          block = static_cast<std::size_t>(
              std::upper_bound(blocks.begin(), blocks.end(), step,
                               [](std::size_t s, const Layout::Block &b) { return s < b.end; }) -
              blocks.begin());
        has[block] = true;
      }
    });
    found.clear();
    for (std::size_t b = 0; b < has.size(); ++b)
      if (has[b]) found.push_back(static_cast<std::uint32_t>(b));
  }
  bool is_followed(std::size_t particle) const {
    return followed_ == nullptr || followed_->blocks.has(particle / core::default_block_size);
  }

  // Encoder.
  bool find_molecules(const codec::IndexColumns &q) {
    if (history_.particles > most_particles) return false;
    const codec::IndexColumns last{history_.axes[0].last.data(), history_.axes[1].last.data(),
                                   history_.axes[2].last.data()};
    plan_ = find_plan(last, q, history_.particles, cell_, threads_);
    update_.plan = plan_;
    return plan_ != nullptr;
  }

  // Rows of the frame before. Those of the last section, if it was that of the last frame; otherwise molecules are made
  // whole.
  void start() {
    const std::size_t slots = layout().slots();
    if (update_.plan == nullptr && state_.frames_ == history_.frames) return;
    if (followed_ != nullptr && !followed_->has_all) throw codec::AllSlotsNeeded{};
    codec::resize(state_.rows_, 8 * slots, threads_);
    if (update_.plan != nullptr) state_.means_.assign(slots * core::step_means, 0.0F);
    const codec::IndexColumns last{history_.axes[0].last.data(), history_.axes[1].last.data(),
                                   history_.axes[2].last.data()};
    const unsigned frame = state_.now_;
    const codec::StepTable table = layout().table(nullptr);
    for_blocks([&](std::size_t b) {
      for_slots(b, [&](std::size_t s, std::uint32_t i) {
        const Way place = place_of(last, i);
        if (table.steps[s / core::step_lanes].kind == core::StepKind::root) return store_row(row(s, frame), place, {});
        const std::size_t parent = table.parent[s] / 8;
        Way way = molecule::difference_of(place, place_of(last, layout().particle_at()[parent]));
        const Image image = cell_.shorten(way);
        store_row(row(s, frame), molecule::sum_of(way_of(row(parent, frame)), way),
                  sum_of(image_in(row(parent, frame)), image));
      });
    });
  }

  // Encoder: rows and images of this frame.
  bool find_rows(const codec::IndexColumns &q) {
    const unsigned frame = next();
    const codec::StepTable table = layout().table(nullptr);
    std::atomic<bool> fits{true};
    for_blocks([&](std::size_t b) {
      bool all_fit = true;
      for_slots(b, [&](std::size_t s, std::uint32_t i) {
        const Way place = place_of(q, i);
        const bool is_root = table.steps[s / core::step_lanes].kind == core::StepKind::root;
        Way base;
        RowImage image;
        Way way;
        if (is_root) {
          base = way_of(row(s, state_.now_));
          image = image_in(row(s, state_.now_));
          way = molecule::difference_of(place, image == 0 ? base : cell_.moved(base, image_of(image)));
        } else {
          const std::size_t parent = table.parent[s] / 8;
          base = way_of(row(parent, frame));
          image = image_in(row(parent, frame));
          way = molecule::difference_of(place, place_of(q, layout().particle_at()[parent]));
        }
        const Image edges = cell_.shorten(way);
        const Way at = molecule::sum_of(base, way);
        all_fit = all_fit && is_near(at) && is_near(place) && is_moderate(image);
        store_row(row(s, frame), at, sum_of(image, edges));
      });
      if (!all_fit) fits = false;
    });
    return fits;
  }

  // Encoder: sums over the first frames. Constants are fitted to the first one.
  void fit() {
    if (!is_in(section_number() + 1, fitted.begin(), fitted.end())) return;
    // A state of a decoder has no sums; what was read stays as it is.
    if (update_.plan == nullptr && state_.fit_.empty()) return;
    update_.fit = state_.fit_;
    if (update_.plan != nullptr) {
      update_.fit.emplace();
      update_.fit->start(plan_->molecules.is_wide.size());
    }
    update_.fit->add(plan_->molecules, layout(), state_.rows_.data(), next(), means(nullptr));
    if (update_.plan == nullptr) return;
    update_.numbers = numbers_ = std::make_shared<Numbers>();
    numbers_->constants = update_.fit->constants();
  }

  // The number of sections before with these molecules.
  std::uint64_t section_number() const { return update_.plan != nullptr ? 0 : state_.sections_; }
  // Means of the frames with these molecules: all of them, and then the last ones.
  codec::StepMeans means(float *after) const {
    constexpr std::uint64_t most = 16;
    return {state_.means_.data(), after, 1.0F / static_cast<float>(std::min(section_number() + 1, most))};
  }

  // Nothing if an image is too far from the usual one.
  std::optional<ImageExceptions> find_images(bool wraps) {
    const unsigned frame = next();
    ImageExceptions out;
    bool is_far = false;
    for (std::size_t b = 0; b < layout().blocks().size() && !is_far; ++b)
      for_slots(b, [&](std::size_t s, std::uint32_t) {
        const RowImage image = image_in(row(s, frame));
        const RowImage last = image_in(row(s, state_.now_));
        const RowImage usual = wraps ? usually_placed(cell_, wraps, row(s, frame), last).image : last;
        if (image == usual) return;
        out.slot.push_back(static_cast<std::uint32_t>(s));
        out.code.push_back(code_of(image, usual));
        is_far = is_far || out.code.back() == too_far;
      });
    if (is_far) return {};
    return out;
  }

  void find_items() {
    const auto &blocks = layout().blocks();
    first_item_.assign(blocks.size(), 0);
    item_count_.assign(blocks.size(), 0);
    items_.resize(layout().steps().size() * codec::step_most_items);
    update_.means.resize(state_.means_.size());
    const codec::StepTable table = layout().table(numbers_->columns.data());
    for_blocks([&](std::size_t b) {
      first_item_[b] = blocks[b].first * codec::step_most_items;
      item_count_[b] = codec::kernels().steps.find(table, blocks[b].first, blocks[b].end, state_.rows_.data(), next(),
                                                   means(update_.means.data()), items_.data() + first_item_[b]);
    });
  }

  // Tables are compared with better ones in the first frames, and now and then.
  bool has_settled() const {
    constexpr std::uint64_t interval = 8;
    return !update_.fit && state_.sections_ % interval != 0;
  }
  static std::size_t count_of(const std::vector<std::vector<std::uint16_t>> &words) {
    std::size_t count = 0;
    for (const auto &block : words) count += block.size();
    return count;
  }

  // Encoder: constants and tables are fitted once more to all frames so far, if they save more than they take in as
  // many frames as there are in most key intervals, at least.
  bool refit() {
    constexpr double frames = 32;
    if (update_.plan != nullptr || !update_.fit) return false;
    if (!is_in(section_number() + 1, refitted.begin(), refitted.end())) return false;
    const double before = cost(*codes_, count_items());
    auto numbers = std::make_shared<Numbers>();
    numbers->constants = update_.fit->constants();
    numbers->columns.fill(plan_->layout, numbers->constants);
    const std::shared_ptr<Numbers> last = std::exchange(numbers_, numbers);
    update_.numbers = numbers_;
    find_items();
    const Counts counts = count_items();
    update_.codes = codes_for(counts);
    std::vector<std::uint8_t> stored;
    append_numbers(stored);
    update_.codes->append(stored);
    if (frames * (before - cost(*update_.codes, counts)) > 8.0 * static_cast<double>(stored.size())) {
      codes_ = update_.codes;
      return true;
    }
    numbers_ = last;
    update_.numbers = nullptr;
    update_.codes = nullptr;
    find_items();
    return false;
  }

  void append_numbers(std::vector<std::uint8_t> &bytes) const {
    append_constants(numbers_->constants, update_.plan == nullptr ? &state_.numbers_->constants : nullptr, bytes);
  }

  Counts count_items() const {
    std::vector<Counts> counts(layout().blocks().size());
    for_blocks([&](std::size_t b) { counts[b].add(items_.data() + first_item_[b], item_count_[b]); });
    for (std::size_t b = 1; b < counts.size(); ++b) counts[0].add(counts[b]);
    return std::move(counts[0]);
  }
  static double cost(const Codes &codes, const Counts &counts) { return codes.cost_of(counts.places, counts.sides); }

  // The best tables for these numbers; in the first frames, also for those before.
  std::shared_ptr<Codes> codes_for(const Counts &counts) {
    auto codes = std::make_shared<Codes>();
    if (!update_.fit) {
      codes->choose(counts.places, counts.sides);
      return codes;
    }
    update_.counts = update_.plan != nullptr ? std::make_shared<Counts>() : std::make_shared<Counts>(*state_.counts_);
    update_.counts->add(counts);
    codes->choose(update_.counts->places, update_.counts->sides);
    return codes;
  }

  void choose_codes() {
    const Counts counts = count_items();
    std::shared_ptr<Codes> own = codes_for(counts);
    if (update_.numbers == nullptr) {
      std::vector<std::uint8_t> stored;
      own->append(stored);
      if (cost(*own, counts) + 8.0 * static_cast<double>(stored.size()) >= cost(*codes_, counts)) return;
    }
    update_.codes = codes_ = std::move(own);
  }

  std::vector<std::vector<std::uint16_t>> code_items() const {
    std::vector<std::vector<std::uint16_t>> words(layout().blocks().size());
    const Shares shares(*codes_);
    for_blocks([&](std::size_t b) { shares.encode(items_.data() + first_item_[b], item_count_[b], words[b]); });
    return words;
  }

  void decode_blocks(format::ByteReader &in) {
    const auto &blocks = layout().blocks();
    std::vector<const std::uint8_t *> from(blocks.size());
    std::vector<std::size_t> count(blocks.size());
    for (std::size_t &words : count) words = in.u32();
    for (std::size_t b = 0; b < blocks.size(); ++b) from[b] = in.take(2 * count[b]);
    if (in.left() != format::round_up_8(in.position()) - in.position())
      corrupt("length of a section of steps", in.position());
    while (in.left() != 0)
      if (in.u8() != 0) corrupt("padding of a section of steps", in.position() - 1);
    const codec::StepTable table = layout().table(numbers_->columns.data());
    const codec::StepCodes codes = codes_->for_kernels();
    for_blocks([&](std::size_t b) {
      // Words are read in vectors, also behind the last one.
      format::Column<std::uint16_t> words(count[b] + block_margin);
      std::memcpy(words.data(), from[b], 2 * count[b]);
      if (!codec::kernels().steps.decode(table, codes, blocks[b].first, blocks[b].end, state_.rows_.data(), next(),
                                         means(state_.means_.data()), words.data(), count[b]))
        corrupt("words of a block of steps", static_cast<std::size_t>(from[b] - from[0]));
    });
  }

  // Images of this frame, which are the last ones so far, and the indices that they give.
  void write(bool wraps, const ImageExceptions &exceptions, const codec::IndexOutput &q) {
    std::int32_t *const rows = state_.rows_.data() + next();
    const std::uint32_t *const slot_of = layout().slot_of().data();
    const auto put = [&](std::size_t i, const Way &at) {
      for (std::size_t d = 0; d < at.size(); ++d) q[d][i] = at[d];
    };
    const auto put_usual = [&](std::size_t i) {
      std::int32_t *const at = rows + 8 * std::size_t{slot_of[i]};
      const Placed placed = usually_placed(cell_, wraps, at, image_in(at));
      store_image(at, placed.image);
      put(i, placed.at);
    };
    codec::StepPlaces places{rows, slot_of, {}, {}, {}};
    const bool is_usual = find_box(wraps, places);
    const codec::WantedBlocks all;
    const codec::WantedBlocks &wanted = followed_ != nullptr ? followed_->blocks : all;
    codec::parallel_wanted(threads_, layout().particles(), wanted, [&](std::size_t first, std::size_t end) {
      if (!is_usual)
        for (std::size_t i = first; i < end; ++i) put_usual(i);
      std::array<std::uint32_t, 1024> left;
      for (std::size_t i = first; is_usual && i < end; i += left.size()) {
        const std::size_t count =
            codec::kernels().steps.place(places, i, std::min(i + left.size(), end), q, left.data());
        for (std::size_t k = 0; k < count; ++k) put_usual(left[k]);
      }
    });
    for (std::size_t k = 0; k < exceptions.slot.size(); ++k) {
      const std::uint32_t slot = exceptions.slot[k], particle = layout().particle_at()[slot];
      if (particle == Layout::nobody || !is_followed(particle)) continue;
      std::int32_t *const at = rows + 8 * std::size_t{slot};
      store_image(at, sum_of(image_in(at), image_of_code(exceptions.code[k])));
      put(particle, place_of(cell_, at, image_in(at)));
    }
  }

  // The edges, and the box in which images do not wrap. Returns false if they do not fit into `places`.
  bool find_box(bool wraps, codec::StepPlaces &places) const {
    using Place = core::Vector<std::int32_t>;
    bool fits = true;
    const auto narrow = [&](std::int64_t x, std::int64_t most) {
      fits = fits && x >= -most && x <= most;
      return static_cast<std::int32_t>(x);
    };
    for (std::size_t d = 0; d < core::max_components; ++d) {
      const Way &edge = cell_.edge(d);
      const auto of = [&](std::size_t c) { return narrow(edge[c], codec::StepPlaces::most_edge); };
      places.edges[d] = Place{of(0), of(1), of(2)};
    }
    places.least = {INT32_MIN, INT32_MIN, INT32_MIN};
    places.most = {INT32_MAX, INT32_MAX, INT32_MAX};
    if (!wraps) return fits;
    const core::GridBox *const box = cell_.straight_axes();
    if (box == nullptr) return false;
    const auto limit = [&](std::size_t d, std::int32_t &least, std::int32_t &most) {
      const core::GridAxis &axis = (*box)[d];
      if (axis.period == 0) return;
      least = narrow(axis.lo, INT32_MAX);
      most = narrow(axis.lo + axis.period - 1, INT32_MAX);
    };
    limit(0, places.least.x, places.most.x);
    limit(1, places.least.y, places.most.y);
    limit(2, places.least.z, places.most.z);
    return fits;
  }

  State &state_;
  const codec::DifferenceState &history_;
  int threads_;
  const codec::FollowedBlocks *followed_;  // decoder; nullptr: all particles
  Cell cell_;
  std::shared_ptr<Plan> plan_;
  std::shared_ptr<Numbers> numbers_;
  std::shared_ptr<Codes> codes_;
  // Encoder.
  std::vector<codec::StepItems> items_;
  std::vector<std::size_t> first_item_, item_count_;
  Update update_;
};

void State::commit(Update &&update) {
  if (update.plan != nullptr) {
    plan_ = std::move(update.plan);
    sections_ = 0;
  }
  if (update.numbers != nullptr) numbers_ = std::move(update.numbers);
  if (update.codes != nullptr) codes_ = std::move(update.codes);
  if (update.fit) fit_ = std::move(*update.fit);
  if (update.counts != nullptr) counts_ = std::move(update.counts);
  if (sections_ >= fitted.back()) counts_.reset();
  words_ = update.words;
  rests_ = update.rests;
  if (!update.means.empty()) means_ = std::move(update.means);
  frames_ = update.frames;
  now_ = 4 - now_;
  ++sections_;
}

void State::restart() {
  plan_ = nullptr;
  numbers_ = nullptr;
  codes_ = nullptr;
  rests_ = false;
  frames_ = sections_ = 0;
  counts_.reset();
  followed_blocks_.clear();
}

std::size_t State::memory_usage() const {
  std::size_t bytes = codec::memory_of(rows_, plan_bytes_, followed_blocks_);
  const std::shared_ptr<Plan> &plan = plan_ != nullptr ? plan_ : known_plan_;
  if (plan != nullptr)
    bytes +=
        plan->layout.memory_usage() + plan->molecules.tree.memory_usage() + codec::memory_of(plan->molecules.of_class);
  if (numbers_ != nullptr) bytes += numbers_->columns.memory_usage();
  if (codes_ != nullptr) bytes += codes_->memory_usage();
  if (counts_ != nullptr) bytes += codec::memory_of(counts_->places);
  return bytes;
}

std::optional<Update> encode(State &state, const codec::DifferenceState &history, const codec::IndexColumns &q,
                             const molecule::Edges &edges, std::vector<std::uint8_t> &bytes, int threads, bool rests) {
  SectionCoder coder(state, history, threads);
  if (!coder.encode(q, edges, rests, bytes)) return {};
  return coder.update();
}

void decode(State &state, const codec::DifferenceState &history, const std::uint8_t *bytes, std::size_t size,
            const core::GridBox &axes, int threads, const codec::IndexOutput &q,
            const codec::FollowedBlocks *followed) {
  try {
    SectionCoder coder(state, history, threads, followed);
    coder.decode(bytes, size, axes, q);
    state.commit(coder.update());
  } catch (...) {
    state.restart();
    throw;
  }
}

}  // namespace gpz::lanes
