// SPDX-License-Identifier: BSD-3-Clause
// evaluate_gpz_original: the program of the GPZ paper. Its input is its output array, and its segment size that which
// it chooses by itself: from the bound as a part of the longest edge, in its mode `rel`. Blocks of 1,024 particles, of
// which it forgets the order.
#include <cudaWarpCompress.cuh>

#include "device.hpp"
#include "program.hpp"

namespace evaluation {

namespace {

class OriginalCompressor : public Compressor {
 public:
  explicit OriginalCompressor(const Job &job)
      : job_(job), buffer_(job.particles * 4 * sizeof(float) + (std::size_t{1} << 16)) {}

  Bytes compress(float *values, std::uint8_t * /*out*/) override {
    CudaWarpCompress program(CudaConfig(0, false, static_cast<std::uint32_t>(job_.components), job_.particles, "rel",
                                        static_cast<float>(job_.bound), static_cast<float>(job_.relative), 32));
    std::uint64_t size = 0;
    program.compress(values, buffer_.as<unsigned char>(), &size, "none");
    return {reinterpret_cast<std::uint8_t *>(values), size};
  }

 private:
  Job job_;
  Memory buffer_;
};

class OriginalDecompressor : public Decompressor {
 public:
  explicit OriginalDecompressor(const Job &job) : job_(job) {}
  void decompress(const Bytes &in, float *values) override {
    CudaWarpCompress program;
    program.decompress(values, values + job_.particles, values + 2 * job_.particles,
                       const_cast<unsigned char *>(in.data), "none");
  }

 private:
  Job job_;
};

class Original : public Program {
 public:
  std::string name() const override { return "GPZ (paper)"; }
  std::string version() const override { return EVALUATION_VERSION; }
  std::string order_in_words() const override { return "lost in blocks of 1024"; }
  bool is_for_arrays() const override { return false; }
  std::size_t room(const Job & /*job*/) const override { return 0; }
  std::unique_ptr<Compressor> compressor(const Job &job) override { return std::make_unique<OriginalCompressor>(job); }
  std::unique_ptr<Decompressor> decompressor(const Job &job) override {
    return std::make_unique<OriginalDecompressor>(job);
  }
  Order order(const Job & /*job*/, const float * /*values*/, const float * /*decoded*/) override {
    Order order;
    order.kind = Order::Kind::in_blocks;
    order.block = 1024;
    return order;
  }
};

}  // namespace

std::unique_ptr<Program> make_program() { return std::make_unique<Original>(); }

}  // namespace evaluation
