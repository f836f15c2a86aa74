// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::TrajectoryDecoder: streams, statuses and errors around a ChunkDecoder.
#include <memory>

#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/device_object.hpp"
#include "gpz/cuda/trajectory/chunk_decoder.hpp"
#include "gpz/cuda_trajectory_decoder.hpp"

namespace gpz::cuda {

struct TrajectoryDecoder::State : DeviceObject {
  explicit State(int on) : DeviceObject(on) {
    require_device(device);
    const CurrentDevice current(device);
    report.make();
    done = std::make_unique<Event>();
  }
  ~State() {
    give_back([this] {
      release();
      done.reset();
      report.release();
    });
  }

  void queue(const void *chunk, const ChunkBytes::OnHost &host, std::size_t size, std::uint64_t count,
             const std::vector<FieldOutput> &fields, OutputOrder order, Stream stream) {
    try {
      const std::vector<FieldOutput> prepared = prepare(fields, count);
      check_memory(chunk, size, chunk_alignment, "the chunk");
      if (chunk != nullptr) require_reachable(chunk, device, "the chunk");
      forget_last_error();
      follow_stream(stream);
      const ChunkBytes bytes(chunk, host, size, heads, stream);
      particles = count;
      chunks.decode({bytes, count, prepared, order == OutputOrder::id, report.get(), stream});
      done->record(stream);
    } catch (const Error &error) {
      // The queued work uses memory that may be released, and sets statuses of this chunk.
      done->record(stream);
      done->wait();
      report->status = 0;
      if (error.status() == Status::out_of_memory)
        release();
      else
        chunks.forget();
      throw;
    }
  }

  std::vector<FieldOutput> prepare(const std::vector<FieldOutput> &fields, std::uint64_t count) const {
    check_outputs(fields, count);
    for (const FieldOutput &output : fields)
      for (std::size_t d = 0; d < output.field.components.size() && count != 0; ++d)
        if (output.components[d].data != nullptr)
          require_reachable(output.components[d].data, device, "field " + output.field.components[d].name);
    return with_steps(fields);
  }

  // Orders the work of this call after that of the last one.
  void follow_stream(Stream stream) {
    if (stream != last_stream) done->hold(stream);
    last_stream = stream;
  }

  void check() {
    const std::uint32_t status = *static_cast<volatile std::uint32_t *>(&report->status);
    if (status == 0) return;
    done->wait();  // so that chunks after the damaged one report as well
    report->status = 0;
    chunks.forget();
    if ((status & chunk_damaged) != 0) throw Error(Status::corrupt, "the bytes of a chunk contradict the format");
    throw Error(Status::unsupported,
                "blocks of other than 1,024 particles, or indices of 2^30 or more in difference chunks, are decoded on "
                "the CPU only");
  }

  void finish() {
    done->wait();
    check();
  }

  void release() {
    done->wait();
    chunks.release();
    copied.release();
    heads.memory.release();
    heads.values.release();
  }

  std::uint64_t particles = 0;
  ChunkDecoder chunks;
  HeadCache heads;
  DeviceBuffer copied;  // copy of a chunk from host memory
  std::uint64_t allocations = 0;
  PinnedReport<ChunkDecoder::Report> report;
  std::unique_ptr<Event> done;  // recorded after all queued work
  Stream last_stream = nullptr;
};

TrajectoryDecoder::TrajectoryDecoder(int device) : state_(std::make_unique<State>(device)) {}
TrajectoryDecoder::~TrajectoryDecoder() = default;
TrajectoryDecoder::TrajectoryDecoder(TrajectoryDecoder &&) noexcept = default;
TrajectoryDecoder &TrajectoryDecoder::operator=(TrajectoryDecoder &&) noexcept = default;

int TrajectoryDecoder::device() const { return state_->device; }
std::uint64_t TrajectoryDecoder::particles() const { return state_->particles; }

void TrajectoryDecoder::follow(const std::vector<bool> &fields) { state_->chunks.follow(fields); }

void TrajectoryDecoder::allow(std::uint32_t features) { state_->chunks.allow(features); }

void TrajectoryDecoder::use_threads(int threads) {
  if (threads < 1) throw Error(Status::invalid_argument, "fewer threads than one");
  state_->heads.values.threads = threads;
}

void TrajectoryDecoder::decode(const void *chunk, std::size_t size, std::uint64_t particles,
                               const std::vector<FieldOutput> &fields, OutputOrder order, Stream stream) {
  const CurrentDevice current(state_->device);
  state_->queue(chunk, {}, size, particles, fields, order, stream);
  state_->finish();
}

void TrajectoryDecoder::decode_from_host(const void *chunk, std::size_t size, std::uint64_t particles,
                                         const std::vector<FieldOutput> &fields, OutputOrder order, Stream stream) {
  check_memory(chunk, size, 1, "the chunk");
  const CurrentDevice current(state_->device);
  State &state = *state_;
  if (size > state.copied.capacity()) {
    state.done->wait();
    state.copied.release();
    state.copied.allocate(size);
    ++state.allocations;
  }
  state.follow_stream(stream);
  if (size != 0)
    gpz::cuda::check(cudaMemcpyAsync(state.copied.data(), chunk, size, cudaMemcpyHostToDevice, stream),
                     "copy to the device");
  state.queue(state.copied.data(), {chunk, nullptr}, size, particles, fields, order, stream);
  state.finish();
}

void TrajectoryDecoder::queue(const void *chunk, const void *host, std::size_t size, std::uint64_t particles,
                              const std::vector<FieldOutput> &fields, OutputOrder order, Stream stream) {
  check_memory(host, size, 1, "the chunk in host memory");
  const CurrentDevice current(state_->device);
  state_->queue(chunk, {host, nullptr}, size, particles, fields, order, stream);
}

void TrajectoryDecoder::queue(const void *chunk, const ReadBytes &read, std::size_t size, std::uint64_t particles,
                              const std::vector<FieldOutput> &fields, OutputOrder order, Stream stream) {
  const CurrentDevice current(state_->device);
  state_->queue(chunk, {nullptr, &read}, size, particles, fields, order, stream);
}

void TrajectoryDecoder::check() {
  const CurrentDevice current(state_->device);
  state_->check();
}

void TrajectoryDecoder::finish() {
  const CurrentDevice current(state_->device);
  state_->finish();
}

void TrajectoryDecoder::forget() { state_->chunks.forget(); }

void TrajectoryDecoder::release() {
  const CurrentDevice current(state_->device);
  state_->release();
}

MemoryUse TrajectoryDecoder::memory() const {
  return {state_->chunks.device_bytes() + state_->copied.capacity() + state_->heads.values.on_device.capacity(),
          state_->chunks.allocations() + state_->allocations};
}

}  // namespace gpz::cuda
