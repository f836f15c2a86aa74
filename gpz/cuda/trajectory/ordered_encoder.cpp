// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/ordered_encoder.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "gpz/codec/ordered_search.hpp"
#include "gpz/core/block.hpp"
#include "gpz/cuda/ordered/ordered.hpp"
#include "gpz/cuda/trajectory/fields.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/grid_box.hpp"
#include "gpz/format/section_head.hpp"
#include "gpz/kernels/kernels.hpp"

namespace gpz::cuda {
namespace {

std::vector<std::uint8_t> section_start(const Field &field, format::FieldCodingKind coding, const core::GridBox &axes) {
  std::vector<std::uint8_t> bytes;
  format::append_field_coding({coding, {}}, bytes);
  format::append_section_head(format::SectionHead::axes_and_exact_values, axes, field.components.size(), {}, bytes);
  return bytes;
}

}  // namespace

bool OrderedEncoder::sort(const FrameCall &call, std::size_t id) {
  const std::uint64_t n = call.particles;
  if (grow(unsorted_, n * sizeof(std::int64_t))) ++allocations_;
  if (grow(rows_, n * sizeof(std::uint32_t) + sizeof(report_->flags))) ++allocations_;
  auto *const ids = static_cast<std::int64_t *>(unsorted_.data());
  auto *const rows = static_cast<std::uint32_t *>(rows_.data());
  std::uint32_t *const flags = rows + n;
  check(cudaMemsetAsync(flags, 0, sizeof(report_->flags), call.stream), "clearing");
  load_integers(call.fields[id].components[0], call.rows, n, ids, call.stream);
  ranks_.find(ids, n, &report_->id_bits, call.stream);
  ranks_.sort_rows(call.rows, n, rows, flags + 1, call.stream);
  fetch(report_->flags, flags, sizeof(report_->flags), call.stream);
  return report_->flags[1] == 0;
}

DeviceValues OrderedEncoder::values(const FrameCall &call, std::size_t field) const {
  return {call.fields[field].components, rows(), format::grid_of(call.field(field)), {}};
}

// As a CPU chooses it, from the same blocks.
core::OrderedPredictor OrderedEncoder::choose_predictor(const FrameCall &call, std::size_t field, bool is_id,
                                                        const core::GridBox &axes) {
  constexpr std::uint32_t block = core::default_block_size;
  const auto components = static_cast<std::size_t>(call.components(field));
  const std::vector<std::uint64_t> blocks = codec::sampled_ordered_blocks(core::blocks_of(call.particles));
  const std::size_t count = blocks.size() * block;
  std::array<std::int32_t *, core::max_components> index{};
  if (grow(unsorted_, components * count * sizeof(std::int32_t))) ++allocations_;
  for (std::size_t d = 0; d < components; ++d) index[d] = static_cast<std::int32_t *>(unsorted_.data()) + d * count;
  std::uint32_t *const wide = static_cast<std::uint32_t *>(rows_.data()) + call.particles;
  std::vector<std::int64_t> sorted_ids(count);
  std::vector<codec::OrderedBlock> sample(blocks.size());
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const std::uint64_t first = blocks[k] * block;
    sample[k].n = static_cast<std::uint32_t>(std::min<std::uint64_t>(block, call.particles - first));
    DeviceValues some = values(call, field);
    some.rows += first;
    std::array<std::int32_t *, core::max_components> to = index;
    for (std::size_t d = 0; d < components; ++d) to[d] += k * block;
    find_indices(some, sample[k].n, static_cast<int>(components), to.data(), wide, call.stream);
    if (!is_id) fetch(sorted_ids.data() + k * block, ids() + first, sample[k].n * sizeof(std::int64_t), call.stream);
  }
  std::vector<std::int32_t> found(components * count);
  fetch(found.data(), unsorted_.data(), found.size() * sizeof(found[0]), call.stream);
  const std::vector<std::int64_t> columns(found.begin(), found.end());
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    sample[k].components = static_cast<int>(components);
    sample[k].ids = is_id ? nullptr : sorted_ids.data() + k * block;
    for (std::size_t d = 0; d < components; ++d)
      sample[k].axes[d] = {columns.data() + d * count + k * block, nullptr, core::checked_axis(axes[d])};
  }
  const auto scratch = std::make_unique<codec::OrderedScratch>();
  return codec::choose_ordered_predictor(std::move(sample), call.particles, codec::kernels().ordered, *scratch);
}

