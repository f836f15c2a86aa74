// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::StandardCodec: decides which frames a CPU encodes. Frames of particles without bonds, and of molecules
// that a CPU has found, are encoded by the GPU.
#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "gpz/core/difference_section.hpp"
#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/device_object.hpp"
#include "gpz/cuda/trajectory/chunk_encoder.hpp"
#include "gpz/cuda/trajectory/sample_encoder.hpp"
#include "gpz/cuda_standard.hpp"
#include "gpz/cuda_transfer.hpp"
#include "gpz/format/arithmetic.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/grid_box.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/format/section_head.hpp"
#include "gpz/kernels/step_kernels.hpp"
#include "gpz/model/contest.hpp"
#include "gpz/trajectory/encoder_access.hpp"

namespace gpz::cuda {
namespace {

using trajectory::EncoderAccess;

// Calls is_one(data) for the arrays until it is true.
template <typename IsOne>
bool any_array(const std::vector<FieldInput> &fields, const IsOne &is_one) {
  for (const FieldInput &input : fields)
    for (std::size_t d = 0; d < std::min<std::size_t>(input.field.components.size(), core::max_components); ++d)
      if (input.components[d].data != nullptr && is_one(input.components[d].data)) return true;
  return false;
}
bool is_elsewhere(const void *data) { return !is_in_host_memory(data); }

// Whether integers of 32 bits hold positions outside of a tilted box, as CPUs that read steps compute them.
bool are_moderate(const format::TiltedEdges &edges) {
  constexpr std::int64_t most = codec::StepPositions::most_tilted;
  for (std::size_t d = 0; d < edges.tilts.size(); ++d)
    if (edges.axes[d].period > most || edges.tilts[d] > most || edges.tilts[d] < -most) return false;
  return true;
}

// Whether a GPU encodes difference frames like this one with the bytes of a CPU, as far as fields and box say. In
// smaller chunks a CPU begins contests between codings again, and it searches for edges that the box does not name.
bool is_usual_frame(const FrameCall &call) {
  if (call.particles < model::large_section || format::class_of(call.field(0)) != format::positions ||
      call.box.kind == Box::Kind::general_triclinic || !can_follow(format::grid_box(call.box, call.field(0))))
    return false;
  const std::optional<format::TiltedEdges> tilted = format::tilted_edges(call.box, call.field(0));
  if (tilted && !are_moderate(*tilted)) return false;
  for (std::size_t f = 0; f < call.fields.size(); ++f) {
    const FieldInput &input = call.fields[f];
    if (input.decoded || (f != 0 && input.field.type != ValueType::integer)) return false;
    for (std::size_t d = 1; d < input.field.components.size(); ++d)
      if (input.components[d].type != input.components[0].type) return false;
  }
  return true;
}

// Whether a GPU can encode sections like this one of positions: of this coding, in this box.
bool is_usual_section(const std::uint8_t *bytes, std::size_t size, const Field &field, std::uint8_t coding,
                      const core::GridBox &box, bool is_tilted) {
  const std::size_t start = format::section_head_size(field.components.size());
  if (size <= format::field_coding_size + start || bytes[0] != coding) return false;
  core::GridBox axes{};
  const std::uint64_t exact =
      format::read_section_start(bytes + format::field_coding_size, size - format::field_coding_size, field, axes);
  // In a tilted box, steps have its edges, whatever axes a CPU has found besides.
  for (std::size_t d = 0; d < axes.size() && !(is_tilted && coding == format::steps); ++d)
    if (axes[d].lo != box[d].lo || axes[d].period != box[d].period) return false;
  const std::uint8_t first = bytes[format::field_coding_size + start];
  return exact == 0 && (coding == format::steps || first == core::temporal_predictor);
}

}  // namespace

struct StandardCodec::State : DeviceObject {
  State(int on, int of_cpu)
      : DeviceObject(on),
        host(of_cpu),
        threads(of_cpu),
        download(on),
        upload(on),
        codec(on),
        differences(codec),
        sample(on, of_cpu) {
    const CurrentDevice current(on);
    own_stream.emplace();
    differences.make();
    set_features(feature::known);
  }
  ~State() {
    give_back([this] {
      release();
      differences.give_back();
    });
  }

  void set_features(std::uint32_t features) {
    host.set_order(Order::id);
    host.set_effort(Effort::standard, features);
    sample.set_features(features);
  }

