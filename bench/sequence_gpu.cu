// SPDX-License-Identifier: BSD-3-Clause
// Sequence chunks of positions on a GPU: size, speed, the CPU's bytes, the largest error.
//
//   sequence_gpu [--no-cpu] COMPONENTS RELATIVE_BOUND FILE...
//
// FILE has positions as f32, one axis after the other. RELATIVE_BOUND is a part of the longest edge. Times are the best
// of 7 calls with memory that is there, from array to array in device memory.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "gpz/codec/chunk_codec.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/cuda_sequence.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/trajectory/independent_writer.hpp"

namespace {

constexpr int repeats = 7;

std::vector<float> read_floats(const char *path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<float> values(static_cast<std::size_t>(file.tellg()) / sizeof(float));
  file.seekg(0);
  file.read(reinterpret_cast<char *>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
  return values;
}

double best_seconds(const std::function<void()> &call) {
  double best = 1e300;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

std::string cpu_says(gpz::FieldInput input, const std::vector<float> &values, std::size_t n,
                     const std::vector<std::uint8_t> &bytes) {
  for (std::size_t d = 0; d < input.field.components.size(); ++d) input.components[d].data = values.data() + d * n;
  std::vector<gpz::FieldInput> fields{input};
  gpz::format::prepare_fields(fields, n);
  gpz::EncodedChunk chunk;
  gpz::trajectory::EncoderTools tools(1);
  gpz::trajectory::encode_independent(gpz::ChunkKind::sequence, fields, n, nullptr, {}, 0, tools, chunk);
  if (chunk.bytes == bytes) return "as the CPU's";
  std::size_t at = 0;
  while (at < std::min(bytes.size(), chunk.bytes.size()) && bytes[at] == chunk.bytes[at]) ++at;
  return "DIFFERS at " + std::to_string(at) + " of " + std::to_string(bytes.size()) + " and " +
         std::to_string(chunk.bytes.size());
}

void measure(const char *path, std::size_t components, double relative, bool with_cpu) {
  const std::vector<float> values = read_floats(path);
  const std::size_t n = values.size() / components;
  double edge = 0;
  for (std::size_t d = 0; d < components; ++d) {
    const auto [low, high] = std::minmax_element(values.data() + d * n, values.data() + (d + 1) * n);
    edge = std::max(edge, static_cast<double>(*high) - static_cast<double>(*low));
  }
  float *device = nullptr;
  float *decoded = nullptr;
  void *chunk_memory = nullptr;
  const std::size_t bytes = n * components * sizeof(float);
  if (cudaMalloc(reinterpret_cast<void **>(&device), bytes) != cudaSuccess ||
      cudaMalloc(reinterpret_cast<void **>(&decoded), bytes) != cudaSuccess)
    std::exit(1);
  cudaMemcpy(device, values.data(), bytes, cudaMemcpyHostToDevice);
  gpz::FieldInput input;
  input.field.type = gpz::ValueType::float32;
  input.field.leading = true;
  input.field.bound = relative * edge;
  gpz::cuda::FieldOutput output;
  for (std::size_t d = 0; d < components; ++d) {
    input.field.components.push_back({std::string(1, static_cast<char>('x' + d)), static_cast<std::uint16_t>(d)});
    input.components[d] = {device + d * n, sizeof(float), gpz::ConstArray::Type::float32};
    output.components[d] = {decoded + d * n, sizeof(float), gpz::ConstArray::Type::float32};
  }
  output.field = input.field;
  gpz::cuda::SequenceCodec codec;
  const gpz::cuda::DeviceChunk *chunk = codec.encode(input, n);
  std::printf("%-24s %.0e ", std::strrchr(path, '/') != nullptr ? std::strrchr(path, '/') + 1 : path, relative);
  if (chunk == nullptr) {
    std::printf("no sequence\n");
    return;
  }
  std::vector<std::uint8_t> host(chunk->size);
  cudaMemcpy(host.data(), chunk->data, chunk->size, cudaMemcpyDeviceToHost);
  cudaMalloc(&chunk_memory, chunk->size);
  cudaMemcpy(chunk_memory, chunk->data, chunk->size, cudaMemcpyDeviceToDevice);
  const double compress = best_seconds([&] { codec.encode(input, n); });
  const double decompress = best_seconds([&] { codec.decode(chunk_memory, host.size(), n, output); });
  std::vector<float> back(values.size());
  cudaMemcpy(back.data(), decoded, bytes, cudaMemcpyDeviceToHost);
  double error = 0;
  for (std::size_t i = 0; i < back.size(); ++i)
    error = std::max(error, std::fabs(static_cast<double>(back[i]) - static_cast<double>(values[i])));
  const auto gigabytes = static_cast<double>(bytes) / 1e9;
  std::printf("%8.3f bits  compress %7.1f GB/s  decompress %7.1f GB/s  error/bound %.4f  %s\n",
              8 * static_cast<double>(host.size()) / static_cast<double>(n), gigabytes / compress,
              gigabytes / decompress, error / input.field.bound,
              with_cpu ? cpu_says(input, values, n, host).c_str() : "");
  std::fflush(stdout);
  cudaFree(device);
  cudaFree(decoded);
  cudaFree(chunk_memory);
}

}  // namespace

int main(int argc, char **argv) {
  const bool with_cpu = argc < 2 || std::string(argv[1]) != "--no-cpu";
  const int first = with_cpu ? 1 : 2;
  if (argc < first + 3) return 2;
  for (int i = first + 2; i < argc; ++i)
    measure(argv[i], static_cast<std::size_t>(std::atoi(argv[first])), std::atof(argv[first + 1]), with_cpu);
  return 0;
}
