// SPDX-License-Identifier: BSD-3-Clause
// The subcommands: each function adds one to the command line. Parsing the line runs it; failures are thrown as
// exceptions.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "encoding_options.hpp"
#include "exit_code.hpp"
#include "gpz/limits.hpp"
#include "out_of_memory.hpp"

namespace gpz::tool {

void add_decode(CLI::App &app);
void add_encode(CLI::App &app);
void add_cat(CLI::App &app);
void add_merge(CLI::App &app);
void add_select(CLI::App &app);
void add_info(CLI::App &app);
void add_verify(CLI::App &app);
void add_repair(CLI::App &app);
void add_bench(CLI::App &app);  // in tools/bench

// Of the project, as in "gpz 1.2.3".
extern const char *const program_version;

// --threads, with the meaning that 0 is resolved to the number of cores.
void add_threads_option(CLI::App &command, int &threads);
int thread_count(int threads);

// --key and --order.
void add_encoding_options(CLI::App &command, EncodingOptions &options);

// --effort. `default_text`: what is said of its absence.
void add_effort_option(CLI::App &command, std::optional<Effort> &effort, const std::string &default_text);
const char *effort_name(Effort effort);

// --max-memory: what reading a .gpz file may take.
void add_limits_option(CLI::App &command, Limits &limits);

// Runs a command on its input: what runs out of memory names the file.
template <typename Command>
void run_on(const std::string &input, Command command) {
  work_on(input == "-" ? "standard input" : input);
  command();
}

}  // namespace gpz::tool
