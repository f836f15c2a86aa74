// SPDX-License-Identifier: BSD-3-Clause
// Size and speed of frames stored as differences (docs/decisions/0010), for a trajectory in any format that gpz
// encodes.
//
//   difference_bench --bound B [--order id|space] [--frames N] [--repeats R] [--kernels NAME] [--neighbours] [--each]
//   FILE
//
// The first frame is the key frame and is not counted. Particles are sorted by id, then by a space-filling curve over
// the key frame. Speeds are bytes of f64 positions a second on one core, the best of R for each frame, with the update
// of the history.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "command_parser.hpp"
#include "gpz/codec/difference_codec.hpp"
#include "gpz/core/quantize.hpp"
#include "positions.hpp"
#include "readers/frame_source.hpp"

namespace {

using Indices = std::array<std::vector<std::int64_t>, 3>;

struct Options {
  std::string path;
  double bound = 0;
  std::string order = "space";
  std::string kernels;
  std::size_t frames = 1000000;
  int repeats = 5;
  bool neighbours = false;
  bool each = false;
};

struct Step {
  Indices q;
  gpz::codec::GridBox box;
  std::size_t outside = 0;  // indices beyond a periodic edge
};

gpz::codec::IndexColumns columns(const Indices &q) { return {q[0].data(), q[1].data(), q[2].data()}; }

std::vector<std::size_t> by_id(const gpz::Frame &frame) {
  std::vector<std::size_t> order(frame.info.particles);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (const auto *id = frame.find("id"))
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return id->integers[a] < id->integers[b]; });
  return order;
}

// Morton order of cells of one particle each.
std::vector<std::size_t> along_curve(const Indices &q) {
  const std::size_t n = q[0].size();
  double low[3];
  double volume = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto [least, most] = std::minmax_element(q[d].begin(), q[d].end());
    low[d] = static_cast<double>(*least);
    volume *= static_cast<double>(*most - *least) + 1;
  }
  const double cell = std::cbrt(volume / static_cast<double>(n));
  std::vector<std::uint64_t> key(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t d = 0; d < 3; ++d) {
      const auto at = static_cast<std::uint64_t>((static_cast<double>(q[d][i]) - low[d]) / cell);
      for (unsigned b = 0; b < 21; ++b) key[i] |= (at >> b & 1) << (3 * b + d);
    }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
  return order;
}

Indices gathered(const Indices &q, const std::vector<std::size_t> &order) {
  Indices out;
  for (std::size_t d = 0; d < 3; ++d)
    for (const std::size_t i : order) out[d].push_back(q[d][i]);
  return out;
}

// Indices in the order of the ids.
Step read_step(const gpz::Frame &frame, double bound) {
  const double step = gpz::core::step_for_bound(bound, gpz::core::Value::float64);
  const gpz::core::Grid grid{step, 1 / step, bound};
  const auto positions = gpz::tool::find_positions(frame);
  if (!positions || positions->scaled() || !positions->columns[2]) throw std::runtime_error("no x, y, z");
  Step out;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto &x = frame.columns[*positions->columns[d]].floats;
    for (const double value : x) {
      const auto q = gpz::core::quantize(value, grid);
      if (!q.valid) throw std::runtime_error("a position does not fit on the grid");
      out.q[d].push_back(q.index);
    }
    const auto &box = frame.info.box;
    if (box.kind != gpz::Box::Kind::orthogonal || box.boundary[2 * d] != 'p' ||
        !positions->all(gpz::PositionForm::wrapped))
      continue;
    const double lo = box.values[2 * d];
    const double hi = box.values[2 * d + 1];
    out.box[d] = {std::llrint(lo / step), std::llrint((hi - lo) / step)};
    for (const std::int64_t q : out.q[d]) out.outside += gpz::core::beyond_edge(q, out.box[d]) > 1 ? 1 : 0;
  }
  out.q = gathered(out.q, by_id(frame));
  return out;
}

