// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::TrajectoryCodec: the frames of TrajectoryEncoder, with the arrays of a frame and the history in device
// memory. Counts and flags on which the next step depends are copied to the host.
#include <algorithm>
#include <cstddef>
#include <new>
#include <string>
#include <utility>

#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/trajectory/fields.hpp"
#include "gpz/cuda/trajectory/history.hpp"
#include "gpz/cuda/trajectory/last_frame.hpp"
#include "gpz/cuda/trajectory/match.hpp"
#include "gpz/cuda/trajectory/output.hpp"
#include "gpz/cuda_trajectory.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/difference_rules.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/grid_box.hpp"
#include "gpz/format/section_head.hpp"

namespace gpz::cuda {
namespace {

// What kernels report in addition to the results of sections, in device memory.
struct Flags {
  std::uint32_t wide;                 // an index that does not fit, since the history began
  std::uint32_t moved;                // a particle is in another row than in the last frame
  std::uint32_t changed[max_fields];  // fields that are not predicted, in this frame
};

// All that kernels report.
struct Report {
  Flags flags;
  DifferenceResult result;
  MatchCounts counts;
  std::uint64_t sections[max_fields];
};

struct Call {
  std::vector<FieldInput> fields;
  std::uint64_t particles;
  const int *rows;
  const Box &box;
  cudaStream_t stream;

  const Field &field(std::size_t f) const { return fields[f].field; }
  int components(std::size_t f) const { return static_cast<int>(fields[f].field.components.size()); }
};

// What a section starts with; of predicted values that are all as expected, it is all of it.
std::vector<std::uint8_t> coding(format::FieldCodingKind kind, const format::Crossed &crossed) {
  std::vector<std::uint8_t> bytes;
  format::append_field_coding({kind, crossed}, bytes);
  return bytes;
}

// Bytes before the indices of a section without exact values.
std::size_t prefix_size(int components) {
  return format::field_coding_size + format::section_head_size(static_cast<std::size_t>(components));
}

// Most bytes of a section, however it is coded.
std::size_t section_room(const FieldInput &input, std::uint64_t particles) {
  const auto components = static_cast<int>(input.field.components.size());
  return prefix_size(components) +
         std::max(difference_bound(particles, components), compressed_bound({input}, particles));
}

// Throws invalid_argument.
void check_reachable(const std::vector<FieldInput> &fields, const int *rows, int device) {
  if (rows != nullptr) require_reachable(rows, device, "rows");
  for (const FieldInput &input : fields)
    for (std::size_t d = 0; d < input.field.components.size(); ++d)
      require_reachable(input.components[d].data, device, "field " + input.field.components[d].name);
}

bool fits(const DifferenceResult &result) { return result.fits != 0 && result.wide == 0 && result.invalid == 0; }

}  // namespace

struct TrajectoryCodec::State {
  explicit State(int on) : codec(on) {
    const CurrentDevice current(on);
    report.make();
  }
  ~State() {
    try {
      const CurrentDevice current(codec.device());
      release();
      report.release();
    } catch (const Error &) {  // the device is lost, and its memory with it
      forget_last_error();
    }
  }
  State(const State &) = delete;
  State &operator=(const State &) = delete;

  void forget() {
    history.forget();
    pending = false;
    matched.forget();
    last.forget();
  }

  void release_history() {
    forget();
    history.release();
    matched.release();
    last.release();
    out.release();
    scratch.release();
    scratch_before = scratch_particles = 0;
    flag_memory.release();
  }

  void release() {
    chunk = {};
    release_history();
    codec.release();
  }

  void reserve(DeviceBuffer &buffer, std::size_t size) {
    if (size <= buffer.capacity()) return;
    buffer.release();
    buffer.allocate(size);
    ++allocations;
  }

  void reserve_scratch(const Call &call, std::uint64_t before) {
    // Sizes are asked of a library, which takes its time.
    if (before <= scratch_before && call.particles <= scratch_particles) return;
    scratch_before = scratch_particles = 0;
    const std::uint64_t most = std::max(before, call.particles);
    std::size_t size = std::max(DeviceHistory::scratch_size(most), FrameMatch::scratch_size(before, call.particles));
    for (std::size_t f = 0; f < call.fields.size(); ++f) {
      DeviceDifferenceState state;
      state.particles = most;
      size = std::max(size, encode_difference_workspace(state, difference_bound(most, call.components(f))));
    }
    reserve(scratch, size);
    scratch_before = before;
    scratch_particles = call.particles;
  }

