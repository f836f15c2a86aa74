// SPDX-License-Identifier: BSD-3-Clause
#include "copying/inputs.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include "copying/fit.hpp"
#include "counted.hpp"
#include "exit_code.hpp"
#include "frame_input.hpp"
#include "gpz/continuation.hpp"
#include "history.hpp"
#include "out_of_memory.hpp"
#include "output_file.hpp"

namespace gpz::tool {
namespace {

// As many files as the system allows: a run may have written one for each of its processes.
void allow_many_files() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);  // without success, opening says what is wrong
}

void note_state(const JoinedInput &input) {
  const FileScan &scan = input.reader.scan();
  if (scan.damaged)
    throw Failure(ExitCode::corrupt, input.name,
                  "damaged: unreadable bytes between complete frames (gpz repair makes a file of those)");
  if (scan.torn && !only_index_damaged(scan, input.name))
    print_note(printable(fmt::format("{}: torn: {} after {} left out", input.name,
                                     counted(scan.file_size - scan.frames_end, "byte"),
                                     counted(scan.frames.size(), "complete frame"))));
}

}  // namespace

JoinedInputs open_inputs(const std::vector<std::string> &paths, const std::string &output, const char *verb,
                         const Limits &limits) {
  allow_many_files();
  JoinedInputs inputs;
  for (const std::string &path : paths) {
    work_on(path);
    if (path == "-") throw Failure(ExitCode::usage, "standard input", std::string(verb) + " needs files, not a pipe");
    for (const std::string &written : {output, std::string("-")}) require_other_file(written, {path});
    inputs.push_back(std::make_unique<JoinedInput>(path, limits));
    note_state(*inputs.back());
    const Reader &first = inputs.front()->reader;
    const Reader &last = inputs.back()->reader;
    Metadata given = last.metadata();
    // Frames with times of their own need no timestep.
    if (all_have_times(first.scan()) && all_have_times(last.scan())) given.timestep_size = 0;
    if (const auto found = difference(first.metadata(), given))
      throw Failure(
          ExitCode::usage, path,
          fmt::format("does not fit {}: {} {} and {}", inputs.front()->name, found->item, found->first, found->second));
  }
  return inputs;
}

Metadata metadata_of(const JoinedInputs &inputs) {
  Metadata metadata = inputs.front()->reader.metadata();
  for (const auto &input : inputs) metadata = joined(std::move(metadata), input->reader.metadata());
  return metadata;
}

void write_history(const JoinedInputs &inputs, bool asked, WholeOutput &out) {
  History history(asked);
  for (const auto &input : inputs) {
    history.take(input->reader);
    history.add_input(input->name);
  }
  if (history.is_kept()) out.write(history.table());
}

}  // namespace gpz::tool
