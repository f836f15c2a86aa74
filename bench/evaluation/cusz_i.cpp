// SPDX-License-Identifier: BSD-3-Clause
// evaluate_cusz_i: cuSZ-i with its defaults: splines, 1,024 codes, Huffman. The array is one of three dimensions whose
// second and third have one element.
#include <context.h>
#include <cuda_runtime_api.h>
#include <cusz.h>
#include <header.h>

#include <tehm.hh>

#include "device.hpp"
#include "program.hpp"

namespace evaluation {

namespace {

// psz_release() forgets the object that psz_create() makes.
class Handle {
 public:
  Handle() : framework_(pszdefault_framework()), handle_(psz_create(framework_, F4)) {}
  ~Handle() {
    delete static_cast<cusz::CompressorF4 *>(handle_->compressor);
    psz_release(handle_);
    delete framework_;
  }
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  pszcompressor *get() const { return handle_; }

 private:
  pszframe *framework_;
  pszcompressor *handle_;
};

void require(pszerror status) {
  if (status != CUSZ_SUCCESS) throw std::runtime_error("cuSZ-i: status " + std::to_string(status));
}

class CuszICompressor : public Compressor {
 public:
  explicit CuszICompressor(const Job &job) : job_(job) {
    context_.mode = Abs;
    context_.eb = job.bound;
    context_.rel_eb = job.relative;
    context_.pred_type = Spline;
    require(psz_compress_init(handle_.get(), length(), &context_));
  }
  Bytes compress(float *values, std::uint8_t * /*out*/) override {
    pszheader header{};
    std::uint8_t *bytes = nullptr;
    std::size_t size = 0;
    psz::TimeRecord times;
    require(psz_compress(handle_.get(), values, length(), &bytes, &size, &header, &times, nullptr));
    if (size > job_.particles * 6 / 5) throw std::runtime_error("more than the 1.2 bytes a value that its buffer has");
    if (static_cast<std::uint64_t>(header.splen) > job_.particles / 5)
      throw std::runtime_error("more outliers than its fifth of all values");
    return {bytes, size};
  }

 private:
  pszlen length() const { return {{job_.particles}, {1}, {1}, {1}}; }

  Job job_;
  pszctx context_;
  Handle handle_;
};

class CuszIDecompressor : public Decompressor {
 public:
  explicit CuszIDecompressor(const Job &job) : job_(job) {}
  void decompress(const Bytes &in, float *values) override {
    check(cudaMemcpy(&header_, in.data, sizeof(header_), cudaMemcpyDeviceToHost), "header");
    require(psz_decompress_init(handle_.get(), &header_));
    psz::TimeRecord times;
    require(psz_decompress(handle_.get(), const_cast<std::uint8_t *>(in.data), in.size, values,
                           {{job_.particles}, {1}, {1}, {1}}, &times, nullptr));
  }

 private:
  Job job_;
  pszheader header_{};
  Handle handle_;
};

class CuszI : public Program {
 public:
  std::string name() const override { return "cuSZ-i"; }
  std::string version() const override { return EVALUATION_VERSION; }
  // Its decoder allocates in every call; its encoder counts outliers on top of those of the call before.
  bool keeps_memory() const override { return false; }
  std::size_t room(const Job &job) const override { return job.particles * 6 / 5 + 4096; }
  std::unique_ptr<Compressor> compressor(const Job &job) override { return std::make_unique<CuszICompressor>(job); }
  std::unique_ptr<Decompressor> decompressor(const Job &job) override {
    return std::make_unique<CuszIDecompressor>(job);
  }
};

}  // namespace

std::unique_ptr<Program> make_program() { return std::make_unique<CuszI>(); }

}  // namespace evaluation
