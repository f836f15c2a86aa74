// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bench/device.hpp"
#include "bench/gpu_memory.hpp"
#include "exit_code.hpp"
#include "gpz/cuda.hpp"
#include "gpz/cuda_memory.hpp"
#include "gpz/cuda_transfer.hpp"

namespace gpz::bench {
namespace {

using tool::ExitCode;
using tool::Failure;

class Stream {
 public:
  Stream() { check(cudaStreamCreate(&stream_), "stream"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  cudaStream_t get() const { return stream_; }
  void wait(const char *what) const { check(cudaStreamSynchronize(stream_), what); }
  void copy(void *to, const void *from, std::size_t size, const char *what) const {
    if (size != 0) check(cudaMemcpyAsync(to, from, size, cudaMemcpyDefault, stream_), what);
  }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "event"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;

  cudaEvent_t get() const { return event_; }
  void record(const Stream &stream) const { check(cudaEventRecord(event_, stream.get()), "event"); }

 private:
  cudaEvent_t event_ = nullptr;
};

// The arrays of a snapshot, one piece of memory each.
struct Arrays {
  Memory positions, ids, types;

  Arrays(Where where, const Snapshot &like)
      : positions(where, like.cloud.bytes()), ids(where, 4 * like.ids.size()), types(where, 4 * like.types.size()) {}
  // From the pool.
  Arrays(const Stream &stream, const Snapshot &like)
      : positions(stream.get(), like.cloud.bytes()),
        ids(stream.get(), 4 * like.ids.size()),
        types(stream.get(), 4 * like.types.size()) {}
  ArrayPointers pointers() const { return {positions.get(), ids.get(), types.get()}; }
};

void copy(const Stream &stream, const Arrays &to, const Arrays &from, const char *what) {
  stream.copy(to.positions.get(), from.positions.get(), from.positions.size(), what);
  stream.copy(to.ids.get(), from.ids.get(), from.ids.size(), what);
  stream.copy(to.types.get(), from.types.get(), from.types.size(), what);
}

void fill(const Arrays &to, const Snapshot &snapshot) {
  copy_now(to.positions.get(), snapshot.cloud.data(), snapshot.cloud.bytes(), "input");
  copy_now(to.ids.get(), snapshot.ids.data(), 4 * snapshot.ids.size(), "input");
  copy_now(to.types.get(), snapshot.types.data(), 4 * snapshot.types.size(), "input");
}

Snapshot taken_from(const Arrays &from, const Snapshot &like) {
  Snapshot out = same_shape(like);
  copy_now(out.cloud.data(), from.positions.get(), out.cloud.bytes(), "output");
  copy_now(out.ids.data(), from.ids.get(), 4 * out.ids.size(), "output");
  copy_now(out.types.data(), from.types.get(), 4 * out.types.size(), "output");
  return out;
}

std::vector<cuda::FieldOutput> outputs_of(const Snapshot &snapshot, double bound, const Arrays &arrays) {
  std::vector<cuda::FieldOutput> outputs;
  for (const FieldInput &input : fields_of(snapshot, bound, arrays.pointers())) {
    cuda::FieldOutput output{input.field, {}};
    for (std::size_t d = 0; d < input.field.components.size(); ++d) {
      const ConstArray &array = input.components[d];
      // The arrays are this program's own; only the encoder sees them as constant.
      output.components[d] = {const_cast<void *>(array.data), array.stride, array.type};
    }
    outputs.push_back(output);
  }
  return outputs;
}

struct CompressSpace {
  Memory workspace, out;

  CompressSpace(const std::vector<FieldInput> &fields, std::uint64_t particles)
      : workspace(Where::device, cuda::compress_workspace_size(fields, particles)),
        out(Where::device, cuda::compressed_bound(fields, particles)) {}
};

// One snapshot with one bound.
class Run {
 public:
  // `first`: this process has not compressed on the GPU.
  Run(const Snapshot &snapshot, double bound, bool first)
      : snapshot_(snapshot),
        bound_(bound),
        host_(Where::pinned_host, snapshot),
        input_(Where::device, snapshot),
        output_(Where::device, snapshot),
        space_(fields(input_), snapshot.particles()),
        result_(Where::pinned_host, sizeof(cuda::CompressResult)),
        damaged_(Where::pinned_host, sizeof(std::uint32_t)) {
    fill(host_, snapshot);
    copy(stream_, input_, host_, "input");
    // Values that another run left in this memory must not pass for a result.
    for (const Memory *memory : {&output_.positions, &output_.ids, &output_.types})
      check(cudaMemsetAsync(memory->get(), 0xFF, memory->size(), stream_.get()), "output");
    stream_.wait("input");
    if (first) {
      const cuda::PoolChunk chunk = time_first_compression();
      first_decompress_ = seconds_of([&] { return decompress_now(chunk.memory.data(), chunk.size); });
    }
    compress(fields(input_), space_);
    host_chunk_ = Memory(Where::pinned_host, bytes());
    stream_.copy(host_chunk_.get(), space_.out.get(), bytes(), "chunk");
    workspace_ = Memory(Where::device, cuda::decompress_workspace_size(outputs(output_), snapshot.particles()));
    decompress(space_.out, outputs(output_), workspace_);
  }

  Outcome outcome(const Repeats &repeats) {
    Outcome outcome;
    if (repeats.runs > 0) {
      time_compression(repeats, outcome.compress);
      time_decompression(repeats, outcome.decompress);
      outcome.compress.first = first_compress_;
      outcome.decompress.first = first_decompress_;
    }
    const auto *chunk = static_cast<const std::uint8_t *>(host_chunk_.get());
    outcome.chunk.assign(chunk, chunk + bytes());
    outcome.decoded = taken_from(output_, snapshot_);
    outcome.reported_error = result().largest_error[0];
    return outcome;
  }

 private:
  const cuda::CompressResult &result() const { return *static_cast<const cuda::CompressResult *>(result_.get()); }
  std::size_t bytes() const { return result().bytes; }
  std::vector<FieldInput> fields(const Arrays &arrays) const { return fields_of(snapshot_, bound_, arrays.pointers()); }
  std::vector<cuda::FieldOutput> outputs(const Arrays &arrays) const { return outputs_of(snapshot_, bound_, arrays); }

  void compress(const std::vector<FieldInput> &from, const CompressSpace &space) const {
    cuda::compress(from, snapshot_.particles(), nullptr, space.workspace.get(), space.workspace.size(), space.out.get(),
                   space.out.size(), static_cast<cuda::CompressResult *>(result_.get()), stream_.get());
    stream_.wait("compression");
    if (result().fits == 0) throw Failure(ExitCode::other, "", "GPU: the chunk is larger than compressed_bound()");
  }

  void decompress(const Memory &chunk, const std::vector<cuda::FieldOutput> &to, const Memory &workspace) const {
    auto *damaged = static_cast<std::uint32_t *>(damaged_.get());
    *damaged = UINT32_MAX;  // none of its answers
    cuda::decompress(chunk.get(), bytes(), snapshot_.particles(), to, workspace.get(), workspace.size(), damaged,
                     stream_.get());
    stream_.wait("decompression");
    if (*damaged != 0) throw Failure(ExitCode::other, "", "GPU: its own chunk does not decompress");
  }

  cuda::PoolChunk compress_now(const std::vector<FieldInput> &from) const {
    return cuda::compress_now(from, snapshot_.particles(), nullptr, stream_.get());
  }

  Arrays decompress_now(const void *chunk, std::size_t size) const {
    Arrays arrays(stream_, snapshot_);
    cuda::decompress_now(chunk, size, snapshot_.particles(), outputs(arrays), stream_.get());
    return arrays;
  }

  cuda::PoolChunk time_first_compression() {
    const std::vector<FieldInput> input = fields(input_);
    cuda::PoolChunk chunk;
    first_compress_ = seconds_of([&] {
      chunk = compress_now(input);
      return 0;
    });
    return chunk;
  }

  void time_compression(const Repeats &repeats, Speeds &speeds) {
    const std::vector<FieldInput> input = fields(input_);
    speeds.warm = measure(repeats, [&] {
      compress(input, space_);
      return 0;
    });
    speeds.allocating = measure(repeats, [&] { return compress_now(input); });
    speeds.end_to_end = measure(repeats, [&] {
      Arrays arrays(stream_, snapshot_);
      copy(stream_, arrays, host_, "input");
      cuda::PoolChunk chunk = compress_now(fields(arrays));
      stream_.copy(host_chunk_.get(), chunk.memory.data(), chunk.size, "chunk");
      stream_.wait("chunk");
      return std::make_pair(std::move(arrays), std::move(chunk));
    });
  }

  void time_decompression(const Repeats &repeats, Speeds &speeds) {
    const std::vector<cuda::FieldOutput> output = outputs(output_);
    speeds.allocating = measure(repeats, [&] { return decompress_now(space_.out.get(), bytes()); });
    speeds.end_to_end = measure(repeats, [&] {
      Memory chunk(stream_.get(), bytes());
      stream_.copy(chunk.get(), host_chunk_.get(), bytes(), "chunk");
      Arrays arrays = decompress_now(chunk.get(), bytes());
      copy(stream_, host_, arrays, "output");
      stream_.wait("output");
      return std::make_pair(std::move(arrays), std::move(chunk));
    });
    // Last, because what it leaves in output_ is verified.
    speeds.warm = measure(repeats, [&] {
      decompress(space_.out, output, workspace_);
      return 0;
    });
  }

  const Snapshot &snapshot_;
  double bound_;
  Stream stream_;
  Arrays host_;  // the input; after time_decompression() its output
  Arrays input_;
  Arrays output_;
  CompressSpace space_;  // keeps the chunk
  Memory result_;
  Memory damaged_;
  Memory host_chunk_;
  Memory workspace_;  // for decompression
  double first_compress_ = 0;
  double first_decompress_ = 0;
};

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

class Gpu final : public Device {
 public:
  explicit Gpu(int index) : index_(index) {
    check(cudaSetDevice(index), "selecting it");
    check(cudaGetDeviceProperties(&properties_, index), "properties");
    check(cudaDriverGetVersion(&driver_), "driver version");
    check(cudaRuntimeGetVersion(&runtime_), "runtime version");
  }

  std::string name() const override { return "gpu"; }

  std::vector<std::pair<std::string, std::string>> facts() const override {
    return {{"name", properties_.name},
            {"index", std::to_string(index_)},
            {"multiprocessors", std::to_string(properties_.multiProcessorCount)},
            {"compute_capability", fmt::format("{}.{}", properties_.major, properties_.minor)},
            {"memory_bytes", std::to_string(properties_.totalGlobalMem)},
            {"kernels", cuda::kernel_code(index_) == cuda::KernelCode::native ? "native" : "driver-compiled"},
            {"cuda_driver", version_text(driver_)},
            {"cuda_runtime", version_text(runtime_)}};
  }

  CopySpeed copy_speed(std::uint64_t bytes, const Repeats &repeats) override {
    const std::size_t size = std::min<std::size_t>(bytes, free_memory() / 4);
    const Memory from(Where::device, size);
    const Memory to(Where::device, size);
    const Stream stream;
    const Event start;
    const Event end;
    check(cudaMemsetAsync(from.get(), 1, size, stream.get()), "copy");
    std::vector<double> seconds;
    for (int k = -repeats.warm_up; k < repeats.runs; ++k) {
      start.record(stream);
      stream.copy(to.get(), from.get(), size, "copy");
      end.record(stream);
      stream.wait("copy");
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, start.get(), end.get()), "copy");
      if (k >= 0) seconds.push_back(static_cast<double>(milliseconds) / 1000);
    }
    return {size, 0, timing_of(std::move(seconds))};
  }

  Outcome run(const Snapshot &snapshot, double bound, const Repeats &repeats) override {
    return Run(snapshot, bound, std::exchange(first_, false)).outcome(repeats);
  }

 private:
  int index_;
  cudaDeviceProp properties_{};
  int driver_ = 0;
  int runtime_ = 0;
  bool first_ = true;  // nothing has been compressed
};

}  // namespace

std::unique_ptr<Device> make_gpu(int index, std::string &reason) {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess || devices == 0) {
    reason = fmt::format("no GPU found: {}", cudaGetErrorString(error != cudaSuccess ? error : cudaErrorNoDevice));
    return nullptr;
  }
  if (index >= devices) {
    reason = fmt::format("no GPU {}: there are {}, counted from 0", index, devices);
    return nullptr;
  }
  return std::make_unique<Gpu>(index);
}

}  // namespace gpz::bench
