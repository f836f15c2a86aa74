// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/step_encoder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <utility>

#include "gpz/core/config.hpp"
#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/difference/state.hpp"
#include "gpz/cuda/steps/kernels.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/lanes/words.hpp"

namespace gpz::cuda {

void StepEncoder::start(const std::shared_ptr<lanes::Plan> &molecules, std::uint64_t sections_with_motion,
                        int threads) {
  plan_is_stored_ = is_key_ && plan_ == molecules;
  if (!plan_is_stored_) restart();
  is_key_ = false;
  numbers_ = nullptr;  // the device has those of a key frame
  sections_with_motion_ = sections_with_motion;
  threads_ = threads;
  plan_ = molecules;
  begins_ = true;
}

void StepEncoder::restart() {
  steps_.restart();
  begins_ = is_key_ = plan_is_stored_ = false;
  plan_ = nullptr;
  learned_ = {};
  sections_with_motion_ = 0;
  numbers_ = nullptr;
  codes_ = nullptr;
}

bool StepEncoder::encode(DeviceDifferenceState &state, const Call &call) {
  if (!begins_ && (!steps_.goes_on(state) || steps_.layout().particles != state.particles)) return false;
  stream_ = call.stream;
  const Indices index = reserve_indices(state.particles);
  if (begins_) begin(state, index, call);
  if (!find_rows(index, call)) return false;
  const bool is_new = begins_ && !plan_is_stored_;
  const bool rests = !begins_ && learned_.sections >= sections_with_motion_ && learned_.may_rest();
  lanes::Update update;
  if (!code(call.edges, is_new, rests, update)) return false;
  learned_.commit(update);
  begins_ = false;
  launch_follow(history_of(state, call.edges.axes, call.crossings), index.of, rests, stream_);
  steps_.finish(state, rows_, rests, stream_);
  return true;
}

bool StepEncoder::encode_key(const std::shared_ptr<lanes::Plan> &molecules, const Call &call, int threads) {
  restart();
  threads_ = threads;
  stream_ = call.stream;
  plan_ = molecules;
  is_key_ = true;
  steps_.start_key(plan_, stream_);
  lanes::Update update;
  update.is_key = true;
  if (!find_rows(reserve_indices(plan_->layout.particles()), call) || !code(call.edges, true, false, update))
    return false;
  learned_.commit(update);
  return true;
}

StepEncoder::Indices StepEncoder::reserve_indices(std::uint64_t particles) {
  Indices index{};
  const auto cut = [&](Carver carver) {
    for (std::int32_t *&axis : index.of) axis = carver.take<std::int32_t>(particles);
    return carver.used();
  };
  reserve<char>(index_, cut(Carver(nullptr)));
  cut(Carver(index_.data()));
  return index;
}

void StepEncoder::begin(DeviceDifferenceState &state, const Indices &index, const Call &call) {
  if (plan_ == nullptr) plan_ = plan_without_bonds(state, index, call);
  if (state.at_rest()) {
    end_motion(state, stream_);
    state.rest_implied = false;
  }
  steps_.start(plan_, state, call.edges.axes, lanes::cell_of(call.edges), stream_);
}

std::shared_ptr<lanes::Plan> StepEncoder::plan_without_bonds(const DeviceDifferenceState &state, const Indices &index,
                                                             const Call &call) {
  // Values that the grid cannot hold are found later.
  auto *const report = reserve<IndexReport>(scratch_, 1);
  check(cudaMemsetAsync(report, 0, sizeof(*report), stream_), "clearing");
  find_indices(call.values, state.particles, static_cast<int>(core::max_components), index.of, report, stream_);
  std::vector<std::int8_t> octave((state.particles + core::step_lanes - 1) / core::step_lanes);
  auto *const on_device = reserve<std::int8_t>(items_, octave.size());
  launch_find_octaves(state.last, index.of, state.particles, lanes::cell_of(call.edges), on_device, stream_);
  fetch(octave.data(), on_device, octave.size());
  return lanes::plan_without_bonds(octave, state.particles);
}

bool StepEncoder::find_rows(const Indices &index, const Call &call) {
  const StepLayout &layout = steps_.layout();
  rows_ = steps_.begin(stream_);
  auto *const report =
      reinterpret_cast<Report *>(reserve<char>(lists_, sizeof(Report) + layout.block_count * sizeof(std::uint32_t)));
  check(cudaMemsetAsync(report, 0, offsetof(Report, steps) + offsetof(StepReport, list), stream_), "clearing");
  find_indices(call.values, layout.particles, static_cast<int>(core::max_components), index.of, &report->values,
               stream_);
  StepFinding finding{};
  finding.layout = layout;
  finding.rows = rows_;
  std::copy(std::begin(index.of), std::end(index.of), finding.index);
  finding.cell = lanes::cell_of(call.edges);
  finding.is_key = is_key_;
  finding.report = &report->steps;
  launch_find_rows(finding, stream_);
  struct {
    IndexReport values;
    std::uint32_t is_unfit;
  } found{};
  static_assert(offsetof(Report, steps) == sizeof(IndexReport) && offsetof(StepReport, is_unfit) == 0);
  fetch(&found, report, sizeof(found));
  largest_error_ = core::bit_cast<double>(std::uint64_t{found.values.error});
  return found.values.invalid == 0 && found.values.wide == 0 && found.is_unfit == 0;
}

bool StepEncoder::code(const lanes::Edges &edges, bool is_new, bool rests, lanes::Update &update) {
  lanes::ModelChoice choice(*this, learned_, is_new ? plan_ : nullptr, update, threads_);
  if (is_key_) choice.use(templates_);
  choice.fit();
  if (!choice.choose(edges)) return false;
  head_.clear();
  choice.append(edges, rests, head_);
  size_ = static_cast<std::size_t>(format::round_up_8(head_.size() + 2 * first_word_.back()));
  return true;
}

lanes::Fit::Frame StepEncoder::sample() {
  const lanes::Layout &layout = plan_->layout;
  std::size_t slots = 0;
  const auto slots_of = [&](std::uint32_t b) {
    return (layout.blocks()[b].end - layout.blocks()[b].first) * core::step_lanes;
  };
  for (const std::uint32_t b : layout.sample()) slots += slots_of(b);
  const std::size_t means_of_slot = plan_->molecules.columns_of_means();
  const std::size_t size = sizeof(StepRowPair) + means_of_slot * sizeof(float);
  if (slots * size > sampled_.capacity()) {
    sampled_.release();
    sampled_.allocate(slots * size);
  }
  auto *rows = static_cast<StepRowPair *>(sampled_.data());
  auto *means = reinterpret_cast<float *>(rows + slots);
  auto *pairs = reserve<StepRowPair>(scratch_, slots);
  lanes::Fit::Frame frame{{}, StepRowPair::now, rows_.gain};
  for (const std::uint32_t b : layout.sample()) {
    const std::size_t first = layout.blocks()[b].first * core::step_lanes, count = slots_of(b);
    frame.blocks.push_back({b, rows->values, means});
    launch_pair_rows(rows_, first, count, pairs, stream_);
    const auto get = [&](auto *&to, const auto *from, std::size_t values) {
      check(cudaMemcpyAsync(to, from, values * sizeof(*to), cudaMemcpyDeviceToHost, stream_), "copy from the device");
      to += values;
    };
    get(rows, pairs, count);
    get(means, rows_.means + means_of_slot * first, means_of_slot * count);
    pairs += count;
  }
  check(cudaStreamSynchronize(stream_), "copy from the device");
  return frame;
}

lanes::SampledMotions StepEncoder::sample_motions(const std::vector<std::uint32_t> &steps) {
  const std::size_t count = steps.size(), size = count * sizeof(StepSample);
  auto *const sampled = reserve<StepSample>(scratch_, count + (count * sizeof(std::uint32_t)) / sizeof(StepSample) + 1);
  auto *const list = reinterpret_cast<std::uint32_t *>(sampled + count);
  if (size > sampled_.capacity()) {
    sampled_.release();
    sampled_.allocate(size);
  }
  sent_.send(steps.data(), count * sizeof(steps[0]), list, stream_);
  launch_sample_steps(rows_, list, static_cast<std::uint32_t>(count), sampled, stream_);
  fetch(sampled_.data(), sampled, size);
  lanes::SampledMotions sample{{}, StepRowPair::now};
  for (const auto *of = static_cast<const StepSample *>(sampled_.data()); sample.steps.size() < count; ++of)
    sample.steps.push_back({of->rows->values, of->motions});
  return sample;
}

StepImages StepEncoder::images_of(const lanes::ImageRule *rules, std::size_t count) const {
  StepImages params{};
  params.layout = steps_.layout();
  params.now = rows_.now;
  params.before = rows_.before;
  for (std::size_t k = 0; k < count; ++k) params.rules[k] = {rules[k].wraps, rules[k].cell};
  params.rule_count = static_cast<std::uint32_t>(count);
  params.is_key = is_key_;
  params.report = &static_cast<Report *>(lists_.data())->steps;
  return params;
}

std::vector<std::size_t> StepEncoder::count_images(const std::vector<lanes::ImageRule> &rules) {
  rules_ = rules;
  const StepImages params = images_of(rules.data(), rules.size());
  launch_find_images(params, stream_);
  fetch(&found_, params.report, sizeof(found_));
  image_counts_.clear();
  for (std::size_t k = 0; k < rules.size(); ++k)
    image_counts_.push_back(found_.is_far[k] != 0 ? SIZE_MAX : std::size_t{found_.images[k]});
  return image_counts_;
}

lanes::ImageExceptions StepEncoder::list_images(std::size_t rule) {
  const StepImage *const first = found_.list[rule];
  std::vector<StepImage> list(first, first + std::min(image_counts_[rule], std::size(found_.list[rule])));
  if (list.size() < image_counts_[rule]) {
    list.resize(image_counts_[rule]);
    StepImages params = images_of(&rules_[rule], 1);
    params.list = reserve<StepImage>(scratch_, list.size());
    params.list_capacity = static_cast<std::uint32_t>(list.size());
    launch_find_images(params, stream_);
    fetch(list.data(), params.list, list.size() * sizeof(list[0]));
  }
  std::sort(list.begin(), list.end(), [](const StepImage &a, const StepImage &b) { return a.slot < b.slot; });
  lanes::ImageExceptions images;
  for (const StepImage &image : list) {
    images.slot.push_back(image.slot);
    images.code.push_back(static_cast<std::uint8_t>(image.code));
  }
  return images;
}

StepItemLists StepEncoder::lists() const {
  auto *const report = static_cast<Report *>(lists_.data());
  return {static_cast<StepItemRow *>(items_.data()), reinterpret_cast<std::uint32_t *>(report + 1)};
}

void StepEncoder::find_items(const std::shared_ptr<lanes::Numbers> &numbers) {
  if (numbers != numbers_)
    constants_ = steps_.send_constants(numbers->constants, stream_, is_key_ ? &templates_.heading : nullptr);
  numbers_ = numbers;
  reserve<StepItemRow>(items_, steps_.layout().items);
  queue_items();
}

void StepEncoder::queue_items() {
  const auto &root = templates_.root;
  const core::Vector<std::int32_t> key_root{root[0], root[1], root[2]};
  launch_find_items(steps_.layout(), rows_, constants_, is_key_ ? &key_root : nullptr, lists(), stream_);
  has_items_ = true;
}

lanes::Counts StepEncoder::count_items() {
  if (!has_items_) queue_items();
  auto *const counts = reserve<std::uint32_t>(counts_, step_counts);
  check(cudaMemsetAsync(counts, 0, step_counts * sizeof(*counts), stream_), "clearing");
  launch_count_items(steps_.layout(), lists(), counts, stream_);
  std::vector<std::uint32_t> found(step_counts);
  fetch(found.data(), counts, found.size() * sizeof(found[0]));
  lanes::Counts out;
  static_assert(sizeof(lanes::ContextCounts) == step_counted_tokens * sizeof(std::uint32_t));
  const std::uint32_t *from = found.data();
  for (lanes::ContextCounts &context : out.contexts) {
    std::copy_n(from, context.size(), context.begin());
    from += context.size();
  }
  for (auto &side : out.sides)
    for (std::uint32_t &count : side) count = *from++;
  return out;
}

std::vector<std::uint32_t> StepEncoder::code_items(const std::shared_ptr<const lanes::Codes> &codes) {
  if (!has_items_) queue_items();
  constexpr std::size_t entries = std::size_t{core::step_contexts} * codec::StepShares::tokens;
  auto *const on_device = reserve<std::uint32_t>(shares_, entries + core::step_side_levels);
  if (codes != codes_) {
    const lanes::Shares shares(*codes);
    sent_.send(shares.for_kernels().entries, entries * sizeof(*on_device), on_device, stream_);
    sent_.send(shares.for_kernels().sides, core::step_side_levels * sizeof(*on_device), on_device + entries, stream_);
    codes_ = codes;
  }
  launch_code_items({steps_.layout(), lists(), on_device, on_device + entries}, stream_);
  has_items_ = false;
  std::vector<std::uint32_t> words(steps_.layout().block_count);
  fetch(words.data(), lists().words, words.size() * sizeof(words[0]));
  first_word_.assign(1, 0);
  for (const std::uint32_t count : words) first_word_.push_back(first_word_.back() + count);
  return words;
}

void StepEncoder::write(void *out, cudaStream_t stream) {
  // The last bytes may be padding.
  auto *const bytes = static_cast<std::uint8_t *>(out);
  check(cudaMemsetAsync(bytes + size_ - sizeof(std::uint64_t), 0, sizeof(std::uint64_t), stream), "clearing");
  sent_.send(head_.data(), head_.size(), out, stream);
  auto *const first_word = reserve<std::uint64_t>(scratch_, first_word_.size());
  sent_.send(first_word_.data(), first_word_.size() * sizeof(first_word_[0]), first_word, stream);
  launch_copy_words(steps_.layout(), lists(), first_word, reinterpret_cast<std::uint16_t *>(bytes + head_.size()),
                    stream);
}

void StepEncoder::fetch(void *to, const void *from, std::size_t size) {
  // A copy to memory that is not pinned takes longer.
  constexpr std::size_t small = std::size_t{1} << 16;
  if (fetched_.capacity() == 0) fetched_.allocate(small);
  void *const landing = size <= small ? fetched_.data() : to;
  if (size != 0) check(cudaMemcpyAsync(landing, from, size, cudaMemcpyDeviceToHost, stream_), "results");
  check(cudaStreamSynchronize(stream_), "steps");
  if (landing != to) std::memcpy(to, landing, size);
}

void StepEncoder::release() {
  restart();
  steps_.release();
  for (DeviceBuffer *buffer : {&index_, &items_, &counts_, &shares_, &scratch_, &lists_}) buffer->release();
  sampled_.release();
  fetched_.release();
  sent_.release();
}

std::size_t StepEncoder::device_bytes() const {
  std::size_t bytes = steps_.device_bytes();
  for (const DeviceBuffer *buffer : {&index_, &items_, &counts_, &shares_, &scratch_, &lists_})
    bytes += buffer->capacity();
  return bytes;
}

}  // namespace gpz::cuda
