// SPDX-License-Identifier: BSD-3-Clause
// evaluate_NAME: one program, one set of particles, several bounds (evaluation/results.md).
//
//   evaluate_NAME --data melt.f32 --components 3 --bounds 1e-2,1e-3 --runs 7 --json results.jsonl [--decoded melt.out]
//
// Input and output are in device memory before the clock starts. `fresh` times are those of a call that allocates and
// frees everything else (which is what the paper calls end to end), `warm` ones those of a call that finds its memory.
// Host clock, from an idle device to an idle device. A JSON line for each bound is appended as soon as it is known,
// also where the program fails. Where it takes the process or the device with it, there is no line, and the caller goes
// on with the other bounds in a new process. Status: 0, 1 if there are failures, 2 if not all bounds have a line.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "check.hpp"
#include "command_parser.hpp"
#include "data.hpp"
#include "device.hpp"
#include "measure.hpp"
#include "program.hpp"

namespace {

using namespace evaluation;  // NOLINT(google-build-using-namespace): the program is about it
using Json = nlohmann::ordered_json;

struct Options {
  std::string data;
  std::string name;
  int components = 3;
  std::vector<double> bounds;
  Settings settings;
  std::string json;
};

Json times(const Times &times) {
  Json json = {{"fresh", times.fresh}, {"warm", times.warm}};
  if (times.first > 0) json["first"] = {times.first};
  return json;
}

// A line without results.
Json line(const Program &program, const Options &options, const Data &data, double bound, double edge) {
  return {{"program", program.name()},
          {"data", options.name.empty() ? data.name() : options.name},
          {"bound", bound},
          {"eb", bound * edge},
          {"particles", data.particles()},
          {"components", data.components()},
          {"order", program.order_in_words()},
          {"version", program.version()},
          {"failure", nullptr}};
}

void add(Json &line, const Measurement &result, const Data &data) {
  const auto particles = static_cast<double>(data.particles());
  const auto bytes = static_cast<double>(result.bytes);
  line["layout"] = result.layout;
  line["bytes"] = result.bytes;
  line["ratio"] = particles * data.components() * 4 / bytes;
  line["bits"] = 8 * bytes / particles;
  line["compress"] = times(result.compress);
  line["decompress"] = times(result.decompress);
  line["error_over_bound"] = result.error_over_bound;
  line["psnr"] = result.psnr;
  if (result.lost != 0) line["failure"] = std::to_string(result.lost) + " values came back as NaN or infinity";
}

// Without the colours of terminals, which some programs put into their messages.
std::string plain(const std::string &text) { return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), ""); }

void append(const std::string &path, const Json &line) {
  std::ofstream file(path, std::ios::app);
  file << line.dump() << '\n';
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

Options parse(int argc, char **argv) {
  Options options;
  options.settings.threads = std::max(1u, std::thread::hardware_concurrency());
  gpz::tool::CommandParser parser("Measures one program that compresses particles on a GPU.");
  gpz::tool::Command program = parser.program();
  program.option("--data", options.data, "raw float32: all x, all y, all z").required();
  program.option("--name", options.name, "of the data in the results; default: that of the file");
  program.option("--components", options.components, "2 or 3").range(2, 3);
  program.option("--bounds", options.bounds, "parts of the longest edge").required().comma_separated().positive();
  program.option("--runs", options.settings.runs, "times of each kind").positive();
  program.option("--patience", options.settings.patience, "seconds for the times of a kind").positive();
  program.option("--json", options.json, "file to which the results are appended").required();
  program.option("--decoded", options.settings.decoded,
                 "file for the decoded particles of the last bound; FILE.order says which they are, where it is known");
  program.option("--threads", options.settings.threads, "of the check").positive();
  if (const auto status = gpz::tool::parse_or_report(parser, argc, argv)) std::exit(*status);
  return options;
}

int run(const Options &options) {
  const std::unique_ptr<Program> program = make_program();
  const Data data(options.data, options.components);
  const double edge = longest_edge(data.values(), data.particles(), data.components(), options.settings.threads);
  bool failed = false;
  Settings settings = options.settings;
  settings.first_calls = true;
  for (const double bound : options.bounds) {
    Json result = line(*program, options, data, bound, edge);
    try {
      add(result, measure(*program, data, edge, bound, settings), data);
    } catch (const std::exception &error) {
      // Of some errors a process does not get rid.
      if (!usable()) throw;
      result["failure"] = plain(error.what());
    }
    append(options.json, result);
    settings.first_calls = false;
    failed = failed || !result["failure"].is_null();
  }
  return failed ? 1 : 0;
}

}  // namespace

int main(int argc, char **argv) {
  try {
    return run(parse(argc, argv));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 2;
  }
}
