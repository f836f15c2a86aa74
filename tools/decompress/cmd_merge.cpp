// SPDX-License-Identifier: BSD-3-Clause
// gpz merge: the files that groups of processes wrote of one run (% in the name of a dump), made one.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "capped.hpp"
#include "commands.hpp"
#include "copying/fit.hpp"
#include "copying/inputs.hpp"
#include "copying/numbered_files.hpp"
#include "copying/report.hpp"
#include "copying/whole_output.hpp"
#include "counted.hpp"
#include "exit_code.hpp"
#include "history.hpp"
#include "output_file.hpp"
#include "progress.hpp"

namespace gpz::tool {
namespace {

struct MergeOptions {
  std::vector<std::string> inputs;
  std::string output;
  bool json = false;
  bool history = false;
  Limits limits;
};

// Puts the frames of the same number of all files together, from the first one on.
class Merger {
 public:
  Merger(const JoinedInputs &inputs, WholeOutput &out) : inputs_(inputs), out_(out), last_(inputs.size()) {}

  void next() {
    carry_records([](const JoinedInput &) { return true; });
    parts_.clear();
    for (std::size_t k = 0; k < inputs_.size(); ++k) parts_.push_back(part(k));
    FrameInfo info = parts_[0].info;
    info.particles = 0;
    bool is_key = true;
    std::vector<ChunkView> chunks;
    for (const StoredFrame &part : parts_) {
      info.particles = capped_sum(info.particles, part.info.particles);
      is_key = is_key && part.info.since_key == 0;
      add_chunks(part, chunks);
    }
    // A chunk of a difference frame may be independent: the files need not have their key frames at the same steps.
    info.since_key = is_key ? 0 : next_since_key();
    out_.copy(info, chunks);
    since_key_ = info.since_key;
    for (std::size_t k = 0; k < inputs_.size(); ++k) last_[k] = parts_[k].checksum;
    ++frame_;
  }

  // To be called after the last frame.
  void finish() {
    carry_records([&](const JoinedInput &input) { return input.reader.frames() == frame_; });
  }

 private:
  // Writes the records of these files in front of the next frame; of equal ones in several files, one.
  template <typename IsWanted>
  void carry_records(const IsWanted &is_wanted) {
    std::vector<std::tuple<std::uint32_t, Bytes, std::uint64_t>> written;  // type, head, checksum of the body
    for (const auto &input : inputs_) {
      if (!is_wanted(*input)) continue;
      work_on(input->name);
      const auto others = static_cast<std::ptrdiff_t>(written.size());  // of other files
      for (const RecordEntry &entry : input->reader.records(frame_)) {
        const StoredRecord record = input->reader.stored(entry);
        std::tuple facts(record.type, record.head, chunk_checksum(record.body.data(), record.body.size()));
        if (const auto end = written.begin() + others; std::find(written.begin(), end, facts) != end) continue;
        written.push_back(std::move(facts));
        out_.copy(record);
      }
    }
  }

  StoredFrame part(std::size_t k) const {
    const JoinedInput &input = *inputs_[k];
    work_on(input.name);
    StoredFrame part = input.reader.stored(frame_);
    if (part.info.since_key != 0 && (frame_ == 0 || part.info.reference != last_[k]))
      throw Failure(ExitCode::corrupt, input.name,
                    fmt::format("frame {}: the frame that it builds on is missing", frame_));
    if (k > 0) {
      const std::string differs = difference_of_parts(parts_[0].info, part.info);
      if (!differs.empty())
        throw Failure(ExitCode::usage, input.name,
                      fmt::format("frame {} is no part of that of {}: {}", frame_, inputs_[0]->name, differs));
    }
    return part;
  }

  static void add_chunks(const StoredFrame &part, std::vector<ChunkView> &chunks) {
    std::vector<double> errors;
    for (const Field &field : part.info.fields) errors.push_back(field.largest_error);
    const std::uint8_t *at = part.bytes.data();
    for (const ChunkEntry &chunk : part.chunks) {
      chunks.push_back({chunk.particles, chunk.checksum, at, static_cast<std::size_t>(chunk.length), errors});
      at += chunk.length;
    }
  }

  std::uint16_t next_since_key() const {
    if (since_key_ == max_key_interval - 1)
      throw Failure(ExitCode::limit, out_.name(),
                    fmt::format("{} frames without a key frame that all files have in common", max_key_interval));
    return static_cast<std::uint16_t>(since_key_ + 1);
  }

