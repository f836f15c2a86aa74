// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "gpz/format/bytes.hpp"
#include "gpz/lanes/section_pass.hpp"
#include "gpz/lanes/words.hpp"
#include "gpz/molecule/opened_section.hpp"

namespace gpz::lanes {

namespace {

// Even if every second slot were empty, a layout could hold them.
constexpr std::size_t most_particles = std::size_t{1} << 28;
constexpr std::int64_t most_place = std::int64_t{1} << 30;
// The sections with the same molecules, counted from 1, that constants and tables are fitted to, and those
// whose constants are fitted once more.
constexpr std::array<std::uint64_t, 8> fitted{1, 2, 3, 4, 6, 8, 10, 12};
constexpr std::array<std::uint64_t, 2> refitted{3, 12};
bool is_in(std::uint64_t number, const std::uint64_t *first, const std::uint64_t *last) {
  return std::find(first, last, number) != last;
}

bool is_near(const Way &at) {
  return std::all_of(at.begin(), at.end(), [](std::int64_t x) { return x > -most_place && x < most_place; });
}

// The next frame's image fits as well.
bool is_moderate(RowImage image) {
  const Image edges = image_of(image);
  return std::all_of(edges.begin(), edges.end(), [](std::int8_t x) { return x > -100 && x < 100; });
}

}  // namespace

class SectionEncoder : public SectionPass {
 public:
  SectionEncoder(State &state, const codec::DifferenceState &history, int threads)
      : SectionPass(state, history, threads, nullptr) {
    models_ = state.models_;
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
    if (update_.models.plan != nullptr) flags |= new_plan;
    start();
    if (!find_rows(q)) return false;
    fit();
    if (update_.models.plan != nullptr) {
      // The first layout takes all circles for wide ones.
      for (std::size_t c = 0; c < models_.plan->molecules.is_wide.size(); ++c)
        models_.plan->molecules.is_wide[c] = power_of(models_.numbers->constants[c].bend2, least_bend_exponent) > 0.1F ? 1 : 0;
      models_.plan->layout.build(models_.plan->molecules, particles_a_block);
      start();
      if (!find_rows(q)) return false;
    }
    if (update_.models.numbers != nullptr) models_.numbers->columns.fill(models_.plan->layout, models_.numbers->constants);
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
    if (update_.models.numbers != nullptr) flags |= new_constants;
    if (update_.models.codes != nullptr) flags |= new_codes;

    const std::size_t begin = bytes.size();
    format::ByteWriter writer(bytes);
    writer.u64(flags);
    if (edges.is_tilted) molecule::append_tilted(edges.tilted_axes, edges.tilts, bytes);
    if (update_.models.plan != nullptr) {
      std::vector<std::uint8_t> plan;
      append_plan(models_.plan->molecules, plan, threads_);
      writer.u64(plan.size());
      bytes.insert(bytes.end(), plan.begin(), plan.end());
    }
    if (update_.models.numbers != nullptr) append_numbers(bytes);
    if (update_.models.codes != nullptr) models_.codes->append(bytes);
    update_.lasting_bytes = bytes.size() - begin;
    best->append(bytes);
    for (const auto &block : words) writer.u32(static_cast<std::uint32_t>(block.size()));
    for (const auto &block : words)
      for (const std::uint16_t word : block) writer.u16(word);
    bytes.resize(begin + format::round_up_8(bytes.size() - begin));
    return true;
  }

 private:
  bool find_molecules(const codec::IndexColumns &q) {
    if (history_.particles > most_particles) return false;
    const codec::IndexColumns last{history_.axes[0].last.data(), history_.axes[1].last.data(),
                                   history_.axes[2].last.data()};
    models_.plan = find_plan(last, q, history_.particles, cell_, threads_);
    update_.models.plan = models_.plan;
    return models_.plan != nullptr;
  }

  // Rows and images of this frame.
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

