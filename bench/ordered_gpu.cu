// SPDX-License-Identifier: BSD-3-Clause
// Speed of particles in the order of their ids on a GPU (docs/decisions/0029): key frames, and difference frames
// with and without the prediction from neighbours, decoded.
//
//   ordered_gpu [--copies C] [--frames F] [--sigma S] [--system crystal|molecules] [--layout xyz|separate]
//
// The CPU encodes 4,128,768 particles; their blocks, which are independent, are laid out C times in device memory.
// crystal: rows of cells with 4 atoms, which tremble by S grid units an axis. molecules: of 3 atoms, 1 unit of length
// apart, which wander by S together and by a third of it each. Times are medians of CUDA events; GB/s are bytes of f64
// positions.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu_motion.cuh"
#include "gpz/codec/difference_codec.hpp"
#include "gpz/codec/ordered_codec.hpp"
#include "gpz/core/difference_section.hpp"
#include "gpz/core/neighbours.hpp"
#include "gpz/core/ordered_section.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda/ordered/ordered.hpp"

namespace {

using namespace gpz::bench;  // NOLINT(google-build-using-namespace): what the programs share
using gpz::cuda::check;
namespace core = gpz::core;
namespace codec = gpz::codec;

// Blocks whose directories fill whole words, and slots of which every level of neighbours sees as many.
constexpr std::size_t base = std::size_t{21} * 3 * 64 * 1024;
constexpr double bound = 0.0005;

struct Options {
  std::size_t copies = 16;
  int frames = 8;
  double sigma = 300;
  bool molecules = false;
  bool separate = false;
};

using Columns = std::array<std::vector<std::int64_t>, 3>;
codec::IndexColumns columns(const Columns &q) { return {q[0].data(), q[1].data(), q[2].data()}; }

double noise(U64 seed) {
  double sum = -6;
  for (U64 k = 0; k < 3; ++k) {
    const U64 bits = mixed(seed * 3 + k + 0x9E3779B97F4A7C15u);
    for (int part = 0; part < 4; ++part) sum += static_cast<double>(bits >> (16 * part) & 0xFFFF) / 65536;
  }
  return sum;
}

// Particles in grid units, in the order of their ids.
class System {
 public:
  System(const Options &options, double step) : options_(options), unit_(1 / step) {
    const std::size_t cells = base / (options.molecules ? 3 : 4);
    while (side_ * side_ * side_ < cells) ++side_;
    edge_ = 1.6 * unit_ * static_cast<double>(side_);
    for (auto &axis : box) axis = {0, static_cast<std::int64_t>(edge_)};
    const std::size_t atoms = options.molecules ? 3 : 4;
    for (std::size_t i = 0; i < base; ++i) {
      const std::size_t cell = i / atoms;
      const std::size_t at[] = {cell % side_, cell / side_ % side_, cell / side_ / side_};
      for (std::size_t d = 0; d < 3; ++d) {
        double x = (static_cast<double>(at[d]) + 0.25) * 1.6 * unit_;
        if (options.molecules)
          x += (i % 3 == 0 ? 0.5 * unit_ * noise(cell * 3 + d) : 0.6 * unit_ * noise(i * 3 + d + (U64{1} << 40)));
        else if (i % 4 != 0 && i % 4 != d + 1)
          x += 0.8 * unit_;
        position_[d].push_back(x);
        q[d].push_back(0);
      }
    }
    next(0);
  }

  void next(U64 frame) {
    const double s = options_.sigma;
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < base; ++i) {
        const double own = s * noise((frame * base + i) * 3 + d);
        double &x = position_[d][i];
        if (options_.molecules && frame != 0) x += s * noise((frame * base + i / 3 + (U64{1} << 41)) * 3 + d) + own / 3;
        const double seen = options_.molecules ? x : x + own;
        q[d][i] = static_cast<std::int64_t>(std::floor(seen - std::floor(seen / edge_) * edge_));
      }
  }

  core::GridBox box{};
  Columns q;