bool OrderedEncoder::append_ordered(const FrameCall &call, std::size_t field, bool is_id, const core::GridBox &axes,
                                    ChunkOutput &out, DeviceBuffer &scratch, double &largest_error) {
  const core::OrderedPredictor predictor = choose_predictor(call, field, is_id, axes);
  SectionEncoding section{{axes, scratch.data(), scratch.capacity(), call.stream}};
  section.out = out.at(0);
  section.capacity = ordered_bound(call.particles, call.components(field));
  section.result = &report_->section;
  encode_ordered(call.particles, is_id ? nullptr : ids(), values(call, field), call.components(field), predictor,
                 section);
  check(cudaStreamSynchronize(call.stream), "an ordered section");
  const DifferenceResult &result = report_->section;
  if (result.fits == 0 || result.wide != 0 || result.invalid != 0) return false;
  out.grow(static_cast<std::size_t>(result.bytes));
  largest_error = result.largest_error;
  return true;
}

bool OrderedEncoder::append_steps(const FrameCall &call, const Molecules &molecules, ChunkOutput &out,
                                  double &largest_error) {
  StepEncoder &encoder = molecules.encoder;
  const DeviceValues positions = values(call, 0);
  const bool fits =
      encoder.encode_key(molecules.plan, {positions, edges_of(call), {}, call.stream}, molecules.threads) &&
      encoder.size() <= ordered_bound(call.particles, call.components(0));
  if (fits) {
    encoder.write(out.at(0), call.stream);
    out.grow(encoder.size());
    largest_error = encoder.largest_error();
  }
  return fits;
}

bool OrderedEncoder::encode(const FrameCall &call, std::size_t id, const core::GridBox &axes,
                            const Molecules *molecules, ChunkOutput &out, DeviceBuffer &scratch,
                            std::vector<std::uint64_t> &lengths, std::vector<double> &largest_error) {
  std::vector<std::uint8_t> head;
  format::append_chunk_head(ChunkKind::ordered, {id}, call.fields.size(), head);
  std::size_t room = head.size(), most = 0;
  for (std::size_t f = 0; f < call.fields.size(); ++f) {
    const std::size_t bound = ordered_bound(call.particles, call.components(f));
    room += section_start(call.field(f), format::ordered_values, axes).size() + bound;
    most = std::max(most, encode_ordered_workspace(call.particles, bound));
  }
  if (grow(scratch, most)) ++allocations_;
  out.start(room);
  out.grow(head.size());
  lengths.clear();
  largest_error.assign(call.fields.size(), 0);
  for (std::size_t f = 0; f < call.fields.size(); ++f) {
    const bool in_steps = f == 0 && molecules != nullptr;
    const std::size_t begin = out.size();
    const core::GridBox own = f == 0 ? axes : format::grid_box(call.box, call.field(f));
    out.append(section_start(call.field(f), in_steps ? format::steps : format::ordered_values, own), call.stream);
    if (!(in_steps ? append_steps(call, *molecules, out, largest_error[f])
                   : append_ordered(call, f, f == id, own, out, scratch, largest_error[f])))
      return false;
    lengths.push_back(out.size() - begin);
    format::set_section_length(head, ChunkKind::ordered, f, lengths.back());
  }
  out.set_head(head, call.stream);
  check(cudaStreamSynchronize(call.stream), "an ordered chunk");
  return format::may_have(format::rule_of(ChunkKind::ordered), call.particles, out.size());
}

void OrderedEncoder::fetch(void *to, const void *from, std::size_t size, cudaStream_t stream) {
  if (size != 0) check(cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, stream), "copy from the device");
  check(cudaStreamSynchronize(stream), "copy from the device");
}

void OrderedEncoder::release() {
  ranks_.release();
  unsorted_.release();
  rows_.release();
}

std::size_t OrderedEncoder::device_bytes() const {
  return ranks_.device_bytes() + unsorted_.capacity() + rows_.capacity();
}

}  // namespace gpz::cuda