template <typename Work>
double best_seconds(int repeats, const Work &work) {
  double best = 1e30;
  for (int r = 0; r < repeats; ++r) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

int run(const Options &options) {
  using namespace gpz::codec;  // NOLINT(google-build-using-namespace): all of it is about this layer
  const Kernels *kernels =
      options.kernels.empty() ? &gpz::codec::kernels() : gpz::codec::kernels(options.kernels.c_str());
  if (kernels == nullptr) throw std::runtime_error("this machine cannot run these kernels");
  const auto source = gpz::tool::open_source(options.path, {});
  std::vector<std::size_t> order;
  DifferenceState state;
  Indices decoded;
  double bits = 0;
  double encode = 0;
  double decode = 0;
  double advance = 0;
  std::size_t frames = 0;
  std::size_t counted = 0;
  gpz::Frame frame;
  for (; frames < options.frames && source->next(frame); ++frames) {
    Step step = read_step(frame, options.bound);
    const std::size_t n = step.q[0].size();
    if (frames == 0) {
      order = options.order == "space" ? along_curve(step.q) : std::vector<std::size_t>();
      if (!order.empty()) step.q = gathered(step.q, order);
      state.start(columns(step.q), n, 3);
      for (auto &axis : decoded) axis.resize(n);
      continue;
    }
    if (n != state.particles) throw std::runtime_error("the number of particles changes");
    if (!order.empty()) step.q = gathered(step.q, order);
    std::vector<std::uint8_t> bytes;
    encode += best_seconds(options.repeats, [&] {
      bytes.clear();
      encode_difference(state, columns(step.q), step.box, bytes, *kernels, options.neighbours);
    });
    decode += best_seconds(options.repeats, [&] {
      decode_difference(state, bytes.data(), bytes.size(), step.box,
                        {decoded[0].data(), decoded[1].data(), decoded[2].data()}, *kernels);
    });
    if (decoded != step.q) throw std::runtime_error("frame " + std::to_string(frames) + " does not come back");
    std::vector<DifferenceState> copies(static_cast<std::size_t>(options.repeats), state);
    auto copy = copies.begin();
    advance += best_seconds(options.repeats, [&] { (copy++)->advance(columns(step.q), step.box, *kernels); });
    state = std::move(copies.back());
    const double of_frame = 8 * static_cast<double>(bytes.size()) / static_cast<double>(n);
    if (frames >= 3) {
      bits += of_frame;
      ++counted;
    }
    if (options.each)
      fmt::print("frame {}: {:.3f} bits/atom, coefficients {} {} {} / 64, {} outside\n", frames, of_frame,
                 static_cast<std::int8_t>(bytes[1]), static_cast<std::int8_t>(bytes[2]),
                 static_cast<std::int8_t>(bytes[3]), step.outside);
  }
  if (counted == 0) throw std::runtime_error("fewer than four frames");
  const double input = 24.0 * static_cast<double>(state.particles) * static_cast<double>(frames - 1) / 1e6;
  fmt::print(
      "{} particles, {} frames, {}: {:.3f} bits/atom from frame 3 on; encode {:.0f} MB/s, decode {:.0f} MB/s "
      "(history alone {:.0f} MB/s)\n",
      state.particles, frames, kernels->name, bits / static_cast<double>(counted), input / (encode + advance),
      input / (decode + advance), input / advance);
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  Options options;
  gpz::tool::CommandParser parser("Size and speed of difference frames");
  gpz::tool::Command program = parser.program();
  program.option("file", options.path, "Trajectory").required();
  program.option("--bound", options.bound, "Error bound, distance units").required().positive();
  program.option("--order", options.order, "Order of the particles").one_of({"id", "space"});
  program.option("--frames", options.frames, "Frames to read, with the key frame");
  program.option("--repeats", options.repeats, "Repeats of each measurement").positive();
  program.option("--kernels", options.kernels, "generic, avx2 or avx512");
  program.flag("--neighbours", options.neighbours, "Predict from the particles before as well");
  program.flag("--each", options.each, "Print each frame");
  if (const auto status = gpz::tool::parse_or_report(parser, argc, argv)) return *status;
  try {
    return run(options);
  } catch (const std::exception &error) {
    fmt::print(stderr, "difference_bench: {}: {}\n", options.path, error.what());
    return 1;
  }
}