  Flags *flags() const { return static_cast<Flags *>(flag_memory.data()); }
  // Those of a frame.
  void clear_flags(cudaStream_t stream) {
    check(cudaMemsetAsync(&flags()->moved, 0, sizeof(Flags) - offsetof(Flags, moved), stream), "clearing");
  }
  void fetch_flags(cudaStream_t stream) {
    check(cudaMemcpyAsync(&report->flags, flags(), sizeof(Flags), cudaMemcpyDeviceToHost, stream), "results");
    check(cudaStreamSynchronize(stream), "differences");
  }

  // --- Where the history begins

  // It will begin with the codec's chunk, if a difference chunk follows.
  void encode_independent(const Call &call) {
    forget();
    codec.encode(call.fields, call.particles, call.rows, call.stream);
    adopt(call);
  }
  void adopt(const Call &call) {
    forget();
    chunk = codec.chunk();
    key_fields = format::described(call.fields);
    scratch_before = scratch_particles = 0;  // it is for other fields
    id = format::identity_field(key_fields);
    pending = !unfit && id != format::no_field && call.particles <= format::max_followed;
  }

  bool may_follow(const Call &call) const {
    if (unfit || (!pending && !history.started()) || call.particles > format::max_followed) return false;
    const std::vector<Field> fields = format::described(call.fields);
    if (id == format::no_field || id != format::identity_field(fields) || !format::have_same_grids(fields, key_fields))
      return false;
    for (const FieldInput &input : call.fields) {
      if (!can_follow(format::grid_box(call.box, input.field))) return false;
      for (std::size_t d = 1; d < input.field.components.size(); ++d)
        if (input.components[d].type != input.components[0].type) return false;
    }
    return true;
  }

  void start(const Call &call) {
    const DeviceChunk &key = codec.chunk();
    reserve(flag_memory, sizeof(Flags));
    reserve_scratch(call, key.particles);
    check(cudaMemcpyAsync(report->sections, static_cast<const char *>(key.data) + 8, key_fields.size() * 8,
                          cudaMemcpyDeviceToHost, call.stream),
          "lengths of sections");
    history.start(key_fields, id, std::max(key.particles, call.particles), &flags()->wide, call.stream);
    history.add(codec, key, scratch.data(), scratch.capacity(), call.stream);
    sizes.particles = key.particles;
    sizes.all = key.size;
    sizes.sections.assign(report->sections, report->sections + key_fields.size());
    pending = false;
  }

  // --- One frame of differences

  // False: few stay, or the history is of no use.
  bool match(const Call &call) {
    reserve_scratch(call, history.particles());
    check(cudaMemcpyAsync(&report->flags, flags(), sizeof(Flags), cudaMemcpyDeviceToHost, call.stream), "results");
    clear_flags(call.stream);
    matched.find(history.ids(), history.particles(), call.fields[id].components[0], call.particles, call.rows,
                 scratch.data(), &report->counts, call.stream);
    if (report->flags.wide != 0) {
      unfit = true;
      return false;
    }
    if (!format::enough_stay(matched.staying(), call.particles, history.particles())) return false;
    matched.list(scratch.data(), call.stream);
    return true;
  }

  // The frame as differences if its particles are in the rows of the last one: all is queued as if they were, and comes
  // to nothing if they are not. Waits once.
  enum class Outcome : std::uint8_t { encoded, impossible, moved };
  Outcome encode_repeated(const Call &call) {
    const ConstArray &ids = call.fields[id].components[0];
    const void *known = last.find(id, 0, ids.type, call.particles);
    if (known == nullptr || !matched.may_repeat(history.particles(), call.particles, call.rows)) return Outcome::moved;
    reserve_scratch(call, history.particles());
    clear_flags(call.stream);
    // While the prediction is fitted, which keeps few multiprocessors busy.
    if (beside == nullptr) beside = std::make_unique<Beside>();
    beside->begin.record(call.stream);
    check(cudaStreamWaitEvent(beside->stream.get(), beside->begin.get()), "waiting for the caller's work");
    compare_copies(ids, known, call.particles, &flags()->moved, beside->stream.get());
    beside->end.record(beside->stream.get());
    matched.repeat();
    std::vector<std::uint8_t> head = start_chunk(call);
    queue_sections(call, &flags()->moved);
    if (!leads(call)) check(cudaStreamWaitEvent(call.stream, beside->end.get()), "waiting for ids");
    fetch_flags(call.stream);
    if (report->flags.wide != 0) {
      unfit = true;
      return Outcome::impossible;
    }
    if (report->flags.moved != 0) {
      if (leads(call)) undo_frame(history.state(0));
      return Outcome::moved;
    }
    remember(call, true);
    return end_chunk(call, head) ? Outcome::encoded : Outcome::impossible;
  }

