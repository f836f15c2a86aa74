// SPDX-License-Identifier: GPL-2.0-only
/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   Copyright (2003) Sandia Corporation.  Under the terms of Contract
   DE-AC04-94AL85000 with Sandia Corporation, the U.S. Government retains
   certain rights in this software.  This software is distributed under
   the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "gpz_gpu.h"

#include <mpi.h>

#include <atomic>
#include <gpz/chunk.hpp>
#include <gpz/cuda_gather.hpp>
#include <gpz/cuda_standard.hpp>
#include <gpz/cuda_trajectory.hpp>
#include <gpz/cuda_transfer.hpp>
#include <gpz/error.hpp>

#include "atom.h"
#include "domain.h"
#include "gpz_background.h"
#include "gpz_kokkos.h"
#include "lammps.h"

using namespace LAMMPS_NS;
using gpz::ConstArray;

namespace {

class GPUCompressor : public GPZCompressor {
 public:
  explicit GPUCompressor(int gpu) : gpu_(gpu), upload_(gpu), codec_(gpu) {
    for (int buffer = 0; buffer < GPZBackground::nbuffers; ++buffer) copies_.emplace_back(gpu);
  }

  GPZChunk compress(GPZRows atoms, const gpz::FrameInfo &frame, int buffer, bool) override {
    if (last_ >= 0) copies_[last_].wait();  // the codec's memory is free again
    upload_.upload(atoms.fields, atoms.nrows);
    atoms.rows = upload_.upload_rows(atoms.rows, atoms.particles);
    const gpz::cuda::DeviceChunk &chunk =
        codec_.encode(atoms.fields, frame.particles, atoms.rows, frame.box, frame.since_key == 0);
    // Pinned memory takes long to get: for all buffers at the first frame, which nearly always is before the loop.
    if (last_ < 0)
      for (gpz::cuda::HostCopy &copy : copies_) copy.reserve(chunk.size + chunk.size / 8);
    gpz::cuda::HostCopy &copy = copies_[buffer];
    copy.start(chunk);
    last_ = buffer;
    GPZChunk result{chunk.particles, chunk.size, chunk.largest_error, {}, {}, {}};
    gpz::add_earlier_errors(atoms.fields, result.largest_error);
    result.bytes = [gpu = gpu_, &copy] {
      gpz::cuda::use_device(gpu);
      copy.wait();
      return copy.view().data;
    };
    return result;
  }

  double memory_usage() const override {
    double bytes = 0;
    for (const gpz::cuda::HostCopy &copy : copies_) bytes += static_cast<double>(copy.capacity());
    return bytes;
  }

 private:
  int gpu_, last_ = -1;  // the buffer of the last chunk
  gpz::cuda::Upload upload_;
  gpz::cuda::TrajectoryCodec codec_;
  std::vector<gpz::cuda::HostCopy> copies_;
};

class GPUEncoder : public GPZRowEncoder {
 public:
  GPUEncoder(int gpu, int threads) : codec_(gpu, threads) {
    for (int buffer = 0; buffer < GPZBackground::nbuffers; ++buffer) copies_.emplace_back(gpu);
  }

  void encode(const GPZRows &atoms, const gpz::FrameInfo &frame, const gpz::Encoding &encoding, int buffer,
              GPZChunk &result) override {
    codec_.set_features(encoding.features);
    const gpz::cuda::DeviceChunk &chunk =
        codec_.encode(atoms.fields, frame.particles, atoms.rows, frame.box, frame.since_key == 0, codec_.stream());
    gpz::cuda::HostCopy &copy = copies_[buffer];
    copy.start(chunk);
    copy.wait();  // before the next frame is encoded
    memory_ = GPZBackground::nbuffers * copy.capacity() + codec_.host_memory_usage();
    result.particles = chunk.particles;
    result.size = chunk.size;
    result.largest_error = chunk.largest_error;
    gpz::add_earlier_errors(atoms.fields, result.largest_error);
    result.bytes = [&copy] { return copy.view().data; };
  }

  std::size_t memory_usage() const override { return memory_; }

 private:
  gpz::cuda::StandardCodec codec_;
  std::vector<gpz::cuda::HostCopy> copies_;
  std::atomic<std::size_t> memory_{0};  // bytes
};

class PinnedCopies : public GPZRowCopies {
 public:
  explicit PinnedCopies(int gpu) : upload_(gpu) {
    for (int buffer = 0; buffer < GPZBackground::nbuffers; ++buffer) copies_.emplace_back(gpu);
  }

  void copy(GPZRows &atoms, int buffer) override {
    upload_.upload(atoms.fields, atoms.nrows);  // columns that KOKKOS does not have
    atoms.rows = upload_.upload_rows(atoms.rows, atoms.particles);
    // Pinned memory takes long to get: for all buffers at the first frame, which nearly always is before the loop.
    if (copies_[buffer].capacity() == 0)
      for (gpz::cuda::Download &copy : copies_) copy.reserve(atoms.fields, atoms.particles);
    copies_[buffer].download(atoms.fields, atoms.particles, atoms.rows);
    atoms.nrows = atoms.particles;
    atoms.rows = nullptr;
    atoms.is_copy = true;
  }

  double memory_usage() const override {
    double bytes = 0;
    for (const gpz::cuda::Download &copy : copies_) bytes += static_cast<double>(copy.capacity());
    return bytes;
  }

