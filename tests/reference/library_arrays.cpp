// SPDX-License-Identifier: BSD-3-Clause
#include "library_arrays.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "gpz/error.hpp"
#include "gpz/frame_array.hpp"

namespace {

enum class Motion { drift, jumps, still, noise, lines };

struct Sample {
  const char *name;
  Motion motion;
  unsigned components;
  std::size_t particles, frames;
  double bound;
  gpz::Effort effort = gpz::Effort::standard;
  unsigned key_interval = 100;
  bool box = false;
  bool special = false;
};

constexpr double edge = 12;

// Clusters of three: of the drifting ones each particle stays near the one before.
template <typename T>
std::vector<T> values_of(const Sample &sample) {
  std::mt19937_64 random(sample.particles + 7 * sample.components);
  std::uniform_real_distribution<double> place(0, edge), step(-0.02, 0.02);
  const std::size_t d = sample.components;
  std::vector<double> now(sample.particles * d), velocity(now.size());
  const auto start = [&] {
    for (std::size_t k = 0; k < now.size(); ++k) {
      const std::size_t i = k / d;
      now[k] = sample.motion == Motion::lines ? 0.25 * static_cast<double>(k % d == 0 ? i % 40 : i / 40)
               : i % 3 == 0                   ? place(random)
                                              : now[k - d] + 10 * step(random);
      velocity[k] = step(random);
    }
  };
  start();
  std::vector<T> values;
  for (std::size_t t = 0; t < sample.frames; ++t) {
    if (sample.motion == Motion::noise || (sample.motion == Motion::jumps && t % 3 == 2)) start();
    for (std::size_t k = 0; k < now.size(); ++k) {
      if (sample.motion != Motion::still) now[k] += velocity[k] + 0.1 * step(random);
      values.push_back(static_cast<T>(sample.box ? now[k] - edge * std::floor(now[k] / edge) : now[k]));
    }
  }
  if (sample.special) {
    const double strange[] = {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e30, -0.0, 1e9, 1e-40, 4e14};
    for (std::size_t k = 0; k < values.size(); k += 31) values[k] = static_cast<T>(strange[k % 8]);
  }
  return values;
}

template <typename T>
void write_array(const std::string &path, const Sample &sample) {
  gpz::FrameArrayShape shape;
  shape.type = sizeof(T) == 4 ? gpz::ValueType::float32 : gpz::ValueType::float64;
  shape.frames = sample.frames;
  shape.particles = sample.particles;
  shape.components = sample.components;
  gpz::FrameArrayOptions options;
  options.bound = sample.bound;
  options.effort = sample.effort;
  options.key_interval = sample.key_interval;
  if (sample.box) {
    gpz::Box box;
    box.kind = gpz::Box::Kind::orthogonal;
    box.boundary.fill('p');
    box.values = {0, edge, 0, edge, 0, edge};
    options.boxes = {box};
  }
  const std::vector<T> values = values_of<T>(sample);
  const gpz::Bytes bytes = gpz::compress_frames(values.data(), shape, options);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void print_array(const std::filesystem::path &path) {
  std::ifstream stream(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
  const gpz::FrameArrayInfo info = gpz::frame_array_info(bytes.data(), bytes.size());
  gpz::FrameArrayShape frame = info.shape;
  frame.frames = 1;
  std::vector<char> values(frame.bytes());
  std::string text;
  for (std::uint64_t t = 0; t < info.shape.frames; ++t) {
    gpz::decompress_frames(bytes.data(), bytes.size(), t, 1, values.data(), values.size());
    char digest[20];
    std::snprintf(digest, sizeof digest, "%016llx\n",
                  static_cast<unsigned long long>(XXH3_64bits(values.data(), values.size())));
    text += digest;
  }
  std::printf("%s %llu %llu %u %.17g\n%s", info.shape.type == gpz::ValueType::float32 ? "f32" : "f64",
              static_cast<unsigned long long>(info.shape.frames), static_cast<unsigned long long>(info.shape.particles),
              info.shape.components, info.bound, text.c_str());
}

}  // namespace

void write_arrays(const std::string &folder) {
  constexpr auto fast = gpz::Effort::fast, standard = gpz::Effort::standard, dense = gpz::Effort::dense;
  const Sample samples[] = {
      {"drift", Motion::drift, 3, 300, 5, 0.001},
      {"drift-fast", Motion::drift, 2, 200, 4, 0.001, fast},
      {"drift-dense", Motion::drift, 3, 200, 4, 0.0001, dense, 100, true},
      {"box", Motion::drift, 3, 240, 6, 0.001, standard, 4, true},
      {"jumps", Motion::jumps, 3, 150, 7, 0.01},
      {"still", Motion::still, 1, 100, 4, 0.01},
      {"noise", Motion::noise, 3, 2100, 2, 0.05},
      {"lines", Motion::lines, 2, 1300, 4, 0.01, standard, 3},
      {"special", Motion::drift, 3, 200, 4, 0.01, standard, 3, false, true},
      {"lossless", Motion::still, 3, 90, 3, 0, standard, 100, false, true},
      {"lossless-drift", Motion::drift, 1, 90, 3, 0},
      {"large", Motion::drift, 1, 16500, 2, 0.05},
      {"one", Motion::drift, 2, 1, 5, 0.01},
      {"none", Motion::drift, 2, 0, 5, 0.01},
      {"no-frames", Motion::drift, 3, 9, 0, 0.01},
  };
  for (const Sample &sample : samples) {
    write_array<double>(folder + "/f64-" + sample.name + ".bin", sample);
    write_array<float>(folder + "/f32-" + sample.name + ".bin", sample);
  }
}

void print_arrays(const std::string &folder) {
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    std::printf("%s\n", entry.path().filename().c_str());
    try {
      print_array(entry.path());
    } catch (const gpz::Error &error) {
      std::printf("refused: %s\n", error.cause().c_str());
    }
  }
}
