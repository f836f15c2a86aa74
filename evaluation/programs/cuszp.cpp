// SPDX-License-Identifier: BSD-3-Clause
// evaluate_cuszp: cuSZp's 1-D outlier mode. Its calls allocate and free by themselves, and ask for nothing to be kept;
// the count and the bound, which the caller of its decoder has to know, are not in its bytes and not counted.
#include <cuSZp/cuSZp_entry_1D_f32.h>

#include "device.hpp"
#include "program.hpp"

namespace evaluation {

namespace {

class CuszpCompressor : public Compressor {
 public:
  explicit CuszpCompressor(const Job &job) : job_(job) {}
  Bytes compress(float *values, std::uint8_t *out) override {
    std::size_t size = 0;
    cuSZp_compress_1D_outlier_f32(values, out, job_.particles, &size, static_cast<float>(job_.bound));
    return {out, size};
  }

 private:
  Job job_;
};

class CuszpDecompressor : public Decompressor {
 public:
  explicit CuszpDecompressor(const Job &job) : job_(job) {}
  void decompress(const Bytes &in, float *values) override {
    // It writes nothing for blocks of zeros.
    check(cudaMemset(values, 0, job_.particles * sizeof(float)), "output");
    cuSZp_decompress_1D_outlier_f32(values, const_cast<std::uint8_t *>(in.data), job_.particles, in.size,
                                    static_cast<float>(job_.bound));
  }

 private:
  Job job_;
};

class Cuszp : public Program {
 public:
  std::string name() const override { return "cuSZp"; }
  std::string version() const override { return "outlier mode, " EVALUATION_VERSION; }
  bool keeps_memory() const override { return false; }
  // Up to an eighth more than the values: a byte for 32 of them, outliers.
  std::size_t room(const Job &job) const override { return job.particles * 5 + (std::size_t{1} << 20); }
  std::unique_ptr<Compressor> compressor(const Job &job) override { return std::make_unique<CuszpCompressor>(job); }
  std::unique_ptr<Decompressor> decompressor(const Job &job) override {
    return std::make_unique<CuszpDecompressor>(job);
  }
};

}  // namespace

std::unique_ptr<Program> make_program() { return std::make_unique<Cuszp>(); }

}  // namespace evaluation