  // The frame as differences, in `out`; false: it cannot be.
  bool encode_differences(const Call &call) {
    std::vector<std::uint8_t> head = start_chunk(call);
    if (matched.staying() != 0) {
      queue_sections(call, nullptr);
      remember(call, false);
      fetch_flags(call.stream);
    }
    return end_chunk(call, head);
  }

  // Returns the head, as far as it is known.
  std::vector<std::uint8_t> start_chunk(const Call &call) {
    const std::uint64_t before = history.particles();
    const std::uint64_t staying = matched.staying();
    const std::uint64_t arriving = matched.arriving();
    history.grow(call.particles, call.stream);
    if (!matched.leaving().empty()) history.keep(matched.staying_slots(), staying, call.stream);
    std::vector<std::uint8_t> head;
    format::append_difference_head(before, matched.leaving(), arriving, call.fields.size(), head);
    std::size_t room = head.size() + (arriving == 0 ? 0 : compressed_bound(call.fields, arriving));
    for (const FieldInput &input : call.fields) room += section_room(input, staying);
    out.start(room);
    out.grow(head.size());
    largest_error.assign(call.fields.size(), 0);
    return head;
  }

  bool leads(const Call &call) const { return !format::is_plain(call.field(0)); }

  // The first section, and what others depend on. Nothing is changed if *cancelled (nullptr: it does not exist) is not
  // 0, except that undo_frame() is then due for the first field, if it leads.
  void queue_sections(const Call &call, const std::uint32_t *cancelled) {
    crossed.assign(call.fields.size(), format::Crossed{});
    bool any_crossed = false;
    for (std::size_t f = 1; f < call.fields.size(); ++f) {
      if (f != id) crossed[f] = format::crossed_by(call.field(0), call.field(f), call.box);
      any_crossed |= crossed[f] != format::Crossed{};
    }
    if (any_crossed)
      for (std::int8_t *axis : matched.crossings())
        check(cudaMemsetAsync(axis, 0, matched.staying(), call.stream), "clearing");
    BesidesEncoding besides;
    if (any_crossed) besides.crossings = matched.crossings();
    besides.cancelled = cancelled;
    if (cancelled != nullptr) besides.known = beside->end.get();
    std::size_t comparisons = 0;
    std::vector<bool> compared(call.fields.size());
    if (cancelled != nullptr && leads(call))
      for (std::size_t f = 0; f < call.fields.size(); ++f) compared[f] = compare_besides(call, f, besides, comparisons);
    if (leads(call)) queue_section(call, 0, besides);
    for (std::size_t f = 0; f < call.fields.size(); ++f)
      if (!compared[f]) queue_comparison(call, f, cancelled);
  }

  // Whether a field is of integers that do not count edges, and so may well be those of the last frame.
  bool may_stay(const Call &call, std::size_t f) const {
    return call.field(f).type == ValueType::integer && crossed[f] == format::Crossed{};
  }

  // Whether such a field is compared with the last frame while the first section is encoded.
  bool compare_besides(const Call &call, std::size_t f, BesidesEncoding &besides, std::size_t &comparisons) const {
    const auto components = static_cast<std::size_t>(call.components(f));
    if (f == id || !may_stay(call, f) || components > max_comparisons - comparisons) return false;
    std::size_t end = comparisons;
    for (std::size_t d = 0; d < components; ++d) {
      const ConstArray &values = call.fields[f].components[d];
      const std::size_t size = size_of(values.type);
      const void *before = last.find(f, d, values.type, call.particles);
      if (before == nullptr || values.stride != static_cast<std::ptrdiff_t>(size) ||
          reinterpret_cast<std::uintptr_t>(values.data) % 16 != 0)
        return false;
      besides.comparisons[end++] = {static_cast<const std::uint32_t *>(values.data),
                                    static_cast<const std::uint32_t *>(before),
                                    static_cast<std::uint32_t>(size / sizeof(std::uint32_t)), &flags()->changed[f]};
    }
    comparisons = end;
    return true;
  }

  // What the next frame is compared with. `repeated`: as this one was.
  void remember(const Call &call, bool repeated) {
    if (!matched.may_be_repeated()) return;
    for (std::size_t f = 0; f < call.fields.size(); ++f) {
      if (!may_stay(call, f) || (repeated && report->flags.changed[f] == 0)) continue;
      for (std::size_t d = 0; d < call.field(f).components.size(); ++d)
        last.keep(f, d, call.fields[f].components[d], call.particles, call.stream);
    }
  }

