// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "bench/report.hpp"
#include "exit_code.hpp"

namespace gpz::bench {
namespace {

// Columns as wide as their widest cell; the first to the left, the others to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  std::string text() const {
    std::vector<std::size_t> widths(rows_[0].size());
    for (const auto &row : rows_)
      for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
    std::string text;
    for (const auto &row : rows_) {
      std::string line;
      for (std::size_t c = 0; c < row.size(); ++c)
        line += c < 1 ? fmt::format("  {:<{}}", row[c], widths[c]) : fmt::format("  {:>{}}", row[c], widths[c]);
      text += line + "\n";
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Three significant digits without an exponent where that is readable.
std::string short_number(double value) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (value >= 100) return fmt::format("{:.0f}", value);
  if (value >= 10) return fmt::format("{:.1f}", value);
  if (value >= 1) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return short_number(seconds * 1e6) + " us";
  if (seconds < 1) return short_number(seconds * 1e3) + " ms";
  return short_number(seconds) + " s";
}

std::string bytes_text(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value >= 1e9) return short_number(value / 1e9) + " GB";
  if (value >= 1e6) return short_number(value / 1e6) + " MB";
  return short_number(value / 1e3) + " kB";
}

std::string fact(const DeviceReport &device, const std::string &name) {
  for (const auto &[key, value] : device.facts)
    if (key == name) return value;
  return "";
}

std::string device_line(const DeviceReport &device) {
  const CopySpeed &copy = device.copy;
  std::string text = fact(device, "name");
  if (device.name == "cpu")
    text += fmt::format(", {} of {} threads", fact(device, "threads"), fact(device, "cores"));
  else
    text += fmt::format(", {} multiprocessors, CUDA {}, driver for {}, {} kernels", fact(device, "multiprocessors"),
                        fact(device, "cuda_runtime"), fact(device, "cuda_driver"), fact(device, "kernels"));
  return text + fmt::format("; copies {} GB/s, read plus written, {} at once",
                            short_number(copy.bytes_per_second() / 1e9), bytes_text(copy.bytes));
}

std::string data_line(const DataReport &data) {
  return fmt::format("{}; {} particles, {} x {} {}{}{}, {}; longest edge {:.6g}", data.description, data.particles,
                     data.components, data.type, data.layout, data.ids ? ", ids" : "", data.types ? ", types" : "",
                     bytes_text(data.bytes), data.longest_edge);
}

std::string size_table(const Report &report) {
  Table table({"", "bound", "of the edge", "bytes", "ratio", "bits/particle", "largest error", "PSNR", "check"});
  for (const Row &row : report.rows) {
    const auto bytes = static_cast<double>(row.bytes);
    const Verification &verification = row.verification;
    std::string check = verification.problem.empty() ? "ok" : "FAILED";
    if (row.same_bytes_as_cpu) check += *row.same_bytes_as_cpu ? ", bytes as cpu" : ", BYTES DIFFER";
    table.add({row.device, fmt::format("{:.6g}", row.bound.absolute), fmt::format("{:.3g}", row.bound.relative),
               fmt::format("{}", row.bytes), short_number(static_cast<double>(report.data.bytes) / bytes),
               short_number(8 * bytes / static_cast<double>(report.data.particles)),
               fmt::format("{:.6g}", verification.errors.largest),
               fmt::format("{:.1f}", verification.errors.psnr(report.data.longest_edge)), check});
  }
  return table.text();
}

std::string speed_table(const Report &report, Speeds Row::*direction) {
  const std::uint64_t bytes = report.data.bytes;
  Table table({"", "bound", "GB/s warm", "limit", "reached", "with allocation", "end to end", "a call", "quartiles",
               "first call"});
  for (const Row &row : report.rows) {
    const Speeds &speeds = row.*direction;
    const double most = limit(copy_of(report, row.device), bytes, row.bytes);
    const double warm = speed(bytes, speeds.warm);
    table.add({row.device, fmt::format("{:.6g}", row.bound.absolute), short_number(warm), short_number(most),
               fmt::format("{:.1f} %", 100 * warm / most), short_number(speed(bytes, speeds.allocating)),
               short_number(speed(bytes, speeds.end_to_end)), time_text(speeds.warm.median),
               fmt::format("{} to {}", time_text(speeds.warm.quartile_1), time_text(speeds.warm.quartile_3)),
               speeds.first > 0 ? time_text(speeds.first) : "-"});
  }
  return table.text();
}

std::string trajectory_line(const TrajectoryFile &file) {
  return fmt::format("{}; {} frames, {} particles in all, {}, {} bits a particle; {} f64", file.path, file.frames,
                     file.particles, bytes_text(file.bytes),
                     short_number(8 * static_cast<double>(file.bytes) / static_cast<double>(file.particles)),
                     fmt::join(file.columns, " "));
}

std::string trajectory_table(const TrajectoryReport &report) {
  Table table({"", "from", "order", "a frame", "10^6 particles/s", "GB/s", "of raw", "frames", "check"});
  for (const TrajectoryRow &row : report.rows) {
    const double raw = report.raw_particles_per_second();
    std::string check = row.frames_checked == 0 ? "-" : "ok";
    if (!row.problem.empty()) check = "FAILED";
    if (row.frames_on_cpu != 0) check += fmt::format(", {} decoded on the CPU", row.frames_on_cpu);
    table.add({row.device, row.from_device ? "device" : "file", row.by_id ? "ids" : "stored",
               time_text(row.pass.median / static_cast<double>(row.frames)), short_number(rate(row) / 1e6),
               short_number(rate(row) * 8 * static_cast<double>(report.file.columns.size()) / 1e9),
               raw > 0 && row.device == "gpu" ? short_number(rate(row) / raw) : "-", fmt::format("{}", row.frames),
               check});
  }
  std::string text = table.text() + "GB/s: of f64 positions, whatever is read.";
  if (report.bus_gb_per_s > 0)
    text += fmt::format(" of raw: as a multiple of raw f64 positions at the speed of the bus, {} GB/s.",
                        short_number(report.bus_gb_per_s));
  text += "\n";
  for (const TrajectoryRow &row : report.rows)
    if (!row.problem.empty()) text += fmt::format("FAILED: {}\n", row.problem);
  return text;
}

std::string check_text(const Report &report) {
  if (report.rows.empty()) return "";
  const Verification &first = report.rows.front().verification;
  std::string text = fmt::format(
      "\ncheck: what the last timed decompression gave against the input, {} {} particles; their identity is from a\n"
      "second compression, with their numbers as ids. PSNR: longest edge to root mean square error, dB.\n",
      first.all ? "all" : "evenly spread blocks of", first.particles);
  for (const Row &row : report.rows)
    if (!row.verification.problem.empty())
      text += fmt::format("FAILED: {}, bound {:.6g}: {}\n", row.device, row.bound.absolute, row.verification.problem);
  return text;
}

}  // namespace

