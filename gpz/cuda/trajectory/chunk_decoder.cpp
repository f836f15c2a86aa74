// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/chunk_decoder.hpp"

#include <algorithm>
#include <utility>

#include "gpz/core/difference_section.hpp"
#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/trajectory/fields.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/difference_rules.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::cuda {

using format::corrupt;

namespace {

// Each field has a section and arrivals; ids may be decoded separately.
constexpr int most_statuses = static_cast<int>(max_fields) + 4;

ConstArray::Type type_of(const Field &field) {
  return field.type == ValueType::integer   ? ConstArray::Type::int64
         : field.type == ValueType::float32 ? ConstArray::Type::float32
                                            : ConstArray::Type::float64;
}

// True if the arrays keep every bit of every value.
bool holds_all(const FieldOutput &output) {
  for (std::size_t d = 0; d < output.field.components.size(); ++d)
    if (output.components[d].data == nullptr || output.components[d].type != type_of(output.field)) return false;
  return true;
}

FieldOutput without_arrays(const Field &field) { return {field, {}}; }

std::vector<Field> described(const std::vector<FieldOutput> &outputs) {
  std::vector<Field> fields(outputs.size());
  std::transform(outputs.begin(), outputs.end(), fields.begin(),
                 [](const FieldOutput &output) { return output.field; });
  return fields;
}

[[noreturn]] void unsupported(const std::string &cause) {
  throw Error(Status::unsupported, cause + ": only the CPU decodes it");
}

}  // namespace

void ChunkDecoder::decode(const Call &call) {
  begin(call);
  const ChunkBytes &bytes = call.bytes;
  const format::ChunkRule rule = format::rule_of(chunk_kind(bytes.host(0, format::chunk_start_size), bytes.size()));
  const bool follows = rule.population == format::Population::followed;
  if (follows) {
    next(call);
  } else {
    const IndependentDecoder &decoder = decoder_of(bytes, call.particles, fields_);
    // The device reads the heads of block chunks.
    if (rule.family == format::Family::blocks) {
      start(call, bytes, decoder);
    } else {
      const format::OpenedChunk chunk = open(call);
      start(call, bytes.opened_as(chunk), decoder);
    }
  }
  join_statuses(statuses(), statuses_used_, follows ? wide() : nullptr, &call.report->status, call.stream);
}

format::OpenedChunk ChunkDecoder::open(const Call &call) const {
  format::OpenedChunk chunk = format::open_chunk(call.bytes.reader(), call.bytes.size(), call.outputs.size());
  // needed_features() reads the start of every section.
  if (features_ != all_features) format::require_features(features_, format::needed_features(chunk));
  return chunk;
}

void ChunkDecoder::begin(const Call &call) {
  statuses_used_ = 0;
  crossed_ = {};
  written_.assign(call.outputs.size(), {false, false});
  fields_ = described(call.outputs);
  if (call.by_id && format::identity_field(fields_) == format::no_field)
    throw Error(Status::invalid_argument, "the order of ids needs a field id");
  if (flags_.data() != nullptr) return;
  const std::size_t size = (1 + most_statuses) * sizeof(std::uint32_t);
  reserve(flags_, size);
  check(cudaMemsetAsync(flags_.data(), 0, size, call.stream), "clearing");
}

// --- Chunks without history

void ChunkDecoder::start(const Call &call, const ChunkBytes &bytes, const IndependentDecoder &decoder) {
  forget();
  id_ = format::identity_field(fields_);
  std::vector<Kept> kept(fields_.size(), Kept::nothing);
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const bool follows = wanted_.empty() || f == 0 || f == id_ || (f < wanted_.size() && wanted_[f]);
    if (!follows || call.particles > format::max_followed || !decoder.starts_history) continue;
    kept[f] = format::is_plain(fields_[f]) ? Kept::keys : Kept::state;
    if (kept[f] == Kept::state && fields_[f].bound == 0)
      throw Error(Status::invalid_argument, "a field with a step needs its bound");
  }
  history_.start(fields_, kept, call.particles, wide(), call.stream);
  has_no_values_ = !decoder.starts_history;
  if (call.by_id) {
    decode_ids(call, bytes, decoder, 0, call.particles);
    rank(call);
  }
  const bool may_have_steps =
      !fields_.empty() && kept[0] == Kept::state && fields_[0].components.size() == core::max_components;
  const KeySteps steps = may_have_steps ? KeySteps{&steps_, &history_.state(0)} : KeySteps{};
  decode_others(call, bytes.with_steps(steps), decoder, 0, call.particles);
  write_fields(call, 0);
}

