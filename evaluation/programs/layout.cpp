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

std::size_t aligned(std::size_t size) { return (size + alignment - 1) / alignment * alignment; }

std::size_t array_size(const Job &job) { return job.particles * sizeof(float); }

// Programs load several values at once, so that an array has to begin where such loads may. This is the array itself,
// or memory to copy it through.
class Stage {
 public:
  float *aligned(float *array, std::size_t size) {
    if (reinterpret_cast<std::uintptr_t>(array) % 16 == 0) return array;
    if (memory_.size() < size) memory_ = Memory(size);
    return memory_.as<float>();
  }

 private:
  Memory memory_;
};

// The arrays one after the other, each aligned as memory of cudaMalloc is; the gaps, below 256 bytes each, are counted.
class SeparateCompressor : public Compressor {
 public:
  SeparateCompressor(Program &program, const Job &job) : program_(program), job_(job) {}

  Bytes compress(float *values, std::uint8_t *out) override {
    std::uint64_t sizes[head / sizeof(std::uint64_t)] = {};
    std::size_t at = aligned(head);
    for (int d = 0; d < job_.components; ++d) {
      if (!program_.keeps_memory()) inner_.reset();
      if (inner_ == nullptr) inner_ = program_.compressor(one_component(job_));
      float *const array = values + static_cast<std::uint64_t>(d) * job_.particles;
      float *const from = stage_.aligned(array, array_size(job_));
      if (from != array)
        check(cudaMemcpy(from, array, array_size(job_), cudaMemcpyDeviceToDevice), "aligning an array");
      const Bytes bytes = inner_->compress(from, out + at);
      if (bytes.data != out + at)
        check(cudaMemcpy(out + at, bytes.data, bytes.size, cudaMemcpyDeviceToDevice), "joining arrays");
      sizes[d] = bytes.size;
      at = aligned(at + bytes.size);
    }
    check(cudaMemcpy(out, sizes, head, cudaMemcpyHostToDevice), "sizes");
    return {out, at};
  }

 private:
  Program &program_;
  Job job_;
  Stage stage_;
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
      if (!program_.keeps_memory()) inner_.reset();
      if (inner_ == nullptr) inner_ = program_.decompressor(one_component(job_));
      float *const array = values + static_cast<std::uint64_t>(d) * job_.particles;
      float *const to = stage_.aligned(array, array_size(job_));
      inner_->decompress({in.data + at, sizes[d]}, to);
      if (to != array) check(cudaMemcpy(array, to, array_size(job_), cudaMemcpyDeviceToDevice), "placing an array");
      at = aligned(at + sizes[d]);
    }
  }

 private:
  Program &program_;
  Job job_;
  Stage stage_;
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
