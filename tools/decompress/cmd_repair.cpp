// SPDX-License-Identifier: BSD-3-Clause
// gpz repair: the complete frames of a torn or damaged file into a whole one.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "commands.hpp"
#include "counted.hpp"
#include "exit_code.hpp"
#include "frame_input.hpp"
#include "gpz/error.hpp"
#include "gpz_file.hpp"
#include "input_file.hpp"
#include "output_file.hpp"
#include "progress.hpp"

namespace gpz::tool {
namespace {

// Copies byte ranges of a file.
class RangeCopier {
 public:
  explicit RangeCopier(const std::string &path) : file_(path) {}

  void copy(std::uint64_t offset, std::uint64_t length, OutputFile &out) {
    while (length > 0) {
      const std::size_t got = file_.read_at(offset, buffer_.data(),
                                            static_cast<std::size_t>(std::min<std::uint64_t>(length, buffer_.size())));
      if (got == 0) throw Failure(ExitCode::io, file_.name(), "it became shorter while it was read");
      out.write(buffer_.data(), got);
      offset += got;
      length -= got;
    }
  }

 private:
  InputFile file_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 20);
};

void put(OutputFile &out, const Bytes &bytes) { out.write(bytes.data(), bytes.size()); }

void repair(const std::string &input, const std::string &output, int threads, const Limits &limits) {
  if (input == "-") throw Failure(ExitCode::usage, "standard input", "repair needs a file, not a pipe");
  require_local(input, "repair");
  require_other_file(output, {input});
  // The index is not trusted: frames are those that a walk over the records finds.
  const FileScan found = scan_file(input, false, limits);
  const Reader reader(input, limits);
  std::map<std::uint64_t, std::size_t> number_at;  // of the frame at that offset
  for (std::size_t i = 0; i < reader.frames(); ++i) number_at[reader.scan().frames[i].offset] = i;

  RangeCopier copier(input);
  OutputFile out(output);
  put(out, file_header(found.metadata));
  std::vector<IndexEntry> kept;
  std::string report;
  Progress progress("repair", found.frames.size(), "frames");
  std::uint64_t examined = 0;
  std::size_t others = 0;  // of found.records, copied
  const auto copy_records_before = [&](std::uint64_t offset) {
    for (; others < found.records.size() && found.records[others].offset < offset; ++others)
      copier.copy(found.records[others].offset, found.records[others].length, out);
  };
  for (const IndexEntry &frame : found.frames) {
    progress.update(examined++);
    copy_records_before(frame.offset);
    const auto number = number_at.find(frame.offset);
    try {
      if (number == number_at.end()) throw Error(Status::corrupt, "is not in the index");
      reader.verify(number->second, threads);
    } catch (const Error &error) {
      if (!concerns_one_frame(error)) throw;
      report += fmt::format("lost: frame at byte {} (timestep {}): {}\n", frame.offset, frame.timestep, error.cause());
      continue;
    }
    IndexEntry entry = frame;
    entry.offset = out.bytes();
    copier.copy(frame.offset, frame.length, out);
    kept.push_back(entry);
  }
  copy_records_before(found.file_size);
  for (const IndexEntry &frame : reader.scan().frames) {
    // Both lists are in the order of the file.
    const bool walked =
        std::binary_search(found.frames.begin(), found.frames.end(), frame,
                           [](const IndexEntry &a, const IndexEntry &b) { return a.offset < b.offset; });
    if (!walked)
      report +=
          fmt::format("lost: frame at byte {} (timestep {}): its record is damaged\n", frame.offset, frame.timestep);
  }
  const bool index_only = only_index_damaged(found, input);  // a new one is written: nothing is lost
  if (found.torn && !index_only)
    report +=
        fmt::format("lost: {} after the last complete frame\n", counted(found.file_size - found.frames_end, "byte"));
  else if (found.damaged && report.empty())
    report += "lost: unreadable bytes between complete frames\n";

  if (kept.empty())
    throw Failure(found.torn ? ExitCode::truncated : ExitCode::corrupt, input, "no complete frame in it");
  put(out, index_record(kept));
  out.commit();
  OutputFile console("-");
  const std::string kept_records = others == 0 ? "" : fmt::format(" and {}", counted(others, "other record"));
  console.write(fmt::format("{}: {}{} kept{}\n{}", printable(input), counted(kept.size(), "frame"), kept_records,
                            report.empty() ? ", nothing lost" : "", report));
  console.commit();
}

}  // namespace

void add_repair(CommandParser &parser) {
  struct Options {
    std::string input;
    std::string output;
    int threads = 0;
    Limits limits;
  };
  auto options = std::make_shared<Options>();
  Command command =
      parser.command("repair", "Copy every complete frame with valid checksums to a new file with an index");
  command.option("IN", options->input, "a .gpz file").required().type_name("FILE");
  command.option("-o,--output", options->output, "the new file").required().type_name("FILE");
  add_threads_option(command, options->threads);
  add_limits_option(command, options->limits);
  command.footer("Says on standard output what was lost; that is no error as long as one frame was kept.");
  command.callback([options] {
    run_on(options->input,
           [&] { repair(options->input, options->output, thread_count(options->threads), options->limits); });
  });
}

}  // namespace gpz::tool
