// SPDX-License-Identifier: BSD-3-Clause
// The time to read each kind of frame: key frames, the first difference frame after a key frame, later ones.
//
//   frame_bench [--passes N] [--by-id] [--frames] [--random N] [--ids A:B] [--threads N] FILE
//
// Reads all frames of FILE in turn, N times (default 3), each with one call: Reader::read_columns of x y z
// into one float32 array that is used again (of --by-id in the order of ids), or with --frames Reader::read. Medians
// are those of all passes but the first, during which the memory of the reader grows. MB/s counts 12 bytes an atom and
// processor time, "ms a frame" is the mean of wall time; page faults are minor ones (getrusage). --random reads N
// frames in a random order instead, --ids the atoms with these ids only (figures are those of all atoms of the frame).
// --threads: ReadOptions::threads, by default 1.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpz/error.hpp"
#include "gpz/reader.hpp"
#include "gpz/selection.hpp"

namespace {

struct Options {
  std::string path;
  std::size_t passes = 3;
  std::size_t random = 0;  // frames; 0: all of them in turn
  int threads = 1;
  bool by_id = false;
  bool whole_frames = false;
  std::shared_ptr<const gpz::Selection> selection;  // nullptr: all atoms
};

struct Cost {
  double wall = 0;       // seconds
  double processor = 0;  // seconds
  long faults = 0;
};

enum Kind : std::size_t { key, first_difference, later_difference, any_kind, kinds };
constexpr const char *kind_names[kinds] = {"key", "first difference", "later difference", "any"};

long faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <typename Read>
Cost cost_of(const Read &read) {
  const long faults_before = faults();
  const auto start = std::chrono::steady_clock::now();
  const double processor_start = processor_seconds();
  read();
  Cost cost;
  cost.processor = processor_seconds() - processor_start;
  cost.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  cost.faults = faults() - faults_before;
  return cost;
}

class Loop {
 public:
  explicit Loop(const Options &options) : options_(options), reader_(options.path) {
    for (const gpz::IndexEntry &frame : reader_.scan().frames) particles_ = std::max(particles_, frame.particles);
    positions_.resize(3 * particles_);
    for (std::size_t d = 0; d < 3; ++d)
      columns_.push_back(
          {std::string(1, "xyz"[d]), {positions_.data() + d, 3 * sizeof(float), gpz::ConstArray::Type::float32}});
    for (std::size_t i = 0; i < reader_.frames(); ++i) since_key_.push_back(reader_.info(i).since_key);
  }

  std::size_t frames() const { return reader_.frames(); }
  double particles() const { return static_cast<double>(particles_); }
  Kind kind(std::size_t i) const { return std::min<Kind>(static_cast<Kind>(since_key_[i]), later_difference); }

  Cost read(std::size_t i) {
    const gpz::ReadOptions options{options_.threads, options_.by_id, options_.selection};
    return cost_of([&] {
      if (options_.whole_frames)
        frame_ = reader_.read(i, options);
      else
        reader_.read_columns(i, columns_, static_cast<std::size_t>(particles_), options);
    });
  }

 private:
  const Options &options_;
  gpz::Reader reader_;
  std::uint64_t particles_ = 0;
  std::vector<float> positions_;
  std::vector<gpz::ColumnOutput> columns_;
  std::vector<std::uint16_t> since_key_;
  gpz::Frame frame_;
};

template <typename Number>
Number median(std::vector<Number> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

void print(const char *kind, const std::vector<Cost> &costs, double particles) {
  if (costs.empty()) return;
  std::vector<double> wall;
  std::vector<double> processor;
  std::vector<long> faults;
  for (const Cost &cost : costs) {
    wall.push_back(cost.wall);
    processor.push_back(cost.processor);
    faults.push_back(cost.faults);
  }
  const double seconds = median(processor);
  std::printf("%-17s %6zu %9.2f %9.2f %8.1f %8.0f %12ld %12ld\n", kind, costs.size(), 1e3 * median(wall), 1e3 * seconds,
              1e9 * seconds / particles, 12e-6 * particles / seconds, median(faults),
              *std::max_element(faults.begin(), faults.end()));
}

void run(const Options &options) {
  Loop loop(options);
  std::vector<Cost> costs[kinds];
  double all = 0;
  double wall = 0;
  std::size_t read = 0;
  if (options.random != 0) {
    std::mt19937 generator(1);
    for (std::size_t k = 0; k < options.random; ++k) {
      costs[any_kind].push_back(loop.read(generator() % loop.frames()));
      all += costs[any_kind].back().processor;
      wall += costs[any_kind].back().wall;
    }
    read = options.random;
  }
  for (std::size_t pass = 0; pass < options.passes && options.random == 0; ++pass)
    for (std::size_t i = 0; i < loop.frames(); ++i) {
      const Cost cost = loop.read(i);
      if (pass == 0 && options.passes > 1) continue;
      costs[loop.kind(i)].push_back(cost);
      all += cost.processor;
      wall += cost.wall;
      ++read;
    }
  std::printf("%.0f atoms, %zu frames\n", loop.particles(), loop.frames());
  std::printf("%-17s %6s %9s %9s %8s %8s %12s %12s\n", "frames", "calls", "ms", "cpu ms", "ns/atom", "MB/s", "faults",
              "most faults");
  for (std::size_t kind = 0; kind < kinds; ++kind) print(kind_names[kind], costs[kind], loop.particles());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("all together %.0f MB/s, %.3f ms a frame, peak memory %ld MB\n",
              12e-6 * loop.particles() * static_cast<double>(read) / all, 1e3 * wall / static_cast<double>(read),
              usage.ru_maxrss / 1024);
}

bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool has_value = i + 1 < argc;
    if (argument == "--passes" && has_value)
      options.passes = std::strtoul(argv[++i], nullptr, 10);
    else if (argument == "--random" && has_value)
      options.random = std::strtoul(argv[++i], nullptr, 10);
    else if (argument == "--threads" && has_value)
      options.threads = std::atoi(argv[++i]);
    else if (argument == "--ids" && has_value) {
      auto selection = std::make_shared<gpz::Selection>();
      if (!selection->ids.emplace().add(argv[++i])) return false;
      options.selection = std::move(selection);
    } else if (argument == "--by-id")
      options.by_id = true;
    else if (argument == "--frames")
      options.whole_frames = true;
    else if (options.path.empty() && argument[0] != '-')
      options.path = argument;
    else
      return false;
  }
  return !options.path.empty() && options.passes != 0;
}

}  // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: frame_bench [--passes N] [--by-id] [--frames] [--random N] [--ids A:B] [--threads N] FILE\n");
    return 2;
  }
  try {
    run(options);
    return 0;
  } catch (const gpz::Error &error) {
    std::fprintf(stderr, "frame_bench: %s\n", error.what());
    return 1;
  }
}
