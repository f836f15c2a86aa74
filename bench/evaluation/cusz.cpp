// SPDX-License-Identifier: BSD-3-Clause
// evaluate_cusz: cuSZ with its defaults: Lorenzo prediction, 1,024 codes, Huffman.
#include <cuda_runtime_api.h>
#include <cusz.h>
#include <cusz_rev1.h>

#include <cstring>

#include "device.hpp"
#include "program.hpp"

namespace evaluation {

namespace {

class Manager {
 public:
  explicit Manager(psz_resource *manager) : manager_(manager) {}
  ~Manager() { psz_release_resource(manager_); }
  Manager(const Manager &) = delete;
  Manager &operator=(const Manager &) = delete;
  psz_resource *get() const { return manager_; }

 private:
  psz_resource *manager_;
};

class CuszCompressor : public Compressor {
 public:
  explicit CuszCompressor(const Job &job)
      : job_(job),
        manager_(psz_create_resource_manager(F4, {job.particles, 1, 1}, {Lorenzo, HistogramGeneric, Huffman, NullCodec},
                                             nullptr)) {}

  Bytes compress(float *values, std::uint8_t * /*out*/) override {
    psz_header header{};
    std::uint8_t *bytes = nullptr;
    std::size_t size = 0;
    const int status =
        psz_compress_float(manager_.get(), {Abs, job_.bound, DEFAULT_RADIUS}, values, &header, &bytes, &size);
    if (status == PSZ_WARN_OUTLIER_TOO_MANY) throw std::runtime_error("more outliers than its tenth of all values");
    if (status != PSZ_SUCCESS) throw std::runtime_error("cuSZ: status " + std::to_string(status));
    if (size > job_.particles * 2)
      throw std::runtime_error(std::to_string(size) + " bytes, more than the 2 a value that its buffer has, of which " +
                               std::to_string(8 * header.splen) + " are outliers");
    // It leaves room for its header, which the caller keeps.
    check(cudaMemcpy(bytes, &header, sizeof(header), cudaMemcpyHostToDevice), "header");
    return {bytes, size};
  }

 private:
  Job job_;
  Manager manager_;
};

class CuszDecompressor : public Decompressor {
 public:
  explicit CuszDecompressor(const Job &job) : job_(job) {}
  void decompress(const Bytes &in, float *values) override {
    psz_header header{};
    check(cudaMemcpy(&header, in.data, sizeof(header), cudaMemcpyDeviceToHost), "header");
    if (manager_)
      psz_modify_resource_manager_from_header(manager_->get(), &header);
    else
      manager_ = std::make_unique<Manager>(psz_create_resource_manager_from_header(&header, nullptr));
    // Outliers are added to what is there.
    check(cudaMemset(values, 0, job_.particles * sizeof(float)), "output");
    const int status = psz_decompress_float(manager_->get(), const_cast<std::uint8_t *>(in.data), in.size, values);
    if (status != PSZ_SUCCESS) throw std::runtime_error("cuSZ: status " + std::to_string(status));
  }

 private:
  Job job_;
  std::unique_ptr<Manager> manager_;
};

class Cusz : public Program {
 public:
  std::string name() const override { return "cuSZ"; }
  std::string version() const override { return EVALUATION_VERSION; }
  // A second call counts its outliers on top of those of the first.
  bool keeps_memory() const override { return false; }
  std::size_t room(const Job &job) const override { return job.particles * 2 + 4096; }
  std::unique_ptr<Compressor> compressor(const Job &job) override { return std::make_unique<CuszCompressor>(job); }
  std::unique_ptr<Decompressor> decompressor(const Job &job) override {
    return std::make_unique<CuszDecompressor>(job);
  }
};

}  // namespace

std::unique_ptr<Program> make_program() { return std::make_unique<Cusz>(); }

}  // namespace evaluation
