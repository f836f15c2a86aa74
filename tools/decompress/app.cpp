// SPDX-License-Identifier: BSD-3-Clause
#include "app.hpp"

#include <fmt/format.h>

#include <string>

#include "commands.hpp"
#include "exit_code.hpp"
#include "external.hpp"
#include "gpz/version.h"
#include "history.hpp"
#include "output_file.hpp"

namespace gpz::tool {

std::unique_ptr<CommandParser> make_parser() {
  auto parser = std::make_unique<CommandParser>("Error-bounded compressed particle trajectories (.gpz)", "gpz");
  parser->version(fmt::format("{} (format {})", program_version, GPZ_FORMAT_VERSION));
  parser->require_command();
  parser->program().footer(std::string(exit_code_help));
  add_decode(*parser);
  add_encode(*parser);
  add_cat(*parser);
  add_merge(*parser);
  add_select(*parser);
  add_info(*parser);
  add_verify(*parser);
  add_repair(*parser);
  add_annotate(*parser);
  add_bench(*parser);
  add_external_commands(*parser);
  return parser;
}

void run(int argc, char **argv) {
  const std::unique_ptr<CommandParser> parser = make_parser();
  if (argc < 2) throw Failure(ExitCode::usage, "", "no command (gpz --help lists them)");
  const std::string first = argv[1];
  if (first[0] != '-' && is_external(*parser, first)) run_external(first, argv);
  remember_command(argc, argv);
  std::string text;
  try {
    text = parser->parse(argc, argv);
  } catch (const UsageError &error) {
    throw Failure(ExitCode::usage, "",
                  first[0] == '-' ? fmt::format("{} (gpz --help explains)", error.what())
                                  : fmt::format("{0}: {1} (gpz {0} --help explains)", first, error.what()));
  }
  if (text.empty()) return;
  OutputFile out("-");
  out.write(text);
  out.commit();
}

}  // namespace gpz::tool