 private:
  Options options_;
  double unit_;
  std::size_t side_ = 1;
  double edge_ = 0;
  std::array<std::vector<double>, 3> position_;
};

// The blocks of a section several times.
std::vector<std::uint8_t> repeated(const std::vector<std::uint8_t> &section, std::size_t header, std::size_t bits,
                                   std::size_t words, std::size_t copies) {
  const std::size_t directory = base / 1024 * bits / 8;
  std::vector<std::uint8_t> out(section.begin(), section.begin() + static_cast<std::ptrdiff_t>(header));
  const auto append = [&](std::size_t from, std::size_t size) {
    for (std::size_t c = 0; c < copies; ++c)
      out.insert(out.end(), section.begin() + static_cast<std::ptrdiff_t>(from),
                 section.begin() + static_cast<std::ptrdiff_t>(from + size));
  };
  append(header, directory);
  append(header + directory, words * 4);
  out.resize((out.size() + 7) / 8 * 8);
  return out;
}

std::vector<std::uint8_t> repeated_ordered(const std::vector<std::uint8_t> &section, std::size_t copies) {
  const std::uint8_t *widths = section.data() + core::ordered_widths_at;
  std::size_t bits = 0;
  for (int i = 0; i < core::ordered_items(3); ++i) bits += widths[i];
  const std::size_t header = core::ordered_header_size(3);
  std::size_t words = 0;
  const std::int64_t first[3] = {};
  for (std::size_t b = 0; b < base / 1024; ++b) {
    core::OrderedRecord record;
    core::read_ordered_record(widths, reinterpret_cast<const std::uint32_t *>(&section[header]), b * bits, 3, 1024,
                              first, record);
    words += core::residual_words(record.residuals, 3, 1024);
  }
  return repeated(section, header, bits, words, copies);
}

std::vector<std::uint8_t> repeated_difference(const std::vector<std::uint8_t> &section, std::size_t copies) {
  const bool neighbours = section[0] == core::neighbour_predictor;
  const std::size_t widths_at =
      core::coefficients_end + (neighbours ? core::neighbour_header_size(section[4], section[5]) : 0);
  const std::uint8_t *widths = section.data() + widths_at;
  std::size_t bits = 0;
  for (int i = 0; i < core::residual_items(3); ++i) bits += widths[i];
  const std::size_t header = core::difference_header_size(widths_at, 3);
  std::size_t words = 0;
  for (std::size_t b = 0; b < base / 1024; ++b) {
    core::ResidualRecord record;
    core::read_residual_record(widths, reinterpret_cast<const std::uint32_t *>(&section[header]), b * bits, 3, 1024,
                               true, record);
    words += core::residual_words(record, 3, 1024);
  }
  return repeated(section, header, bits, words, copies);
}

// Microseconds of `work`, each time behind `before`.
double timed(int rounds, const std::function<void()> &before, const std::function<void()> &work) {
  cudaEvent_t start = nullptr;
  cudaEvent_t end = nullptr;
  check(cudaEventCreate(&start), "event");
  check(cudaEventCreate(&end), "event");
  std::vector<double> us;
  for (int k = 0; k < rounds + 4; ++k) {
    before();
    check(cudaEventRecord(start), "event");
    work();
    check(cudaEventRecord(end), "event");
    check(cudaEventSynchronize(end), "waiting");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start, end), "time");
    us.push_back(1000.0 * static_cast<double>(ms));
  }
  static_cast<void>(cudaEventDestroy(start));
  static_cast<void>(cudaEventDestroy(end));
  return median(us);
}

// Values off, of the first copy and of the last one.
std::size_t wrong_values(const Options &options, const double *values, std::size_t n, const Columns &q, double step) {
  std::vector<double> host(n * 3);
  check(cudaMemcpy(host.data(), values, n * 24, cudaMemcpyDeviceToHost), "values");
  std::size_t wrong = 0;
  for (const std::size_t from : {std::size_t{0}, n - base})
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < base; ++i)
        wrong += host[options.separate ? d * n + from + i : (from + i) * 3 + d] !=
                         core::grid_value<double>(static_cast<double>(q[d][i]), step)
                     ? 1
                     : 0;
  return wrong;
}

