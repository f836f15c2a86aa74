// SPDX-License-Identifier: BSD-3-Clause
// gpz decode: a .gpz file to text.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "commands.hpp"
#include "counted.hpp"
#include "exit_code.hpp"
#include "frame_input.hpp"
#include "frame_range.hpp"
#include "gpz/error.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "writers/frame_writer.hpp"
#include "writers/word.hpp"

namespace gpz::tool {
namespace {

struct DecodeOptions {
  std::string input;
  std::string output;
  std::string format;
  std::string frames = ":";
  std::vector<std::string> elements;
  TextOptions text;
  Limits limits;
};

std::string format_of(const DecodeOptions &options) {
  if (!options.format.empty()) return options.format;
  if (options.output == "-") return "xyz";
  const std::string extension = std::filesystem::path(options.output).extension();
  if (extension == ".xyz") return "xyz";
  if (extension == ".extxyz") return "extxyz";
  if (extension == ".lammpstrj" || extension == ".dump") return "lammps";
  throw Failure(ExitCode::usage, options.output, "no known extension (.xyz .extxyz .lammpstrj .dump); give --format");
}

std::unique_ptr<FrameWriter> make_writer(const std::string &format, OutputFile &out, TextOptions options) {
  if (format == "lammps") return make_lammps_writer(out, std::move(options));
  return make_xyz_writer(out, std::move(options), format == "extxyz");
}

// What was wrong with the input although frames could be written.
struct Outcome {
  std::size_t written = 0;
  std::optional<Failure> problem;
};

// A frame asked for by its number must be there; a slice may be empty. `text` is the value of --frames.
void report_none_taken(const std::string &name, const FrameRange &range, const std::string &text,
                       std::uint64_t frames) {
  std::string numbers;
  if (frames == 1) numbers = " (0)";
  if (frames > 1) numbers = fmt::format(" (0 to {})", frames - 1);
  if (range.single())
    throw Failure(ExitCode::usage, name,
                  fmt::format("has {}{}, no frame {}", counted(frames, "frame"), numbers, *range.single()));
  print_note(printable(
      fmt::format("{}: has {}{}, none of them in --frames {}", name, counted(frames, "frame"), numbers, text)));
}

Outcome decode_file(const Reader &reader, const std::string &name, const FrameRange &range, const std::string &text,
                    int threads, FrameWriter &writer) {
  const std::vector<std::size_t> selected = range.select(reader.frames());
  Outcome outcome;
  std::optional<std::pair<std::size_t, Error>> first_damaged;
  Progress progress("decode", selected.size(), "frames");
  for (std::size_t k = 0; k < selected.size(); ++k) {
    const std::size_t i = selected[k];
    progress.update(k);
    Frame frame;
    try {
      frame = reader.read(i, threads, writer.wanted(reader.info(i)));
    } catch (const Error &error) {
      if (!concerns_one_frame(error)) throw;
      if (!first_damaged) first_damaged.emplace(i, error);
      continue;
    }
    writer.write(std::move(frame));
    ++outcome.written;
  }

  const FileScan &scan = reader.scan();
  if (first_damaged)
    outcome.problem = Failure(ExitCode::corrupt, name,
                              fmt::format("frame {}: {}; {} of {} frames written", first_damaged->first,
                                          first_damaged->second.cause(), outcome.written, selected.size()));
  else if (scan.damaged)
    outcome.problem = damaged_between(name);
  else if (only_index_damaged(scan, name))
    print_note(printable(index_damaged(name, reader.frames())));
  else if (scan.torn && !(range.forward() && range.ends_before(reader.frames())))
    outcome.problem = truncated_after(name, reader.frames());
  if (selected.empty() && !outcome.problem) report_none_taken(name, range, text, reader.frames());
  return outcome;
}

Outcome decode_stream(StreamReader &stream, const std::string &name, const FrameRange &range, const std::string &text,
                      int threads, FrameWriter &writer) {
  if (!range.forward())
    throw Failure(ExitCode::usage, name, "--frames with a negative number needs a file, not a pipe");
  Outcome outcome;
  Progress progress("decode", 0, "frames");
  std::uint64_t i = 0;
  try {
    for (; !range.ends_before(i); ++i) {
      Frame frame;
      if (!stream.next(frame, threads)) break;
      progress.update(i);
      if (!range.takes(i)) continue;
      writer.write(std::move(frame));
      ++outcome.written;
    }
  } catch (const Error &error) {
    if (!concerns_one_frame(error)) throw;
    if (error.status() == Status::truncated)
      outcome.problem = truncated_after(name, i);
    else
      outcome.problem =
          Failure(ExitCode::corrupt, name,
                  fmt::format("frame {}: {}; {} written", i, error.cause(), counted(outcome.written, "frame")));
  }
  if (outcome.written == 0 && !outcome.problem) report_none_taken(name, range, text, i);
  return outcome;
}

void decode(DecodeOptions options) {
  const FrameRange range(options.frames);
  const std::string format = format_of(options);
  if (same_file(options.input, options.output))
    throw Failure(ExitCode::usage, options.output, "is the input as well as the output");
  const int threads = thread_count(options.text.threads);

  if (options.text.sort == "none") {
    options.text.sort.clear();
  } else if (options.text.sort.empty() && format == "xyz") {
    options.text.sort = "id";
    options.text.sort_required = false;
  }

  FrameInput input(options.input, options.limits);
  options.text.input = input.name();
  options.text.threads = threads;
  options.text.units = input.metadata().units;
  options.text.names.elements = words_or_none(options.elements.empty() ? input.metadata().elements : options.elements);
  if (!options.elements.empty() && options.text.names.elements.empty())
    throw Failure(ExitCode::usage, "", "--elements: a name is too long, or has a blank or a control character");
  options.text.every_type_named = !options.elements.empty();
  options.text.names.labels = words_or_none(input.metadata().type_labels);

  OutputFile out(options.output);
  Outcome outcome;
  {
    const std::unique_ptr<FrameWriter> writer = make_writer(format, out, options.text);
    outcome = input.reader() != nullptr
                  ? decode_file(*input.reader(), input.name(), range, options.frames, threads, *writer)
                  : decode_stream(*input.stream(), input.name(), range, options.frames, threads, *writer);
    writer->finish();
  }
  if (outcome.written > 0 || !outcome.problem) out.commit();
  if (outcome.problem) throw *outcome.problem;
}

}  // namespace

void add_decode(CLI::App &app) {
  auto options = std::make_shared<DecodeOptions>();
  CLI::App *command = app.add_subcommand("decode", "Write the frames of a .gpz file as text");
  command->add_option("IN", options->input, "a .gpz file; - for standard input")->required()->type_name("FILE");
  command->add_option("-o,--output", options->output, "output file; - for standard output")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--format", options->format,
                   "xyz, extxyz or lammps; else by the output's extension (.xyz .extxyz .lammpstrj .dump)")
      ->check(CLI::IsMember({"xyz", "extxyz", "lammps"}));
  command->add_option(
      "--frames", options->frames,
      "frames A:B:S as in Python: from A, before B, every S-th; negative ones count from the end; a single "
      "number is that frame");
  command->add_option(
      "--sort", options->text.sort,
      "order particles by this column, e.g. id; none: as in the file. Default: xyz, which has no ids, by id if "
      "there are any; extxyz and lammps none");
  command->add_flag(
      "--unwrap", options->text.unwrap,
      "print unwrapped positions: xu yu zu if the file has them, else the positions plus the image flags ix iy "
      "iz times the box");
  command->add_option("--elements", options->elements, "names of atom types 1, 2, ..., e.g. C,H,O")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--exact", options->text.exact, "print every digit of every decoded value");
  command->add_flag("--with-time", options->text.with_time, "lammps: ITEM: TIME; xyz: Time: in the comment");
  command->add_flag("--with-units", options->text.with_units, "lammps: ITEM: UNITS in the first frame");
  add_threads_option(*command, options->text.threads);
  add_limits_option(*command, options->limits);
  command->footer(
      "Digits: values with an error bound get the fewest decimals with which the printed value is still within the\n"
      "bound of the true one; lossless values, and all with --exact, get the fewest that read back as the same "
      "number.\n"
      "A damaged or truncated input: all complete frames are written, then the exit code says what is missing.");
  command->callback([options] { run_on(options->input, [&] { decode(*options); }); });
}

}  // namespace gpz::tool
