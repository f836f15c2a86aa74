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

#include "gpz_compressor.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "gpz_background.h"
#include "gpz_row_layout.h"

using namespace LAMMPS_NS;

namespace {

class CPUEncoder : public GPZRowEncoder {
 public:
  explicit CPUEncoder(int threads) : encoder_(threads), chunks_(GPZBackground::nbuffers) {}

  void encode(const GPZRows &atoms, const gpz::FrameInfo &frame, const gpz::Encoding &encoding, int buffer,
              GPZChunk &result) override {
    gpz::EncodedChunk &chunk = chunks_[buffer];
    encoder_.encode(frame, atoms.fields, atoms.rows, encoding, chunk);
    largest_chunk_ = std::max(largest_chunk_.load(), chunk.bytes.capacity());
    encoder_memory_ = encoder_.memory_usage();
    result.particles = chunk.particles;
    result.size = chunk.bytes.size();
    result.largest_error = chunk.largest_error;
    result.bytes = [&chunk] { return chunk.bytes.data(); };
  }

  // LAMMPS asks when the first frame has filled one buffer.
  std::size_t memory_usage() const override { return GPZBackground::nbuffers * largest_chunk_ + encoder_memory_; }

 private:
  gpz::IntervalEncoder encoder_;
  std::vector<gpz::EncodedChunk> chunks_;
  std::atomic<std::size_t> largest_chunk_{0}, encoder_memory_{0};  // bytes
};

class CPUCompressor : public GPZCompressor {
 public:
  CPUCompressor(int threads, std::unique_ptr<GPZRowEncoder> encoder)
      : threads_(threads), encoder_(std::move(encoder)), buffers_(GPZBackground::nbuffers) {}

  GPZChunk compress(GPZRows atoms, const gpz::FrameInfo &frame, int buffer, bool behind) override {
    GPZChunk chunk;
    if (behind) {
      if (!atoms.is_copy) copy(atoms, buffers_[buffer]);
      chunk.compress = [this, buffer, atoms = std::move(atoms), frame, encoding = encoding_](GPZChunk &result) {
        encoder_->encode(atoms, frame, encoding, buffer, result);
      };
    } else {
      encoder_->encode(atoms, frame, encoding_, buffer, chunk);
    }
    return chunk;
  }

  void set(const gpz::Encoding &encoding) override { encoding_ = encoding; }

  double memory_usage() const override {
    std::size_t rows = 0;
    for (const Buffer &buffer : buffers_) rows = std::max(rows, buffer.room);
    return static_cast<double>(GPZBackground::nbuffers * rows * sizeof(GPZRowLayout::Word) + encoder_->memory_usage());
  }

 private:
  struct Buffer {
    std::unique_ptr<GPZRowLayout::Word[]> rows;  // of a frame that is compressed in the background
    std::size_t room = 0;                        // words
  };

  int threads_;
  gpz::Encoding encoding_;
  // Used by the thread that compresses: the caller's, unless chunks are compressed in the background.
  std::unique_ptr<GPZRowEncoder> encoder_;
  std::vector<Buffer> buffers_;

  // The atoms are in the copy afterwards. The system gives memory when it is written for the first time, which takes
  // longer than the copy. So the first frame, which nearly always is before the loop, writes the memory of all buffers.
  void copy(GPZRows &atoms, Buffer &buffer) {
    const GPZRowLayout layout(atoms.fields);
    const std::size_t words = static_cast<std::size_t>(atoms.particles) * layout.words();
    const bool is_first =
        std::none_of(buffers_.begin(), buffers_.end(), [](const Buffer &b) { return b.rows != nullptr; });
    make_room(buffer, words);
    layout.copy(atoms, buffer.rows.get(), threads_);
    if (is_first) {
      for (Buffer &other : buffers_) {
        if (&other == &buffer) continue;
        make_room(other, words);
        layout.copy(atoms, other.rows.get(), threads_);
      }
    }
    layout.refer(atoms.fields, buffer.rows.get());
    atoms.nrows = atoms.particles;
    atoms.rows = nullptr;
  }

  static void make_room(Buffer &buffer, std::size_t words) {
    if (words <= buffer.room && buffer.rows) return;
    buffer.room = 0;
    buffer.rows.reset();
    // Not std::vector, which would write zeros first.
    buffer.rows.reset(new GPZRowLayout::Word[words + words / 8 + 1]);
    buffer.room = words + words / 8 + 1;
  }
};

}  // namespace

std::unique_ptr<GPZRowEncoder> LAMMPS_NS::make_cpu_encoder(int threads) {
  return std::make_unique<CPUEncoder>(threads);
}

std::unique_ptr<GPZCompressor> LAMMPS_NS::make_cpu_compressor(int threads, std::unique_ptr<GPZRowEncoder> encoder) {
  return std::make_unique<CPUCompressor>(threads, std::move(encoder));
}
