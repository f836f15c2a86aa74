// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>

#include "gpz/format/bytes.hpp"
#include "gpz/lanes/section_pass.hpp"
#include "gpz/lanes/tilted.hpp"
#include "gpz/lanes/words.hpp"

namespace gpz::lanes {

namespace {

// Even if every second slot were empty, a layout could hold them.
constexpr std::size_t most_particles = std::size_t{1} << 28;

}  // namespace

class SectionEncoder : public SectionPass, private FrameCoder {
 public:
  SectionEncoder(State &state, std::size_t particles, const codec::DifferenceState *history, bool use_bonds,
                 int threads)
      : SectionPass(state, particles, history, threads, nullptr), use_bonds_(use_bonds) {}

  bool encode(const codec::IndexColumns &q, const Edges &edges, bool rests, std::vector<std::uint8_t> &bytes) {
    cell_ = cell_of(edges);
    std::shared_ptr<Plan> plan;
    if (state_.empty() && (plan = find_molecules(q)) == nullptr) return false;
    ModelChoice choice(*this, state_.learned_, plan, update_, threads_);
    models_ = choice.models();
    // Not in the plan that a decoder read.
    if (layout().sample().empty()) models_.plan->layout.find_sample(models_.plan->molecules);
    if (!find_rows(q)) return false;
    if (is_key()) choice.use(templates_);
    choice.fit();
    if (choice.is_first() && !is_key() && have_bonds()) {
      plan = with_other_kinds(q, choice.models().numbers->constants);
      if (plan != nullptr) {
        choice.replace_plan(plan);
        models_ = choice.models();
        if (!find_rows(q)) return false;
        choice.fit();  // spheres tell nothing of components along an axis
      }
    }
    if (!choice.choose(edges)) return false;
    if (is_key()) state_.known_plans_->keep_key(plan);
    const std::size_t begin = bytes.size();
    choice.append(edges, rests, bytes);
    format::ByteWriter writer(bytes);
    for (const auto &block : words_) writer.raw(block.data(), block.size() * sizeof block[0]);
    bytes.resize(begin + format::round_up_8(bytes.size() - begin));
    return true;
  }

 private:
  std::shared_ptr<Plan> find_molecules(const codec::IndexColumns &q) const {
    if (particles_ > most_particles) return nullptr;
    if (!use_bonds_) return plan_without_bonds(last_indices(), q, particles_, cell_);
    return find_plan(is_key() ? q : last_indices(), q, particles_, cell_, *state_.known_plans_, threads_);
  }

  // If many particles of the first difference frame are better coded as another kind than in the plan, which may be
  // that of the key frame: a plan that has them right.
  std::shared_ptr<Plan> with_other_kinds(const codec::IndexColumns &q,
                                         const std::vector<ClassConstants> &constants) const {
    constexpr std::size_t part = 16;  // of the particles
    const Molecules &now = models_.plan->molecules;
    const std::vector<bool> is_loose = loose_classes(now, last_indices(), q, cell_);
    std::vector<core::StepKind> kind(now.kind.size());
    for (std::size_t c = 0; c < kind.size(); ++c) {
      const bool is_wide = power_of(constants[c].bend2, least_bend_exponent) > 0.1F;
      kind[c] = is_loose[c] ? core::StepKind::sphere : is_wide ? core::StepKind::wide : core::StepKind::narrow;
    }
    std::size_t others = 0;
    for (std::size_t i = 0; i < particles_; ++i) {
      const bool has_axis = references_of(now.tree, i).axis != UINT32_MAX;
      others += has_axis && now.kind[now.of_class[i]] != kind[now.of_class[i]] ? 1 : 0;
    }
    if (others <= particles_ / part) return nullptr;
    Molecules molecules = now;
    molecules.kind = std::move(kind);
    std::shared_ptr<Plan> plan = state_.known_plans_->find(molecules, true);
    return plan != nullptr ? plan : state_.known_plans_->make(std::move(molecules), threads_);
  }

  // Rows and images of this frame, after those of the frame before, if there is one.
  bool find_rows(const codec::IndexColumns &q) {
    codec::StepPositions from{};
    if (!find_box(from)) return false;
    std::atomic<bool> fits{true};
    codec::parallel_particles(threads_, particles_, [&](std::size_t first, std::size_t end) {
      for (const std::int64_t *const column : q)
        if (!codec::kernels().steps.are_within(column + first, end - first)) fits = false;
    });
    if (!fits) return false;
    if (is_key())
      start_key();
    else
      start();
    std::copy(q.begin(), q.end(), from.q);
    from.particle_at = layout().particle_at().data();
    codec::StepTable table = layout().table(nullptr);
    if (is_key()) table.key_root = templates_.root.data();
    const auto &blocks = layout().blocks();
    format::Column<std::uint32_t> &left = state_.work_.others;
    left.resize(layout().slots());
    left_.assign(blocks.size(), 0);
    for_blocks([&](std::size_t b) {
      left_[b] = codec::kernels().steps.find_rows(table, from, blocks[b].first, blocks[b].end, state_.rows_.data(),
                                                  next(), left.data() + blocks[b].first * core::step_lanes);
    });
    return std::find(left_.begin(), left_.end(), SIZE_MAX) == left_.end();
  }

