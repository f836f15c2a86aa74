// SPDX-License-Identifier: BSD-3-Clause
// The results of a benchmark in two forms: a table for people, JSON for programs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/device.hpp"
#include "bench/trajectory.hpp"
#include "bench/verify.hpp"

namespace gpz::bench {

struct DeviceReport {
  std::string name;
  std::vector<std::pair<std::string, std::string>> facts;
  CopySpeed copy;
};

struct DataReport {
  std::string description;
  std::uint64_t particles = 0;
  int components = 0;
  std::string type;    // f32, f64
  std::string layout;  // aos, soa
  bool ids = false;
  bool types = false;
  std::uint64_t bytes = 0;  // ids and types included
  std::array<double, 3> extents{};
  double longest_edge = 0;
};

struct Bound {
  double absolute = 0;  // distance units
  double relative = 0;  // of the longest edge
};

// One device and one bound.
struct Row {
  std::string device;
  Bound bound;
  std::uint64_t bytes = 0;  // of the chunk
  double reported_error = 0;
  Speeds compress, decompress;
  Verification verification;
  std::optional<bool> same_bytes_as_cpu;
};

// An option of the command line.
struct GivenOption {
  std::string name;
  std::vector<std::string> values;
};

struct Report {
  std::string program;
  std::string time;
  std::vector<GivenOption> options;
  DataReport data;
  Repeats repeats;
  std::vector<DeviceReport> devices;
  std::string no_gpu;  // why there is none; empty: there is one, or none was asked for
  std::vector<Row> rows;
  std::optional<TrajectoryReport> trajectory;  // then there are no data and rows
};

// GB/s of input (10^9 bytes) that a device with that copy speed reaches at most: every byte of the input and of the
// chunk is moved once.
double limit(const CopySpeed &copy, std::uint64_t input_bytes, std::uint64_t chunk_bytes);
// GB/s of input.
double speed(std::uint64_t input_bytes, const Timing &timing);
// Particles a second.
double rate(const TrajectoryRow &row);

const CopySpeed &copy_of(const Report &report, const std::string &device);

std::string text_of(const Report &report);
std::string json_of(const Report &report);

}  // namespace gpz::bench
