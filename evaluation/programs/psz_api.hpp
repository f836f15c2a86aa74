// SPDX-License-Identifier: BSD-3-Clause
// cuSZ of 2023 and cuSZ-i, which has been made of it: the API that they share, with 1,024 codes and Huffman. The array
// is one of three dimensions whose second and third have one element.
#pragma once

#include <context.h>
#include <cuda_runtime_api.h>
#include <cusz.h>
#include <header.h>

#include <tehm.hh>

#include "device.hpp"
#include "program.hpp"

namespace evaluation::psz_api {

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

inline void require(pszerror status) {
  if (status != CUSZ_SUCCESS) throw std::runtime_error("status " + std::to_string(status));
}

inline pszlen length(const Job &job) { return {{job.particles}, {1}, {1}, {1}}; }

// `context` has bound and predictor.
class ArrayCompressor : public Compressor {
 public:
  ArrayCompressor(const Job &job, const pszctx &context) : job_(job), context_(context) {
    require(psz_compress_init(handle_.get(), length(job_), &context_));
  }
  Bytes compress(float *values, std::uint8_t * /*out*/) override {
    pszheader header{};
    std::uint8_t *bytes = nullptr;
    std::size_t size = 0;
    psz::TimeRecord times;
    try {
      require(psz_compress(handle_.get(), values, length(job_), &bytes, &size, &header, &times, nullptr));
    } catch (const std::exception &error) {
      // A longer archive is seen by the copy into it alone.
      throw std::runtime_error(std::string(error.what()) + " (its archive has room for 1.2 bytes a value)");
    }
    return {bytes, size};
  }

 private:
  Job job_;
  pszctx context_;
  Handle handle_;
};

class ArrayDecompressor : public Decompressor {
 public:
  explicit ArrayDecompressor(const Job &job) : job_(job) {}
  void decompress(const Bytes &in, float *values) override {
    check(cudaMemcpy(&header_, in.data, sizeof(header_), cudaMemcpyDeviceToHost), "header");
    require(psz_decompress_init(handle_.get(), &header_));
    // Outliers are added to what is there.
    check(cudaMemset(values, 0, job_.particles * sizeof(float)), "output");
    psz::TimeRecord times;
    require(psz_decompress(handle_.get(), const_cast<std::uint8_t *>(in.data), in.size, values, length(job_), &times,
                           nullptr));
  }

 private:
  Job job_;
  pszheader header_{};
  Handle handle_;
};

class ArrayProgram : public Program {
 public:
  std::string version() const override { return EVALUATION_VERSION; }
  // Its decoder allocates in every call; its encoder counts outliers on top of those of the call before.
  bool keeps_memory() const override { return false; }
  std::size_t room(const Job &job) const override { return job.particles * 6 / 5 + 4096; }
  std::unique_ptr<Compressor> compressor(const Job &job) override {
    return std::make_unique<ArrayCompressor>(job, context(job));
  }
  std::unique_ptr<Decompressor> decompressor(const Job &job) override {
    return std::make_unique<ArrayDecompressor>(job);
  }

 protected:
  virtual pszctx context(const Job &job) const = 0;
};

}  // namespace evaluation::psz_api