  // Once the flags of the frame are there.
  bool end_chunk(const Call &call, std::vector<std::uint8_t> &head) {
    for (std::size_t f = 0; f < call.fields.size() && matched.staying() != 0; ++f) {
      const std::size_t begin = out.size();
      if (!end_section(call, f)) return false;
      format::set_section_length(head, ChunkKind::difference, f, out.size() - begin);
    }
    if (matched.arriving() != 0) encode_arrivals(call, head);
    out.set_head(head, call.stream);
    check(cudaStreamSynchronize(call.stream), "differences");
    return true;
  }

  DeviceValues values(const Call &call, std::size_t f) const {
    return {call.fields[f].components, matched.staying_rows(), format::grid_of(call.field(f)), matched.windows()};
  }

  // Whether a field that is not predicted has changed, edges counted.
  void queue_comparison(const Call &call, std::size_t f, const std::uint32_t *cancelled) {
    if (f == id || !format::is_plain(call.field(f))) return;
    std::uint32_t *changed = &flags()->changed[f];
    if (history.has_keys(f))
      return follow_keys(values(call, f), matched.staying(), call.components(f), history.keys(f), changed, call.stream,
                         cancelled);
    DeviceDifferenceState &state = history.state(f);
    for (int d = 0; d < state.components; ++d)
      if (const int axis = crossed[f][static_cast<std::size_t>(d)]; axis != 0)
        add_crossings(state.last[d], matched.crossings()[static_cast<std::size_t>(axis - 1)], matched.staying(),
                      call.stream);
    compare_integers(values(call, f), state, changed, call.stream);
  }

  void queue_section(const Call &call, std::size_t f, const BesidesEncoding &besides) {
    const int components = call.components(f);
    std::vector<std::uint8_t> prefix = coding(format::predicted_values, crossed[f]);
    format::append_section_head(format::grid_box(call.box, call.field(f)), call.field(f).components.size(), {}, prefix);
    out.place(std::move(prefix), call.stream);
    encode_difference(history.state(f), values(call, f), format::grid_box(call.box, call.field(f)), {}, scratch.data(),
                      scratch.capacity(), out.at(prefix_size(components)),
                      difference_bound(matched.staying(), components), &report->result, call.stream, besides);
  }

  bool end_section(const Call &call, std::size_t f) {
    if (f == id) return true;
    const bool is_plain = format::is_plain(call.field(f));
    if (is_plain && report->flags.changed[f] == 0) {
      if (crossed[f] != format::Crossed{}) out.append(coding(format::predicted_values, crossed[f]), call.stream);
      return true;
    }
    const std::size_t begin = out.size();
    if (history.has_keys(f)) {
      append_block_coded(encode_block_coded(call, f), call.stream);
      return true;
    }
    if (is_plain || f != 0) {
      queue_section(call, f, {});
      check(cudaStreamSynchronize(call.stream), "differences");
    }
    if (!fits(report->result)) return false;
    largest_error[f] = report->result.largest_error;
    out.grow(prefix_size(call.components(f)) + static_cast<std::size_t>(report->result.bytes));
    if (!is_plain || out.size() - begin < sizes.scaled(sizes.sections[f], matched.staying())) return true;
    const DeviceChunk &alone = encode_block_coded(call, f);
    if (format::field_coding_size + alone.size < out.size() - begin) {
      out.cut(begin);
      append_block_coded(alone, call.stream);
    }
    return true;
  }

  const DeviceChunk &encode_block_coded(const Call &call, std::size_t f) {
    FieldInput input = call.fields[f];
    input.field.leading = false;
    return codec.encode({input}, matched.staying(), reinterpret_cast<const int *>(matched.staying_rows()), call.stream);
  }
  void append_block_coded(const DeviceChunk &alone, cudaStream_t stream) {
    out.append(coding(format::block_coded_values, {}), stream);
    out.append(alone, stream);
  }

  void encode_arrivals(const Call &call, std::vector<std::uint8_t> &head) {
    const auto *rows = reinterpret_cast<const int *>(matched.arriving_rows());
    const DeviceChunk &part = codec.encode(call.fields, matched.arriving(), rows, call.stream);
    out.append(part, call.stream);
    format::set_arrivals_length(head, part.size);
    for (std::size_t f = 0; f < call.fields.size(); ++f)
      largest_error[f] = std::max(largest_error[f], part.largest_error[f]);
    history.add(codec, part, scratch.data(), scratch.capacity(), call.stream);
  }

