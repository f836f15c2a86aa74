// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::TrajectoryCodec: encodes the frames of TrajectoryEncoder, with arrays and history in device memory.
// Decides which frames are differences.
#include <memory>
#include <new>
#include <string>

#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/device_object.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/trajectory/chunk_encoder.hpp"
#include "gpz/cuda/trajectory/frame_call.hpp"
#include "gpz/cuda_trajectory.hpp"
#include "gpz/cuda_transfer.hpp"
#include "gpz/format/difference_rules.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/grid_box.hpp"

namespace gpz::cuda {

struct TrajectoryCodec::State : DeviceObject {
  explicit State(int on) : DeviceObject(on), codec(on), differences(codec) {
    const CurrentDevice current(on);
    differences.make();
    // Otherwise the driver compiles for seconds, which the caller can announce before the first frame.
    if (kernel_code(on) == KernelCode::native) KernelFile::load_all(on);
  }
  ~State() {
    give_back([this] {
      release();
      differences.give_back();
    });
  }

  void forget() {
    differences.forget();
    pending = false;
  }

  void release_history() {
    differences.release();
    pending = false;
  }

  void release() {
    chunk = {};
    release_history();
    codec.release();
  }

  // --- Where the history begins

  // The history is started from the codec's chunk only if a difference chunk follows.
  void encode_independent(const FrameCall &call) {
    forget();
    codec.encode(call.fields, call.particles, call.rows, call.stream);
    adopt(call);
  }
  void adopt(const FrameCall &call) {
    forget();
    chunk = codec.chunk();
    key_fields = format::described(call.fields);
    pending = !unfit && format::may_start_history(key_fields, call.particles);
  }

  bool may_follow(const FrameCall &call) const {
    if (unfit || (!pending && !differences.started()) ||
        !format::may_follow(format::described(call.fields), call.particles, key_fields))
      return false;
    for (const FieldInput &input : call.fields) {
      if (!can_follow(format::grid_box(call.box, input.field))) return false;
      for (std::size_t d = 1; d < input.field.components.size(); ++d)
        if (input.components[d].type != input.components[0].type) return false;
    }
    return true;
  }

  // --- Frame after frame

  // Encodes the next chunk as a difference chunk, or as an independent one if that is smaller. Returns false if it must
  // be independent.
  bool encode_as_differences(const FrameCall &call) {
    if (!may_follow(call)) return false;
    if (pending) differences.start(call, key_fields, format::identity_field(key_fields));
    pending = false;
    const ChunkEncoder::Outcome outcome = differences.encode(call);
    if (outcome == ChunkEncoder::Outcome::wide) unfit = true;
    if (outcome != ChunkEncoder::Outcome::encoded) return false;
    if (differences.size() >= differences.independent_size(call.particles)) {
      codec.encode(call.fields, call.particles, call.rows, call.stream);
      if (codec.chunk().size <= differences.size()) {
        adopt(call);
        return true;
      }
    }
    chunk = differences.chunk(call.particles);
    return true;
  }

  void encode(const FrameCall &call, bool key) {
    if (key) unfit = false;
    try {
      if (!key && encode_as_differences(call)) return;
    } catch (const Error &error) {
      if (error.status() != Status::out_of_memory) throw;
      // frees memory that an independent chunk may need
      release_history();
      unfit = true;
    }
    try {
      encode_independent(call);
    } catch (const Error &error) {
      if (error.status() != Status::out_of_memory || differences.device_bytes() == 0) throw;
      release_history();
      encode_independent(call);
    }
  }

  // After an exception: waits for the queued work and makes the next chunk independent.
  void settle(cudaStream_t stream) {
    if (cudaStreamSynchronize(stream) != cudaSuccess) forget_last_error();
    differences.settle();
    forget();
  }

  Codec codec;
  ChunkEncoder differences;
  DeviceChunk chunk;              // that of the codec or of `differences`
  std::vector<Field> key_fields;  // of the last independent chunk
  bool pending = false;           // the history must be started from the codec's chunk
  bool unfit = false;             // no history until a key chunk is requested
};

TrajectoryCodec::TrajectoryCodec(int device) : state_(std::make_unique<State>(device)) {}
TrajectoryCodec::~TrajectoryCodec() = default;
TrajectoryCodec::TrajectoryCodec(TrajectoryCodec &&) noexcept = default;
TrajectoryCodec &TrajectoryCodec::operator=(TrajectoryCodec &&) noexcept = default;

int TrajectoryCodec::device() const { return state_->device; }

const DeviceChunk &TrajectoryCodec::encode(const std::vector<FieldInput> &fields, std::uint64_t particles,
                                           const int *rows, const Box &box, bool key, Stream stream) {
  State &state = *state_;
  const CurrentDevice current(state.device);
  state.chunk = {};
  try {
    FrameCall call{fields, particles, rows, box, stream};
    check_inputs(call.fields, particles);
    format::prepare_fields(call.fields, particles);
    if (particles != 0) check_reachable(call.fields, rows, state.device);
    forget_last_error();  // earlier errors of the caller do not belong to this call
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
  const CurrentDevice current(state_->device);
  state_->release();
}

MemoryUse TrajectoryCodec::memory() const {
  MemoryUse use = state_->codec.memory();
  const State &state = *state_;
  use.allocations += state.differences.allocations();
  use.device_bytes += state.differences.device_bytes();
  return use;
}

}  // namespace gpz::cuda