void ChunkDecoder::decode_ids(const Call &call, const ChunkBytes &chunk, const IndependentDecoder &decoder,
                              std::uint64_t first, std::uint64_t count) {
  if (!is_followed(id_)) reserve(ids_, count * sizeof(std::int64_t));
  std::vector<FieldOutput> outputs;
  for (const FieldOutput &output : call.outputs) outputs.push_back(without_arrays(output.field));
  outputs[id_].components[0] = {ids() + first, sizeof(std::int64_t), ConstArray::Type::int64};
  decode_into(call, chunk, decoder, count, outputs);
}

void ChunkDecoder::decode_others(const Call &call, const ChunkBytes &chunk, const IndependentDecoder &decoder,
                                 std::uint64_t first, std::uint64_t count) {
  const std::size_t fields = call.outputs.size();
  const auto is_done = [&](std::size_t f) { return call.by_id && f == id_; };
  landings_.assign(fields, {});
  carve(landing_, [&](Carver &carver) {
    for (std::size_t f = 0; f < fields; ++f)
      landings_[f] = is_done(f) ? Landing{without_arrays(field(call, f))} : land(call, f, first, count, carver);
  });
  std::vector<FieldOutput> outputs;
  for (const Landing &landing : landings_) outputs.push_back(landing.output);
  decode_into(call, chunk, decoder, count, outputs);
  for (std::size_t f = 0; f < fields; ++f) {
    if (is_followed(f) && field(call, f).type != ValueType::integer)
      history_.add(f, values(call, f), count, call.stream);
    written_[f][1] = take_landed(call, f, first, count);
  }
  history_.count_added(count);
}

void ChunkDecoder::decode_into(const Call &call, const ChunkBytes &chunk, const IndependentDecoder &decoder,
                               std::uint64_t count, const std::vector<FieldOutput> &outputs) {
  reserve(workspace_, decoder.workspace(outputs, count));
  decoder.decode(chunk, count, outputs, workspace_.data(), workspace_.capacity(), next_status(), call.stream);
}

ChunkDecoder::Landing ChunkDecoder::land(const Call &call, std::size_t f, std::uint64_t first, std::uint64_t count,
                                         Carver &carver) const {
  const FieldOutput &output = call.outputs[f];
  const std::size_t components = output.field.components.size();
  const ConstArray::Type type = type_of(output.field);
  const auto size = static_cast<std::ptrdiff_t>(element_size(type));
  Landing landing{output, false};
  if (is_followed(f) && output.field.type == ValueType::integer) {
    for (std::size_t d = 0; d < components; ++d)
      landing.output.components[d] = {history_.keys(f)[d] + first, size, type};
    return landing;
  }
  if (!call.by_id && (is_followed(f) ? holds_all(output) : is_wanted(output))) {
    landing.is_callers = true;
    for (DeviceArray &array : landing.output.components)
      if (array.data != nullptr)
        array.data = static_cast<char *>(array.data) + static_cast<std::ptrdiff_t>(first) * array.stride;
    return landing;
  }
  landing.output = without_arrays(output.field);
  if (is_followed(f) || is_wanted(output))
    for (std::size_t d = 0; d < components; ++d)
      landing.output.components[d] = {carver.take<char>(count * static_cast<std::uint64_t>(size)), size, type};
  return landing;
}

bool ChunkDecoder::take_landed(const Call &call, std::size_t f, std::uint64_t first, std::uint64_t count) {
  if (landings_[f].is_callers) return true;
  if (history_.has_keys(f)) return false;  // the keys are decoded anyway
  if (!is_wanted(call.outputs[f])) return true;
  const RowRange range = range_of(call, first, count);
  if (field(call, f).type == ValueType::integer) {
    const std::int64_t *landed[core::max_components] = {};
    for (std::size_t d = 0; d < core::max_components; ++d)
      landed[d] = static_cast<const std::int64_t *>(landings_[f].output.components[d].data);
    write_keys(landed, call.outputs[f], range, call.stream);
  } else {
    write_values(values(call, f), call.outputs[f], range, call.stream);
  }
  return true;
}

