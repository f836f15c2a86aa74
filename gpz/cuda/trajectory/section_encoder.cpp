// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/section_encoder.hpp"

#include <algorithm>
#include <utility>

#include "gpz/cuda/trajectory/fields.hpp"
#include "gpz/format/difference_rules.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/grid_box.hpp"

namespace gpz::cuda {
namespace {

// Start of a section; the whole section if all values are as predicted.
std::vector<std::uint8_t> coding(format::FieldCodingKind kind, const format::Crossed &crossed) {
  std::vector<std::uint8_t> bytes;
  format::append_field_coding({kind, crossed}, bytes);
  return bytes;
}

// Bytes before the indices of a section without exact values.
std::size_t prefix_size(int components) {
  return format::field_coding_size + format::section_head_size(static_cast<std::size_t>(components));
}

bool fits(const DifferenceResult &result) { return result.fits != 0 && result.wide == 0 && result.invalid == 0; }

}  // namespace

std::size_t SectionEncoder::room(const FieldInput &input, std::uint64_t particles) {
  const auto components = static_cast<int>(input.field.components.size());
  return prefix_size(components) +
         std::max(difference_bound(particles, components), compressed_bound({input}, particles));
}

void SectionEncoder::start(const FrameCall &call, std::size_t id) {
  id_ = id;
  crossed_.assign(call.fields.size(), format::Crossed{});
  counts_crossings_ = false;
  for (std::size_t f = 1; f < call.fields.size(); ++f) {
    if (f != id) crossed_[f] = format::crossed_by(call.field(0), call.field(f), call.box);
    counts_crossings_ |= crossed_[f] != format::Crossed{};
  }
  if (counts_crossings_)
    for (std::int8_t *axis : matched_.crossings())
      check(cudaMemsetAsync(axis, 0, matched_.staying(), call.stream), "clearing");
}

void SectionEncoder::queue(const FrameCall &call, std::size_t f, const BesidesEncoding &besides) {
  const int components = call.components(f);
  const bool in_steps = f == 0 && steps_ != nullptr;
  std::vector<std::uint8_t> prefix = coding(in_steps ? format::steps : format::predicted_values, crossed_[f]);
  format::append_section_head(format::SectionHead::axes_and_exact_values, format::grid_box(call.box, call.field(f)),
                              call.field(f).components.size(), {}, prefix);
  out_.place(std::move(prefix), call.stream);
  if (in_steps) return encode_steps(call, prefix_size(components), besides);
  SectionEncoding section{
      {format::grid_box(call.box, call.field(f)), scratch_.data(), scratch_.capacity(), call.stream}};
  section.out = out_.at(prefix_size(components));
  section.capacity = difference_bound(matched_.staying(), components);
  section.result = &report_.results().section;
  encode_difference(history_.state(f), values(call, f), section, {}, besides);
}

void SectionEncoder::encode_steps(const FrameCall &call, std::size_t prefix, const BesidesEncoding &besides) {
  DifferenceResult &result = report_.results().section;
  result = {};
  const DeviceValues found = values(call, 0);
  if (!steps_->encode(history_.state(0), {found, edges_of(call), besides.crossings, call.stream})) return;
  result.bytes = steps_->size();
  result.largest_error = steps_->largest_error();
  if (prefix + steps_->size() > room(call.fields[0], matched_.staying())) return;
  steps_->write(out_.at(prefix), call.stream);
  result.fits = 1;
}

void SectionEncoder::queue_comparison(const FrameCall &call, std::size_t f, const std::uint32_t *cancelled,
                                      cudaStream_t stream) {
  if (f == id_ || !format::is_plain(call.field(f))) return;
  std::uint32_t *changed = report_.changed(f);
  if (history_.has_keys(f))
    return follow_keys(values(call, f), matched_.staying(), call.components(f), history_.keys(f), changed, stream,
                       cancelled);
  DeviceDifferenceState &state = history_.state(f);
  for (int d = 0; d < state.components; ++d)
    if (const int axis = crossed_[f][static_cast<std::size_t>(d)]; axis != 0)
      add_crossings(state.last[d], matched_.crossings()[static_cast<std::size_t>(axis - 1)], matched_.staying(),
                    stream);
  compare_integers(values(call, f), state, changed, stream);
}

bool SectionEncoder::end(const FrameCall &call, std::size_t f, std::uint64_t usual_size, double &largest_error) {
  if (f == id_) return true;
  const bool is_plain = format::is_plain(call.field(f));
  if (is_plain && report_.flags().changed[f] == 0) {
    if (crossed_[f] != format::Crossed{}) out_.append(coding(format::predicted_values, crossed_[f]), call.stream);
    return true;
  }
  if (is_plain && plain_fields_fixed_) return false;
  const std::size_t begin = out_.size();
  if (history_.has_keys(f)) {
    append_block_coded(encode_block_coded(call, f), call.stream);
    return true;
  }
  if (is_plain || f != 0) {
    queue(call, f, {});
    check(cudaStreamSynchronize(call.stream), "differences");
  }
  const DifferenceResult &result = report_.results().section;
  if (!fits(result)) return false;
  largest_error = result.largest_error;
  out_.grow(prefix_size(call.components(f)) + static_cast<std::size_t>(result.bytes));
  if (!is_plain || out_.size() - begin < usual_size) return true;
  const DeviceChunk &alone = encode_block_coded(call, f);
  if (format::field_coding_size + alone.size < out_.size() - begin) {
    out_.cut(begin);
    append_block_coded(alone, call.stream);
  }
  return true;
}

DeviceValues SectionEncoder::values(const FrameCall &call, std::size_t f) const {
  return {call.fields[f].components, matched_.staying_rows(), format::grid_of(call.field(f)), matched_.windows()};
}

const DeviceChunk &SectionEncoder::encode_block_coded(const FrameCall &call, std::size_t f) {
  FieldInput input = call.fields[f];
  input.field.leading = false;
  return codec_.encode({input}, matched_.staying(), reinterpret_cast<const int *>(matched_.staying_rows()),
                       call.stream);
}

void SectionEncoder::append_block_coded(const DeviceChunk &alone, cudaStream_t stream) {
  out_.append(coding(format::block_coded_values, {}), stream);
  out_.append(alone, stream);
}

}  // namespace gpz::cuda