 private:
  gpz::cuda::Upload upload_;
  std::vector<gpz::cuda::Download> copies_;
};

// In device memory, as long as there is enough.
class DeviceCopies : public GPZRowCopies {
 public:
  explicit DeviceCopies(int gpu) : upload_(gpu), on_host_(gpu) {
    for (int buffer = 0; buffer < GPZBackground::nbuffers; ++buffer) copies_.emplace_back(gpu);
  }

  void copy(GPZRows &atoms, int buffer) override {
    if (!is_full_) {
      try {
        upload_.upload(atoms.fields, atoms.nrows);  // columns that KOKKOS does not have
        atoms.rows = upload_.upload_rows(atoms.rows, atoms.particles);
        copies_[buffer].copy(atoms.fields, atoms.particles, atoms.rows);
        atoms.nrows = atoms.particles;
        atoms.rows = nullptr;
        atoms.is_copy = true;
        return;
      } catch (const gpz::Error &e) {
        if (e.status() != gpz::Status::out_of_memory) throw;
        is_full_ = true;
      }
    }
    copies_[buffer].release();
    on_host_.copy(atoms, buffer);
  }

  double memory_usage() const override { return on_host_.memory_usage(); }

 private:
  gpz::cuda::Upload upload_;
  std::vector<gpz::cuda::DeviceRows> copies_;
  PinnedCopies on_host_;
  bool is_full_ = false;  // there was not enough memory
};

class KokkosAtoms : public GPZDeviceAtoms {
 public:
  KokkosAtoms(LAMMPS *lmp, GPZAtoms &host) : lmp_(lmp), host_(host), gather_(gpz_kokkos::device(lmp)) {}

  int gpu() const override { return gpz_kokkos::device(lmp_); }

  bool has(GPZProperty property) const override {
    return property == GPZProperty::image || property == GPZProperty::xu || gpz_kokkos::find(lmp_, property, 0).data;
  }

  ConstArray find_custom(const void *host) const override { return gpz_kokkos::find_custom(lmp_, host); }

  void sync(const std::vector<GPZProperty> &properties, bool custom) override {
    gpz_kokkos::sync(lmp_, properties, custom);
  }

  double sync_host(std::uint64_t mask) override {
    gpz_kokkos::fence();
    const double begin = MPI_Wtime();
    gpz_kokkos::sync_host(lmp_, mask);
    return MPI_Wtime() - begin;
  }

  void wait() override { gpz_kokkos::fence(); }

  bool in_loop() const override { return gpz_kokkos::in_loop(lmp_); }

  ConstArray find(GPZProperty property, int component) override {
    const ConstArray images{gpz_kokkos::image(lmp_), sizeof(imageint), gpz_type_of<imageint>()};
    if (property == GPZProperty::image) return gather_.unpack(images, nlocal(), image_bits(component), component);
    if (property == GPZProperty::xu)
      return gather_.unwrap(gpz_kokkos::find(lmp_, GPZProperty::x, component), images, nlocal(), unwrapping(component),
                            component);
    const ConstArray found = gpz_kokkos::find(lmp_, property, component);
    return found.data ? found : host_.find(property, component);
  }

  Rows select(int group) override {
    const auto rows = gather_.select(gpz_kokkos::mask(lmp_), nlocal(), group);
    return {rows.data, rows.count};
  }

 private:
  LAMMPS *lmp_;
  GPZAtoms &host_;
  gpz::cuda::Gather gather_;

  static gpz::cuda::BitField image_bits(int axis) {
    return {gpz_image_shift(axis), static_cast<std::uint32_t>(IMGMASK), static_cast<std::int32_t>(IMGMAX)};
  }

  // As DumpCustom::pack_xu and the like add edges of the box.
  gpz::cuda::Unwrapping unwrapping(int component) const {
    const double *h = lmp_->domain->h;
    const double edges[3][3] = {{h[0], h[5], h[4]}, {0, h[1], h[3]}, {0, 0, h[2]}};
    const double *mine = edges[component];
    return {{image_bits(0), image_bits(1), image_bits(2)}, {mine[0], mine[1], mine[2]}};
  }

  std::uint64_t nlocal() const { return static_cast<std::uint64_t>(lmp_->atom->nlocal); }
};

}  // namespace

int gpz_gpu::count() { return gpz::cuda::device_count(); }

std::string gpz_gpu::code_text(int gpu) {
  const bool by_driver = gpz::cuda::kernel_code(gpu) == gpz::cuda::KernelCode::compiled_by_driver;
  return by_driver ? ", with kernels that the driver compiles" : "";
}

const char *gpz_gpu::why_none() { return "there is no GPU, or no driver for it"; }

std::unique_ptr<GPZCompressor> gpz_gpu::make_compressor(int gpu) { return std::make_unique<GPUCompressor>(gpu); }

std::unique_ptr<GPZRowEncoder> gpz_gpu::make_encoder(int gpu, int threads) {
  return std::make_unique<GPUEncoder>(gpu, threads);
}

std::unique_ptr<GPZRowCopies> gpz_gpu::make_row_copies(int gpu, bool on_device) {
  if (on_device) return std::make_unique<DeviceCopies>(gpu);
  return std::make_unique<PinnedCopies>(gpu);
}

std::unique_ptr<GPZDeviceAtoms> gpz_gpu::make_atoms(LAMMPS *lmp, GPZAtoms &host) {
  if (gpz_kokkos::device(lmp) < 0) return nullptr;
  return std::make_unique<KokkosAtoms>(lmp, host);
}
