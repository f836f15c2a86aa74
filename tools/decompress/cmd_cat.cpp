// SPDX-License-Identifier: BSD-3-Clause
// gpz cat: the files of a run and its restarts, joined into one.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "copying/carried_records.hpp"
#include "copying/fit.hpp"
#include "copying/frame_copier.hpp"
#include "copying/inputs.hpp"
#include "copying/report.hpp"
#include "copying/whole_output.hpp"
#include "counted.hpp"
#include "exit_code.hpp"
#include "history.hpp"
#include "progress.hpp"

namespace gpz::tool {
namespace {

struct CatOptions {
  std::vector<std::string> inputs;
  std::string output;
  std::string keep = "last";
  bool mixed = false;
  bool json = false;
  bool history = false;
  EncodingOptions encoding;
  Limits limits;
};

struct FrameRef {
  std::size_t input = 0;
  std::size_t frame = 0;
};

std::int64_t timestep_at(const JoinedInputs &inputs, const FrameRef &ref) {
  return inputs[ref.input]->reader.scan().frames[ref.frame].timestep;
}

// A file that ends before the one in front of it begins is in the wrong place: nothing would be left of one of them.
void check_order(const JoinedInputs &inputs) {
  for (std::size_t k = 1; k < inputs.size(); ++k) {
    const auto &before = inputs[k - 1]->reader.scan().frames;
    const auto &here = inputs[k]->reader.scan().frames;
    if (before.empty() || here.empty() || here.back().timestep >= before.front().timestep) continue;
    throw Failure(ExitCode::usage, inputs[k]->name,
                  fmt::format("ends at timestep {}, before {} begins ({}): give the files in the order of the run, or "
                              "--keep all",
                              here.back().timestep, inputs[k - 1]->name, before.front().timestep));
  }
}

// The frames of the new file. Unless all are kept, their timesteps ascend: of what two frames say of the same time, one
// is left out. A later frame takes the place of the earlier ones from its timestep on, as if the run had continued from
// there; or it is left out itself.
std::vector<FrameRef> plan(const JoinedInputs &inputs, const std::string &keep) {
  if (keep != "all") check_order(inputs);
  std::vector<FrameRef> refs;
  for (std::size_t k = 0; k < inputs.size(); ++k)
    for (std::size_t i = 0; i < inputs[k]->reader.frames(); ++i) {
      const FrameRef ref = {k, i};
      const auto is_behind = [&] {
        return refs.empty() || keep == "all" || timestep_at(inputs, refs.back()) < timestep_at(inputs, ref);
      };
      while (keep == "last" && !is_behind()) refs.pop_back();
      if (is_behind()) refs.push_back(ref);
    }
  return refs;
}

void check_fit(const JoinedInputs &inputs, const FrameRef &before, const FrameRef &here) {
  const std::string differs = difference_of_columns(inputs[before.input]->reader.info(before.frame),
                                                    inputs[here.input]->reader.info(here.frame));
  if (differs.empty()) return;
  throw Failure(
      ExitCode::usage, inputs[here.input]->name,
      fmt::format("does not fit {}: {} (gpz select --columns and gpz encode --eb make files alike; --mixed joins "
                  "them as they are)",
                  inputs[before.input]->name, differs));
}

void write_frames(const JoinedInputs &inputs, const std::vector<FrameRef> &refs, int threads, WholeOutput &out) {
  FrameCopier copier(out, threads);
  std::vector<CarriedRecords> others;
  for (const auto &input : inputs) others.emplace_back(input->reader, out);
  Progress progress("cat", refs.size(), "frames");
  for (std::size_t p = 0; p < refs.size(); ++p) {
    progress.update(p);
    const JoinedInput &input = *inputs[refs[p].input];
    work_on(input.name);
    const bool same_file_follows = p + 1 < refs.size() && refs[p + 1].input == refs[p].input;
    others[refs[p].input].before(refs[p].frame);
    copier.put(input.reader, refs[p].frame, same_file_follows ? refs[p + 1].frame : input.reader.frames());
    others[refs[p].input].after(refs[p].frame);
  }
}

// The report on frames that are not in the new file.
struct LeftOut {
  std::size_t frames = 0;
  std::int64_t first = 0, last = 0;  // timesteps
};

LeftOut left_out(const JoinedInputs &inputs, const std::vector<FrameRef> &refs, std::size_t input) {
  std::vector<bool> taken(inputs[input]->reader.frames());
  for (const FrameRef &ref : refs)
    if (ref.input == input) taken[ref.frame] = true;
  LeftOut out;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (taken[i]) continue;
    const std::int64_t timestep = timestep_at(inputs, {input, i});
    out.first = out.frames == 0 ? timestep : std::min(out.first, timestep);
    out.last = out.frames == 0 ? timestep : std::max(out.last, timestep);
    ++out.frames;
  }
  return out;
}

void report(const JoinedInputs &inputs, const std::vector<FrameRef> &refs, const CatOptions &options,
            const WholeOutput &out) {
  const EndsWithoutMemory end;
  std::string text =
      fmt::format("{}: {} of {}: {} copied, {} encoded again\n", printable(options.output),
                  counted(refs.size(), "frame"), counted(inputs.size(), "file"), out.copied(), out.encoded()) +
      other_records_line(out.other_records());
  Json json;
  json["file"] = options.output;
  json["frames"] = refs.size();
  json["copied"] = out.copied();
  json["encoded_again"] = out.encoded();
  json["other_records"] = out.other_records();
  json["inputs"] = Json::array();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const LeftOut rest = left_out(inputs, refs, k);
    json["inputs"].push_back(
        {{"file", inputs[k]->name}, {"frames", inputs[k]->reader.frames()}, {"left_out", rest.frames}});
    if (rest.frames > 0)
      text += fmt::format(
          "  left out: {} of {}, timestep{}\n", counted(rest.frames, "frame"), printable(inputs[k]->name),
          rest.first == rest.last ? fmt::format(" {}", rest.first) : fmt::format("s {} to {}", rest.first, rest.last));
  }
  print_report(options.output, options.json, json, text);
}

