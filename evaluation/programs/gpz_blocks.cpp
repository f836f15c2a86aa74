// SPDX-License-Identifier: BSD-3-Clause
// evaluate_gpz: chunks of blocks, without ids, by gpz::cuda::compress_now and decompress_now; for `warm` times by
// gpz::cuda::compress and decompress with a workspace that is kept. The order within a block of 1,024 particles is
// lost; a second compression, with ids, tells it.
#include <cstring>

#include "device.hpp"
#include "gpz/chunk.hpp"
#include "gpz/cuda.hpp"
#include "gpz/cuda_memory.hpp"
#include "gpz/version.h"
#include "program.hpp"

namespace evaluation {

namespace {

using gpz::ConstArray;
using gpz::FieldInput;

std::vector<FieldInput> positions(const Job &job, const float *values) {
  FieldInput input;
  input.field.type = gpz::ValueType::float32;
  input.field.leading = true;
  input.field.bound = job.bound;
  input.field.step = gpz::grid_step(job.bound, gpz::ValueType::float32);
  for (int d = 0; d < job.components; ++d) {
    input.field.components.push_back({std::string(1, static_cast<char>('x' + d)), static_cast<std::uint16_t>(d)});
    input.components[static_cast<std::size_t>(d)] = {values + static_cast<std::uint64_t>(d) * job.particles,
                                                     sizeof(float), ConstArray::Type::float32};
  }
  return {input};
}

gpz::cuda::FieldOutput output_of(const FieldInput &input) {
  gpz::cuda::FieldOutput output;
  output.field = input.field;
  for (std::size_t d = 0; d < input.field.components.size(); ++d)
    output.components[d] = {const_cast<void *>(input.components[d].data), input.components[d].stride,
                            input.components[d].type};
  return output;
}

// Fields of device memory to a chunk.
class FieldCompressor {
 public:
  FieldCompressor(const std::vector<FieldInput> &fields, std::uint64_t particles)
      : particles_(particles),
        size_(gpz::cuda::compress_workspace_size(fields, particles)),
        bound_(gpz::cuda::compressed_bound(fields, particles)),
        workspace_(size_),
        result_(sizeof(gpz::cuda::CompressResult)) {}

  std::size_t bound() const { return bound_; }

  std::size_t compress(const std::vector<FieldInput> &fields, std::uint8_t *out) {
    gpz::cuda::compress(fields, particles_, nullptr, workspace_.as(), size_, out, bound_,
                        result_.as<gpz::cuda::CompressResult>(), nullptr);
    gpz::cuda::CompressResult result{};
    check(cudaMemcpy(&result, result_.as(), sizeof(result), cudaMemcpyDeviceToHost), "result");
    if (result.fits == 0) throw std::runtime_error("the chunk is longer than its bound");
    return result.bytes;
  }

 private:
  std::uint64_t particles_;
  std::size_t size_;
  std::size_t bound_;
  Memory workspace_;
  Memory result_;
};

class FieldDecompressor {
 public:
  FieldDecompressor(const std::vector<gpz::cuda::FieldOutput> &fields, std::uint64_t particles)
      : particles_(particles),
        size_(gpz::cuda::decompress_workspace_size(fields, particles)),
        workspace_(size_),
        damaged_(sizeof(std::uint32_t)) {}

  void decompress(const Bytes &in, const std::vector<gpz::cuda::FieldOutput> &fields) {
    gpz::cuda::decompress(in.data, in.size, particles_, fields, workspace_.as(), size_, damaged_.as<std::uint32_t>(),
                          nullptr);
    std::uint32_t damaged = 0;
    check(cudaMemcpy(&damaged, damaged_.as(), sizeof(damaged), cudaMemcpyDeviceToHost), "damaged");
    if (damaged != 0) throw std::runtime_error("the chunk is damaged: " + std::to_string(damaged));
  }

 private:
  std::uint64_t particles_;
  std::size_t size_;
  Memory workspace_;
  Memory damaged_;
};

class BlockCompressor : public Compressor {
 public:
  explicit BlockCompressor(const Job &job) : job_(job) {}
  Bytes compress(float *values, std::uint8_t * /*out*/) override {
    chunk_ = gpz::cuda::compress_now(positions(job_, values), job_.particles, nullptr);
    return {static_cast<const std::uint8_t *>(chunk_.memory.data()), chunk_.size};
  }

