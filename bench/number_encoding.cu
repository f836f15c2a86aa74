// SPDX-License-Identifier: BSD-3-Clause
// Times of the kernels that encode number streams on a GPU (gpz/cuda/numbers), for numbers as sections of molecules
// have them.
//
//   number_encoding [--segments S] [--numbers N] [--contexts K] [--places P]
//
// S segments (default 15,600: 64 million particles) of N numbers (default 15,000) each, give or take a tenth. Each
// segment has room for N * 1.6 items. Residuals are normal; their scale grows by six octaves from the first of K
// contexts (default 60) to the last one, with P places (default 500) in all. Times of kernels are those of CUDA
// events, the best of ten; the choice of tables, part of encode(), is timed once, by the clock of the host. The bytes
// are compared with those of the CPU.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "device_memory.cuh"
#include "gpz/codec/number_coder.hpp"
#include "gpz/cuda/numbers/kernels.hpp"
#include "gpz/cuda/numbers/segment_encoder.hpp"
#include "gpz/cuda/numbers/symbol_table.hpp"

namespace {

using gpz::bench::check;
using gpz::bench::OnDevice;

using gpz::cuda::DeviceNumbers;

struct Options {
  std::size_t segments = 15600;
  std::size_t numbers = 15000;
  unsigned contexts = 60;
  std::size_t places = 500;
};

// Milliseconds of what `work` queues.
template <typename Work>
float time_of(const Work &work) {
  static cudaEvent_t start = nullptr;
  static cudaEvent_t end = nullptr;
  if (start == nullptr) {
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&end));
  }
  check(cudaEventRecord(start));
  work();
  check(cudaEventRecord(end));
  check(cudaEventSynchronize(end));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start, end));
  return milliseconds;
}

struct Numbers {
  std::vector<std::uint8_t> contexts;  // of each place
  std::vector<std::uint64_t> items;
  std::vector<std::uint64_t> begins;
  std::vector<std::uint32_t> counts;
};

Numbers made(const Options &options) {
  std::mt19937_64 random(1);
  Numbers numbers;
  for (std::size_t p = 0; p < options.places; ++p)
    numbers.contexts.push_back(static_cast<std::uint8_t>(p * options.contexts / options.places));
  // Segments repeat those of a pool, as random numbers take long.
  std::vector<std::uint64_t> pool(4000000);
  for (std::uint64_t &item : pool) {
    const std::uint64_t place = random() % options.places;
    const double scale = std::exp2(6.0 * numbers.contexts[place] / options.contexts);
    const auto number = static_cast<std::uint32_t>(std::abs(std::normal_distribution<double>(0, scale)(random)));
    item = place << 32 | number;
  }
  const std::size_t room = options.numbers * 8 / 5;
  numbers.items.resize(options.segments * room);
  for (std::size_t s = 0; s < options.segments; ++s) {
    const std::size_t count = options.numbers * (900 + random() % 200) / 1000;
    numbers.begins.push_back(s * room);
    numbers.counts.push_back(static_cast<std::uint32_t>(count));
    std::copy_n(pool.begin() + static_cast<std::ptrdiff_t>(random() % (pool.size() - count)), count,
                numbers.items.begin() + static_cast<std::ptrdiff_t>(s * room));
  }
  return numbers;
}

std::vector<std::uint8_t> on_cpu(Numbers numbers, unsigned contexts) {
  std::vector<gpz::codec::NumberSegment> segments;
  for (std::size_t s = 0; s < numbers.begins.size(); ++s)
    segments.push_back({&numbers.items[numbers.begins[s]], numbers.counts[s]});
  std::vector<std::uint8_t> bytes;
  gpz::codec::append_segments(segments, contexts, numbers.contexts.data(), 0, bytes);
  return bytes;
}

void print(const char *what, float milliseconds, double numbers) {
  std::printf("%-28s %8.3f ms %8.1f numbers/ns\n", what, milliseconds, 1e-6 * numbers / milliseconds);
}