void cat(CatOptions options) {
  check_report(options.output, options.json);
  options.encoding.threads = thread_count(options.encoding.threads);
  const JoinedInputs inputs = open_inputs(options.inputs, options.output, "cat", options.limits);
  const std::vector<FrameRef> refs = plan(inputs, options.keep);
  if (refs.empty()) throw Failure(ExitCode::truncated, inputs.front()->name, "no complete frame in the files");
  for (std::size_t p = 1; p < refs.size() && !options.mixed; ++p)
    if (refs[p].input != refs[p - 1].input) check_fit(inputs, refs[p - 1], refs[p]);
  WholeOutput out(options.output, metadata_of(inputs), options.encoding);
  write_frames(inputs, refs, options.encoding.threads, out);
  write_history(inputs, options.history, out);
  out.commit();
  report(inputs, refs, options, out);
}

}  // namespace

void add_cat(CommandParser &parser) {
  auto options = std::make_shared<CatOptions>();
  Command command = parser.command("cat", "Join the .gpz files of a run and its restarts into one");
  command.option("IN", options->inputs, "the .gpz files, in the order of the run").required().type_name("FILE");
  command.option("-o,--output", options->output, "the new file; - for standard output").required().type_name("FILE");
  command
      .option("--keep", options->keep,
              "which frame stays where a later one is of the same or an earlier timestep: last, the later one, and "
              "the earlier ones from its timestep on are left out, as if the run had continued there; first, the "
              "earlier one; all, both")
      .one_of({"first", "last", "all"})
      .show_default();
  command.flag("--mixed", options->mixed, "join files with other columns or bounds: every frame keeps its own");
  add_history_option(command, options->history);
  command.flag("--json", options->json, "the report as JSON");
  add_encoding_options(command, options->encoding);
  add_effort_option(command, options->encoding.effort, "that of IN");
  add_threads_option(command, options->encoding.threads);
  add_limits_option(command, options->limits);
  command.footer(
      "Frames are copied without decoding, with their bytes and checksums. Only where the front of a file is left out\n"
      "up to the middle of a key interval (--keep first), the frames up to its next key frame are decoded and encoded\n"
      "again, by --key, --order and --effort. Their values stay the same. A file with a torn end counts with its\n"
      "complete frames. A chunk whose checksum does not hold ends the command: see gpz repair. Records that are no\n"
      "frames are carried along.");
  command.callback([options] { run_on(options->inputs.front(), [&] { cat(*options); }); });
}

}  // namespace gpz::tool
