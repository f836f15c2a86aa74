// SPDX-License-Identifier: BSD-3-Clause
// A program that compresses particles on a GPU, as the harness sees it. Each has an adapter: one source that defines
// make_program(), linked with the harness to one executable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace evaluation {

// What is compressed: `components` arrays of `particles` values each, one after the other in device memory.
struct Job {
  std::uint64_t particles = 0;
  int components = 3;
  double bound = 0;     // absolute, of every value
  double relative = 0;  // `bound` as a part of the longest edge

  std::uint64_t values() const { return particles * static_cast<std::uint64_t>(components); }
};

// Bytes in device memory.
struct Bytes {
  const std::uint8_t *data = nullptr;
  std::size_t size = 0;
};

// One direction of a program with all memory that it needs besides its input and its output. Made and destroyed within
// the clock for `fresh` times, kept for `warm` ones. Calls return when the device is done. All of them throw
// std::exception.
class Compressor {
 public:
  Compressor() = default;
  virtual ~Compressor() = default;
  Compressor(const Compressor &) = delete;
  Compressor &operator=(const Compressor &) = delete;

  // What has to be stored to decode: in `out`, which has Program::room() bytes, in `values`, or in memory of this
  // object, valid until the next call. `values` has room for 3 components, and may be written to.
  virtual Bytes compress(float *values, std::uint8_t *out) = 0;
};

class Decompressor {
 public:
  Decompressor() = default;
  virtual ~Decompressor() = default;
  Decompressor(const Decompressor &) = delete;
  Decompressor &operator=(const Decompressor &) = delete;

  // Writes Job::values() values to `values`, which has room for 3 components.
  virtual void decompress(const Bytes &in, float *values) = 0;
};

// In which order the particles come back.
struct Order {
  enum class Kind : std::uint8_t {
    kept,
    known,     // particle i of the output is particle origin[i] of the input
    in_blocks  // particles b * block to (b + 1) * block - 1 are the same ones as in the input, in an unknown order
  };
  Kind kind = Kind::kept;
  std::vector<std::uint32_t> origin;
  std::uint64_t block = 0;
};

class Program {
 public:
  Program() = default;
  virtual ~Program() = default;
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  // In words, for tables.
  virtual std::string order_in_words() const { return "kept"; }
  // Whether Compressor and Decompressor keep memory from call to call; without it there are no `warm` times.
  virtual bool keeps_memory() const { return true; }
  // It knows nothing of particles: jobs have one component, and the harness makes one array or several of them.
  virtual bool is_for_arrays() const { return true; }

  // Bytes of the output array of compress().
  virtual std::size_t room(const Job &job) const = 0;
  virtual std::unique_ptr<Compressor> compressor(const Job &job) = 0;
  virtual std::unique_ptr<Decompressor> decompressor(const Job &job) = 0;
  // Those for `warm` times, if they are others.
  virtual std::unique_ptr<Compressor> keeping_compressor(const Job &job) { return compressor(job); }
  virtual std::unique_ptr<Decompressor> keeping_decompressor(const Job &job) { return decompressor(job); }

  // Called once after compress() and decompress(). `values` and `decoded` are the input and the output in device
  // memory.
  virtual Order order(const Job & /*job*/, const float * /*values*/, const float * /*decoded*/) { return {}; }
};

std::unique_ptr<Program> make_program();

}  // namespace evaluation
