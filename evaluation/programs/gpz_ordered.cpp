// SPDX-License-Identifier: BSD-3-Clause
// evaluate_gpz_ordered: a section of positions in the order of their ids (docs/format.md, section 10), which here is
// the order of memory: each particle is predicted to be where the one before it is. Ids 0 .. n - 1 are on the device
// before the clock starts, as the caller of the encoder has them; as runs they take some tens of bytes in a file, which
// are not counted.
#include <numeric>

#include "device.hpp"
#include "gpz/chunk.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/cuda/ordered/ordered.hpp"
#include "gpz/version.h"
#include "program.hpp"

namespace evaluation {

namespace {

// Of a frame that is not periodic, with these ids.
gpz::cuda::DeviceOrderedShape shape(const Job &job, const Memory &ids) {
  return {job.particles, ids.as<std::int64_t>(), {}};
}

double step_of(const Job &job) { return gpz::grid_step(job.bound, gpz::ValueType::float32); }

class OrderedCompressor : public Compressor {
 public:
  OrderedCompressor(const Job &job, const Memory &ids)
      : job_(job),
        ids_(ids),
        capacity_(gpz::cuda::ordered_bound(job.particles, job.components)),
        size_(gpz::cuda::encode_ordered_workspace(job.particles, capacity_)),
        workspace_(size_),
        result_(sizeof(gpz::cuda::DifferenceResult)) {}

  Bytes compress(float *values, std::uint8_t *out) override {
    gpz::cuda::DeviceValues input;
    for (int d = 0; d < job_.components; ++d)
      input.component[static_cast<std::size_t>(d)] = {values + static_cast<std::uint64_t>(d) * job_.particles,
                                                      sizeof(float), gpz::ConstArray::Type::float32};
    const double step = step_of(job_);
    input.grid = {step, 1 / step, job_.bound};
    gpz::core::OrderedPredictor predictor;
    predictor.lag[0] = 1;
    gpz::cuda::encode_ordered(shape(job_, ids_), input, job_.components, predictor, workspace_.as(), size_, out,
                              capacity_, result_.as<gpz::cuda::DifferenceResult>(), nullptr);
    gpz::cuda::DifferenceResult result{};
    check(cudaMemcpy(&result, result_.as(), sizeof(result), cudaMemcpyDeviceToHost), "result");
    if (result.wide != 0) throw std::runtime_error("grid indices of more than 30 bits: not for the GPU");
    if (result.invalid != 0)
      throw std::runtime_error(std::to_string(result.invalid) + " values have to be stored exactly: not for the GPU");
    if (result.fits == 0) throw std::runtime_error("the section is longer than its bound");
    return {out, result.bytes};
  }

 private:
  Job job_;
  const Memory &ids_;
  std::size_t capacity_;
  std::size_t size_;
  Memory workspace_;
  Memory result_;
};

class OrderedDecompressor : public Decompressor {
 public:
  OrderedDecompressor(const Job &job, const Memory &ids)
      : job_(job),
        ids_(ids),
        size_(gpz::cuda::decode_ordered_workspace(job.particles, job.components)),
        workspace_(size_),
        status_(sizeof(std::uint32_t)) {}

  void decompress(const Bytes &in, float *values) override {
    gpz::cuda::FieldOutput output;
    output.field.type = gpz::ValueType::float32;
    output.field.bound = job_.bound;
    output.field.step = step_of(job_);
    output.field.components.resize(static_cast<std::size_t>(job_.components));
    for (int d = 0; d < job_.components; ++d)
      output.components[d] = {values + static_cast<std::uint64_t>(d) * job_.particles, sizeof(float),
                              gpz::ConstArray::Type::float32};
    gpz::cuda::decode_ordered(shape(job_, ids_), in.data, in.size, output, workspace_.as(), size_,
                              status_.as<std::uint32_t>(), nullptr);
    std::uint32_t status = 0;
    check(cudaMemcpy(&status, status_.as(), sizeof(status), cudaMemcpyDeviceToHost), "status");
    if (status != 0) throw std::runtime_error("the section is damaged");
  }

 private:
  Job job_;
  const Memory &ids_;
  std::size_t size_;
  Memory workspace_;
  Memory status_;
};

class Ordered : public Program {
 public:
  std::string name() const override { return "gpz ordered"; }
  std::string version() const override { return gpz_version_string(); }
  bool is_for_arrays() const override { return false; }
  std::size_t room(const Job &job) const override { return gpz::cuda::ordered_bound(job.particles, job.components); }
  std::unique_ptr<Compressor> compressor(const Job &job) override {
    return std::make_unique<OrderedCompressor>(job, ids(job));
  }
  std::unique_ptr<Decompressor> decompressor(const Job &job) override {
    return std::make_unique<OrderedDecompressor>(job, ids(job));
  }

 private:
  const Memory &ids(const Job &job) {
    if (ids_.size() == job.particles * sizeof(std::int64_t)) return ids_;
    std::vector<std::int64_t> ids(job.particles);
    std::iota(ids.begin(), ids.end(), std::int64_t{0});
    ids_ = Memory(job.particles * sizeof(std::int64_t));
    check(cudaMemcpy(ids_.as(), ids.data(), ids_.size(), cudaMemcpyHostToDevice), "ids");
    return ids_;
  }

  Memory ids_;
};

}  // namespace

std::unique_ptr<Program> make_program() { return std::make_unique<Ordered>(); }

}  // namespace evaluation