RowRange ChunkDecoder::range_of(const Call &call, std::uint64_t first, std::uint64_t count) const {
  if (!call.by_id) return {first, count, nullptr, nullptr};
  return {first, count, ranks_.rows(), count == call.particles ? ranks_.slots() : nullptr};
}

DeviceValues ChunkDecoder::values(const Call &call, std::size_t f) const {
  DeviceValues values{{}, nullptr, format::grid_of(field(call, f))};
  for (std::size_t d = 0; d < core::max_components; ++d) {
    const DeviceArray &array = landings_[f].output.components[d];
    values.component[d] = {array.data, array.stride, array.type};
  }
  return values;
}

void ChunkDecoder::rank(const Call &call) {
  if (ranked_) return;
  ranks_.find(ids(), call.particles, &call.report->id_bits, call.stream);
  ranked_ = true;
}

// --- Difference chunks

void ChunkDecoder::next(const Call &call) {
  const std::size_t fields = call.outputs.size();
  const ChunkBytes &bytes = call.bytes;
  if (fields == 0) corrupt("a difference chunk without fields", 0);
  if (!history_.started()) throw Error(Status::not_found, "the chunk that a difference chunk builds on is missing");
  if (has_no_values_) unsupported("a difference chunk that builds on a sequence chunk");
  if (!format::have_same_grids(fields_, history_.fields()))
    corrupt("a difference chunk without the frame it builds on", 0);
  if (call.particles > format::max_followed) unsupported("a difference chunk of more than 2^31 - 1 particles");
  // Names come from the caller with each frame, so the field of ids may change.
  const std::size_t id = format::identity_field(fields_);
  ranked_ = ranked_ && id == id_;
  id_ = id;
  for (std::size_t f = 0; f < fields; ++f)
    if (!is_followed(f) && (is_wanted(call.outputs[f]) || (call.by_id && f == id)))
      throw Error(Status::not_found,
                  "field " + field(call, f).components[0].name + " was not followed since the independent chunk");
  const format::OpenedChunk chunk = open(call);
  const format::Column<std::uint32_t> leaving = format::read_leaving_slots(
      chunk, history_.particles(), call.particles, bytes.host(chunk.slots.offset, chunk.slots.size));
  const std::uint64_t staying = call.particles - chunk.arriving;
  ranked_ = ranked_ && chunk.keeps_particles() && (id_ == format::no_field || chunk.sections[id_].size == 0);
  const ChunkBytes arrivals = bytes.part(chunk.arrivals.offset, chunk.arrivals.size);
  const IndependentDecoder *const decoder = format::located(chunk.arrivals.offset, [&] {
    return chunk.arriving == 0 ? nullptr : &decoder_of(arrivals, chunk.arriving, fields_, true);
  });
  history_.grow(call.particles, call.stream);
  if (!leaving.empty()) let_leave(call, leaving);
  const auto section = [&](std::size_t f) {
    decode_section(call, f, bytes.part(chunk.sections[f].offset, chunk.sections[f].size), staying);
  };
  if (chunk.may_count_crossings([&](std::size_t f) { return history_.has_keys(f); })) count_crossings(call, staying);
  if (call.by_id) {
    section(id_);
    if (chunk.arriving != 0) decode_ids(call, arrivals, *decoder, staying, chunk.arriving);
    rank(call);
  }
  for (std::size_t f = 0; f < fields; ++f)
    if (!call.by_id || f != id_) section(f);
  if (chunk.arriving != 0) {
    decode_others(call, arrivals, *decoder, staying, chunk.arriving);
    steps_.restart();
  }
  write_fields(call, staying);
}

void ChunkDecoder::let_leave(const Call &call, const format::Column<std::uint32_t> &leaving) {
  const std::uint64_t before = history_.particles();
  std::uint32_t *slots = nullptr;
  std::uint32_t *staying = nullptr;
  carve(lists_, [&](Carver &carver) {
    slots = carver.take<std::uint32_t>(leaving.size());
    staying = carver.take<std::uint32_t>(before);
  });
  leaving_.send(leaving.data(), leaving.size() * sizeof(std::uint32_t), slots, call.stream);
  list_staying(slots, leaving.size(), before, staying, call.stream);
  history_.keep(staying, before - leaving.size(), call.stream);
  steps_.restart();
}

void ChunkDecoder::count_crossings(const Call &call, std::uint64_t staying) {
  const std::size_t used = carve(crossings_, [&](Carver &carver) {
    for (std::int8_t *&axis : crossed_) axis = carver.take<std::int8_t>(staying);
  });
  check(cudaMemsetAsync(crossings_.data(), 0, used, call.stream), "clearing");
}