 private:
  Job job_;
  gpz::cuda::PoolChunk chunk_;
};

class BlockDecompressor : public Decompressor {
 public:
  explicit BlockDecompressor(const Job &job) : job_(job) {}
  void decompress(const Bytes &in, float *values) override {
    gpz::cuda::decompress_now(in.data, in.size, job_.particles, {output_of(positions(job_, values)[0])});
  }

 private:
  Job job_;
};

class KeepingCompressor : public Compressor {
 public:
  explicit KeepingCompressor(const Job &job) : job_(job), fields_(positions(job, nullptr), job.particles) {}
  Bytes compress(float *values, std::uint8_t *out) override {
    return {out, fields_.compress(positions(job_, values), out)};
  }

 private:
  Job job_;
  FieldCompressor fields_;
};

class KeepingDecompressor : public Decompressor {
 public:
  explicit KeepingDecompressor(const Job &job)
      : job_(job), fields_({output_of(positions(job, nullptr)[0])}, job.particles) {}
  void decompress(const Bytes &in, float *values) override {
    fields_.decompress(in, {output_of(positions(job_, values)[0])});
  }

 private:
  Job job_;
  FieldDecompressor fields_;
};

class Blocks : public Program {
 public:
  std::string name() const override { return "gpz"; }
  std::string version() const override { return gpz_version_string(); }
  std::string order_in_words() const override { return "lost in blocks of 1024"; }
  bool is_for_arrays() const override { return false; }
  std::size_t room(const Job &job) const override {
    return gpz::cuda::compressed_bound(positions(job, nullptr), job.particles);
  }
  std::unique_ptr<Compressor> compressor(const Job &job) override { return std::make_unique<BlockCompressor>(job); }
  std::unique_ptr<Decompressor> decompressor(const Job &job) override {
    return std::make_unique<BlockDecompressor>(job);
  }
  std::unique_ptr<Compressor> keeping_compressor(const Job &job) override {
    return std::make_unique<KeepingCompressor>(job);
  }
  std::unique_ptr<Decompressor> keeping_decompressor(const Job &job) override {
    return std::make_unique<KeepingDecompressor>(job);
  }

  Order order(const Job &job, const float *values, const float *decoded) override {
    std::vector<std::int32_t> ids(job.particles);
    for (std::uint64_t i = 0; i < job.particles; ++i) ids[i] = static_cast<std::int32_t>(i);
    const Memory ids_there(job.particles * sizeof(std::int32_t));
    check(cudaMemcpy(ids_there.as(), ids.data(), ids_there.size(), cudaMemcpyHostToDevice), "ids");
    std::vector<FieldInput> fields = positions(job, values);
    FieldInput id;
    id.field.type = gpz::ValueType::integer;
    id.field.components = {{"id", static_cast<std::uint16_t>(job.components)}};
    id.components[0] = {ids_there.as(), sizeof(std::int32_t), ConstArray::Type::int32};
    fields.push_back(id);

    FieldCompressor compressor(fields, job.particles);
    const Memory chunk(compressor.bound());
    const std::size_t size = compressor.compress(fields, chunk.as<std::uint8_t>());
    const Memory again(job.values() * sizeof(float));
    const std::vector<gpz::cuda::FieldOutput> outputs = {output_of(positions(job, again.as<float>())[0]),
                                                         output_of(id)};
    check(cudaMemset(ids_there.as(), 0xFF, ids_there.size()), "ids");
    FieldDecompressor(outputs, job.particles).decompress({chunk.as<std::uint8_t>(), size}, outputs);

    std::vector<float> first(job.values());
    std::vector<float> second(job.values());
    check(cudaMemcpy(first.data(), decoded, again.size(), cudaMemcpyDeviceToHost), "positions");
    check(cudaMemcpy(second.data(), again.as(), again.size(), cudaMemcpyDeviceToHost), "positions with ids");
    if (std::memcmp(first.data(), second.data(), again.size()) != 0)
      throw std::runtime_error("ids change the positions, so they do not tell their order");
    Order order;
    order.kind = Order::Kind::known;
    order.origin.resize(job.particles);
    check(cudaMemcpy(order.origin.data(), ids_there.as(), ids_there.size(), cudaMemcpyDeviceToHost), "ids");
    return order;
  }
};

}  // namespace

std::unique_ptr<Program> make_program() { return std::make_unique<Blocks>(); }

}  // namespace evaluation
