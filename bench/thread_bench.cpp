// SPDX-License-Identifier: BSD-3-Clause
// The gain from several threads within one frame, when no other frame is waiting.
//
//   thread_bench [--repeat N] [--effort fast|standard|dense] [--order auto|id|place|memory] [--passes P] FILE
//   THREADS...
//
// Reads the first seven frames of FILE, an orthogonal box with id x y z, and lays N x N x N copies of the box side by
// side. For each number of threads, a Writer encodes them as a key interval in memory, twice, and a Reader decodes them
// into one float32 array, in an order of frames in which it does not decode ahead. Measures the second key interval,
// where memory is there: key frame, first difference frame, later ones. Prints milliseconds, medians
// of P passes (default 3): wall time, processor time of all threads, and processor time of the calling thread. The
// calling thread takes an even share of each piece of work, so its time is the wall time on a machine with enough idle
// cores. Bytes and values have to be those of the first number of threads. --keep writes the encoded file.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpz/choices.hpp"
#include "gpz/error.hpp"
#include "gpz/reader.hpp"
#include "gpz/trajectory.hpp"
#include "gpz/writer.hpp"

namespace {

constexpr std::size_t most_frames = 7;

struct Options {
  std::string path;
  std::string kept;
  int repeat = 1;
  std::size_t passes = 3;
  gpz::Effort effort = gpz::default_effort;
  gpz::Order order = gpz::Order::automatic;
  std::vector<int> threads;
};

double seconds_of(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Cost {
  double wall = 0;    // seconds
  double all = 0;     // processor seconds of all threads
  double caller = 0;  // processor seconds of the calling thread
};

template <typename Work>
Cost cost_of(const Work &work) {
  const double wall = seconds_of(CLOCK_MONOTONIC);
  const double all = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  const double caller = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  work();
  return {seconds_of(CLOCK_MONOTONIC) - wall, seconds_of(CLOCK_PROCESS_CPUTIME_ID) - all,
          seconds_of(CLOCK_THREAD_CPUTIME_ID) - caller};
}

// Copies of the box side by side, `repeat` along each axis.
gpz::Frame repeated(const gpz::Frame &small, int repeat) {
  gpz::Frame large = small;
  const auto copies =
      static_cast<std::size_t>(repeat) * static_cast<std::size_t>(repeat) * static_cast<std::size_t>(repeat);
  const std::size_t n = small.info.particles;
  large.info.particles = n * copies;
  const std::array<double, 3> edges = small.info.box.edges();
  for (std::size_t d = 0; d < 3; ++d) large.info.box.values[2 * d + 1] += edges[d] * (repeat - 1);
  for (std::size_t c = 0; c < small.columns.size(); ++c) {
    const gpz::Frame::Column &from = small.columns[c];
    gpz::Frame::Column &to = large.columns[c];
    to.floats.clear();
    to.integers.clear();
    const std::string &name = small.name(from);
    const std::size_t axis = name == "x" ? 0 : name == "y" ? 1 : name == "z" ? 2 : 3;
    for (std::size_t copy = 0; copy < copies; ++copy) {
      const std::size_t position[] = {copy % static_cast<std::size_t>(repeat),
                                      copy / static_cast<std::size_t>(repeat) % static_cast<std::size_t>(repeat),
                                      copy / static_cast<std::size_t>(repeat) / static_cast<std::size_t>(repeat)};
      const double shift = axis < 3 ? edges[axis] * static_cast<double>(position[axis]) : 0;
      for (const double value : from.floats) to.floats.push_back(value + shift);
      for (const std::int64_t value : from.integers)
        to.integers.push_back(name == "id" ? value + static_cast<std::int64_t>(copy * n) : value);
    }
  }
  return large;
}

std::vector<gpz::Frame> frames_of(const Options &options, gpz::Metadata &metadata) {
  const gpz::Reader reader(options.path);
  metadata = reader.metadata();
  metadata.features = gpz::features_of(options.effort, options.order, true);
  std::vector<gpz::Frame> frames;
  for (std::size_t i = 0; i < std::min(most_frames, reader.frames()); ++i) {
    frames.push_back(repeated(reader.read(i, {1, true}), options.repeat));
    for (gpz::Field &field : frames.back().info.fields) {
      field.origin = {};
      field.largest_error = 0;
      field.step = 0;
    }
  }
  return frames;
}

enum Kind : std::size_t { key, first_difference, later_difference, kinds };
constexpr std::size_t first_later = later_difference;
constexpr std::size_t most_searches = 4;
constexpr const char *kind_names[kinds] = {"key", "first difference", "later difference"};

using Costs = std::vector<Cost>[kinds];

gpz::Bytes encode(const Options &options, const gpz::Metadata &metadata, const std::vector<gpz::Frame> &frames,
                  int threads, Costs &costs) {
  gpz::Bytes bytes(12 * 2 * frames.size() * frames[0].info.particles);
  bytes.clear();  // with pages of memory for the whole file
  gpz::Writer writer(bytes, metadata, threads);
  writer.set_key_interval(static_cast<unsigned>(frames.size()));
  writer.set_order(options.order);
  writer.set_effort(options.effort);
  for (const gpz::Frame &frame : frames) writer.write(frame);
  // The search for molecules ends after a few frames of a liquid.
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Cost cost = cost_of([&] { writer.write(frames[i]); });
    if (i < first_later || i >= most_searches) costs[std::min<std::size_t>(i, first_later)].push_back(cost);
  }
  writer.close();
  return bytes;
}

// Frames at distances that no loop has, so that the reader decodes none ahead.
std::vector<float> decode(const gpz::Bytes &bytes, int threads, Costs &costs) {
  const gpz::Reader reader(bytes.data(), bytes.size());
  const std::size_t particles = reader.info(0).particles;
  std::vector<float> positions(3 * particles);
  std::vector<gpz::ColumnOutput> columns;
  for (std::size_t d = 0; d < 3; ++d)
    columns.push_back(
        {std::string(1, "xyz"[d]), {positions.data() + d, 3 * sizeof(float), gpz::ConstArray::Type::float32}});
  const auto read = [&](std::size_t i) {
    return cost_of([&] { reader.read_columns(i, columns, particles, {threads, false}); });
  };
  read(0);
  read(2);
  const std::size_t second = reader.frames() / 2;  // key frame
  for (int times = 0; times < 3; ++times) costs[key].push_back(read(second));
  const Cost first_two = read(second + 2);
  costs[later_difference].push_back(read(second + 3));
  read(second + 5);
  costs[later_difference].push_back(read(second + 6));
  const Cost later = costs[later_difference].back();
  costs[first_difference].push_back(
      {first_two.wall - later.wall, first_two.all - later.all, first_two.caller - later.caller});
  return positions;
}

double median(const std::vector<Cost> &costs, double Cost::*of) {
  std::vector<double> values;
  values.reserve(costs.size());
  for (const Cost &cost : costs) values.push_back(cost.*of);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return 1e3 * values[values.size() / 2];
}

void print(const char *what, int threads, const Costs &costs) {
  for (std::size_t k = 0; k < kinds; ++k) {
    if (costs[k].empty()) continue;
    const double all = median(costs[k], &Cost::all);
    const double caller = median(costs[k], &Cost::caller);
    std::printf("%-7s %-17s %7d %9.1f %9.1f %9.1f %9.2f\n", what, kind_names[k], threads, median(costs[k], &Cost::wall),
                all, caller, all / caller);
  }
}

void run(const Options &options) {
  gpz::Metadata metadata;
  const std::vector<gpz::Frame> frames = frames_of(options, metadata);
  if (frames.size() < most_frames) throw std::runtime_error("fewer than seven frames");
  std::printf("%llu particles, %zu frames\n", static_cast<unsigned long long>(frames[0].info.particles), frames.size());
  std::printf("%-7s %-17s %7s %9s %9s %9s %9s\n", "", "frame", "threads", "wall ms", "all ms", "caller ms", "all/cal");
  gpz::Bytes bytes;
  std::vector<float> values;
  struct Both {
    Costs encoding, decoding;
  };
  std::map<int, Both> of_threads;
  for (std::size_t pass = 0; pass < options.passes; ++pass)
    for (const int threads : options.threads) {
      Both &both = of_threads[threads];
      const gpz::Bytes made = encode(options, metadata, frames, threads, both.encoding);
      const std::vector<float> decoded = decode(made, threads, both.decoding);
      if (bytes.empty()) {
        bytes = made;
        values = decoded;
        if (!options.kept.empty())
          std::ofstream(options.kept, std::ios::binary)
              .write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      }
      if (made != bytes || decoded != values) throw std::runtime_error("bytes or values depend on threads");
      if (pass + 1 < options.passes) continue;
      print("encode", threads, both.encoding);
      print("decode", threads, both.decoding);
      std::fflush(stdout);  // a measurement that is stopped leaves what it has
    }
  std::printf(
      "%.2f bits a particle and frame\n",
      8.0 * static_cast<double>(bytes.size()) / static_cast<double>(2 * frames[0].info.particles * frames.size()));
}

Options parse(int count, char **arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const auto value = [&] {
      if (i + 1 == count) throw std::runtime_error(argument + " needs a value");
      return std::string(arguments[++i]);
    };
    const auto named = [&](const auto &names) {
      const std::string name = value();
      if (const auto found = gpz::value_of(names, name)) return *found;
      throw std::runtime_error(argument + " must be " + gpz::listed(names) + ", not " + name);
    };
    if (argument == "--repeat") {
      options.repeat = std::stoi(value());
    } else if (argument == "--keep") {
      options.kept = value();
    } else if (argument == "--passes") {
      options.passes = std::stoul(value());
    } else if (argument == "--effort") {
      options.effort = named(gpz::effort_names);
    } else if (argument == "--order") {
      options.order = named(gpz::order_names);
    } else if (options.path.empty()) {
      options.path = argument;
    } else {
      options.threads.push_back(std::stoi(argument));
    }
  }
  if (options.path.empty() || options.threads.empty() || options.repeat < 1)
    throw std::runtime_error("usage: thread_bench [--repeat N] [--effort E] [--order O] [--passes P] FILE THREADS...");
  return options;
}

}  // namespace

int main(int count, char **arguments) {
  try {
    run(parse(count, arguments));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "thread_bench: %s\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
