// SPDX-License-Identifier: BSD-3-Clause
// What the chains of effort standard would cost on a GPU (docs/decisions/0057): segments of numbers, whose contexts
// depend on the number before, decoded by one thread each. The work between two numbers of a section, geometry and
// memory of molecules, is left out, so a decoder of sections is slower.
//
//   number_chains [--numbers N]
//
// N numbers (default 192 million: three of 64 million particles each) in segments of 512 to 131,072, in 109 contexts as
// sections in the order of ids have. Times are those of CUDA events, the best of five, and are compared with the 12
// bytes a particle that three numbers stand for. Every number is compared with the one that was encoded.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "device_memory.cuh"
#include "gpz/codec/number_coder.hpp"
#include "gpz/core/ans.hpp"
#include "gpz/format/bytes.hpp"

namespace {

using gpz::bench::check;
using gpz::bench::OnDevice;

constexpr unsigned contexts = 109;

// The context of the next number, which depends on this one.
__host__ __device__ unsigned next_context(unsigned context, std::uint32_t number) {
  return (context * 5 + number % 16 + 1) % contexts;
}

struct Stream {
  std::uint32_t state[2];
  std::uint32_t words;     // offset in bytes
  std::uint32_t last_raw;  // offset in bytes of the last 8 bytes
};

// One thread decodes one segment; all threads have the same streams. The sum of the numbers keeps the work alive.
__global__ void decode(const std::uint8_t *bytes, Stream stream, const std::uint8_t *slots,
                       const gpz::codec::NumberSlots::Token *tokens, std::uint32_t count, std::uint32_t segments,
                       std::uint32_t *out) {
  const std::uint32_t s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= segments) return;
  std::uint32_t state = stream.state[0];
  std::uint32_t other = stream.state[1];
  std::uint32_t word = 0;
  std::uint64_t bit = 0;
  unsigned context = 0;
  std::uint32_t sum = 0;
  for (std::uint32_t k = 0; k < count; ++k) {
    const auto token = tokens[context * gpz::codec::NumberSlots::tokens_of_context +
                              slots[context * gpz::core::ans_total + state % gpz::core::ans_total]];
    const std::uint32_t next = gpz::core::ans_pop(state, token.start, token.frequency);
    state = other;
    if (next < gpz::core::ans_low) {
      const std::uint8_t *const at = bytes + stream.words + 2 * word++;
      other = next << 16 | at[0] | at[1] << 8;
    } else {
      other = next;
    }
    std::uint64_t raw = 0;
    if (token.bits != 0) {
      const std::uint8_t *const at = bytes + stream.last_raw - bit / 8;
      for (int b = 7; b >= 0; --b) raw = raw << 8 | at[b];
      raw = raw << bit % 8 >> (64 - token.bits);
      bit += token.bits;
    }
    const std::uint32_t number = token.first + static_cast<std::uint32_t>(raw);
    context = next_context(context, number);
    sum = sum * 31 + number;
  }
  out[s] = sum;
}

struct Encoded {
  std::vector<std::uint8_t> bytes;
  std::uint32_t sum = 0;
};

Encoded encoded(std::uint32_t count) {
  std::mt19937_64 random(1);
  gpz::codec::NumberEncoder encoder(contexts);
  Encoded made;
  unsigned context = 0;
  for (std::uint32_t k = 0; k < count; ++k) {
    // About 6 bits, as of a coordinate of water.
    const auto number = static_cast<std::uint32_t>(std::abs(std::normal_distribution<double>(0, 8 + context)(random)));
    encoder.put(context, number);
    made.sum = made.sum * 31 + number;
    context = next_context(context, number);
  }
  encoder.finish(made.bytes);
  return made;
}

void run(std::size_t numbers, std::uint32_t count) {
  const Encoded made = encoded(count);
  const gpz::codec::NumberSlots slots(made.bytes.data(), made.bytes.size(), contexts);
  Stream stream{};
  // Tables are padded to a multiple of 2 bytes (docs/format.md, section 10a).
  const std::size_t states = (slots.bytes + 1) / 2 * 2;
  for (int k = 0; k < 2; ++k)
    stream.state[k] = gpz::format::load_little<std::uint32_t>(made.bytes.data() + states + 4 * k);
  stream.words = static_cast<std::uint32_t>(states + 8);
  stream.last_raw = static_cast<std::uint32_t>(made.bytes.size() - 8);
  const auto segments = static_cast<std::uint32_t>(numbers / count);
  const OnDevice<std::uint8_t> bytes(made.bytes);
  const OnDevice<std::uint8_t> slot(std::vector<std::uint8_t>(slots.slot.begin(), slots.slot.end()));
  const OnDevice<gpz::codec::NumberSlots::Token> token(
      std::vector<gpz::codec::NumberSlots::Token>(slots.token.begin(), slots.token.end()));
  const OnDevice<std::uint32_t> out(segments);
  cudaEvent_t start;
  cudaEvent_t end;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&end));
  float best = 1e9f;
  for (int repeat = 0; repeat < 6; ++repeat) {
    constexpr unsigned threads = 64;  // small blocks spread few segments over all multiprocessors
    check(cudaEventRecord(start));
    decode<<<(segments + threads - 1) / threads, threads>>>(bytes.get(), stream, slot.get(), token.get(), count,
                                                            segments, out.get());
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start, end));
    if (repeat > 0) best = std::min(best, milliseconds);
  }
  std::vector<std::uint32_t> sums(segments);
  check(cudaMemcpy(sums.data(), out.get(), segments * sizeof(std::uint32_t), cudaMemcpyDeviceToHost));
  const bool right = std::all_of(sums.begin(), sums.end(), [&](std::uint32_t sum) { return sum == made.sum; });
  std::printf("%9u numbers a segment, %8u segments: %8.2f ms, %6.2f ns a number and chain, %7.1f GB/s of positions%s\n",
              count, segments, best, 1e6 * best / count, 4e-6 * static_cast<double>(count) * segments / best,
              right ? "" : "  WRONG");
  if (!right) throw std::runtime_error("numbers that were not encoded");
}

}  // namespace

int main(int argc, char **argv) {
  try {
    std::size_t numbers = 192000000;
    if (argc == 3 && std::string(argv[1]) == "--numbers") numbers = std::stoull(argv[2]);
    for (const std::uint32_t count : {512u, 1536u, 3072u, 12288u, 24576u, 131072u}) run(numbers, count);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "number_chains: %s\n", error.what());
    return 1;
  }
  return 0;
}