void ChunkDecoder::decode_section(const Call &call, std::size_t f, const ChunkBytes &section, std::uint64_t staying) {
  const Kept kept = history_.kept(f);
  if (kept == Kept::nothing) return;
  if (section.size() == 0) {
    if (kept == Kept::state) advance_difference(history_.state(f), nullptr, wide(), call.stream);
    return;
  }
  const bool plain = kept == Kept::keys;
  const std::size_t components = field(call, f).components.size();
  const format::FieldCoding coding =
      read_coding(section, ChunkKind::difference, format::class_of(field(call, f)), plain && f != 0 ? components : 0);
  for (std::size_t d = 0; d < components; ++d) {
    if (coding.crossed[d] == 0) continue;
    if (call.by_id && f == id_) unsupported("ids that count crossings");
    add_crossings(history_.keys(f)[d], crossed_[coding.crossed[d] - 1u], staying, call.stream);
  }
  if (coding.kind == format::steps)
    decode_steps(call, f, behind_coding(section), staying);
  else if (!have_kernels(coding.kind))
    unsupported("coding " + std::to_string(coding.kind) + " of a difference chunk");
  else if (format::rule_of(coding.kind).has_indices)
    decode_predicted(call, f, behind_coding(section), staying);
  else
    decode_block_coded(call, f, behind_coding(section), staying);
}

void ChunkDecoder::decode_predicted(const Call &call, std::size_t f, const ChunkBytes &section, std::uint64_t staying) {
  const bool plain = history_.has_keys(f);
  if (section.size() == 0) {
    if (!plain) advance_difference(history_.state(f), nullptr, wide(), call.stream);
    return;
  }
  core::GridBox box{};
  const std::size_t start = format::section_head_size(field(call, f).components.size());
  const std::uint64_t exact = format::read_section_start(section.host(0, start), section.size(), field(call, f), box);
  const std::size_t head = start + static_cast<std::size_t>(exact) * format::exact_value_size;
  const ChunkBytes indices = section.part(head, section.size() - head);
  if (indices.size() == 0) corrupt("a section without indices", head);
  const std::uint8_t prediction = *indices.host(0, 1);
  if (prediction != core::temporal_predictor && (plain || prediction != core::neighbour_predictor))
    corrupt("unknown predictor", head);
  reserve(workspace_, decode_difference_workspace(staying));
  const SectionDecoding decoding{
      {box, workspace_.data(), workspace_.capacity(), call.stream}, indices.device(), indices.size(), next_status()};
  const DeviceCrossings crossings = f == 0 ? crossed_ : DeviceCrossings{};
  if (plain) {
    decode_key_differences(keys(call, f), staying, decoding, crossings);
    return;
  }
  if (!can_follow(box)) unsupported("edges of the box so many grid steps away");
  DeviceDifferenceState &state = history_.state(f);
  const FieldOutput &output = call.outputs[f];
  if (!call.by_id || !is_wanted(output)) {
    decode_difference(state, decoding, output, crossings, prediction);
  } else if (state.components == core::max_components) {
    // Rows of arrivals get stale contents here, and their values later.
    reserve(packed_, call.particles * sizeof(PackedIndices));
    auto *const packed = static_cast<PackedIndices *>(packed_.data());
    decode_packed_difference(state, decoding, packed, crossings, prediction);
    write_packed(packed, output, range_of(call, 0, call.particles), call.stream);
  } else {
    decode_difference(state, decoding, without_arrays(output.field), crossings, prediction);
    write_indices(state, output, range_of(call, 0, staying), call.stream);
  }
  write_exact_values(section.device(start), exact, output, range_of(call, 0, staying), decoding.status, call.stream);
  written_[f][0] = true;
}