  // Edges and box. Returns false if they do not fit.
  bool find_box(codec::StepPositions &to) const {
    const core::GridBox *const box = cell_.straight_axes();
    const std::int64_t most = box != nullptr ? codec::StepPositions::most_edge : codec::StepPositions::most_tilted;
    bool fits = true;
    const auto narrow = [&](std::int64_t x) {
      fits = fits && x >= -most && x <= most;
      return static_cast<std::int32_t>(x);
    };
    const auto period = [&](std::size_t d) { return narrow(cell_.edge(d)[d]); };
    const auto vector_of = [](const auto &of) { return core::Vector<std::int32_t>{of(0), of(1), of(2)}; };
    for (std::size_t d = 0; d < core::max_components; ++d)
      to.edges[d] = vector_of([&](std::size_t c) { return narrow(cell_.edge(d)[c]); });
    to.half = vector_of([&](std::size_t d) { return period(d) != 0 ? period(d) / 2 : INT32_MAX; });
    // Where the box is not known, all particles are looked at.
    to.least = vector_of([&](std::size_t d) {
      return box == nullptr ? INT32_MAX : period(d) != 0 ? narrow((*box)[d].lo) : INT32_MIN;
    });
    to.most_inside = vector_of([&](std::size_t d) {
      return box == nullptr ? INT32_MIN : period(d) != 0 ? narrow((*box)[d].lo + period(d) - 1) : INT32_MAX;
    });
    return fits;
  }

  Fit::Frame sample() override {
    Fit::Frame frame{{}, next(), means(nullptr).gain};
    for (const std::uint32_t b : layout().sample()) {
      const std::size_t slot = layout().blocks()[b].first * core::step_lanes;
      frame.blocks.push_back({b, state_.rows_.data() + 8 * slot, state_.means_.data() + slot * columns_of_means()});
    }
    return frame;
  }
  SampledMotions sample_motions(const std::vector<std::uint32_t> &steps) override {
    SampledMotions sample{{}, next()};
    for (const std::uint32_t s : steps) {
      const std::size_t slot = std::size_t{s} * core::step_lanes;
      sample.steps.push_back({state_.rows_.data() + 8 * slot, state_.means_.data() + slot * core::motion_columns});
    }
    return sample;
  }

  std::vector<std::size_t> count_images(const std::vector<ImageRule> &rules) override {
    std::vector<std::size_t> counts(rules.size(), SIZE_MAX);
    images_.assign(rules.size(), {});
    for (std::size_t k = 0; k < rules.size(); ++k) {
      if (find_images(rules[k], images_[k])) counts[k] = images_[k].slot.size();
      if (counts[k] == 0) break;
    }
    return counts;
  }
  ImageExceptions list_images(std::size_t rule) override { return std::move(images_[rule]); }

  // Returns false if an image is too far from the usual one.
  bool find_images(const ImageRule &rule, ImageExceptions &out) {
    const unsigned frame = next();
    for (std::size_t b = 0; b < layout().blocks().size(); ++b) {
      const std::uint32_t *const left = state_.work_.others.data() + layout().blocks()[b].first * core::step_lanes;
      for (std::size_t k = 0; k < left_[b]; ++k) {
        const std::uint32_t s = left[k];
        const RowImage image = image_in(row(s, frame));
        const RowImage last = is_key() ? 0 : image_in(row(s, state_.now_));
        const RowImage usual = usual_position(rule.cell, rule.wraps, row(s, frame), last).image;
        if (image == usual) continue;
        out.slot.push_back(s);
        out.code.push_back(code_of(image, usual));
        if (out.code.back() == too_far) return false;
      }
    }
    return true;
  }

  void find_items(const std::shared_ptr<Numbers> &numbers) override {
    const auto &blocks = layout().blocks();
    item_count_.assign(blocks.size(), 0);
    codec::StepItems *const items = room_for(layout().steps().size());
    const codec::StepTable table = table_with(*numbers);
    for_blocks([&](std::size_t b) { item_count_[b] = find(table, b, items + first_item(b)); });
  }

