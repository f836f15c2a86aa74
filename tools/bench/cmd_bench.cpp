// SPDX-License-Identifier: BSD-3-Clause
// gpz bench: ratio, speed and error of the codec on this machine, next to the limit and to other programs.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "bench/cloud_source.hpp"
#include "bench/device.hpp"
#include "bench/generators.hpp"
#include "bench/machine.hpp"
#include "bench/peer.hpp"
#include "bench/points_file.hpp"
#include "bench/report.hpp"
#include "bench/trajectory.hpp"
#include "bench/verify.hpp"
#include "commands.hpp"
#include "exit_code.hpp"
#include "output_file.hpp"
#include "progress.hpp"

namespace gpz::tool {
namespace {

using namespace gpz::bench;  // NOLINT(google-build-using-namespace): this file is the border between the two

struct BenchOptions {
  std::string trajectory;  // a file whose frames are read; empty: `source` is compressed
  SourceOptions source;
  std::string type;
  std::string file_layout;
  std::string layout = "aos";
  std::string value;
  std::string tiles;
  std::vector<double> box;
  bool with_ids = false;
  bool with_types = false;
  std::vector<double> absolute;
  std::vector<double> relative;
  std::string device = "all";
  int gpu_index = 0;
  int threads = 0;
  Repeats repeats;
  std::uint64_t copy_bytes = 1 << 30;
  std::vector<std::string> peers;
  std::vector<std::string> peer_decompressors;
  std::optional<int> peer_runs;
  bool json = false;
  std::string write;  // a file that gets the points, and nothing is measured; empty: none
  std::vector<GivenOption> given;
};

std::optional<ValueType> value_type(const std::string &text) {
  if (text.empty()) return std::nullopt;
  return text == "f32" ? ValueType::float32 : ValueType::float64;
}

Layout layout(const std::string &text) { return text == "soa" ? Layout::soa : Layout::aos; }

std::array<std::size_t, 3> parse_tiles(const std::string &text) {
  std::array<std::size_t, 3> tiles{};
  const char *at = text.data();
  const char *const end = text.data() + text.size();
  for (std::size_t d = 0; d < 3; ++d) {
    if (d > 0 && (at == end || *at++ != 'x')) tiles[d - 1] = 0;
    const auto [next, error] = std::from_chars(at, end, tiles[d]);
    if (error != std::errc() || tiles[d] > 1000) tiles[d] = 0;
    at = next;
  }
  if (at != end || std::find(tiles.begin(), tiles.end(), 0) != tiles.end())
    throw Failure(ExitCode::usage, "", "--tile " + text + ": expected KxLxM, e.g. 4x2x2");
  return tiles;
}

void check_positive(const char *option, const std::vector<double> &values) {
  for (const double value : values)
    if (!(value > 0 && std::isfinite(value)))
      throw Failure(ExitCode::usage, "", fmt::format("{} {}: has to be a number above 0", option, value));
}

SourceOptions source_options(const BenchOptions &options) {
  SourceOptions source = options.source;
  if (source.file.empty() && source.generator.empty())
    throw Failure(ExitCode::usage, "", "give --file F, --generate KIND or --trajectory F");
  if (!source.file.empty() && !source.generator.empty() && source.generator != "melt")
    throw Failure(ExitCode::usage, "", "--generate " + source.generator + " takes no --file");
  if (source.file.empty() && !options.tiles.empty()) throw Failure(ExitCode::usage, "", "--tile needs --file");
  check_positive("--box", options.box);
  source.file_type = value_type(options.type);
  source.type = value_type(options.value);
  source.layout = layout(options.layout);
  if (!options.file_layout.empty()) source.file_layout = layout(options.file_layout);
  if (!options.tiles.empty()) source.tiles = parse_tiles(options.tiles);
  if (!options.box.empty()) source.box = {options.box[0], options.box[1], options.box[2]};
  return source;
}

Snapshot make_snapshot(const BenchOptions &options, Cloud cloud) {
  Snapshot snapshot;
  snapshot.cloud = std::move(cloud);
  const std::size_t particles = snapshot.particles();
  if (options.with_ids && particles > static_cast<std::size_t>(INT32_MAX))
    throw Failure(ExitCode::limit, "", "--with-ids: more particles than 32-bit ids");
  // Not the seed of the points: ids that follow them would be no ids of a simulation.
  if (options.with_ids) snapshot.ids = shuffled_ids(particles, options.source.seed + 1);
  if (options.with_types) snapshot.types = random_types(particles, options.source.seed + 2);
  return snapshot;
}

DataReport describe(const Snapshot &snapshot, const std::string &description) {
  const Cloud &cloud = snapshot.cloud;
  DataReport data;
  data.description = description;
  data.particles = cloud.particles();
  data.components = cloud.components();
  data.type = cloud.type() == ValueType::float32 ? "f32" : "f64";
  data.layout = cloud.layout() == Layout::aos ? "aos" : "soa";
  data.ids = !snapshot.ids.empty();
  data.types = !snapshot.types.empty();
  data.bytes = snapshot.bytes();
  data.position_bytes = cloud.bytes();
  data.extents = cloud.extents();
  data.longest_edge = *std::max_element(data.extents.begin(), data.extents.end());
  return data;
}

std::vector<Bound> bounds_of(const BenchOptions &options, double longest_edge) {
  std::vector<double> relative = options.relative;
  if (relative.empty() && options.absolute.empty()) relative = {1e-3};
  if (!(longest_edge > 0)) throw Failure(ExitCode::usage, options.source.file, "all particles are at one place");
  std::vector<Bound> bounds;
  for (const double bound : options.absolute) bounds.push_back({bound, bound / longest_edge});
  for (const double fraction : relative) bounds.push_back({fraction * longest_edge, fraction});
  return bounds;
}

std::vector<std::unique_ptr<Device>> open_devices(const BenchOptions &options, std::string &no_gpu) {
  std::vector<std::unique_ptr<Device>> devices;
  if (options.device != "gpu") devices.push_back(make_cpu(thread_count(options.threads)));
  if (options.device == "cpu") return devices;
  auto gpu = make_gpu(options.gpu_index, no_gpu);
  if (gpu != nullptr)
    devices.push_back(std::move(gpu));
  else if (options.device == "gpu")
    throw Failure(ExitCode::usage, "", "--device gpu: " + no_gpu);
  return devices;
}

std::vector<Row> measure_rows(const BenchOptions &options, const std::vector<std::unique_ptr<Device>> &devices,
                              const Snapshot &snapshot, const std::vector<Bound> &bounds) {
  Progress progress("bench", bounds.size() * devices.size(), "rows");
  std::vector<Row> rows;
  for (const Bound &bound : bounds) {
    std::vector<std::uint8_t> bytes_of_cpu;
    for (const auto &device : devices) {
      progress.update(rows.size());
      Outcome outcome = device->run(snapshot, bound.absolute, options.repeats);
      Row row;
      row.device = device->name();
      row.bound = bound;
      row.bytes = outcome.chunk.size();
      row.reported_error = outcome.reported_error;
      row.compress = outcome.compress;
      row.decompress = outcome.decompress;
      row.verification = verify(*device, snapshot, bound.absolute, outcome);
      if (row.device == "cpu")
        bytes_of_cpu = std::move(outcome.chunk);
      else if (!bytes_of_cpu.empty())
        row.same_bytes_as_cpu = outcome.chunk == bytes_of_cpu;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<PeerRow> measure_peers(const BenchOptions &options, const std::vector<Peer> &peers, const Cloud &cloud,
                                   double longest_edge, const std::vector<Bound> &bounds) {
  std::vector<PeerRow> rows;
  if (peers.empty()) return rows;
  Repeats repeats = options.repeats;
  if (options.peer_runs) repeats = {1, *options.peer_runs};
  Progress progress("bench", bounds.size() * peers.size(), "rows of other programs");
  const PeerRunner runner(cloud, longest_edge);
  for (const Bound &bound : bounds)
    for (const Peer &peer : peers) {
      progress.update(rows.size());
      PeerRow row{peer, bound, {}, ""};
      try {
        row.outcome = runner.run(peer, bound.absolute, repeats);
      } catch (const Failure &failure) {
        stop_if_asked();
        row.failure = failure.what();  // the other figures are worth their time
      }
      rows.push_back(std::move(row));
    }
  return rows;
}

void write_report(const BenchOptions &options, const Report &report) {
  OutputFile out("-");
  out.write(options.json ? json_of(report) : text_of(report));
  out.commit();
}

// What a report has whatever is measured.
void begin_report(const BenchOptions &options, const std::vector<std::unique_ptr<Device>> &devices, Report &report) {
  report.program = program_version;
  report.time = utc_time();
  report.options = options.given;
  report.repeats = options.repeats;
  for (const auto &device : devices)
    report.devices.push_back(
        {device->name(), device->facts(), device->copy_speed(options.copy_bytes, options.repeats)});
}

void bench_trajectory(const BenchOptions &options) {
  if (!options.source.file.empty() || !options.source.generator.empty())
    throw Failure(ExitCode::usage, "", "--trajectory takes neither --file nor --generate");
  Report report;
  const auto devices = open_devices(options, report.no_gpu);
  TrajectoryReport read;
  read.file = open_trajectory(options.trajectory);
  begin_report(options, devices, report);
  for (const auto &device : devices) {
    if (device->name() == "cpu")
      read.rows = read_on_cpu(read.file, thread_count(options.threads), options.repeats);
    else
      read_on_gpu(options.gpu_index, options.threads, options.repeats, read);
  }
  report.trajectory = std::move(read);
  write_report(options, report);
  for (const TrajectoryRow &row : report.trajectory->rows)
    if (!row.problem.empty()) throw Failure(ExitCode::different, "", row.device + ": " + row.problem);
}

void bench(const BenchOptions &options) {
  if (!options.trajectory.empty()) {
    if (!options.write.empty()) throw Failure(ExitCode::usage, "", "--trajectory has no points for --write");
    bench_trajectory(options);
    return;
  }
  if (!options.write.empty()) {
    write_points(options.write, options.source.file, open_source(source_options(options)));
    return;
  }
  check_positive("--eb", options.absolute);
  check_positive("--rel", options.relative);
  const std::vector<Peer> peers = parse_peers(options.peers, options.peer_decompressors);
  const SourceOptions source_choice = source_options(options);
  Report report;
  const auto devices = open_devices(options, report.no_gpu);

  bench::Source source = open_source(source_choice);
  const Snapshot snapshot = make_snapshot(options, std::move(source.cloud));
  report.data = describe(snapshot, source.description);
  const std::vector<Bound> bounds = bounds_of(options, report.data.longest_edge);
  begin_report(options, devices, report);
  report.rows = measure_rows(options, devices, snapshot, bounds);
  report.peers = measure_peers(options, peers, snapshot.cloud, report.data.longest_edge, bounds);

  write_report(options, report);
  const auto failed = std::find_if(report.rows.begin(), report.rows.end(), [](const Row &row) {
    return !row.verification.problem.empty() || !row.same_bytes_as_cpu.value_or(true);
  });
  if (failed != report.rows.end())
    throw Failure(
        ExitCode::different, "",
        fmt::format("{}, bound {}: {}", failed->device, failed->bound.absolute,
                    failed->verification.problem.empty() ? "other bytes than the CPU" : failed->verification.problem));
  for (const PeerRow &row : report.peers)
    if (!row.failure.empty()) throw Failure(ExitCode::other, "", row.failure);
}

void add_data_options(Command &command, BenchOptions &options) {
  std::vector<std::string> kinds;
  std::string list;
  for (const Generator &generator : generators()) {
    kinds.emplace_back(generator.name);
    list += (list.empty() ? "" : ", ") + kinds.back();
  }
  const std::map<std::string, std::size_t> thousands = {{"k", 1000}, {"M", 1000000}, {"G", 1000000000}};
  command.option("--file", options.source.file, "a .gpz file, or a raw array of coordinates").type_name("FILE");
  command
      .option("--trajectory", options.trajectory,
              "a .gpz file, all frames of which are read instead: positions as f64, into memory of the device")
      .type_name("FILE");
  command.option("--type", options.type, "of a raw file: f32 or f64").one_of({"f32", "f64"});
  command.option("--file-layout", options.file_layout, "of a raw file; else as --layout").one_of({"aos", "soa"});
  command.option("--components", options.source.file_components, "of a raw file: 2 or 3").range(2, 3);
  command.option("--frame", options.source.frame, "of a .gpz file, from 0");
  command.option("--tile", options.tiles, "KxLxM copies of the file's particles, shifted by the box");
  command.option("--box", options.box, "LX,LY,LZ: edges of the box, for --tile; a .gpz file has them")
      .comma_separated()
      .values(3);
  command
      .option("--generate", options.source.generator, list + "; melt with --file: that file, as a LAMMPS run left it")
      .one_of(kinds);
  command.option("--particles", options.source.particles, "to generate; 64M means 64,000,000")
      .suffixes(thousands)
      .range(std::uint64_t{0}, std::uint64_t{1} << 40)  // a negative number is read as a huge one
      .show_default();
  command.option("--seed", options.source.seed, "of all that is random").show_default();
  command.option("--value", options.value, "f32 or f64: type in memory; else the file's, f32 if generated")
      .one_of({"f32", "f64"});
  command.option("--layout", options.layout, "in memory: aos (x y z x y z ...) or soa (all x, all y, all z)")
      .one_of({"aos", "soa"})
      .show_default();
  command.flag("--with-ids", options.with_ids, "add 32-bit ids in random order");
  command.flag("--with-types", options.with_types, "add 32-bit types, 1 to 3");
}

}  // namespace

void add_bench(CommandParser &parser) {
  auto options = std::make_shared<BenchOptions>();
  Command command = parser.command("bench", "Measure ratio, speed and error on this machine");
  add_data_options(command, *options);
  command.option("--eb", options->absolute, "bounds in distance units, e.g. 0.1,0.01").comma_separated();
  command.option("--rel", options->relative, "bounds relative to the longest edge; 0.001 if none is given")
      .comma_separated();
  command.option("--device", options->device, "cpu, gpu or all; all takes a GPU if there is one")
      .one_of({"cpu", "gpu", "all"})
      .show_default();
  command.option("--gpu-index", options->gpu_index, "which GPU, from 0").range(0, 1023);
  add_threads_option(command, options->threads);
  command.option("--runs", options->repeats.runs, "timed runs; medians are shown").range(1, 1000000).show_default();
  command.option("--warm-up", options->repeats.warm_up, "runs before them").range(0, 1000000).show_default();
  command.option("--copy-bytes", options->copy_bytes, "size of the copy that gives the limit")
      .range(std::uint64_t{1}, std::uint64_t{1} << 40);
  command
      .option("--peer", options->peers,
              "NAME=COMMAND of the shell that compresses {in} to {out} with bound {eb}; also {rel} {n} {values} "
              "{components} {type}")
      .one_value_each();
  command.option("--peer-decompress", options->peer_decompressors, "NAME=COMMAND that decompresses {out} to {decoded}")
      .one_value_each();
  command.option("--peer-runs", options->peer_runs, "timed runs of other programs, after one; else as --runs")
      .range(1, 1000000);
  command.flag("--json", options->json, "as JSON");
  command
      .option("--write", options->write,
              "measure nothing; write the points as f32, all x, all y, all z, and what they are to NAME.json")
      .type_name("NAME.f32");
  command.footer(
      "Every row is checked against its bound; if a check fails, the exit code is 7. docs/bench.md says what is "
      "measured,\n"
      "how, and what the generators make.");
  command.callback([options, command] {
    for (const Command::Setting &option : command.settings())
      if (option.given && option.name != "--json") options->given.push_back({option.name, option.values});
    run_on(options->trajectory.empty() ? options->source.file : options->trajectory, [&] { bench(*options); });
  });
}

}  // namespace gpz::tool
