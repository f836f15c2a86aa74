// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/chunk_encoder.hpp"

#include <algorithm>
#include <utility>

#include "gpz/cuda/trajectory/fields.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/grid_box.hpp"

namespace gpz::cuda {
namespace {

// True if the first section is that of a predicted field.
bool leads(const FrameCall &call) { return !format::is_plain(call.field(0)); }

}  // namespace

// --- Memory

void ChunkEncoder::forget() {
  history_.forget();
  steps_.restart();
  sections_.use(nullptr);
  sections_.set_plain_fields_fixed(false);
  adviser_ = nullptr;
  matched_.forget();
  last_.forget();
  scratch_before_ = scratch_particles_ = 0;  // valid for these fields only
}

void ChunkEncoder::release() {
  forget();
  history_.release();
  steps_.release();
  ordered_.release();
  matched_.release();
  last_.release();
  out_.release();
  scratch_.release();
  report_.release();
}

void ChunkEncoder::settle() const {
  if (beside_ != nullptr && cudaStreamSynchronize(beside_->stream.get()) != cudaSuccess) forget_last_error();
}

std::size_t ChunkEncoder::device_bytes() const {
  return history_.device_bytes() + matched_.device_bytes() + last_.device_bytes() + out_.device_bytes() +
         scratch_.capacity() + report_.device_bytes() + steps_.device_bytes() + ordered_.device_bytes();
}

std::uint64_t ChunkEncoder::allocations() const {
  return allocations_ + history_.allocations() + matched_.allocations() + last_.allocations() + out_.allocations() +
         report_.allocations() + steps_.allocations() + ordered_.allocations();
}

void ChunkEncoder::reserve_scratch(const FrameCall &call, std::uint64_t before) {
  // Sizes come from a library call, which is slow.
  if (before <= scratch_before_ && call.particles <= scratch_particles_) return;
  scratch_before_ = scratch_particles_ = 0;
  const std::uint64_t most = std::max(before, call.particles);
  std::size_t size = FrameMatch::scratch_size(before, call.particles);
  for (std::size_t f = 0; f < call.fields.size(); ++f) {
    DeviceDifferenceState state;
    state.particles = most;
    size = std::max(size, encode_difference_workspace(state, difference_bound(most, call.components(f))));
  }
  if (size > scratch_.capacity()) {
    scratch_.release();
    scratch_.allocate(size);
    ++allocations_;
  }
  scratch_before_ = before;
  scratch_particles_ = call.particles;
}

// --- Frame after frame

void ChunkEncoder::start(const FrameCall &call, const std::vector<Field> &fields, std::size_t id) {
  const DeviceChunk &key = codec_.chunk();
  id_ = id;
  report_.reserve();
  const std::uint64_t *lengths = report_.results().lengths;
  const auto *const first = static_cast<const char *>(key.data) + format::section_length_at(key.kind, 0);
  check(cudaMemcpyAsync(report_.results().lengths, first, fields.size() * format::section_length_size,
                        cudaMemcpyDeviceToHost, call.stream),
        "lengths of sections");
  check(cudaStreamSynchronize(call.stream), "lengths of sections");
  history_.start(fields, id, std::max(key.particles, call.particles), report_.wide(), call.stream);
  history_.add(key, &report_.results().damaged, call.stream);
  sizes_.particles = key.particles;
  sizes_.all = key.size;
  sizes_.sections.assign(lengths, lengths + fields.size());
}

bool ChunkEncoder::encode_ordered(const FrameCall &call, const AxesOf &axes_of) {
  return start_ordered(call, axes_of, nullptr);
}

bool ChunkEncoder::encode_ordered(const FrameCall &call, const std::shared_ptr<lanes::Plan> &molecules, int threads) {
  const OrderedEncoder::Molecules of_key{molecules, steps_, threads};
  const auto axes_of = [&](const std::uint32_t *) { return format::grid_box(call.box, call.field(0)); };
  return start_ordered(call, axes_of, &of_key);
}

void ChunkEncoder::follow(const Positions &positions, int threads) {
  sections_.set_plain_fields_fixed(true);
  if (positions.coding != format::steps) return steps_.restart();
  steps_.start(positions.molecules, positions.sections_with_motion, threads);
  sections_.use(&steps_);
}

bool ChunkEncoder::start_ordered(const FrameCall &call, const AxesOf &axes_of,
                                 const OrderedEncoder::Molecules *molecules) {
  forget();
  report_.reserve();
  report_.clear(call.stream);
  const std::vector<Field> fields = format::described(call.fields);
  id_ = format::identity_field(fields);
  // Difference frames do not need its memory.
  struct Release {
    OrderedEncoder &encoder;
    ~Release() { encoder.release(); }
  } release{ordered_};
  if (!ordered_.sort(call, id_)) return false;
  const std::optional<core::GridBox> axes = axes_of(ordered_.rows());
  if (!axes || !ordered_.encode(call, id_, *axes, molecules, out_, scratch_, sizes_.sections, largest_error_))
    return false;
  kind_ = ChunkKind::ordered;
  sizes_.particles = call.particles;
  sizes_.all = out_.size();
  history_.start(fields, id_, call.particles, report_.wide(), call.stream);
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (f != id_) history_.add(f, ordered_.values(call, f), call.particles, call.stream);
  history_.add_ids(ordered_.ids(), call.particles, call.stream);
  history_.count_added(call.particles);
  report_.fetch(call.stream);
  if (report_.flags().wide == 0) return true;
  forget();
  return false;
}

bool ChunkEncoder::take_advice(const FrameCall &call) {
  if (matched_.arriving() != 0 || !matched_.leaving().empty()) {
    adviser_ = nullptr;
    use(format::predicted_values);
    return true;
  }
  if (adviser_ == nullptr) return true;
  const Advice advice = adviser_(call, matched_.staying_rows());
  if (!advice.coding) return false;
  use(*advice.coding);
  if (advice.stays) adviser_ = nullptr;
  return true;
}

void ChunkEncoder::use(format::FieldCodingKind coding) {
  const bool in_steps = coding == format::steps;
  if (in_steps == !steps_.empty()) return;
  if (in_steps)
    steps_.start(nullptr, 0, threads_);
  else
    steps_.restart();
  sections_.use(in_steps ? &steps_ : nullptr);
}

ChunkEncoder::Outcome ChunkEncoder::encode(const FrameCall &call) {
  kind_ = ChunkKind::difference;
  if (!steps_.empty() || adviser_ != nullptr) {
    // Steps cannot be undone: ids are compared first.
    if (match_repeated(call)) {
      if (report_.flags().wide != 0) return Outcome::wide;
      return take_advice(call) && encode_matched(call) ? Outcome::encoded : Outcome::impossible;
    }
  } else {
    switch (encode_repeated(call)) {
      case Repeated::encoded:
        return Outcome::encoded;
      case Repeated::impossible:
        return Outcome::impossible;
      case Repeated::wide:
        return Outcome::wide;
      case Repeated::moved:
        break;
    }
  }
  switch (match(call)) {
    case Match::wide:
      return Outcome::wide;
    case Match::few:
      return Outcome::impossible;
    case Match::found:
      break;
  }
  // Only a CPU finds the bonds of other particles.
  if (steps_.have_bonds() && (matched_.arriving() != 0 || !matched_.leaving().empty())) return Outcome::impossible;
  return take_advice(call) && encode_matched(call) ? Outcome::encoded : Outcome::impossible;
}

ChunkEncoder::Match ChunkEncoder::match(const FrameCall &call) {
  // Behind a key frame, its history is decoded meanwhile.
  reserve_scratch(call, history_.particles());
  out_.start(sections_room(call, std::min(call.particles, history_.particles())));
  report_.queue_copy(call.stream);
  report_.clear(call.stream);
  matched_.find(history_.ids(), history_.particles(), call.fields[id_].components[0], call.particles, call.rows,
                scratch_.data(), &report_.results().counts, call.stream);
  if (report_.flags().wide != 0) return Match::wide;
  if (!format::enough_stay(matched_.staying(), call.particles, history_.particles())) return Match::few;
  matched_.list(scratch_.data(), call.stream);
  return Match::found;
}

bool ChunkEncoder::match_repeated(const FrameCall &call) {
  const ConstArray &ids = call.fields[id_].components[0];
  const void *known = last_.find(id_, 0, ids.type, call.particles);
  if (known == nullptr || !matched_.may_repeat(history_.particles(), call.particles, call.rows)) return false;
  reserve_scratch(call, history_.particles());
  report_.clear(call.stream);
  compare_copies(ids, known, call.particles, report_.moved(), call.stream);
  report_.fetch(call.stream);
  if (report_.flags().moved != 0) return false;
  matched_.repeat();
  return true;
}

ChunkEncoder::Repeated ChunkEncoder::encode_repeated(const FrameCall &call) {
  const ConstArray &ids = call.fields[id_].components[0];
  const void *known = last_.find(id_, 0, ids.type, call.particles);
  if (known == nullptr || !matched_.may_repeat(history_.particles(), call.particles, call.rows)) return Repeated::moved;
  reserve_scratch(call, history_.particles());
  report_.clear(call.stream);
  // Runs while the prediction is fitted, which keeps few multiprocessors busy.
  CUstream_st *const beside = begin_beside(call.stream);
  compare_copies(ids, known, call.particles, report_.moved(), beside);
  beside_->end.record(beside);
  matched_.repeat();
  std::vector<std::uint8_t> head = start_chunk(call);
  queue_sections(call, report_.moved(), std::vector<bool>(call.fields.size()));
  if (!leads(call)) check(cudaStreamWaitEvent(call.stream, beside_->end.get()), "waiting for ids");
  report_.fetch(call.stream);
  if (report_.flags().wide != 0) return Repeated::wide;
  if (report_.flags().moved != 0) {
    if (leads(call)) undo_frame(history_.state(0));
    return Repeated::moved;
  }
  remember(call, true, call.stream);
  return end_chunk(call, head) ? Repeated::encoded : Repeated::impossible;
}

bool ChunkEncoder::encode_matched(const FrameCall &call) {
  std::vector<std::uint8_t> head = start_chunk(call);
  if (matched_.staying() != 0) {
    CUstream_st *const beside = begin_beside(call.stream);
    remember(call, false, beside);
    // Comparisons do not limit the speed of the first section, nor it theirs.
    std::vector<bool> compared(call.fields.size());
    for (std::size_t f = 0; f < call.fields.size(); ++f) {
      compared[f] = sections_.may_stay(call, f);
      if (compared[f]) sections_.queue_comparison(call, f, nullptr, beside);
    }
    beside_->end.record(beside);
    queue_sections(call, nullptr, std::move(compared));
    beside_->end.hold(call.stream);
    report_.fetch(call.stream);
  }
  return end_chunk(call, head);
}

cudaStream_t ChunkEncoder::begin_beside(cudaStream_t stream) {
  beside_->begin.record(stream);
  beside_->begin.hold(beside_->stream.get());
  return beside_->stream.get();
}

// --- One chunk

// Largest size of all sections in bytes.
std::size_t ChunkEncoder::sections_room(const FrameCall &call, std::uint64_t particles) const {
  std::size_t room = 0;
  for (std::size_t f = 0; f < call.fields.size(); ++f)
    if (f != id_) room += SectionEncoder::room(call.fields[f], particles);
  return room;
}

std::vector<std::uint8_t> ChunkEncoder::start_chunk(const FrameCall &call) {
  const std::uint64_t before = history_.particles();
  const std::uint64_t staying = matched_.staying();
  const std::uint64_t arriving = matched_.arriving();
  history_.grow(call.particles, call.stream);
  if (!matched_.leaving().empty()) history_.keep(matched_.staying_slots(), staying, call.stream);
  std::vector<std::uint8_t> head;
  format::append_difference_head(before, matched_.leaving(), arriving, call.fields.size(), head);
  out_.start(head.size() + sections_room(call, staying) +
             (arriving == 0 ? 0 : compressed_bound(call.fields, arriving)));
  out_.grow(head.size());
  largest_error_.assign(call.fields.size(), 0);
  sections_.start(call, id_);
  return head;
}

// Queues the first section and everything that others depend on, except fields that are compared already. If
// `cancelled` is given and *cancelled is not 0, nothing changes, except that undo_frame() is then due for the first
// field, if it leads.
void ChunkEncoder::queue_sections(const FrameCall &call, const std::uint32_t *cancelled, std::vector<bool> compared) {
  BesidesEncoding besides;
  if (sections_.counts_crossings()) besides.crossings = matched_.crossings();
  besides.cancelled = cancelled;
  if (cancelled != nullptr) besides.known = beside_->end.get();
  std::size_t comparisons = 0;
  if (cancelled != nullptr && leads(call))
    for (std::size_t f = 0; f < call.fields.size(); ++f) compared[f] = compare_besides(call, f, besides, comparisons);
  if (leads(call)) sections_.queue(call, 0, besides);
  for (std::size_t f = 0; f < call.fields.size(); ++f)
    if (!compared[f]) sections_.queue_comparison(call, f, cancelled, call.stream);
}

// Compares a field that may stay with the last frame while the first section is encoded. Returns false if that is
// impossible.
bool ChunkEncoder::compare_besides(const FrameCall &call, std::size_t f, BesidesEncoding &besides,
                                   std::size_t &comparisons) const {
  const auto components = static_cast<std::size_t>(call.components(f));
  if (f == id_ || !sections_.may_stay(call, f) || components > max_comparisons - comparisons) return false;
  std::size_t end = comparisons;
  for (std::size_t d = 0; d < components; ++d) {
    const ConstArray &values = call.fields[f].components[d];
    const std::size_t size = element_size(values.type);
    const void *before = last_.find(f, d, values.type, call.particles);
    if (before == nullptr || values.stride != static_cast<std::ptrdiff_t>(size) ||
        reinterpret_cast<std::uintptr_t>(values.data) % 16 != 0)
      return false;
    besides.comparisons[end++] = {static_cast<const std::uint32_t *>(values.data),
                                  static_cast<const std::uint32_t *>(before),
                                  static_cast<std::uint32_t>(size / sizeof(std::uint32_t)), report_.changed(f)};
  }
  comparisons = end;
  return true;
}

// Keeps what the next frame is compared with. `repeated`: this frame repeated the last one.
void ChunkEncoder::remember(const FrameCall &call, bool repeated, cudaStream_t stream) {
  if (!matched_.may_be_repeated()) return;
  for (std::size_t f = 0; f < call.fields.size(); ++f) {
    if (!sections_.may_stay(call, f) || (repeated && report_.flags().changed[f] == 0)) continue;
    for (std::size_t d = 0; d < call.field(f).components.size(); ++d)
      last_.keep(f, d, call.fields[f].components[d], call.particles, stream);
  }
}

// Call when the flags of the frame have arrived.
bool ChunkEncoder::end_chunk(const FrameCall &call, std::vector<std::uint8_t> &head) {
  const std::uint64_t staying = matched_.staying();
  for (std::size_t f = 0; f < call.fields.size() && staying != 0; ++f) {
    const std::size_t begin = out_.size();
    if (!sections_.end(call, f, sizes_.scaled(sizes_.sections[f], staying), largest_error_[f])) return false;
    format::set_section_length(head, ChunkKind::difference, f, out_.size() - begin);
  }
  if (matched_.arriving() != 0) encode_arrivals(call, head);
  out_.set_head(head, call.stream);
  check(cudaStreamSynchronize(call.stream), "differences");
  if (report_.results().damaged != 0) throw Error(Status::internal, "a chunk of the encoder cannot be decoded");
  return true;
}

void ChunkEncoder::encode_arrivals(const FrameCall &call, std::vector<std::uint8_t> &head) {
  const auto *rows = reinterpret_cast<const int *>(matched_.arriving_rows());
  const DeviceChunk &part = codec_.encode(call.fields, matched_.arriving(), rows, call.stream);
  out_.append(part, call.stream);
  format::set_arrivals_length(head, part.size);
  for (std::size_t f = 0; f < call.fields.size(); ++f)
    largest_error_[f] = std::max(largest_error_[f], part.largest_error[f]);
  history_.add(part, &report_.results().damaged, call.stream);
}

}  // namespace gpz::cuda
