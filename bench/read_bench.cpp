// SPDX-License-Identifier: BSD-3-Clause
// How fast frames of a file are read: as a Frame, and straight into float32 x y z of one particle after the other, in
// the order in which they are stored and in the order of ids.
//
//   read_bench FILE [Google Benchmark's options]
//
// FILE has columns id x y z. All its frames are read in turn, again and again: frames that build on others from the
// frame before on. Bytes are those of three float32 a particle.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <vector>

#include "gpz/error.hpp"
#include "gpz/reader.hpp"

namespace {

constexpr std::size_t row = 3 * sizeof(float);

struct Arrays {
  std::vector<float> positions;  // x y z of one particle after the other
  std::vector<std::int64_t> ids;

  explicit Arrays(const gpz::Reader &reader) {
    for (const gpz::IndexEntry &frame : reader.scan().frames)
      if (frame.particles > ids.size()) ids.resize(frame.particles);
    positions.resize(3 * ids.size());
  }

  std::vector<gpz::ColumnOutput> columns(bool with_ids) {
    std::vector<gpz::ColumnOutput> out;
    for (std::size_t d = 0; d < 3; ++d)
      out.push_back({std::string(1, static_cast<char>('x' + d)),
                     {positions.data() + d, static_cast<std::ptrdiff_t>(row), gpz::ConstArray::Type::float32}});
    if (with_ids) out.push_back({"id", {ids.data(), sizeof(std::int64_t), gpz::ConstArray::Type::int64}});
    return out;
  }
};

// Calls read(i), which returns the number of particles, for one frame of the file after the other.
template <typename Read>
void run(benchmark::State &state, const gpz::Reader &reader, const Read &read) {
  std::size_t i = 0;
  std::uint64_t particles = 0;
  for (auto _ : state) {
    particles += read(i);
    i = (i + 1) % reader.frames();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(particles * row));
}

void read_frames(benchmark::State &state, const std::string &path) {
  const gpz::Reader reader(path);
  run(state, reader, [&](std::size_t i) {
    const gpz::Frame frame = reader.read(i);
    benchmark::DoNotOptimize(frame.columns.data());
    return frame.info.particles;
  });
}

void read_columns(benchmark::State &state, const std::string &path, bool with_ids, bool sorted) {
  const gpz::Reader reader(path);
  Arrays arrays(reader);
  const std::vector<gpz::ColumnOutput> columns = arrays.columns(with_ids);
  run(state, reader, [&](std::size_t i) {
    const gpz::FrameInfo info = reader.read_columns(i, columns, arrays.ids.size(), {1, sorted});
    benchmark::DoNotOptimize(arrays.positions.data());
    benchmark::ClobberMemory();
    return info.particles;
  });
}

}  // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "read_bench: one .gpz file is expected\n");
    return 2;
  }
  const std::string path = argv[1];
  const auto add = [&](const char *name, const auto &body) {
    benchmark::RegisterBenchmark(name, [=](benchmark::State &state) {
      try {
        body(state);
      } catch (const gpz::Error &error) {
        state.SkipWithError(error.what());
      }
    });
  };
  add("Frame, all columns", [=](benchmark::State &state) { read_frames(state, path); });
  add("x y z, stored", [=](benchmark::State &state) { read_columns(state, path, false, false); });
  add("x y z id, stored", [=](benchmark::State &state) { read_columns(state, path, true, false); });
  add("x y z, by id", [=](benchmark::State &state) { read_columns(state, path, false, true); });
  add("x y z id, by id", [=](benchmark::State &state) { read_columns(state, path, true, true); });
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