  // Sums over the first frames. Constants are fitted to the first one.
  void fit() {
    update_.has_settled = section_number() >= fitted.back();
    if (!is_in(section_number() + 1, fitted.begin(), fitted.end())) return;
    // A state of a decoder has no sums; what was read stays as it is.
    if (update_.models.plan == nullptr && state_.fit_.empty()) return;
    update_.fit = state_.fit_;
    if (update_.models.plan != nullptr) {
      update_.fit.emplace();
      update_.fit->start(models_.plan->molecules.is_wide.size());
    }
    update_.fit->add(models_.plan->molecules, layout(), state_.rows_.data(), next(), means(nullptr));
    if (update_.models.plan == nullptr) return;
    update_.models.numbers = models_.numbers = std::make_shared<Numbers>();
    models_.numbers->constants = update_.fit->constants();
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
    const codec::StepTable table = layout().table(models_.numbers->columns.data());
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

  // Constants and tables are fitted once more to all frames so far, if they save in 32 frames what they take.
  bool refit() {
    constexpr double frames = 32;
    if (update_.models.plan != nullptr || !update_.fit) return false;
    if (!is_in(section_number() + 1, refitted.begin(), refitted.end())) return false;
    const double before = cost(*models_.codes, count_items());
    auto numbers = std::make_shared<Numbers>();
    numbers->constants = update_.fit->constants();
    numbers->columns.fill(models_.plan->layout, numbers->constants);
    const std::shared_ptr<Numbers> last = std::exchange(models_.numbers, numbers);
    update_.models.numbers = models_.numbers;
    find_items();
    const Counts counts = count_items();
    update_.models.codes = codes_for(counts);
    std::vector<std::uint8_t> stored;
    append_numbers(stored);
    update_.models.codes->append(stored);
    if (frames * (before - cost(*update_.models.codes, counts)) > 8.0 * static_cast<double>(stored.size())) {
      models_.codes = update_.models.codes;
      return true;
    }
    models_.numbers = last;
    update_.models.numbers = nullptr;
    update_.models.codes = nullptr;
    find_items();
    return false;
  }

  void append_numbers(std::vector<std::uint8_t> &bytes) const {
    append_constants(models_.numbers->constants, update_.models.plan == nullptr ? &state_.models_.numbers->constants : nullptr, bytes);
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
    update_.counts = update_.models.plan != nullptr ? std::make_shared<Counts>() : std::make_shared<Counts>(*state_.counts_);
    update_.counts->add(counts);
    codes->choose(update_.counts->places, update_.counts->sides);
    return codes;
  }

  void choose_codes() {
    const Counts counts = count_items();
    std::shared_ptr<Codes> own = codes_for(counts);
    if (update_.models.numbers == nullptr) {
      std::vector<std::uint8_t> stored;
      own->append(stored);
      if (cost(*own, counts) + 8.0 * static_cast<double>(stored.size()) >= cost(*models_.codes, counts)) return;
    }
    update_.models.codes = models_.codes = std::move(own);
  }

  std::vector<std::vector<std::uint16_t>> code_items() const {
    std::vector<std::vector<std::uint16_t>> words(layout().blocks().size());
    const Shares shares(*models_.codes);
    for_blocks([&](std::size_t b) { shares.encode(items_.data() + first_item_[b], item_count_[b], words[b]); });
    return words;
  }

  std::vector<codec::StepItems> items_;
  std::vector<std::size_t> first_item_, item_count_;
};

std::size_t Update::firmly_bound() const {
  if (models.plan == nullptr || models.numbers == nullptr) return 0;
  std::size_t count = 0;
  const Molecules &of = models.plan->molecules;
  for (std::size_t i = 0; i < of.particles(); ++i) {
    if (of.tree[i].parent == 0) continue;
    const ClassConstants &k = models.numbers->constants[of.of_class[i]];
    const double deviation = std::sqrt(power_of(k.length_variance, least_variance_exponent));
    count += deviation <= k.length / 16.0 / 8 ? 1 : 0;
  }
  return count;
}

std::optional<Update> encode(State &state, const codec::DifferenceState &history, const codec::IndexColumns &q,
                             const molecule::Edges &edges, std::vector<std::uint8_t> &bytes, int threads, bool rests) {
  SectionEncoder coder(state, history, threads);
  if (!coder.encode(q, edges, rests, bytes)) return {};
  return coder.update();
}

}  // namespace gpz::lanes