  void release() {
    chunk = {};
    found.reset();
    is_on_device = has_bonds = false;
    differences.release();
    codec.release();
    upload.release();
    sent.release();
  }

  // Frames on the CPU

  void encode_on_host(const FrameCall &call, bool key) {
    std::vector<FieldInput> on_host = call.fields;
    const int *rows = call.rows;
    if (any_array(call.fields, is_elsewhere)) {
      rows = copy_to_device(on_host, call);
      download.download(on_host, call.particles, rows, call.stream);
      rows = nullptr;
    }
    host.encode(on_host, static_cast<std::size_t>(call.particles), rows, call.box, key, encoded);
    if (key) found.reset();
    reserve_sent(encoded.bytes.size());
    check(cudaMemcpyAsync(sent.data(), encoded.bytes.data(), encoded.bytes.size(), cudaMemcpyHostToDevice, call.stream),
          "copy to the device");
    check(cudaStreamSynchronize(call.stream), "copy to the device");
    chunk = {sent.data(), encoded.bytes.size(), call.particles, encoded.largest_error,
             chunk_kind(encoded.bytes.data(), encoded.bytes.size())};
  }
  void reserve_sent(std::size_t size) {
    if (size <= sent.capacity()) return;
    sent.release();
    ++allocations;
    try {
      sent.allocate(size);
    } catch (const Error &error) {
      if (error.status() != Status::out_of_memory || is_on_device || differences.device_bytes() == 0) throw;
      differences.release();
      sent.allocate(size);
    }
  }

  // Copies what is in host memory. Returns the rows.
  const int *copy_to_device(std::vector<FieldInput> &fields, const FrameCall &call) {
    std::uint64_t most = call.particles;
    if (call.rows != nullptr && is_in_host_memory(call.rows)) {
      const int last = call.particles == 0 ? 0 : *std::max_element(call.rows, call.rows + call.particles);
      most = std::max(most, static_cast<std::uint64_t>(std::max(last, 0)) + 1);
    }
    upload.upload(fields, most, call.stream);
    return upload.upload_rows(call.rows, call.particles, call.stream);
  }

  // The coding that positions have from now on, if the GPU can encode all sections of the next frames.
  std::optional<format::FieldCodingKind> settled_coding(const FrameCall &call) const {
    const std::uint8_t coding = EncoderAccess::settled(host);
    if (coding == 0 || !is_usual_frame(call)) return std::nullopt;
    // Behind a key frame that is smaller, as that of a lattice is, a CPU compares with the next key frame all the time.
    const format::KeySizes &key = EncoderAccess::key(host);
    if (encoded.bytes.size() >= key.scaled(key.all, call.particles)) return std::nullopt;
    const format::OpenedChunk opened =
        format::open_chunk(encoded.bytes.data(), encoded.bytes.size(), call.fields.size());
    const std::size_t id = format::identity_field(format::described(call.fields));
    for (std::size_t f = 1; f < call.fields.size(); ++f)
      if (f != id && opened.sections[f].size > format::field_coding_size) return std::nullopt;
    if (!is_usual_section(opened.section(0), opened.sections[0].size, call.field(0), coding,
                          format::grid_box(call.box, call.field(0)),
                          format::tilted_edges(call.box, call.field(0)).has_value()))
      return std::nullopt;
    return static_cast<format::FieldCodingKind>(coding);
  }

  // Sets `found` when the CPU's contests between codings have ended.
  void find(const FrameCall &call) {
    const std::optional<format::FieldCodingKind> coding = settled_coding(call);
    if (!coding) return;
    const lanes::State &steps = EncoderAccess::history(host).modelled(0).steps;
    Found of_cpu{call.particles, {*coding, nullptr, 0}, nullptr};
    if (*coding == format::steps) {
      if (steps.have_bonds()) of_cpu.positions.molecules = steps.learned().models.plan;
      of_cpu.positions.sections_with_motion = steps.learned().sections;
    }
    of_cpu.molecules_of_key = steps.known_plans()->of_key();
    if (of_cpu.molecules_of_key == nullptr || of_cpu.molecules_of_key->layout.particles() != call.particles)
      of_cpu.molecules_of_key = of_cpu.positions.molecules;
    found = std::move(of_cpu);
  }

  // Frames on the GPU