int run(const Options &options) {
  using namespace gpz::cuda;  // NOLINT(google-build-using-namespace): all of it is about this layer
  const std::size_t n = base * options.copies;
  const double step = core::step_for_bound(bound, core::Value::float64);
  System system(options, step);
  const Memory values(n * 24);
  const Memory other(n * 24);
  const Memory status(4);
  FieldOutput output;
  output.field.type = gpz::ValueType::float64;
  output.field.step = step;
  output.field.components.resize(3);
  for (std::size_t d = 0; d < 3; ++d)
    output.components[d] = {values.as<double>() + (options.separate ? d * n : d), options.separate ? 8 : 24,
                            gpz::ConstArray::Type::float64};
  std::printf("%zu particles, %s, %s, sigma %.1f\n", n, options.molecules ? "molecules" : "crystal",
              options.separate ? "separate" : "xyz", options.sigma);
  const double input = 24.0 * static_cast<double>(n);
  std::size_t all_wrong = 0;
  const auto line = [&](const char *what, double us, double moved, std::size_t bytes, std::size_t wrong) {
    std::printf("  %-34s %9.1f us %7.1f GB/s %7.2f bits a particle, %zu off\n", what, us, moved / us / 1000,
                8 * static_cast<double>(bytes) / static_cast<double>(n), wrong);
    all_wrong += wrong;
  };
  const auto no_damage = [&] {
    std::uint32_t damaged = 1;
    check(cudaMemcpy(&damaged, status.as<void>(), 4, cudaMemcpyDeviceToHost), "status");
    if (damaged != 0) throw std::runtime_error("status " + std::to_string(damaged));
  };
  const auto nothing = [] {};
  line("copy, read and written",
       timed(options.frames, nothing,
             [&] {
               check(cudaMemcpyAsync(other.as<void>(), values.as<void>(), n * 24, cudaMemcpyDeviceToDevice), "copy");
             }),
       2 * input, 0, 0);

  std::vector<std::int64_t> ids(n);
  for (std::size_t i = 0; i < n; ++i) ids[i] = static_cast<std::int64_t>(i + 1);
  for (const bool gaps : {false, true}) {
    // With gaps, every fourth id is missing.
    if (gaps)
      for (std::size_t i = 0; i < n; ++i) ids[i] = static_cast<std::int64_t>(i + i / 3 + 1);
    std::vector<std::uint8_t> bytes;
    codec::encode_ordered({base, 3, ids.data(), system.box}, columns(system.q), bytes);
    const auto section = repeated_ordered(bytes, options.copies);
    const Memory ids_there(n * 8);
    const Memory there(section.size());
    const std::size_t room = decode_ordered_workspace(n, 3);
    const Memory workspace(room);
    check(cudaMemcpy(ids_there.as<void>(), ids.data(), n * 8, cudaMemcpyHostToDevice), "ids");
    check(cudaMemcpy(there.as<void>(), section.data(), section.size(), cudaMemcpyHostToDevice), "section");
    check(cudaMemset(values.as<void>(), 0xFF, n * 24), "clearing");
    const double us = timed(options.frames, nothing, [&] {
      decode_ordered(n, ids_there.as<std::int64_t>(),
                     {{system.box, workspace.as<void>(), room, nullptr},
                      there.as<void>(),
                      section.size(),
                      status.as<std::uint32_t>()},
                     output);
    });
    no_damage();
    line(gaps ? "key frame, ids with gaps" : "key frame", us, input, section.size(),
         wrong_values(options, values.as<double>(), n, system.q, step));
    std::printf("    lags %u %u\n", bytes[2] | bytes[3] << 8, bytes[4] | bytes[5] << 8);
    if (gaps) continue;
    std::vector<std::uint8_t> id_bytes;
    codec::encode_ordered({n, 1, nullptr, {}}, {ids.data()}, id_bytes);
    FieldOutput id_output;
    id_output.field.type = gpz::ValueType::integer;
    id_output.field.components.resize(1);
    id_output.components[0] = {ids_there.as<void>(), 8, gpz::ConstArray::Type::int64};
    const std::size_t id_room = decode_ordered_workspace(n, 1);
    const Memory id_workspace(id_room);
    check(cudaMemcpy(there.as<void>(), id_bytes.data(), id_bytes.size(), cudaMemcpyHostToDevice), "ids");
    const double id_us = timed(options.frames, nothing, [&] {
      decode_ordered(n, nullptr,
                     {{{}, id_workspace.as<void>(), id_room, nullptr},
                      there.as<void>(),
                      id_bytes.size(),
                      status.as<std::uint32_t>()},
                     id_output);
    });
    no_damage();
    line("ids", id_us, static_cast<double>(n) * 8, id_bytes.size(), 0);
  }

  codec::DifferenceState host;
  host.start(columns(system.q), base, 3);
  for (U64 frame = 1; frame < 5; ++frame) {
    system.next(frame);
    host.advance(columns(system.q), system.box);
  }
  system.next(5);
  const Memory state_memory(difference_state_size(n, 3, false));
  DeviceDifferenceState state = place_difference_state(state_memory.as<void>(), n, 3, false);
  const auto reset = [&] {
    state.particles = n;
    state.frames = host.frames;
    for (std::size_t d = 0; d < 3; ++d) {
      const std::vector<std::int32_t> last(host.axes[d].last.begin(), host.axes[d].last.end());
      const std::int32_t *from[] = {last.data(), host.axes[d].deviation.data(), host.axes[d].velocity.data(),
                                    host.axes[d].previous.data()};
      std::int32_t *to[] = {state.last[d], state.deviation[d], state.velocity[d], state.previous[d]};
      for (int k = 0; k < 4; ++k)
        for (std::size_t c = 0; c < options.copies; ++c)
          check(cudaMemcpy(to[k] + c * base, c == 0 ? from[k] : to[k], base * 4, cudaMemcpyDefault), "history");
    }
  };
  const std::size_t room = decode_difference_workspace((reset(), state));
  const Memory workspace(room);
  for (const bool neighbours : {false, true}) {
    std::vector<std::uint8_t> bytes;
    codec::encode_difference(host, columns(system.q), system.box, bytes, codec::kernels(), neighbours);
    const auto section = repeated_difference(bytes, options.copies);
    const Memory there(section.size());
    check(cudaMemcpy(there.as<void>(), section.data(), section.size(), cudaMemcpyHostToDevice), "section");
    check(cudaMemset(values.as<void>(), 0xFF, n * 24), "clearing");
    const double us = timed(options.frames, reset, [&] {
      decode_difference(state,
                        {{system.box, workspace.as<void>(), room, nullptr},
                         there.as<void>(),
                         section.size(),
                         status.as<std::uint32_t>()},
                        output, {}, bytes[0]);
    });
    no_damage();
    line(bytes[0] == core::neighbour_predictor ? "difference, neighbours" : "difference", us, input, section.size(),
         wrong_values(options, values.as<double>(), n, system.q, step));
  }
  return all_wrong == 0 ? 0 : 1;
}

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--copies")
      options.copies = std::max<std::size_t>(1, std::stoull(value));
    else if (name == "--frames")
      options.frames = std::max(1, std::stoi(value));
    else if (name == "--sigma")
      options.sigma = std::stod(value);
    else if (name == "--system")
      options.molecules = value == "molecules";
    else if (name == "--layout")
      options.separate = value == "separate";
    else
      throw std::runtime_error("unknown option " + name);
  }
  return options;
}

}  // namespace

int main(int argc, char **argv) {
  try {
    return run(parse(argc, argv));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "ordered_gpu: %s\n", error.what());
    return 1;
  }
}