  // The next chunk as a difference chunk, or as an independent one if that is better; false: it has to be independent.
  bool encode_as_differences(const Call &call) {
    if (!may_follow(call)) return false;
    if (pending) start(call);
    const Outcome repeated = encode_repeated(call);
    if (repeated == Outcome::impossible) return false;
    if (repeated == Outcome::moved && (!match(call) || !encode_differences(call))) return false;
    if (out.size() >= sizes.scaled(sizes.all, call.particles)) {
      codec.encode(call.fields, call.particles, call.rows, call.stream);
      if (codec.chunk().size <= out.size()) {
        adopt(call);
        return true;
      }
    }
    chunk = {out.data(), out.size(), call.particles, largest_error, ChunkKind::difference};
    return true;
  }

  void encode(const Call &call, bool key) {
    if (key) unfit = false;
    try {
      if (!key && encode_as_differences(call)) return;
    } catch (const Error &error) {
      if (error.status() != Status::out_of_memory) throw;
      // There may be enough memory for an independent chunk.
      release_history();
      unfit = true;
    }
    try {
      encode_independent(call);
    } catch (const Error &error) {
      if (error.status() != Status::out_of_memory || history_bytes() == 0) throw;
      release_history();
      encode_independent(call);
    }
  }
  // Device memory that only difference chunks need.
  std::size_t history_bytes() const {
    return history.device_bytes() + matched.device_bytes() + last.device_bytes() + out.device_bytes() +
           scratch.capacity() + flag_memory.capacity();
  }

  // After an exception: waits for what was queued, and makes the next chunk independent.
  void settle(cudaStream_t stream) {
    if (cudaStreamSynchronize(stream) != cudaSuccess) forget_last_error();
    if (beside != nullptr && cudaStreamSynchronize(beside->stream.get()) != cudaSuccess) forget_last_error();
    forget();
  }

  Codec codec;
  PinnedReport<Report> report;
  DeviceChunk chunk;  // the codec's, or in `out`
  std::uint64_t allocations = 0;

  DeviceHistory history;
  std::vector<Field> key_fields;  // of the last independent chunk
  std::size_t id = format::no_field;
  bool pending = false;  // the history is to start with the codec's chunk
  bool unfit = false;    // no history until a key chunk is asked for
  format::KeySizes sizes;
  FrameMatch matched;
  LastFrame last;  // if `matched` may be repeated
  ChunkOutput out;
  DeviceBuffer scratch, flag_memory;
  std::uint64_t scratch_before = 0;  // what `scratch` is large enough for
  std::uint64_t scratch_particles = 0;

  // A second stream, and where it begins and ends.
  struct Beside {
    OwnStream stream;
    Event begin, end;
  };
  std::unique_ptr<Beside> beside;

  // Of the frame.
  std::vector<double> largest_error;
  std::vector<format::Crossed> crossed;
};

TrajectoryCodec::TrajectoryCodec(int device) : state_(std::make_unique<State>(device)) {}
TrajectoryCodec::~TrajectoryCodec() = default;
TrajectoryCodec::TrajectoryCodec(TrajectoryCodec &&) noexcept = default;
TrajectoryCodec &TrajectoryCodec::operator=(TrajectoryCodec &&) noexcept = default;

int TrajectoryCodec::device() const { return state_->codec.device(); }

const DeviceChunk &TrajectoryCodec::encode(const std::vector<FieldInput> &fields, std::uint64_t particles,
                                           const int *rows, const Box &box, bool key, Stream stream) {
  State &state = *state_;
  const CurrentDevice current(state.codec.device());
  state.chunk = {};
  try {
    Call call{fields, particles, rows, box, stream};
    check_inputs(call.fields, particles);
    format::prepare_fields(call.fields, particles);
    if (particles != 0) check_reachable(call.fields, rows, state.codec.device());
    forget_last_error();  // earlier errors of the caller are not this call's
    state.encode(call, key);
  } catch (const std::bad_alloc &) {
    state.settle(stream);
    throw Error(Status::out_of_memory, "no host memory to compress " + std::to_string(particles) + " particles");
  } catch (...) {
    state.settle(stream);
    throw;
  }
  return state.chunk;
}

void TrajectoryCodec::release() {
  const CurrentDevice current(state_->codec.device());
  state_->release();
}

MemoryUse TrajectoryCodec::memory() const {
  MemoryUse use = state_->codec.memory();
  const State &state = *state_;
  use.allocations += state.allocations + state.history.allocations() + state.matched.allocations() +
                     state.last.allocations() + state.out.allocations();
  use.device_bytes += state.history_bytes();
  return use;
}

}  // namespace gpz::cuda
