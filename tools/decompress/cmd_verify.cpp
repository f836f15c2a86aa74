// SPDX-License-Identifier: BSD-3-Clause
// gpz verify: every checksum and structure of a .gpz file, and on request every value against an uncompressed dump.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "capped.hpp"
#include "commands.hpp"
#include "comparison.hpp"
#include "comparisons_at_once.hpp"
#include "counted.hpp"
#include "exit_code.hpp"
#include "frame_input.hpp"
#include "frame_loop.hpp"
#include "gpz/error.hpp"
#include "gpz_file.hpp"
#include "json.hpp"
#include "last_whole_frame.hpp"
#include "name_width.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "readers/frame_source.hpp"
#include "row_numbers.hpp"
#include "selection/options.hpp"

namespace gpz::tool {
namespace {

struct VerifyOptions {
  std::string input;
  std::string against;
  std::string frames = ":";
  bool allow_truncated = false;
  bool json = false;
  int threads = 0;
  Limits limits;
};

// The result of verify.
struct Verdict {
  std::uint64_t frames = 0;  // whole ones
  std::uint64_t particles = 0;
  std::vector<Failure> problems;
  std::vector<std::string> notes;  // about what is no problem
  bool has_damaged_index = false;
  std::vector<ColumnDifference> columns;
  std::set<std::string> only_in_file, only_in_reference;
};

bool same(const IndexEntry &a, const IndexEntry &b) {
  return a.offset == b.offset && a.length == b.length && a.timestep == b.timestep && a.particles == b.particles &&
         (a.time == b.time || (std::isnan(a.time) && std::isnan(b.time)));
}

// Tables, and observables if all tables hold.
void verify_tables(const Reader &reader, const std::string &file, const Limits &limits, Verdict &verdict) {
  std::size_t damaged = 0;
  const auto check = [&](std::size_t i, const auto &step) {
    try {
      step();
    } catch (const Error &error) {
      if (!concerns_one_frame(error)) throw Error(error.status(), error.cause(), file);
      ++damaged;
      const std::string where =
          i < reader.frames() ? fmt::format("in front of frame {}", i) : std::string("after the last frame");
      verdict.problems.emplace_back(ExitCode::corrupt, file, fmt::format("{}: {}", where, error.cause()));
    }
  };
  for (std::size_t i = 0; i <= reader.frames(); ++i)
    check(i, [&] {
      for (const RecordEntry &entry : reader.records(i))
        if (entry.type == tables_record_type) check(i, [&] { tables_of(reader.stored(entry), limits); });
    });
  for (std::size_t i = 0; i < reader.frames() && damaged == 0; ++i) check(i, [&] { (void)reader.observables(i); });
}

void verify_file(const FrameInput &input, const std::vector<std::size_t> &chosen, const Limits &limits, int threads,
                 Verdict &verdict) {
  const Reader &reader = *input.reader();
  Progress progress("verify", chosen.size(), "frames");
  std::size_t done = 0;
  for (const std::size_t i : chosen) {
    progress.update(done++);
    try {
      reader.verify(i, threads);
      ++verdict.frames;
      verdict.particles = capped_sum(verdict.particles, reader.scan().frames[i].particles);
    } catch (const Error &error) {
      if (!concerns_one_frame(error)) throw;
      verdict.problems.emplace_back(ExitCode::corrupt, input.name(), fmt::format("frame {}: {}", i, error.cause()));
    }
  }

  verify_tables(reader, input.name(), limits, verdict);

  // Only for an index: without one the reader has walked itself, and a file that is being written has more frames by
  // now. For a remote file a walk would take a request for each frame, to find what was verified: frames where the
  // index has them, and nothing but complete records between them.
  const bool walks = reader.scan().has_index && !is_url(input.name());
  const FileScan walked = walks ? scan_file(input.name(), false, limits) : reader.scan();
  const std::vector<IndexEntry> &listed = reader.scan().frames;
  const bool agree = walked.frames.size() == listed.size() &&
                     std::equal(walked.frames.begin(), walked.frames.end(), listed.begin(), same);
  if (walked.damaged) verdict.problems.push_back(damaged_between(input.name()));
  if (walked.torn && only_index_damaged(walked, input.name())) {
    if (verdict.problems.empty()) {
      verdict.has_damaged_index = true;
      verdict.notes.push_back(index_damaged(input.name(), walked.frames.size()));
    }
    return;
  }
  if (!agree && verdict.problems.empty())
    verdict.problems.emplace_back(ExitCode::corrupt, input.name(), "the index does not agree with the frames");
  if (walked.torn) verdict.problems.push_back(truncated_after(input.name(), walked.frames.size()));
}

void verify_stream(FrameInput &input, int threads, Verdict &verdict) {
  try {
    for (Frame frame; input.stream()->next(frame, threads); ++verdict.frames)
      verdict.particles = capped_sum(verdict.particles, frame.info.particles);
  } catch (const Error &error) {
    if (!concerns_one_frame(error)) throw;
    if (error.status() == Status::truncated)
      verdict.problems.push_back(truncated_after(input.name(), verdict.frames));
    else
      verdict.problems.emplace_back(ExitCode::corrupt, input.name(),
                                    fmt::format("frame {}: {}", verdict.frames, error.cause()));
  }
}

std::string differing(std::uint64_t count) {
  return counted(count, "value") + (count == 1 ? " differs by" : " differ by");
}

// LAMMPS prints 6 digits unless told otherwise.
std::string digits_hint(const std::string &against, const ColumnDifference &column) {
  constexpr int few_digits = 9;
  if (column.digits == 0 || column.digits > few_digits) return "";
  return fmt::format(
      "; the values of {} have {}; if they were rounded: write it with dump_modify format float %.17g or as a binary "
      "dump",
      against, counted(static_cast<std::uint64_t>(column.digits), "digit"));
}

// The frames of a dump that are whole.
class WholeFrames {
 public:
  WholeFrames(FrameSource &source, bool allow_truncated) : source_(source), allow_truncated_(allow_truncated) {}