  const JoinedInputs &inputs_;
  WholeOutput &out_;
  std::size_t frame_ = 0;
  unsigned since_key_ = 0;           // of the last merged frame
  std::vector<StoredFrame> parts_;   // one a file
  std::vector<std::uint64_t> last_;  // for each file the checksum of its last head
};

// The number of frames that all files have.
std::size_t common_frames(const JoinedInputs &inputs) {
  std::size_t fewest = inputs.front()->reader.frames();
  for (const auto &input : inputs) fewest = std::min(fewest, input->reader.frames());
  return fewest;
}

void report(const JoinedInputs &inputs, std::size_t frames, const WholeOutput &out, const MergeOptions &options) {
  const EndsWithoutMemory end;
  std::string text = fmt::format("{}: {} of {} files, the last one with {}\n", printable(options.output),
                                 counted(frames, "frame"), inputs.size(), counted(out.last_particles(), "particle")) +
                     other_records_line(out.other_records());
  Json json;
  json["file"] = options.output;
  json["frames"] = frames;
  json["particles_of_the_last"] = out.last_particles();
  json["other_records"] = out.other_records();
  json["inputs"] = Json::array();
  for (const auto &input : inputs) {
    const std::size_t left_out = input->reader.frames() - frames;
    json["inputs"].push_back({{"file", input->name}, {"frames", input->reader.frames()}, {"left_out", left_out}});
    if (left_out > 0)
      text += fmt::format("  left out: {} of {}, which other files do not have\n", counted(left_out, "frame"),
                          printable(input->name));
  }
  print_report(options.output, options.json, json, text);
}

// Its particles would be in every frame twice.
void require_different_files(const std::vector<std::string> &paths) {
  for (std::size_t k = 0; k < paths.size(); ++k)
    for (std::size_t before = 0; before < k; ++before)
      if (same_file(paths[before], paths[k]))
        throw Failure(ExitCode::usage, paths[k],
                      paths[before] == paths[k] ? "is given twice; give each file once"
                                                : "is the file " + paths[before] + "; give each file once");
}

void merge(const MergeOptions &options) {
  check_report(options.output, options.json);
  std::vector<std::string> paths;
  for (const std::string &input : options.inputs)
    for (const std::string &path : numbered_files(input)) paths.push_back(path);
  require_different_files(paths);
  const JoinedInputs inputs = open_inputs(paths, options.output, "merge", options.limits);
  const std::size_t frames = common_frames(inputs);
  if (frames == 0) throw Failure(ExitCode::truncated, inputs.front()->name, "no frame that all files have");
  WholeOutput out(options.output, metadata_of(inputs), {});
  {
    Merger merger(inputs, out);
    Progress progress("merge", frames, "frames");
    for (std::size_t i = 0; i < frames; ++i) {
      progress.update(i);
      merger.next();
    }
    merger.finish();
  }
  write_history(inputs, options.history, out);
  out.commit();
  report(inputs, frames, out, options);
}

}  // namespace

void add_merge(CommandParser &parser) {
  auto options = std::make_shared<MergeOptions>();
  Command command =
      parser.command("merge", "Make one .gpz file of those that groups of processes wrote (% in a dump's name)");
  command
      .option("IN", options->inputs,
              "the .gpz files of one dump; in a name, % stands for the numbers 0, 1, ... of all files there are")
      .required()
      .type_name("FILE");
  command.option("-o,--output", options->output, "the new file; - for standard output").required().type_name("FILE");
  add_history_option(command, options->history);
  command.flag("--json", options->json, "the report as JSON");
  add_limits_option(command, options->limits);
  command.footer(
      "Each frame gets the chunks of all files, with their bytes and checksums; nothing is decoded. Frames of the "
      "same\n"
      "number have to be of one timestep, with one box and the same columns and bounds. Frames at the end that some "
      "files\n"
      "do not have are left out. A chunk whose checksum does not hold ends the command: see gpz repair.\n"
      "Records that are no frames are carried along; one that several files have in front of the same frame is "
      "written\n"
      "once.");
  command.callback([options] { run_on(options->inputs.front(), [&] { merge(*options); }); });
}

}  // namespace gpz::tool
