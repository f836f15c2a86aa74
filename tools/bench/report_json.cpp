// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report.hpp"
#include "json.hpp"

namespace gpz::bench {
namespace {

using tool::Json;

Json timing_json(const Timing &timing) {
  return {{"runs", timing.runs},
          {"median_s", timing.median},
          {"quartile_1_s", timing.quartile_1},
          {"quartile_3_s", timing.quartile_3},
          {"fastest_s", timing.fastest},
          {"slowest_s", timing.slowest}};
}

Json timing_json(const Timing &timing, std::uint64_t bytes) {
  Json json = timing_json(timing);
  json["gb_per_s"] = speed(bytes, timing);
  return json;
}

Json speeds_json(const Speeds &speeds, const Report &report, const Row &row) {
  const std::uint64_t bytes = report.data.bytes;
  const double most = limit(copy_of(report, row.device), bytes, row.bytes);
  return {{"first_s", speeds.first > 0 ? Json(speeds.first) : Json(nullptr)},
          {"warm", timing_json(speeds.warm, bytes)},
          {"allocating", timing_json(speeds.allocating, bytes)},
          {"end_to_end", timing_json(speeds.end_to_end, bytes)},
          {"transfers", speeds.transfers},
          {"limit_gb_per_s", most},
          {"fraction_of_limit", speed(bytes, speeds.warm) / most}};
}

Json row_json(const Row &row, const Report &report) {
  const Verification &verification = row.verification;
  const Errors &errors = verification.errors;
  const auto chunk_bytes = static_cast<double>(row.bytes);
  Json json = {{"device", row.device},
               {"bound", row.bound.absolute},
               {"relative_bound", row.bound.relative},
               {"input_bytes", report.data.bytes},
               {"compressed_bytes", row.bytes},
               {"ratio", static_cast<double>(report.data.bytes) / chunk_bytes},
               {"bits_per_particle", 8 * chunk_bytes / static_cast<double>(report.data.particles)},
               {"largest_error", errors.largest},
               {"largest_error_reported", row.reported_error},
               {"psnr_db", errors.psnr(report.data.longest_edge)},  // infinite: null
               {"verified", verification.problem.empty()},
               {"verified_particles", verification.particles},
               {"compress", speeds_json(row.compress, report, row)},
               {"decompress", speeds_json(row.decompress, report, row)}};
  if (!verification.problem.empty()) json["problem"] = verification.problem;
  if (row.same_bytes_as_cpu) json["same_bytes_as_cpu"] = *row.same_bytes_as_cpu;
  return json;
}

Json trajectory_json(const TrajectoryReport &report) {
  const TrajectoryFile &file = report.file;
  Json json = {{"file", file.path},
               {"columns", file.columns},
               {"frames", file.frames},
               {"particles", file.particles},
               {"bytes", file.bytes},
               {"bits_per_particle", 8 * static_cast<double>(file.bytes) / static_cast<double>(file.particles)},
               {"bus_gb_per_s", nullptr},
               {"rows", Json::array()}};
  if (report.bus_gb_per_s > 0) json["bus_gb_per_s"] = report.bus_gb_per_s;
  for (const TrajectoryRow &row : report.rows) {
    Json entry = {{"device", row.device},
                  {"from", row.from_device ? "device" : "file"},
                  {"order", row.by_id ? "ids" : "stored"},
                  {"frames", row.frames},
                  {"particles", row.particles},
                  {"frames_decoded_on_cpu", row.device == "cpu" ? row.frames : row.frames_on_cpu},
                  {"frames_checked", row.frames_checked},
                  {"verified", row.problem.empty()},
                  {"pass", timing_json(row.pass)},
                  {"particles_per_s", rate(row)}};
    if (!row.problem.empty()) entry["problem"] = row.problem;
    json["rows"].push_back(entry);
  }
  return json;
}

Json device_json(const DeviceReport &device) {
  Json json;
  for (const auto &[name, value] : device.facts) {
    const bool number = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    json[name] = number ? Json(std::stoull(value)) : Json(value);
  }
  json["copy"] = {{"bytes", device.copy.bytes},
                  {"read_and_written_gb_per_s", device.copy.bytes_per_second() / 1e9},
                  {"timing", timing_json(device.copy.timing)}};
  return json;
}

Json data_json(const DataReport &data) {
  return {{"source", data.description},
          {"particles", data.particles},
          {"components", data.components},
          {"type", data.type},
          {"layout", data.layout},
          {"ids", data.ids},
          {"types", data.types},
          {"bytes", data.bytes},
          {"extents", std::vector<double>(data.extents.begin(), data.extents.begin() + data.components)},
          {"longest_edge", data.longest_edge}};
}

}  // namespace

std::string json_of(const Report &report) {
  Json json = {{"program", report.program}, {"time", report.time}, {"options", Json()}};
  if (!report.trajectory) json["data"] = data_json(report.data);
  json["repeats"] = {{"warm_up", report.repeats.warm_up}, {"runs", report.repeats.runs}};
  for (const GivenOption &option : report.options) json["options"][option.name] = option.values;
  for (const DeviceReport &device : report.devices) json["machine"][device.name] = device_json(device);
  if (!report.no_gpu.empty()) json["machine"]["no_gpu"] = report.no_gpu;
  if (report.trajectory) {
    json["trajectory"] = trajectory_json(*report.trajectory);
  } else {
    json["rows"] = Json::array();
    for (const Row &row : report.rows) json["rows"].push_back(row_json(row, report));
  }
  return json.text();
}

}  // namespace gpz::bench