  bool next(Frame &frame) {
    try {
      if (!source_.next(frame)) return false;
    } catch (const Failure &failure) {
      if (failure.code() != ExitCode::truncated || !allow_truncated_ || frames_ == 0) throw;
      note_ = with_last_whole_frame(failure, frames_, end_);
      return false;
    }
    ++frames_;
    end_ = source_.position();
    return true;
  }
  // Where the dump ends within a frame; empty if it does not.
  const std::string &note() const { return note_; }

 private:
  FrameSource &source_;
  bool allow_truncated_;
  std::uint64_t frames_ = 0;
  std::uint64_t end_ = 0;  // of the last whole frame
  std::string note_;
};

void compare(const FrameInput &input, const std::vector<std::size_t> &chosen, const VerifyOptions &options, int threads,
             Verdict &verdict) {
  const Reader &reader = *input.reader();
  SourceOptions reference_options;
  reference_options.threads = threads;
  const std::unique_ptr<FrameSource> reference = open_source(options.against, reference_options);
  Comparison comparison(input.name(), {reader.metadata().elements, reader.metadata().type_labels}, options.against);

  std::multimap<std::int64_t, std::size_t> left;  // frames to compare, by timestep; equal ones in file order
  for (const std::size_t i : chosen) left.emplace(reader.scan().frames[i].timestep, i);
  Progress progress("compare", reference->size() >> 20, "MiB");
  WholeFrames whole(*reference, options.allow_truncated);
  ComparisonsAtOnce comparisons(comparison, threads);
  try {
    for (Frame expected; whole.next(expected);) {
      progress.update(reference->position() >> 20);
      // As gpz encode does.
      if (lacks_ids(expected)) number_rows(expected);
      const auto frame = left.find(expected.info.timestep);
      if (frame == left.end())
        throw Failure(ExitCode::different, input.name(),
                      fmt::format("no frame for timestep {} of {}", expected.info.timestep, options.against));
      comparisons.add(reader.read(frame->second, threads), std::move(expected),
                      {reference->metadata().elements, reference->metadata().type_labels});
      left.erase(frame);
    }
  } catch (...) {
    comparisons.finish();  // what is wrong with an earlier frame is said first
    throw;
  }
  comparisons.finish();
  if (!left.empty())
    throw Failure(ExitCode::different, input.name(),
                  fmt::format("timestep {} is not in {}", left.begin()->first, options.against));
  if (!whole.note().empty()) verdict.notes.push_back(whole.note());

  verdict.columns = comparison.columns();
  verdict.only_in_file = comparison.only_in_file();
  verdict.only_in_reference = comparison.only_in_reference();
  if (comparison.above() == 0) return;
  for (const ColumnDifference &column : verdict.columns) {
    if (column.above == 0) continue;
    verdict.problems.emplace_back(
        ExitCode::different, input.name(),
        fmt::format("column {}: {} more than {}, the largest by {:.6g} (id {}, timestep {}){}", column.name,
                    differing(column.above), column.exact ? "0" : fmt::format("the bound {:.6g}", column.bound),
                    column.largest, column.id, column.timestep, digits_hint(options.against, column)));
  }
}

std::string verdict_text(const std::string &file, const VerifyOptions &options, const Verdict &verdict) {
  const std::string name = printable(file);
  const std::string against = printable(options.against);
  std::string text = fmt::format("{}: {} with {}", name, counted(verdict.frames, "whole frame"),
                                 counted(verdict.particles, "particle"));
  if (verdict.problems.empty() && !verdict.has_damaged_index) text += ": every checksum and structure holds";
  text += "\n";
  if (!verdict.columns.empty()) {
    text += fmt::format("compared with {} by timestep and id:\n", against);
    const std::size_t width = name_width(verdict.columns);
    text += fmt::format("  {:<{}} {:>12} {:>18}\n", "column", width, "bound", "largest difference");
    for (const ColumnDifference &column : verdict.columns)
      text += fmt::format("  {:<{}} {:>12} {:>18}\n", printable(column.name), width,
                          column.exact ? "lossless" : fmt::format("{:.6g}", column.bound),
                          fmt::format("{:.6g}", column.largest));
  }
  if (!verdict.only_in_file.empty())
    text += fmt::format("  not compared: {} (only in {})\n",
                        printable(fmt::format("{}", fmt::join(verdict.only_in_file, " "))), name);
  if (!verdict.only_in_reference.empty())
    text += fmt::format("  not compared: {} (only in {})\n",
                        printable(fmt::format("{}", fmt::join(verdict.only_in_reference, " "))), against);
  // A single one is said on standard error.
  if (verdict.problems.size() > 1)
    for (const Failure &problem : verdict.problems) text += fmt::format("  {}\n", problem.what());
  return text;
}

Json verdict_json(const std::string &name, const VerifyOptions &options, const Verdict &verdict) {
  Json json;
  json["file"] = name;
  json["ok"] = verdict.problems.empty();
  json["frames"] = verdict.frames;
  json["particles"] = verdict.particles;
  json["problems"] = Json::array();
  for (const Failure &problem : verdict.problems) json["problems"].push_back(problem.what());
  if (options.against.empty()) return json;
  json["against"] = options.against;
  json["not_compared"] = {{"file", verdict.only_in_file}, {"against", verdict.only_in_reference}};
  json["columns"] = Json::array();
  for (const ColumnDifference &column : verdict.columns) {
    // An infinite difference (integers or words that differ) is null in JSON.
    json["columns"].push_back({{"name", column.name},
                               {"bound", column.bound},
                               {"largest_difference", column.largest},
                               {"above_bound", column.above}});
  }
  return json;
}

void verify(const VerifyOptions &options) {
  const int threads = thread_count(options.threads);
  const FrameChoice choice(options.frames);
  FrameInput input(options.input, options.limits);
  if (!options.against.empty() && input.reader() == nullptr)
    throw Failure(ExitCode::usage, input.name(), "--against needs a file, not a pipe");
  if (choice.text != ":" && input.reader() == nullptr)
    throw Failure(ExitCode::usage, input.name(), "--frames needs a file, not a pipe");
  Verdict verdict;
  std::vector<std::size_t> chosen;
  if (input.reader() != nullptr) {
    chosen = choice.range.select(input.reader()->frames());
    if (chosen.empty() && choice.text != ":") report_none_taken(input.name(), choice, input.reader()->frames());
    verify_file(input, chosen, options.limits, threads, verdict);
  } else
    verify_stream(input, threads, verdict);
  if (!options.against.empty() && verdict.problems.empty()) {
    try {
      compare(input, chosen, options, threads, verdict);
    } catch (const Failure &failure) {
      if (failure.code() != ExitCode::different) throw;
      verdict.problems.push_back(failure);
    }
  }

  OutputFile out("-");
  const EndsWithoutMemory end;
  out.write(options.json ? verdict_json(input.name(), options, verdict).text()
                         : verdict_text(input.name(), options, verdict));
  out.commit();
  for (const std::string &note : verdict.notes) print_note(printable(note));
  if (verdict.problems.size() > 1)
    throw Failure(verdict.problems.front().code(), input.name(),
                  fmt::format("{} problems, listed on standard output", verdict.problems.size()));
  if (!verdict.problems.empty()) throw verdict.problems.front();
}

}  // namespace

void add_verify(CommandParser &parser) {
  auto options = std::make_shared<VerifyOptions>();
  Command command = parser.command("verify", "Check every checksum and structure of a .gpz file");
  command.option("IN", options->input, "a .gpz file; - for standard input").required().type_name("FILE");
  const Option against =
      command
          .option("--against", options->against,
                  "an uncompressed LAMMPS dump or XYZ file of the same run: the largest difference of every column, by "
                  "id and timestep; particles without ids are numbered by their rows, as gpz encode does")
          .type_name("FILE");
  command
      .flag("--allow-truncated", options->allow_truncated,
            "a dump that ends within a frame is no error: its whole frames are compared, and a line on standard error "
            "names the last one")
      .needs(against);
  add_frames_option(command, options->frames);
  command.flag("--json", options->json, "as JSON");
  add_threads_option(command, options->threads);
  add_limits_option(command, options->limits);
  command.footer(
      "Fails if a difference is above the bound. LAMMPS prints 6 digits unless told otherwise: write the other dump "
      "with\n"
      "dump_modify ID format float %.17g (or as a binary dump), or its own rounding counts as a difference.");
  command.callback([options] { run_on(options->input, [&] { verify(*options); }); });
}

}  // namespace gpz::tool
