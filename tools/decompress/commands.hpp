// SPDX-License-Identifier: BSD-3-Clause
// The subcommands: each function adds one to the command line. Parsing the line runs it; failures are thrown as
// exceptions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command_parser.hpp"
#include "encoding_options.hpp"
#include "exit_code.hpp"
#include "gpz/limits.hpp"
#include "out_of_memory.hpp"

namespace gpz::tool {

void add_annotate(CommandParser &parser);
void add_decode(CommandParser &parser);
void add_encode(CommandParser &parser);
void add_cat(CommandParser &parser);
void add_merge(CommandParser &parser);
void add_select(CommandParser &parser);
void add_info(CommandParser &parser);
void add_verify(CommandParser &parser);
void add_repair(CommandParser &parser);
void add_bench(CommandParser &parser);  // in tools/bench

// The version of the project, as in "gpz 1.2.3".
extern const char *const program_version;

// --threads, with the meaning that 0 is resolved to the number of cores.
void add_threads_option(Command &command, int &threads);
int thread_count(int threads);

// --key and --order.
// `chooses_key`: --key may be auto, and is so by default.
void add_encoding_options(Command &command, EncodingOptions &options, bool chooses_key = false);

// --effort. `default_text`: what is said of its absence.
void add_effort_option(Command &command, std::optional<Effort> &effort, const std::string &default_text);

// --max-memory: what reading a .gpz file may take.
void add_limits_option(Command &command, Limits &limits);

// Standard output, where reports go, is no file that the command reads. Throws as require_other_file.
void require_other_standard_output(const std::string &input);

// Runs a command on its input: what runs out of memory names the file.
template <typename Work>
void run_on(const std::string &input, Work work) {
  work_on(input == "-" ? "standard input" : input);
  require_other_standard_output(input);
  work();
}

}  // namespace gpz::tool
