// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/model_choice.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gpz/format/bytes.hpp"
#include "gpz/lanes/tilted.hpp"

namespace gpz::lanes {

namespace {

// The sections with the same molecules, counted from 1, that constants and tables are fitted to, and those
// whose constants are fitted once more.
constexpr std::array<std::uint64_t, 6> fitted{1, 2, 3, 5, 8, 12};
constexpr std::array<std::uint64_t, 2> refitted{3, 12};
bool is_in(std::uint64_t number, const std::uint64_t *first, const std::uint64_t *last) {
  return std::find(first, last, number) != last;
}

double cost(const Codes &codes, const Counts &counts) { return codes.cost_of(counts.contexts, counts.sides); }

}  // namespace

std::size_t Update::firmly_bound() const {
  if (models.plan == nullptr || models.numbers == nullptr) return 0;
  std::size_t count = 0;
  const Molecules &of = models.plan->molecules;
  if (!of.have_bonds()) return 0;
  for (std::size_t i = 0; i < of.particles(); ++i) {
    if (of.tree[i].parent == 0) continue;
    const ClassConstants &k = models.numbers->constants[of.of_class[i]];
    const double deviation = std::sqrt(power_of(k.length_variance, least_variance_exponent));
    count += deviation <= k.length / 16.0 / 8 ? 1 : 0;
  }
  return count;
}

void Learned::commit(Update &update) {
  if (update.models.plan != nullptr) sections = 0;
  models.take(std::move(update.models));
  if (update.fit) fit = std::move(*update.fit);
  if (update.counts != nullptr) counts = std::move(update.counts);
  if (update.has_settled) counts.reset();
  words = update.words;
  if (!update.is_key) {
    ++sections;
    return;
  }
  // Nothing that a key frame is fitted to serves difference frames.
  fit = {};
  counts.reset();
}

ModelChoice::ModelChoice(FrameCoder &frame, const Learned &last, const std::shared_ptr<Plan> &plan, Update &update,
                         int threads)
    : frame_(frame), last_(last), update_(update), models_(last.models), is_new_(plan != nullptr), threads_(threads) {
  update.models.plan = plan;
  models_.take(update.models);
}

void ModelChoice::fit() {
  if (!models_.plan->molecules.have_bonds()) {
    const Plan &plan = *models_.plan;
    const std::vector<std::uint32_t> steps = motion_sample(plan.molecules, plan.layout);
    update_.models.numbers = models_.numbers = std::make_shared<Numbers>();
    models_.numbers->constants = fit_motions(plan.molecules, plan.layout, steps, frame_.sample_motions(steps));
    return;
  }
  update_.has_settled = section_number() >= fitted.back();
  if (!is_in(section_number() + 1, fitted.begin(), fitted.end())) return;
  // A state of a decoder has no sums; what was read stays as it is.
  if (!is_first() && last_.fit.empty()) return;
  update_.fit = last_.fit;
  if (is_first()) {
    update_.fit.emplace();
    update_.fit->start(models_.plan->molecules.kind.size());
  }
  Fit::Frame frame = frame_.sample();
  if (templates_ != nullptr) templates_->fit(models_.plan->molecules, models_.plan->layout, frame.blocks, frame.now);
  frame.key = templates_;
  update_.fit->add(models_.plan->layout, frame, threads_);
  if (!is_first()) return;
  update_.models.numbers = models_.numbers = std::make_shared<Numbers>();
  models_.numbers->constants = update_.fit->constants();
  if (templates_ == nullptr) return;
  for (ClassConstants &constants : models_.numbers->constants) constants.weight = {};  // not used
}

void ModelChoice::replace_plan(const std::shared_ptr<Plan> &plan) {
  update_.models.plan = models_.plan = plan;
  is_new_ = true;
}

bool ModelChoice::choose(const Edges &edges) {
  if (!choose_images(edges)) return false;
  // Constants of particles without bonds change in each frame. A class whose variance passes a power of two has numbers
  // of a level that may have no table.
  const std::size_t most_growth = last_.words / (models_.plan->molecules.have_bonds() ? 32 : 128);
  if (has_settled()) {
    update_.words = last_.words;
    if (take(frame_.code_frame(models_.numbers, models_.codes)) <= last_.words + most_growth) return true;
  }
  frame_.find_items(models_.numbers);
  if (!refit()) choose_codes();
  update_.words = take(frame_.code_items(models_.codes));
  return true;
}

bool ModelChoice::choose_images(const Edges &edges) {
  const Cell cell = cell_of(edges);
  std::vector<unsigned> flags{0, wraps};
  std::vector<ImageRule> rules{{false, cell}, {true, cell}};
  if (edges.tilted) {
    flags.push_back(wraps | brick);
    rules.push_back({true, cell_of(edges, true)});
  }
  const std::vector<std::size_t> counts = frame_.count_images(rules);
  const auto best = static_cast<std::size_t>(std::min_element(counts.begin(), counts.end()) - counts.begin());
  if (counts[best] == SIZE_MAX) return false;
  flags_ = flags[best] | (edges.tilted ? static_cast<unsigned>(tilted) : 0);
  images_ = counts[best] == 0 ? ImageExceptions() : frame_.list_images(best);
  return true;
}

// Tables are compared with better ones in the first frames, and now and then.
bool ModelChoice::has_settled() const {
  constexpr std::uint64_t interval = 16, first_of_motions = 4;
  if (!models_.plan->molecules.have_bonds() && section_number() < first_of_motions) return false;
  return !update_.fit && last_.sections % interval != 0;
}

// Constants and tables are fitted once more to all frames so far, if they save in 32 frames what they take.
bool ModelChoice::refit() {
  constexpr double frames = 32;
  if (is_first() || !update_.fit) return false;
  if (!is_in(section_number() + 1, refitted.begin(), refitted.end())) return false;
  const double before = cost(*models_.codes, frame_.count_items());
  auto numbers = std::make_shared<Numbers>();
  numbers->constants = update_.fit->constants();
  const std::shared_ptr<Numbers> last = std::exchange(models_.numbers, numbers);
  update_.models.numbers = models_.numbers;
  frame_.find_items(models_.numbers);
  const Counts counts = frame_.count_items();
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
  frame_.find_items(models_.numbers);
  return false;
}

void ModelChoice::append_numbers(std::vector<std::uint8_t> &bytes) const {
  append_constants(models_.numbers->constants, is_new_ ? nullptr : &last_.models.numbers->constants, bytes);
}

// The best tables for these numbers; in the first frames, also for those before.
std::shared_ptr<Codes> ModelChoice::codes_for(const Counts &counts) {
  auto codes = std::make_shared<Codes>();
  if (!update_.fit) {
    codes->choose(counts.contexts, counts.sides);
    return codes;
  }
  update_.counts = is_first() ? std::make_shared<Counts>() : std::make_shared<Counts>(*last_.counts);
  update_.counts->add(counts);
  codes->choose(update_.counts->contexts, update_.counts->sides);
  return codes;
}

void ModelChoice::choose_codes() {
  const Counts counts = frame_.count_items();
  std::shared_ptr<Codes> own = codes_for(counts);
  if (models_.codes != nullptr && !is_new_ && (update_.models.numbers == nullptr || !update_.fit)) {
    std::vector<std::uint8_t> stored;
    own->append(stored);
    if (cost(*own, counts) + 8.0 * static_cast<double>(stored.size()) >= cost(*models_.codes, counts)) return;
  }
  update_.models.codes = models_.codes = std::move(own);
}

std::size_t ModelChoice::take(std::vector<std::uint32_t> &&words) {
  words_ = std::move(words);
  return std::accumulate(words_.begin(), words_.end(), std::size_t{0});
}

void ModelChoice::append(const Edges &edges, bool rests, std::vector<std::uint8_t> &bytes) {
  update_.rests = rests;
  if (rests) flags_ |= motion_ends;
  if (is_new_) flags_ |= new_plan;
  if (update_.models.numbers != nullptr) flags_ |= new_constants;
  if (update_.models.codes != nullptr) flags_ |= new_codes;
  const std::size_t begin = bytes.size();
  format::ByteWriter writer(bytes);
  writer.u64(flags_);
  if (edges.tilted) append_tilted(*edges.tilted, bytes);
  if (is_new_) {
    const std::vector<std::uint8_t> &plan = stored_plan(*models_.plan, threads_);
    update_.molecule_bytes = plan.size();
    writer.u64(plan.size());
    bytes.insert(bytes.end(), plan.begin(), plan.end());
  }
  if (update_.models.numbers != nullptr) append_numbers(bytes);
  if (update_.models.codes != nullptr) models_.codes->append(bytes);
  // Besides molecules, a key frame states nothing that later frames use.
  update_.lasting_bytes = update_.is_key ? update_.molecule_bytes : bytes.size() - begin;
  if (templates_ != nullptr) templates_->append(bytes);
  if (update_.is_key) update_.fit.reset();
  images_.append(bytes);
  for (const std::uint32_t words : words_) writer.u32(words);
}

}  // namespace gpz::lanes
