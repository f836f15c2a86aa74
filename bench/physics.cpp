// SPDX-License-Identifier: BSD-3-Clause
// Physics of decoded trajectories against that of the original: radial distribution function of all pairs, and mean
// square displacement from the first frame, unwrapped by image flags.
//
//   physics ORIGINAL DECODED... [--range R] [--bins N] [--json FILE]
//
// Files have the columns id, x y z and ix iy iz (or xu yu zu): .gpz, or what gpz encode reads. Boxes are orthogonal and
// periodic. Prints a table of the largest differences; the curves go to FILE.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <memory>

#include "command_parser.hpp"
#include "exit_code.hpp"
#include "gpz/reader.hpp"
#include "json.hpp"
#include "observables.hpp"
#include "particle_order.hpp"
#include "positions.hpp"
#include "readers/frame_source.hpp"

namespace {

using gpz::bench::Point;
using gpz::tool::ExitCode;
using gpz::tool::Failure;

// Where the radial distribution is smaller than this, a relative difference is one of few pairs.
constexpr double least_g = 0.1;

struct Options {
  std::vector<std::string> files;
  double range = 0;
  std::size_t bins = 400;
  std::string json;
};

// The frames of either kind of file.
class Trajectory {
 public:
  explicit Trajectory(const std::string &path) {
    if (path.size() < 4 || path.compare(path.size() - 4, 4, ".gpz") != 0) {
      foreign_ = gpz::tool::open_source(path, {});
      return;
    }
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw gpz::tool::io_failure(path);
    stream_ = std::make_unique<gpz::StreamReader>(descriptor_, path);
  }
  ~Trajectory() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Trajectory(const Trajectory &) = delete;
  Trajectory &operator=(const Trajectory &) = delete;

  bool next(gpz::Frame &frame) { return foreign_ ? foreign_->next(frame) : stream_->next(frame); }

