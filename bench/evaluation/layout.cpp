// SPDX-License-Identifier: BSD-3-Clause
#include "layout.hpp"

#include "device.hpp"

namespace evaluation {

namespace {

class Arrays : public Program {
 public:
  explicit Arrays(Program &program) : program_(program) {}
  std::string name() const override { return program_.name(); }
  std::string version() const override { return program_.version(); }
  std::string order_in_words() const override { return program_.order_in_words(); }
  bool keeps_memory() const override { return program_.keeps_memory(); }
  bool is_for_arrays() const override { return false; }

 protected:
  Program &program_;
};

class Joined : public Arrays {
 public:
  using Arrays::Arrays;
  std::size_t room(const Job &job) const override { return program_.room(array(job)); }
  std::unique_ptr<Compressor> compressor(const Job &job) override { return program_.compressor(array(job)); }
  std::unique_ptr<Decompressor> decompressor(const Job &job) override { return program_.decompressor(array(job)); }

 private:
  static Job array(const Job &job) { return {job.values(), 1, job.bound, job.relative}; }
};

Job one_component(const Job &job) { return {job.particles, 1, job.bound, job.relative}; }

constexpr std::size_t head = 32;  // the sizes of up to 3 arrays; keeps what follows aligned
constexpr std::size_t alignment = 256;
constexpr std::uintptr_t alignment_of_loads = 16;

std::size_t aligned(std::size_t size) { return (size + alignment - 1) / alignment * alignment; }

// The arrays one after the other, each aligned as memory of cudaMalloc is; the gaps, below 256 bytes each, are counted.
class SeparateCompressor : public Compressor {
 public:
  SeparateCompressor(Program &program, const Job &job) : program_(program), job_(job) {}

  Bytes compress(float *values, std::uint8_t *out) override {
    std::uint64_t sizes[head / sizeof(std::uint64_t)] = {};
    std::size_t at = aligned(head);
    for (int d = 0; d < job_.components; ++d) {
      if (inner_ == nullptr || !program_.keeps_memory()) inner_ = program_.compressor(one_component(job_));
      const Bytes bytes = inner_->compress(staged(values + static_cast<std::uint64_t>(d) * job_.particles), out + at);
      if (bytes.data != out + at)
        check(cudaMemcpy(out + at, bytes.data, bytes.size, cudaMemcpyDeviceToDevice), "joining arrays");
      sizes[d] = bytes.size;
      at = aligned(at + bytes.size);
    }
    check(cudaMemcpy(out, sizes, head, cudaMemcpyHostToDevice), "sizes");
    return {out, at};
  }

 private:
  // Programs load several values at once, so that an array has to begin where such loads may.
  float *staged(float *array) {
    if (reinterpret_cast<std::uintptr_t>(array) % alignment_of_loads == 0) return array;
    const std::size_t size = job_.particles * sizeof(float);
    if (stage_.size() < size) stage_ = Memory(size);
    check(cudaMemcpy(stage_.as(), array, size, cudaMemcpyDeviceToDevice), "aligning an array");
    return stage_.as<float>();
  }

  Program &program_;
  Job job_;
  Memory stage_;
  std::unique_ptr<Compressor> inner_;
};

class SeparateDecompressor : public Decompressor {
 public:
  SeparateDecompressor(Program &program, const Job &job) : program_(program), job_(job) {}

  void decompress(const Bytes &in, float *values) override {
    std::uint64_t sizes[head / sizeof(std::uint64_t)] = {};
    check(cudaMemcpy(sizes, in.data, head, cudaMemcpyDeviceToHost), "sizes");
    std::size_t at = aligned(head);
    for (int d = 0; d < job_.components; ++d) {
      if (inner_ == nullptr || !program_.keeps_memory()) inner_ = program_.decompressor(one_component(job_));
      float *const array = values + static_cast<std::uint64_t>(d) * job_.particles;
      const bool aligned_array = reinterpret_cast<std::uintptr_t>(array) % alignment_of_loads == 0;
      const std::size_t size = job_.particles * sizeof(float);
      if (!aligned_array && stage_.size() < size) stage_ = Memory(size);
      inner_->decompress({in.data + at, sizes[d]}, aligned_array ? array : stage_.as<float>());
      if (!aligned_array) check(cudaMemcpy(array, stage_.as(), size, cudaMemcpyDeviceToDevice), "placing an array");
      at = aligned(at + sizes[d]);
    }
  }

 private:
  Program &program_;
  Job job_;
  Memory stage_;
  std::unique_ptr<Decompressor> inner_;
};

class Separate : public Arrays {
 public:
  using Arrays::Arrays;
  std::size_t room(const Job &job) const override {
    return aligned(head) + static_cast<std::size_t>(job.components) * aligned(program_.room(one_component(job)));
  }
  std::unique_ptr<Compressor> compressor(const Job &job) override {
    return std::make_unique<SeparateCompressor>(program_, job);
  }
  std::unique_ptr<Decompressor> decompressor(const Job &job) override {
    return std::make_unique<SeparateDecompressor>(program_, job);
  }
};

}  // namespace

std::unique_ptr<Program> with_layout(Program &program, Layout layout) {
  if (layout == Layout::joined) return std::make_unique<Joined>(program);
  return std::make_unique<Separate>(program);
}

}  // namespace evaluation
