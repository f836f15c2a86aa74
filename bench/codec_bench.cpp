// SPDX-License-Identifier: BSD-3-Clause
// Speed and ratio of the codec on memory, and the floors of the same core: a copy, and a loop that only quantises.
//
//   codec_bench [FILE] [Google Benchmark's options]
//
// FILE has positions as f64, x y z of one particle after the other (bench/melt.sh makes it); without it a cloud with
// the density and the memory order of a Lennard-Jones melt is generated. Bytes per second are bytes of input, as it is
// in memory.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gpz/chunk.hpp"

namespace {

struct Cloud {
  std::vector<double> positions;  // x y z of one particle after the other
  std::vector<float> narrow;      // the same as f32
  std::vector<int> ids;           // shuffled, as in a running simulation
  std::vector<int> types;

  std::size_t particles() const { return positions.size() / 3; }
};

Cloud cloud;

std::uint64_t next_random(std::uint64_t &state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

// Cells of 1.68 sigma with four particles each, the order in which LAMMPS sorts its atoms.
std::vector<double> generated(int cells) {
  std::vector<double> x;
  std::uint64_t state = 88172645463325252u;
  const auto uniform = [&] { return static_cast<double>(next_random(state) >> 11) * 0x1p-53; };
  for (int k = 0; k < cells; ++k)
    for (int j = 0; j < cells; ++j)
      for (int i = 0; i < cells; ++i)
        for (int p = 0; p < 4; ++p)
          for (const int at : {i, j, k}) x.push_back(1.68 * (at + uniform()));
  return x;
}

bool read_positions(const char *path, std::vector<double> &x) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path, "rb"), std::fclose);
  if (file == nullptr) return false;
  double block[3 * 4096];
  while (const std::size_t got = std::fread(block, sizeof(double), std::size(block), file.get()))
    x.insert(x.end(), block, block + got);
  return !x.empty() && x.size() % 3 == 0;
}

std::vector<gpz::FieldInput> fields(bool narrow, double bound, bool identity) {
  gpz::FieldInput position;
  position.field.type = narrow ? gpz::ValueType::float32 : gpz::ValueType::float64;
  position.field.leading = true;
  position.field.bound = bound;
  gpz::fill_step(position.field);
  position.field.components = {{"x", 0}, {"y", 1}, {"z", 2}};
  for (std::size_t d = 0; d < 3; ++d)
    position.components[d] = narrow ? gpz::ConstArray{&cloud.narrow[d], 12, gpz::ConstArray::Type::float32}
                                    : gpz::ConstArray{&cloud.positions[d], 24, gpz::ConstArray::Type::float64};
  std::vector<gpz::FieldInput> all{position};
  if (identity) {
    gpz::FieldInput column;
    column.field.type = gpz::ValueType::integer;
    column.field.components = {{"id", 3}};
    column.components[0] = {cloud.ids.data(), 4, gpz::ConstArray::Type::int32};
    all.push_back(column);
    column.field.components = {{"type", 4}};
    column.components[0] = {cloud.types.data(), 4, gpz::ConstArray::Type::int32};
    all.push_back(column);
  }
  return all;
}

void count_input(benchmark::State &state, bool narrow, std::size_t compressed) {
  const std::size_t bytes = cloud.particles() * (narrow ? 12 : 24);
  const auto iterations = static_cast<double>(state.iterations());
  state.SetBytesProcessed(static_cast<std::int64_t>(iterations) * static_cast<std::int64_t>(bytes));
  state.counters["particles/s"] =
      benchmark::Counter(iterations * static_cast<double>(cloud.particles()), benchmark::Counter::kIsRate);
  if (compressed != 0) {
    state.counters["ratio"] = static_cast<double>(bytes) / static_cast<double>(compressed);
    state.counters["bits/atom"] = 8.0 * static_cast<double>(compressed) / static_cast<double>(cloud.particles());
  }
}

void compress(benchmark::State &state, bool narrow, double bound, bool identity) {
  const auto input = fields(narrow, bound, identity);
  gpz::ChunkEncoder encoder;
  gpz::EncodedChunk chunk;
  for (auto _ : state) {
    encoder.encode(input, cloud.particles(), nullptr, chunk);
    benchmark::DoNotOptimize(chunk.bytes.data());
  }
  count_input(state, narrow, chunk.bytes.size());
}

void decompress(benchmark::State &state, bool narrow, double bound, bool identity) {
  const auto input = fields(narrow, bound, identity);
  gpz::ChunkEncoder encoder;
  gpz::EncodedChunk chunk;
  encoder.encode(input, cloud.particles(), nullptr, chunk);
  gpz::Frame frame;
  for (std::size_t f = 0; f < input.size(); ++f) {
    frame.info.fields.push_back(input[f].field);
    for (std::size_t d = 0; d < input[f].field.components.size(); ++d) {
      gpz::Frame::Column column;
      column.field = f;
      column.component = d;
      frame.columns.push_back(column);
    }
  }
  for (auto _ : state) {
    for (auto &column : frame.columns) {
      column.floats.clear();
      column.integers.clear();
    }
    gpz::decode_chunk(chunk.bytes.data(), chunk.bytes.size(), chunk.particles, frame);
    benchmark::DoNotOptimize(frame.columns.data());
  }
  count_input(state, narrow, 0);
}

void copy(benchmark::State &state) {
  std::vector<double> to(cloud.positions.size());
  for (auto _ : state) {
    std::memcpy(to.data(), cloud.positions.data(), to.size() * sizeof(double));
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  count_input(state, false, 0);
}

void plain_quantise(benchmark::State &state) {
  std::vector<std::int32_t> to(cloud.positions.size());
  const double inverse = 1 / (2 * 0.0672);
  for (auto _ : state) {
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = static_cast<std::int32_t>(std::rint(cloud.positions[i] * inverse));
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  count_input(state, false, 0);
}

}  // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (argc > 2 || (argc == 2 && !read_positions(argv[1], cloud.positions))) {
    std::fprintf(stderr, "codec_bench: %s: no file of f64 positions\n", argv[argc - 1]);
    return 2;
  }
  if (argc < 2) cloud.positions = generated(100);
  cloud.narrow.assign(cloud.positions.begin(), cloud.positions.end());
  cloud.types.assign(cloud.particles(), 1);
  std::uint64_t state = 1234567;
  for (std::size_t i = 0; i < cloud.particles(); ++i) cloud.ids.push_back(static_cast<int>(i) + 1);
  for (std::size_t i = cloud.particles(); i > 1; --i) std::swap(cloud.ids[i - 1], cloud.ids[next_random(state) % i]);

  benchmark::RegisterBenchmark("floor/memcpy", copy);
  benchmark::RegisterBenchmark("floor/quantise", plain_quantise);
  for (const bool narrow : {false, true}) {
    for (const bool identity : {false, true}) {
      for (const double bound : {6.72, 0.672, 0.0672, 0.00672, 0.0005}) {
        char label[32];
        std::snprintf(label, sizeof(label), "%g", bound);
        const std::string name = std::string(narrow ? "f32/" : "f64/") + (identity ? "ids/" : "anonymous/") + label;
        benchmark::RegisterBenchmark(("compress/" + name).c_str(),
                                     [=](benchmark::State &s) { compress(s, narrow, bound, identity); });
        benchmark::RegisterBenchmark(("decompress/" + name).c_str(),
                                     [=](benchmark::State &s) { decompress(s, narrow, bound, identity); });
      }
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
