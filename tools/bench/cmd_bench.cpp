// SPDX-License-Identifier: BSD-3-Clause
// gpz bench: ratio, speed and error of the codec on this machine, next to the limit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "bench/cloud_source.hpp"
#include "bench/device.hpp"
#include "bench/machine.hpp"
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
  std::string layout = "aos";
  std::string value;
  bool with_ids = false;
  bool with_types = false;
  std::vector<double> absolute;
  std::vector<double> relative;
  std::string device = "all";
  int gpu_index = 0;
  int threads = 0;
  Repeats repeats;
  std::uint64_t copy_bytes = 1 << 30;
  bool json = false;
  std::vector<GivenOption> given;
};

std::optional<ValueType> value_type(const std::string &text) {
  if (text.empty()) return std::nullopt;
  return text == "f32" ? ValueType::float32 : ValueType::float64;
}

Layout layout(const std::string &text) { return text == "soa" ? Layout::soa : Layout::aos; }

void check_positive(const char *option, const std::vector<double> &values) {
  for (const double value : values)
    if (!(value > 0 && std::isfinite(value)))
      throw Failure(ExitCode::usage, "", fmt::format("{} {}: has to be a number above 0", option, value));
}

SourceOptions source_options(const BenchOptions &options) {
  SourceOptions source = options.source;
  if (source.file.empty()) throw Failure(ExitCode::usage, "", "give a FILE, or --trajectory FILE");
  source.file_type = value_type(options.type);
  source.type = value_type(options.value);
  source.layout = layout(options.layout);
  return source;
}

Snapshot make_snapshot(const BenchOptions &options, Cloud cloud) {
  Snapshot snapshot;
  snapshot.cloud = std::move(cloud);
  const std::size_t particles = snapshot.particles();
  if (options.with_ids && particles > static_cast<std::size_t>(INT32_MAX))
    throw Failure(ExitCode::limit, "", "--with-ids: more particles than 32-bit ids");
  if (options.with_ids) snapshot.ids = shuffled_ids(particles);
  if (options.with_types) snapshot.types = random_types(particles);
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

void write_report(const BenchOptions &options, const Report &report) {
  OutputFile out("-");
  out.write(options.json ? json_of(report) : text_of(report));
  out.commit();
}

// The part that all reports have.
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
  if (!options.source.file.empty()) throw Failure(ExitCode::usage, "", "--trajectory takes no other FILE");
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
    bench_trajectory(options);
    return;
  }
  check_positive("--eb", options.absolute);
  check_positive("--rel", options.relative);
  const SourceOptions source_choice = source_options(options);
  Report report;
  const auto devices = open_devices(options, report.no_gpu);

  bench::Source source = open_source(source_choice);
  const Snapshot snapshot = make_snapshot(options, std::move(source.cloud));
  report.data = describe(snapshot, source.description);
  const std::vector<Bound> bounds = bounds_of(options, report.data.longest_edge);
  begin_report(options, devices, report);
  report.rows = measure_rows(options, devices, snapshot, bounds);

  write_report(options, report);
  const auto failed = std::find_if(report.rows.begin(), report.rows.end(), [](const Row &row) {
    return !row.verification.problem.empty() || !row.same_bytes_as_cpu.value_or(true);
  });
  if (failed != report.rows.end())
    throw Failure(
        ExitCode::different, "",
        fmt::format("{}, bound {}: {}", failed->device, failed->bound.absolute,
                    failed->verification.problem.empty() ? "other bytes than the CPU" : failed->verification.problem));
}

void add_data_options(Command &command, BenchOptions &options) {
  command.option("IN", options.source.file, "a .gpz file, or a raw array: x y z of one particle after the other")
      .type_name("FILE");
  command
      .option("--trajectory", options.trajectory,
              "a .gpz file, all frames of which are read instead: positions as f64, into memory of the device")
      .type_name("FILE");
  command.option("--type", options.type, "of a raw array: f32 or f64").one_of({"f32", "f64"});
  command.option("--components", options.source.file_components, "of a raw array: 2 or 3").range(2, 3);
  command.option("--frame", options.source.frame, "of a .gpz file, from 0");
  command.option("--value", options.value, "f32 or f64: type in memory; else the file's").one_of({"f32", "f64"});
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
  command.flag("--json", options->json, "as JSON");
  command.footer(
      "Every row is checked against its bound; if a check fails, the exit code is 7. docs/bench.md says what is "
      "measured.");
  command.callback([options, command] {
    for (const Command::Setting &option : command.settings())
      if (option.given && option.name != "--json") options->given.push_back({option.name, option.values});
    run_on(options->trajectory.empty() ? options->source.file : options->trajectory, [&] { bench(*options); });
  });
}

}  // namespace gpz::tool