 private:
  int descriptor_ = -1;
  std::unique_ptr<gpz::tool::FrameSource> foreign_;
  std::unique_ptr<gpz::StreamReader> stream_;
};

struct Curves {
  std::string file;
  double bound = 0;  // of the positions; 0 is exact
  std::size_t particles = 0;
  std::vector<std::int64_t> timesteps;
  std::vector<double> radii, g, msd;
};

double bound_of_positions(const gpz::Frame &frame) {
  const auto positions = gpz::tool::find_positions(frame);
  return positions ? frame.info.fields[frame.columns[*positions->columns[0]].field].bound : 0;
}

// Unwrapped, in the order of the ids.
std::vector<Point> positions_by_id(gpz::Frame &frame, const std::string &file) {
  gpz::tool::unwrap(frame, file);
  gpz::tool::to_cartesian(frame, file);
  const auto positions = gpz::tool::find_positions(frame);
  if (!positions || !positions->columns[2]) throw Failure(ExitCode::usage, file, "no x, y, z");
  std::vector<Point> points;
  for (const std::size_t row : gpz::tool::sorted_rows(frame, "id", file)) {
    Point &point = points.emplace_back();
    for (std::size_t d = 0; d < 3; ++d) point[d] = frame.columns[*positions->columns[d]].floats[row];
  }
  return points;
}

gpz::bench::PeriodicBox periodic_box(const gpz::Box &box, const std::string &file) {
  if (box.kind != gpz::Box::Kind::orthogonal ||
      std::any_of(box.boundary.begin(), box.boundary.end(), [](char kind) { return kind != 'p'; }))
    throw Failure(ExitCode::usage, file, "the box is not orthogonal and periodic");
  const auto &v = box.values;
  return {{v[0], v[2], v[4]}, {v[1] - v[0], v[3] - v[2], v[5] - v[4]}};
}

// A range of 0 becomes 10 distance units, or half of the first box with a margin for boxes that shrink.
Curves measure(const std::string &file, double &range, std::size_t bins) {
  Trajectory trajectory(file);
  std::unique_ptr<gpz::bench::RadialDistribution> radial;
  std::vector<Point> first;
  Curves curves;
  curves.file = file;
  for (gpz::Frame frame; trajectory.next(frame);) {
    const auto box = periodic_box(frame.info.box, file);
    curves.bound = std::max(curves.bound, bound_of_positions(frame));
    const std::vector<Point> points = positions_by_id(frame, file);
    if (!radial) {
      if (range == 0) range = std::min(10.0, 0.45 * *std::min_element(box.edges.begin(), box.edges.end()));
      radial = std::make_unique<gpz::bench::RadialDistribution>(range, bins);
      first = points;
    }
    radial->add(points, box);
    curves.timesteps.push_back(frame.info.timestep);
    curves.msd.push_back(gpz::bench::mean_square_displacement(first, points));
  }
  if (!radial) throw Failure(ExitCode::usage, file, "no frames");
  curves.particles = first.size();
  curves.radii = radial->radii();
  curves.g = radial->g();
  return curves;
}

gpz::tool::Json to_json(const Curves &curves) {
  return {{"file", curves.file},
          {"bound", curves.bound},
          {"particles", curves.particles},
          {"timesteps", curves.timesteps},
          {"msd", curves.msd},
          {"radii", curves.radii},
          {"g", curves.g}};
}

int run(Options options) {
  const Curves original = measure(options.files[0], options.range, options.bins);
  gpz::tool::Json json = {{"original", to_json(original)}, {"decoded", gpz::tool::Json::array()}};
  fmt::print("{}: {} particles, {} frames; g(r) to {:g} in {} bins\n\n", original.file, original.particles,
             original.timesteps.size(), options.range, options.bins);
  const double peak = *std::max_element(original.g.begin(), original.g.end());
  fmt::print(
      "Largest differences: of g(r), in units of its peak and, where it is at least {}, relative; of the mean square "
      "displacement, relative.\n\n| bound | g, of the peak | g, relative | at r | displacement | at step "
      "|\n|---|---|---|---|---|---|\n",
      least_g);
  for (std::size_t i = 1; i < options.files.size(); ++i) {
    const Curves decoded = measure(options.files[i], options.range, options.bins);
    if (decoded.timesteps != original.timesteps) throw Failure(ExitCode::different, decoded.file, "other frames");
    const auto g = gpz::bench::largest_difference(decoded.g, original.g, least_g);
    const auto msd = gpz::bench::largest_difference(decoded.msd, original.msd, std::numeric_limits<double>::min());
    fmt::print("| {:g} | {:.2g} | {:.2g} | {:.4g} | {:.2g} | {} |\n", decoded.bound, g.absolute / peak, g.relative,
               original.radii[g.at], msd.relative, original.timesteps[msd.at]);
    auto entry = to_json(decoded);
    entry["g_difference"] = g.relative;
    entry["g_difference_of_peak"] = g.absolute / peak;
    entry["msd_difference"] = msd.relative;
    json["decoded"].push_back(std::move(entry));
  }
  if (options.json.empty()) return 0;
  std::ofstream out(options.json);
  out << json.text();
  if (!out.flush()) throw gpz::tool::io_failure(options.json);
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  Options options;
  gpz::tool::CommandParser parser("Physics of decoded trajectories against the original");
  gpz::tool::Command program = parser.program();
  program.option("files", options.files, "The original and decoded trajectories").required().values(2, 100);
  program.option("--range", options.range, "Largest distance of g(r) (10, at most 0.45 of the box)").positive();
  program.option("--bins", options.bins, "Bins of g(r)").positive();
  program.option("--json", options.json, "File for the curves");
  if (const auto status = gpz::tool::parse_or_report(parser, argc, argv)) return *status;
  try {
    return run(options);
  } catch (const std::exception &error) {
    fmt::print(stderr, "physics: {}\n", error.what());
    return 1;
  }
}