  // Encodes an independent frame of particles without bonds, or of those that are known, and returns whether it has.
  bool begin_on_device(FrameCall call) {
    const bool is_known = found && found->particles == call.particles;
    if ((has_bonds && !is_known) || !is_usual_frame(call) ||
        !format::may_start_history(format::described(call.fields), call.particles))
      return false;
    try {
      call.rows = copy_to_device(call.fields, call);
      check_reachable(call.fields, call.rows, device);
      if (!(is_known ? begin_as_found(call) : begin_without_bonds(call))) return false;
    } catch (const Error &error) {
      if (error.status() != Status::out_of_memory) throw;
      differences.release();
      return false;
    }
    fields_on_device = format::described(call.fields);
    chunk = differences.chunk(call.particles);
    is_on_device = true;
    return true;
  }

  bool encode_by_sample(const FrameCall &call, std::size_t id) {
    return differences.encode_ordered(call,
                                      [&](const std::uint32_t *rows) { return sample.ordered_axes(call, id, rows); });
  }
  bool encode_in_steps(const FrameCall &call) {
    return differences.encode_ordered(call, found->molecules_of_key, threads);
  }

  bool begin_without_bonds(const FrameCall &call) {
    const std::size_t id = format::identity_field(format::described(call.fields));
    if (!encode_by_sample(call, id)) return false;
    differences.ask(
        [this, id](const FrameCall &next, const std::uint32_t *rows) {
          const ChunkEncoder::Advice advice = sample.advise(next, id, rows);
          has_bonds = !advice.coding;
          return advice;
        },
        threads);
    return true;
  }

  bool begin_as_found(const FrameCall &call) {
    const std::size_t id = format::identity_field(format::described(call.fields));
    const bool is_first = found->key_size == 0;
    if (is_first && !choose_key_coding(call, id)) return false;
    const bool is_encoded = found->molecules_of_key != nullptr ? encode_in_steps(call) : encode_by_sample(call, id);
    if (!is_encoded) return false;
    // Where bonds broke, a key frame is larger.
    constexpr std::size_t part = 32;
    if (!is_first && differences.size() > found->key_size + found->key_size / part) {
      differences.forget();
      return false;
    }
    if (is_first) found->key_size = differences.size();
    differences.follow(found->positions, threads);
    return true;
  }

  // Whether the key frames of the particles that a CPU found are in steps: that of the CPU may have been a lattice,
  // with which a simulation began. Steps are read faster, and may be a little larger. Returns false if there is no
  // coding.
  bool choose_key_coding(const FrameCall &call, std::size_t id) {
    constexpr std::size_t part_for_speed = 32;
    if (found->molecules_of_key == nullptr) return true;
    const std::size_t in_steps = encode_in_steps(call) ? differences.size() : SIZE_MAX;
    const std::size_t others = encode_by_sample(call, id) ? differences.size() : SIZE_MAX;
    if (others != SIZE_MAX && in_steps > others + others / part_for_speed) found->molecules_of_key = nullptr;
    return in_steps != SIZE_MAX || others != SIZE_MAX;
  }

  // Returns false if the frame must be independent.
  bool encode_on_device(const FrameCall &given) {
    FrameCall call = given;
    if (!format::may_follow(format::described(call.fields), call.particles, fields_on_device) || !is_usual_frame(call))
      return false;
    try {
      call.rows = copy_to_device(call.fields, call);
      check_reachable(call.fields, call.rows, device);
      if (differences.encode(call) != ChunkEncoder::Outcome::encoded) return false;
    } catch (const Error &error) {
      if (error.status() != Status::out_of_memory) throw;
      return false;
    }
    if (differences.staying() < model::large_section) return false;
    if (differences.size() >= differences.independent_size(call.particles)) return begin_on_device(given);
    chunk = differences.chunk(call.particles);
    return true;
  }