double limit(const CopySpeed &copy, std::uint64_t input_bytes, std::uint64_t chunk_bytes) {
  const auto input = static_cast<double>(input_bytes);
  return copy.bytes_per_second() * input / (input + static_cast<double>(chunk_bytes)) / 1e9;
}

double speed(std::uint64_t input_bytes, const Timing &timing) {
  return static_cast<double>(input_bytes) / timing.median / 1e9;
}

double rate(const TrajectoryRow &row) { return static_cast<double>(row.particles) / row.pass.median; }

const CopySpeed &copy_of(const Report &report, const std::string &device) {
  for (const DeviceReport &entry : report.devices)
    if (entry.name == device) return entry.copy;
  throw tool::Failure(tool::ExitCode::other, "", "no copy speed of " + device);
}

std::string text_of(const Report &report) {
  std::string text = fmt::format("{}, {}\n", report.program, report.time);
  text += fmt::format("  data  {}\n",
                      report.trajectory ? trajectory_line(report.trajectory->file) : data_line(report.data));
  for (const DeviceReport &device : report.devices)
    text += fmt::format("  {:<4}  {}\n", device.name, device_line(device));
  if (!report.no_gpu.empty()) text += fmt::format("  gpu   none: {}\n", report.no_gpu);
  text += fmt::format("  runs  medians of {} after {}; GB/s are 10^9 bytes of input a second\n", report.repeats.runs,
                      report.repeats.warm_up);
  if (report.trajectory) text += "\nread\n" + trajectory_table(*report.trajectory);
  if (!report.rows.empty()) {
    text += "\nsize and error\n" + size_table(report);
    text += "\ncompress\n" + speed_table(report, &Row::compress);
    text += "\ndecompress\n" + speed_table(report, &Row::decompress);
  }
  return text + check_text(report);
}

}  // namespace gpz::bench