void run(const Options &options) {
  const Numbers numbers = made(options);
  double count = 0;
  for (const std::uint32_t of_segment : numbers.counts) count += of_segment;
  const std::vector<std::uint8_t> expected = on_cpu(numbers, options.contexts);
  std::printf("%zu segments, %.0f numbers in %u contexts, %.2f bits each\n", options.segments, count, options.contexts,
              8.0 * static_cast<double>(expected.size()) / count);

  const OnDevice<std::uint64_t> given(numbers.items);
  const OnDevice<std::uint64_t> items(numbers.items.size());
  const OnDevice<std::uint64_t> begins(numbers.begins);
  const OnDevice<std::uint32_t> counts(numbers.counts);
  const OnDevice<std::uint8_t> out(expected.size());
  const DeviceNumbers view{items.get(), begins.get(), counts.get(), static_cast<std::uint32_t>(options.segments),
                           numbers.items.size()};
  const auto restore = [&] {
    check(cudaMemcpy(items.get(), given.get(), numbers.items.size() * sizeof(std::uint64_t), cudaMemcpyDeviceToDevice));
    check(cudaDeviceSynchronize());
  };
  gpz::cuda::DeviceLimits limits{};
  int value = 0;
  check(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  limits.processors = static_cast<unsigned>(value);
  check(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  limits.shared_of_block = static_cast<std::size_t>(value);

  constexpr unsigned tokens = gpz::core::number_tokens;
  std::vector<std::uint16_t> first_token;
  for (const std::uint8_t c : numbers.contexts) first_token.push_back(static_cast<std::uint16_t>(c * tokens));
  const OnDevice<std::uint16_t> first_token_there(first_token);
  const OnDevice<std::uint32_t> histogram(options.contexts * tokens);
  const auto places = static_cast<std::uint32_t>(options.places);
  const gpz::cuda::TokenCount counting{view, first_token_there.get(), places, histogram.get(),
                                       options.contexts * tokens};
  std::vector<std::uint32_t> histogram_here(options.contexts * tokens);
  float count_time = 1e9f;
  for (int repeat = 0; repeat < 10; ++repeat) {
    restore();
    check(cudaMemset(histogram.get(), 0, histogram_here.size() * sizeof(std::uint32_t)));
    count_time = std::min(count_time, time_of([&] { gpz::cuda::launch_count_tokens(counting, limits, nullptr); }));
  }
  check(cudaMemcpy(histogram_here.data(), histogram.get(), histogram_here.size() * sizeof(std::uint32_t),
                   cudaMemcpyDeviceToHost));

  const auto before = std::chrono::steady_clock::now();
  const gpz::codec::NumberSymbols symbols = gpz::codec::choose_symbols(histogram_here, options.contexts);
  const gpz::cuda::SymbolTable table(symbols.of_token, options.contexts);
  const std::chrono::duration<float, std::milli> choice_time = std::chrono::steady_clock::now() - before;
  std::vector<std::uint32_t> first_symbol;
  for (const std::uint8_t c : numbers.contexts) first_symbol.push_back(table.first[c]);
  const OnDevice<gpz::cuda::PackedSymbol> symbols_there(table.symbols);
  const OnDevice<std::uint32_t> first_symbol_there(first_symbol);
  const OnDevice<gpz::cuda::CodedSegment> coded(options.segments);
  const OnDevice<std::uint32_t> lengths(options.segments);
  const gpz::cuda::SegmentEncode encoding{view,
                                          first_symbol_there.get(),
                                          places,
                                          symbols_there.get(),
                                          static_cast<std::uint32_t>(table.symbols.size()),
                                          coded.get(),
                                          lengths.get()};
  float encode_time = 1e9f;
  for (int repeat = 0; repeat < 10; ++repeat) {
    restore();
    encode_time = std::min(encode_time, time_of([&] { gpz::cuda::launch_encode_numbers(encoding, limits, nullptr); }));
  }

  gpz::cuda::SegmentEncoder encoder;
  float call_time = 1e9f;
  float write_time = 1e9f;
  std::size_t size = 0;
  for (int repeat = 0; repeat < 10; ++repeat) {
    restore();
    call_time = std::min(call_time, time_of([&] {
                           size = encoder.encode(view, options.contexts, numbers.contexts.data(), places, nullptr);
                         }));
    write_time = std::min(write_time, time_of([&] { encoder.write(out.get(), nullptr); }));
  }
  print("counts of tokens", count_time, count);
  print("choice of tables, on the CPU", choice_time.count(), count);
  print("words and raw bits", encode_time, count);
  print("encode(), all of these", call_time, count);
  print("write()", write_time, count);
  std::printf("%zu symbols; %.1f MB of device memory beyond the items\n", table.symbols.size(),
              1e-6 * static_cast<double>(encoder.device_bytes()));
  std::vector<std::uint8_t> bytes(size);
  check(cudaMemcpy(bytes.data(), out.get(), size, cudaMemcpyDeviceToHost));
  if (bytes != expected) throw std::runtime_error("not the bytes of the CPU");
}

}  // namespace

int main(int argc, char **argv) {
  try {
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
      const std::string name = argv[i];
      const std::size_t value = std::stoull(argv[i + 1]);
      if (name == "--segments") options.segments = value;
      if (name == "--numbers") options.numbers = value;
      if (name == "--contexts") options.contexts = static_cast<unsigned>(value);
      if (name == "--places") options.places = value;
    }
    run(options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "number_encoding: %s\n", error.what());
    return 1;
  }
  return 0;
}
