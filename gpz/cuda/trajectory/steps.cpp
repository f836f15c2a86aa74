// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/steps.hpp"

#include <algorithm>
#include <cstring>

#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/difference/state.hpp"
#include "gpz/cuda/steps/kernels.hpp"

namespace gpz::cuda {

namespace {

template <typename T, typename Values>
void copy_to_device(const T *to, const Values &from, cudaStream_t stream) {
  if (from.empty()) return;
  check(cudaMemcpyAsync(const_cast<T *>(to), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice, stream),
        "copy to the device");
  // Pinned memory would be as large as the layout.
  check(cudaStreamSynchronize(stream), "copy to the device");
}

// Three components, and a side. A key frame has no narrow circles.
std::uint32_t items_of(core::StepKind kind, bool is_key) {
  return kind == core::StepKind::root || (kind == core::StepKind::narrow && !is_key) ? 3 : 4;
}

// Where the items of steps and blocks are, in host memory.
struct Items {
  std::vector<StepLayout::Block> blocks;
  std::vector<std::uint32_t> first_item;
  std::uint32_t count = 0;

  Items(const lanes::Layout &layout, bool is_key) : first_item(layout.steps().size()) {
    for (const lanes::Layout::Block &of : layout.blocks()) {
      StepLayout::Block block{static_cast<std::uint32_t>(of.first), static_cast<std::uint32_t>(of.end), count, 0};
      for (std::uint32_t s = block.first; s < block.end; ++s) {
        first_item[s] = block.items;
        block.items += items_of(layout.steps()[s].kind, is_key);
      }
      count += block.items + 1;
      blocks.push_back(block);
    }
  }
};

}  // namespace

void DeviceSteps::decode(DeviceDifferenceState &state, const Call &call) {
  const ChunkBytes &bytes = call.section;
  lanes::OpenedSection section = lanes::open_section(
      [&](std::size_t offset, std::size_t count) { return bytes.host(offset, count); }, bytes.size(), call.box,
      static_cast<std::size_t>(state.particles), false, models_, known_plans_, bytes.values().threads);
  const bool is_new = section.has(lanes::new_plan);
  models_.take(section.models);
  take(section.models, nullptr, call.stream);
  const DifferenceHistory history = history_of(state, call.box, call.crossings);
  start_rows(state, history, section.cell, is_new, call.stream);
  const StepDecode params = decoding(section, call);
  launch_decode_steps(params, call.stream);
  const bool rests = section.has(lanes::motion_ends);
  place(section, params, history, rests, call);
  finish(state, params.rows, rests, call.stream);
}

void DeviceSteps::decode_key(std::uint64_t particles, std::int32_t *const *indices, const Call &call) {
  restart();
  const ChunkBytes &bytes = call.section;
  lanes::OpenedSection section = lanes::open_section(
      [&](std::size_t offset, std::size_t count) { return bytes.host(offset, count); }, bytes.size(), call.box,
      static_cast<std::size_t>(particles), true, models_, known_plans_, bytes.values().threads);
  models_.take(section.models);
  take(section.models, &section.templates.heading, call.stream);
  clear_rows(call.stream);
  StepDecode params = decoding(section, call);
  params.is_key = true;
  const auto &root = section.templates.root;
  params.key_root = {root[0], root[1], root[2]};
  launch_decode_steps(params, call.stream);
  send_constants(models_.numbers->constants, call.stream);  // those of the frames after it
  DifferenceHistory history{};
  std::copy_n(indices, core::max_components, history.last);
  place(section, params, history, true, call);
  last_is_second_ = !last_is_second_;
  frames_ = 1;
}

void DeviceSteps::place(const lanes::OpenedSection &section, const StepDecode &decoded,
                        const DifferenceHistory &history, bool rests, const Call &call) {
  StepPlacing placing{};
  placing.layout = layout_;
  placing.rows = decoded.rows.now;
  placing.cell = section.cell;
  placing.wraps = section.has(lanes::wraps);
  placing.images = reinterpret_cast<const StepImage *>(decoded.first_word + layout_.block_count + 1);
  placing.image_count = static_cast<std::uint32_t>(section.images.slot.size());
  placing.history = history;
  placing.rests = rests;
  placing.status = call.status;
  launch_place_steps(placing, call.stream);
}

void DeviceSteps::start_key(const std::shared_ptr<lanes::Plan> &plan, cudaStream_t stream) {
  restart();
  models_.plan = plan;
  send_plan(stream);
  use_items(items_of_key_);
  clear_rows(stream);
}

void DeviceSteps::start(const std::shared_ptr<lanes::Plan> &plan, DeviceDifferenceState &state,
                        const core::GridBox &box, const molecule::Cell &cell, cudaStream_t stream) {
  restart();
  models_.plan = plan;
  send_plan(stream);
  start_rows(state, history_of(state, box), cell, true, stream);
}

StepRows DeviceSteps::begin(cudaStream_t stream) {
  StepRows found = rows();
  found.next_means = reserve_cleared<float>(means_[1 - last_means_], layout_.slots * columns_of_means(), stream);
  return found;
}

void DeviceSteps::finish(DeviceDifferenceState &state, const StepRows &found, bool rests, cudaStream_t stream) {
  if (found.next_means != found.means) last_means_ = 1 - last_means_;
  count_frame(state);
  if (rests) end_motion(state, stream);
  last_is_second_ = !last_is_second_;
  frames_ = state.frames;
  ++sections_;
}

// Those that are new.
void DeviceSteps::take(const lanes::Models &models, const std::vector<lanes::Heading> *key, cudaStream_t stream) {
  if (models.plan != nullptr) sections_ = 0;
  if (models.plan != nullptr) send_plan(stream);
  if (models.numbers != nullptr) send_constants(models.numbers->constants, stream, key);
  if (models.codes != nullptr) {
    const codec::StepCodes codes = models.codes->for_kernels();
    constexpr std::size_t entries = std::size_t{core::step_contexts} * core::step_table_size;
    auto *const to = reserve<std::uint32_t>(codes_, entries + core::step_side_levels);
    sent_.send(codes.entries, entries * sizeof(*to), to, stream);
    sent_.send(codes.sides, core::step_side_levels * sizeof(*to), to + entries, stream);
  }
}

// Unless the device has it.
void DeviceSteps::send_plan(cudaStream_t stream) {
  if (models_.plan == on_device_) return;
  on_device_ = nullptr;
  send_layout(*models_.plan, stream);
  on_device_ = models_.plan;
}

void DeviceSteps::send_layout(const lanes::Plan &plan, cudaStream_t stream) {
  const lanes::Layout &layout = plan.layout;
  const codec::StepTable table = layout.table(nullptr);
  const std::size_t slots = layout.slots();
  const Items items(layout, false), of_key(layout, true);
  format::Column<std::uint8_t> of_class(slots);
  for (std::size_t s = 0; s < slots; ++s) {
    const std::uint32_t particle = layout.particle_at()[s];
    const bool is_used = particle != lanes::Layout::nobody;
    of_class[s] = is_used ? plan.molecules.of_class[particle] : of_class[s / core::step_lanes * core::step_lanes];
  }
  StepLayout on_device{};
  const bool have_references = plan.molecules.have_bonds();
  const auto cut = [&](Carver carver) {
    on_device.steps = carver.take<codec::Step>(layout.steps().size());
    if (have_references) {
      on_device.parent = carver.take<std::uint32_t>(slots);
      on_device.axis = carver.take<std::uint32_t>(slots);
      on_device.second = carver.take<std::uint32_t>(slots);
    }
    on_device.particle_at = carver.take<std::uint32_t>(slots);
    on_device.of_class = carver.take<std::uint8_t>(slots);
    on_device.slot_of = carver.take<std::uint32_t>(layout.particles());
    for (StepItems *const to : {&items_, &items_of_key_}) {
      to->first_item = carver.take<std::uint32_t>(layout.steps().size());
      to->blocks = carver.take<StepLayout::Block>(layout.blocks().size());
    }
    return carver.used();
  };
  reserve<char>(layout_memory_, cut(Carver(nullptr)));
  cut(Carver(layout_memory_.data()));
  struct Slots {
    const std::uint32_t *from;
    std::size_t count;
    const std::uint32_t *data() const { return from; }
    std::size_t size() const { return count; }
    bool empty() const { return count == 0; }
  };
  copy_to_device(on_device.steps, layout.steps(), stream);
  if (have_references) {
    copy_to_device(on_device.parent, Slots{table.parent, slots}, stream);
    copy_to_device(on_device.axis, Slots{table.axis, slots}, stream);
    copy_to_device(on_device.second, Slots{table.second, slots}, stream);
  }
  copy_to_device(on_device.particle_at, layout.particle_at(), stream);
  copy_to_device(on_device.of_class, of_class, stream);
  copy_to_device(on_device.slot_of, layout.slot_of(), stream);
  const auto send_items = [&](StepItems &to, const Items &from) {
    copy_to_device(to.first_item, from.first_item, stream);
    copy_to_device(to.blocks, from.blocks, stream);
    to.count = from.count;
  };
  send_items(items_, items);
  send_items(items_of_key_, of_key);
  on_device.block_count = static_cast<std::uint32_t>(layout.blocks().size());
  on_device.slots = slots;
  on_device.particles = layout.particles();
  layout_ = on_device;
  use_items(items_);
}

void DeviceSteps::use_items(const StepItems &items) {
  layout_.first_item = items.first_item;
  layout_.blocks = items.blocks;
  layout_.items = items.count;
}

const StepConstants &DeviceSteps::send_constants(const std::vector<lanes::ClassConstants> &constants,
                                                 cudaStream_t stream, const std::vector<lanes::Heading> *key) {
  constants_.classes = static_cast<std::uint32_t>(constants.size());
  std::vector<float> values(constants_.size());
  float *row = values.data();
  for (const core::StepKind kind : {core::StepKind::narrow, core::StepKind::sphere})
    for (std::size_t c = 0; c < constants.size(); ++c, row += StepConstants::row) {
      const lanes::Heading *const heading = key != nullptr ? &(*key)[c] : nullptr;
      const auto of_class = lanes::constants_of(constants[c], have_bonds(), kind, heading);
      std::copy(of_class.begin(), of_class.end(), row);
    }
  auto *const to = reserve<float>(constants_memory_, values.size());
  sent_.send(values.data(), values.size() * sizeof(float), to, stream);
  constants_.values = to;
  return constants_;
}

void DeviceSteps::start_rows(const DeviceDifferenceState &state, const DifferenceHistory &history,
                             const molecule::Cell &cell, bool is_new, cudaStream_t stream) {
  if (!is_new && frames_ == state.frames) return;
  frames_ = state.frames;
  if (is_new) clear_rows(stream);
  launch_start_rows(layout_, rows(), state.last, cell, stream);
  if (!have_bonds()) launch_start_motions(layout_, rows(), history, stream);
}

void DeviceSteps::clear_rows(cudaStream_t stream) {
  reserve_cleared<std::int32_t>(rows_, 2 * row_integers * layout_.slots, stream);
  const std::size_t size = layout_.slots * columns_of_means() * sizeof(float);
  check(cudaMemsetAsync(reserve<char>(means_[last_means_], size), 0, size, stream), "clearing");
}

// Rows and means for the next frame.
StepRows DeviceSteps::rows() const {
  auto *const means = static_cast<float *>(means_[last_means_].data());
  const float gain = lanes::gain_of(*models_.plan, sections_, frames_ + 1);
  auto *const first = static_cast<std::int32_t *>(rows_.data()), *const second = first + row_integers * layout_.slots;
  return last_is_second_ ? StepRows{first, second, means, means, gain, !have_bonds()}
                         : StepRows{second, first, means, means, gain, !have_bonds()};
}

StepDecode DeviceSteps::decoding(const lanes::OpenedSection &section, const Call &call) {
  StepDecode params{};
  params.layout = layout_;
  params.rows = rows();
  params.constants = constants_;
  params.entries = static_cast<const std::uint32_t *>(codes_.data());
  params.sides = params.entries + std::size_t{core::step_contexts} * core::step_table_size;
  params.words = static_cast<const std::uint16_t *>(call.section.device(section.words_at));
  params.status = call.status;
  static_assert(sizeof(StepImage) == sizeof(std::uint64_t));
  std::vector<std::uint64_t> lists{0};
  for (const std::uint32_t words : section.words) lists.push_back(lists.back() + words);
  const std::size_t blocks = lists.size();
  lists.resize(blocks + section.images.slot.size());
  for (std::size_t k = 0; k < section.images.slot.size(); ++k) {
    const StepImage image{section.images.slot[k], section.images.code[k]};
    std::memcpy(&lists[blocks + k], &image, sizeof image);
  }
  auto *const to = reserve<std::uint64_t>(lists_, lists.size());
  sent_.send(lists.data(), lists.size() * sizeof(*to), to, call.stream);
  params.first_word = to;
  check(cudaMemsetAsync(params.status, 0, sizeof(*params.status), call.stream), "clearing");
  return params;
}

void DeviceSteps::restart() {
  models_ = {};
  use_items(items_);
  frames_ = sections_ = 0;
}

void DeviceSteps::release() {
  restart();
  known_plans_ = {};
  on_device_ = nullptr;
  for (DeviceBuffer *buffer : {&layout_memory_, &rows_, &means_[0], &means_[1], &constants_memory_, &codes_, &lists_})
    buffer->release();
  sent_.release();
}

std::size_t DeviceSteps::device_bytes() const {
  std::size_t bytes = 0;
  for (const DeviceBuffer *buffer :
       {&layout_memory_, &rows_, &means_[0], &means_[1], &constants_memory_, &codes_, &lists_})
    bytes += buffer->capacity();
  return bytes;
}

}  // namespace gpz::cuda