  Counts count_items() override {
    const std::size_t blocks = layout().blocks().size();
    const int threads = codec::thread_count(threads_, blocks);
    std::vector<Counts> counts(static_cast<std::size_t>(threads));
    codec::parallel_ranges(threads, blocks, [&](int t, std::uint64_t from, std::uint64_t to) {
      for (auto b = static_cast<std::size_t>(from); b < to; ++b)
        counts[static_cast<std::size_t>(t)].add(state_.work_.items.data() + first_item(b), item_count_[b]);
    });
    for (std::size_t t = 1; t < counts.size(); ++t) counts[0].add(counts[t]);
    return std::move(counts[0]);
  }

  std::vector<std::uint32_t> code_items(const std::shared_ptr<const Codes> &codes) override {
    const Shares &shares = shares_of(codes);
    words_.assign(layout().blocks().size(), {});
    for_blocks([&](std::size_t b) { encode(shares, b, state_.work_.items.data() + first_item(b), item_count_[b]); });
    return words_of_blocks();
  }

  // A block after the other, in memory that stays in the cache.
  std::vector<std::uint32_t> code_frame(const std::shared_ptr<Numbers> &numbers,
                                        const std::shared_ptr<const Codes> &codes) override {
    const auto &blocks = layout().blocks();
    const int threads = codec::thread_count(threads_, blocks.size());
    std::size_t steps = 0;
    for (const Layout::Block &block : blocks) steps = std::max(steps, block.end - block.first);
    codec::StepItems *const items = room_for(steps * static_cast<std::size_t>(threads));
    const codec::StepTable table = table_with(*numbers);
    const Shares &shares = shares_of(codes);
    words_.assign(blocks.size(), {});
    codec::parallel_ranges(threads, blocks.size(), [&](int t, std::uint64_t from, std::uint64_t to) {
      codec::StepItems *const own = items + static_cast<std::size_t>(t) * steps * codec::step_most_items;
      for (auto b = static_cast<std::size_t>(from); b < to; ++b) encode(shares, b, own, find(table, b, own));
    });
    return words_of_blocks();
  }

  std::size_t first_item(std::size_t block) const { return layout().blocks()[block].first * codec::step_most_items; }
  codec::StepItems *room_for(std::size_t steps) {
    std::vector<codec::StepItems> &items = state_.work_.items;
    if (items.size() < steps * codec::step_most_items) items.resize(steps * codec::step_most_items);
    if (!is_key() && update_.means.empty()) {
      update_.means = std::move(state_.work_.means);
      update_.means.resize(state_.means_.size());
    }
    return items.data();
  }
  std::size_t find(const codec::StepTable &table, std::size_t block, codec::StepItems *items) {
    const Layout::Block &of = layout().blocks()[block];
    return codec::kernels().steps.find(table, of.first, of.end, state_.rows_.data(), next(),
                                       means(update_.means.data()), items);
  }
  const Shares &shares_of(const std::shared_ptr<const Codes> &codes) {
    State::Work &work = state_.work_;
    if (work.codes != codes) work.shares = std::make_shared<Shares>(*codes);
    work.codes = codes;
    return *work.shares;
  }
  void encode(const Shares &shares, std::size_t block, const codec::StepItems *items, std::size_t count) {
    const Layout::Block &of = layout().blocks()[block];
    shares.encode(of.end - of.first, items, count, words_[block]);
  }
  std::vector<std::uint32_t> words_of_blocks() const {
    std::vector<std::uint32_t> counts;
    for (const auto &block : words_) counts.push_back(static_cast<std::uint32_t>(block.size()));
    return counts;
  }

  bool use_bonds_;                       // in a new plan
  std::vector<ImageExceptions> images_;  // by each rule
  std::vector<std::size_t> left_;        // of each block: slots whose images are looked at
  std::vector<std::size_t> item_count_;  // of each block
  std::vector<std::vector<std::uint16_t>> words_;
};

std::optional<Update> encode(State &state, const codec::DifferenceState &history, const codec::IndexColumns &q,
                             const Edges &edges, std::vector<std::uint8_t> &bytes, const EncodeOptions &options) {
  SectionEncoder coder(state, history.particles, &history, options.use_bonds, options.threads);
  if (!coder.encode(q, edges, options.rests, bytes)) return {};
  return coder.update();
}

std::optional<Update> encode_key(State &state, std::size_t particles, const codec::IndexColumns &q, const Edges &edges,
                                 std::vector<std::uint8_t> &bytes, int threads) {
  state.restart();
  SectionEncoder coder(state, particles, nullptr, true, threads);
  if (!coder.encode(q, edges, false, bytes)) return {};
  return coder.update();
}

}  // namespace gpz::lanes