void ChunkDecoder::decode_steps(const Call &call, std::size_t f, const ChunkBytes &section, std::uint64_t staying) {
  if (f != 0 || history_.has_keys(f)) unsupported("steps of another field than the first one");
  core::GridBox box{};
  const std::size_t start = format::section_head_size(field(call, f).components.size());
  const std::uint64_t exact = format::read_section_start(section.host(0, start), section.size(), field(call, f), box);
  if (!can_follow(box)) unsupported("edges of the box so many grid steps away");
  if (field(call, f).components.size() != core::max_components) corrupt("molecules in less than three dimensions", 0);
  const std::size_t head = start + static_cast<std::size_t>(exact) * format::exact_value_size;
  std::uint32_t *const status = next_status();
  const ChunkBytes payload = section.part(head, section.size() - head);
  format::located(head, [&] { steps_.decode(history_.state(f), {payload, box, crossed_, status, call.stream}); });
  if (!is_wanted(call.outputs[f])) return;
  write_history(call, f, range_of(call, 0, staying));
  write_exact_values(section.device(start), exact, call.outputs[f], range_of(call, 0, staying), status, call.stream);
  written_[f][0] = true;
}

void ChunkDecoder::decode_block_coded(const Call &call, std::size_t f, const ChunkBytes &chunk, std::uint64_t staying) {
  const IndependentDecoder &decoder = decoder_of(chunk, staying, {field(call, f)}, true);
  landings_.assign(call.outputs.size(), {});
  carve(landing_, [&](Carver &carver) { landings_[f] = land(call, f, 0, staying, carver); });
  FieldOutput alone = landings_[f].output;
  alone.field.leading = false;
  decode_into(call, chunk, decoder, staying, {alone});
  const DeviceValues decoded = values(call, f);
  if (history_.kept(f) == Kept::state)
    advance_difference(history_.state(f), &decoded, wide(), call.stream);
  else if (field(call, f).type != ValueType::integer)
    follow_keys(decoded, staying, static_cast<int>(alone.field.components.size()), history_.keys(f), nullptr,
                call.stream);
  written_[f][0] = take_landed(call, f, 0, staying);
}

// --- The caller's arrays

void ChunkDecoder::write_fields(const Call &call, std::uint64_t staying) {
  for (std::size_t f = 0; f < call.outputs.size(); ++f) {
    if (!is_wanted(call.outputs[f])) continue;
    if (call.by_id && f == id_) {
      const std::int64_t *const sorted = ranks_.sorted_ids();
      write_keys(&sorted, call.outputs[f], {0, call.particles}, call.stream);
      continue;
    }
    const std::uint64_t first = written_[f][0] ? staying : 0;
    const std::uint64_t end = written_[f][1] ? staying : call.particles;
    if (first < end) write_history(call, f, range_of(call, first, end - first));
  }
}

void ChunkDecoder::write_history(const Call &call, std::size_t f, const RowRange &range) {
  if (history_.has_keys(f))
    write_keys(history_.keys(f), call.outputs[f], range, call.stream);
  else
    write_indices(history_.state(f), call.outputs[f], range, call.stream);
}

DeviceKeys ChunkDecoder::keys(const Call &call, std::size_t f) const {
  DeviceKeys keys;
  keys.components = static_cast<int>(field(call, f).components.size());
  std::copy_n(history_.keys(f), keys.components, keys.last);
  return keys;
}

std::int64_t *ChunkDecoder::ids() const {
  return is_followed(id_) ? history_.keys(id_)[0] : static_cast<std::int64_t *>(ids_.data());
}

// --- Memory

std::uint32_t *ChunkDecoder::next_status() {
  if (statuses_used_ == most_statuses) throw Error(Status::internal, "more statuses than a chunk has");
  return statuses() + statuses_used_++;
}

void ChunkDecoder::reserve(DeviceBuffer &buffer, std::size_t size) {
  if (size <= buffer.capacity()) return;
  buffer.release();
  buffer.allocate(size);
  ++allocations_;
}

void ChunkDecoder::forget() {
  history_.forget();
  steps_.restart();
  ranked_ = false;
}

void ChunkDecoder::release() {
  forget();
  history_.release();
  steps_.release();
  ranks_.release();
  for (DeviceBuffer *buffer : {&flags_, &workspace_, &landing_, &ids_, &lists_, &crossings_, &packed_})
    buffer->release();
  leaving_.release();
}

std::size_t ChunkDecoder::device_bytes() const {
  std::size_t bytes = history_.device_bytes() + steps_.device_bytes() + ranks_.device_bytes();
  for (const DeviceBuffer *buffer : {&flags_, &workspace_, &landing_, &ids_, &lists_, &crossings_, &packed_})
    bytes += buffer->capacity();
  return bytes;
}

std::uint64_t ChunkDecoder::allocations() const {
  return allocations_ + history_.allocations() + steps_.allocations() + ranks_.allocations();
}

}  // namespace gpz::cuda