  void encode(const std::vector<FieldInput> &fields, std::uint64_t particles, const int *rows, const Box &box, bool key,
              Stream stream) {
    if (!any_array(fields, is_elsewhere)) stream = own_stream->get();
    FrameCall call{fields, particles, rows, box, stream};
    check_inputs(call.fields, particles);
    format::prepare_fields(call.fields, particles);
    if (rows != nullptr && is_elsewhere(rows) && any_array(fields, is_in_host_memory))
      throw Error(Status::invalid_argument, "rows are in device memory, and an array in host memory");
    if (key) is_unfit = is_on_device = false;
    if (key || (!is_on_device && !is_unfit && found)) {
      if (begin_on_device(call)) return;
      is_unfit = !key;
    } else if (is_on_device) {
      const bool had_bonds = has_bonds;
      if (encode_on_device(call)) return;
      differences.release();
      is_on_device = false;
      key = true;  // the CPU does not know the frames of the GPU
      is_unfit = has_bonds == had_bonds;
    }
    encode_on_host(call, key);
    if (!is_unfit) find(call);
  }

  // After an exception: waits for the queued work.
  void forget(cudaStream_t stream) {
    for (cudaStream_t used : {stream, static_cast<cudaStream_t>(own_stream->get())})
      if (cudaStreamSynchronize(used) != cudaSuccess) forget_last_error();
    differences.settle();
    differences.forget();
    is_on_device = false;
    must_be_independent = true;
  }

  TrajectoryEncoder host;
  int threads;
  EncodedChunk encoded;  // by the CPU
  Download download;
  Upload upload;
  std::optional<OwnStream> own_stream;
  Codec codec;
  ChunkEncoder differences;
  DeviceBuffer sent;  // copy of the CPU's chunk
  DeviceChunk chunk;
  std::vector<Field> fields_on_device;
  SampleEncoder sample;
  bool is_on_device = false;         // the GPU encodes the next difference frame
  bool has_bonds = false;            // so the CPU begins
  bool is_unfit = false;             // the GPU encodes no frame until the next key frame
  bool must_be_independent = false;  // after an exception
  // In the last key interval that the CPU began.
  struct Found {
    std::uint64_t particles;
    ChunkEncoder::Positions positions;
    std::shared_ptr<lanes::Plan> molecules_of_key;  // nullptr: key frames are not in steps
    std::size_t key_size = 0;                       // of the GPU's first independent chunk
  };
  std::optional<Found> found;
  std::uint64_t allocations = 0;
};

StandardCodec::StandardCodec(int device, int threads) : state_(std::make_unique<State>(device, threads)) {}
StandardCodec::~StandardCodec() = default;
StandardCodec::StandardCodec(StandardCodec &&) noexcept = default;
StandardCodec &StandardCodec::operator=(StandardCodec &&) noexcept = default;

int StandardCodec::device() const { return state_->device; }
void StandardCodec::set_features(std::uint32_t features) { state_->set_features(features); }
void StandardCodec::set_threads(int threads) {
  state_->host.set_threads(threads);
  state_->sample.set_threads(threads);
  state_->threads = threads;
}

const DeviceChunk &StandardCodec::encode(const std::vector<FieldInput> &fields, std::uint64_t particles,
                                         const int *rows, const Box &box, bool key, Stream stream) {
  const format::UsualArithmetic arithmetic;
  State &state = *state_;
  const CurrentDevice current(state.device);
  state.chunk = {};
  try {
    forget_last_error();  // earlier errors of the caller do not belong to this call
    state.encode(fields, particles, rows, box, key || state.must_be_independent, stream);
    state.must_be_independent = false;
  } catch (const std::bad_alloc &) {
    state.forget(stream);
    throw Error(Status::out_of_memory, "no host memory to compress " + std::to_string(particles) + " particles");
  } catch (...) {
    state.forget(stream);
    throw;
  }
  return state.chunk;
}

Stream StandardCodec::stream() const { return state_->own_stream->get(); }

bool StandardCodec::encoded_on_device() const {
  return state_->chunk.data != nullptr && state_->chunk.data != state_->sent.data();
}

void StandardCodec::release() {
  const CurrentDevice current(state_->device);
  state_->release();
  state_->must_be_independent = true;
}

std::size_t StandardCodec::host_memory_usage() const {
  return state_->host.memory_usage() + state_->encoded.bytes.capacity() + state_->download.capacity() +
         state_->sample.host_memory_usage();
}

MemoryUse StandardCodec::memory() const {
  const State &state = *state_;
  MemoryUse use = state.codec.memory();
  const MemoryUse uploaded = state.upload.memory();
  use.allocations += state.differences.allocations() + uploaded.allocations + state.allocations;
  use.device_bytes += state.differences.device_bytes() + uploaded.device_bytes + state.sent.capacity();
  return use;
}

}  // namespace gpz::cuda
