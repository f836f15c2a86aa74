// Chunks on the CPU: loops over blocks, in one thread or several, with the same bytes for any number of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/core/types.hpp"
#include "gpz/cpu/block_codec.hpp"
#include "gpz/frame.hpp"

namespace gpz::cpu {

class Encoder {
 public:
  explicit Encoder(int threads);
  ~Encoder();

  // Fields have been checked and have their steps. Throws std::bad_alloc.
  void encode(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows,
              std::vector<std::uint8_t> &bytes, std::vector<double> &largest_error);

 private:
  struct Worker;
  int threads_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

// Where decoded values go: one pointer per component, nullptr if not wanted; int64_t for integers, double otherwise.
struct FieldOutput {
  core::Value value;
  int components;
  double step;
  void *values[core::max_components];
};

// Throws gpz::Error (corrupt, truncated), std::bad_alloc. `bytes` is aligned to 4.
void decode_chunk(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles,
                  const std::vector<FieldOutput> &fields, int threads);

}  // namespace gpz::cpu
