// SPDX-License-Identifier: BSD-3-Clause
// evaluate_gpz_memory: a chunk in the order of memory (docs/format.md, section 10f). The order is kept.
#include "device.hpp"
#include "gpz/chunk.hpp"
#include "gpz/cuda_sequence.hpp"
#include "gpz/version.h"
#include "program.hpp"

namespace evaluation {

namespace {

gpz::Field positions(const Job &job) {
  gpz::Field field;
  field.type = gpz::ValueType::float32;
  field.leading = true;
  field.bound = job.bound;
  field.step = gpz::grid_step(job.bound, gpz::ValueType::float32);
  for (int d = 0; d < job.components; ++d)
    field.components.push_back({std::string(1, static_cast<char>('x' + d)), static_cast<std::uint16_t>(d)});
  return field;
}

class MemoryCompressor : public Compressor {
 public:
  explicit MemoryCompressor(const Job &job) : job_(job) { input_.field = positions(job); }

  Bytes compress(float *values, std::uint8_t * /*out*/) override {
    for (int d = 0; d < job_.components; ++d)
      input_.components[static_cast<std::size_t>(d)] = {values + static_cast<std::uint64_t>(d) * job_.particles,
                                                        sizeof(float), gpz::ConstArray::Type::float32};
    const gpz::cuda::DeviceChunk *const chunk = codec_.encode(input_, job_.particles);
    if (chunk == nullptr) throw std::runtime_error("a value or a step that these chunks do not hold on a GPU");
    return {static_cast<const std::uint8_t *>(chunk->data), chunk->size};
  }

 private:
  Job job_;
  gpz::FieldInput input_;
  gpz::cuda::SequenceCodec codec_;
};

class MemoryDecompressor : public Decompressor {
 public:
  explicit MemoryDecompressor(const Job &job) : job_(job) { output_.field = positions(job); }

  void decompress(const Bytes &in, float *values) override {
    for (int d = 0; d < job_.components; ++d)
      output_.components[d] = {values + static_cast<std::uint64_t>(d) * job_.particles, sizeof(float),
                               gpz::ConstArray::Type::float32};
    codec_.decode(in.data, in.size, job_.particles, output_);
  }

 private:
  Job job_;
  gpz::cuda::FieldOutput output_;
  gpz::cuda::SequenceCodec codec_;
};

class InMemoryOrder : public Program {
 public:
  std::string name() const override { return "gpz memory"; }
  std::string version() const override { return gpz_version_string(); }
  bool is_for_arrays() const override { return false; }
  std::size_t room(const Job & /*job*/) const override { return 0; }  // the encoder has memory of its own
  std::unique_ptr<Compressor> compressor(const Job &job) override { return std::make_unique<MemoryCompressor>(job); }
  std::unique_ptr<Decompressor> decompressor(const Job &job) override {
    return std::make_unique<MemoryDecompressor>(job);
  }
};

}  // namespace

std::unique_ptr<Program> make_program() { return std::make_unique<InMemoryOrder>(); }

}  // namespace evaluation
