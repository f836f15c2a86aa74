// SPDX-License-Identifier: BSD-3-Clause
#include "app.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "commands.hpp"
#include "exit_code.hpp"
#include "external.hpp"
#include "gpz/version.h"
#include "output_file.hpp"

namespace gpz::tool {

std::unique_ptr<CLI::App> make_app() {
  auto app = std::make_unique<CLI::App>("Error-bounded compressed particle trajectories (.gpz)", "gpz");
  app->set_version_flag("--version", fmt::format("{} (format {})", program_version, GPZ_FORMAT_VERSION));
  app->require_subcommand(1);
  app->footer(std::string(exit_code_help));
  add_decode(*app);
  add_encode(*app);
  add_cat(*app);
  add_merge(*app);
  add_select(*app);
  add_info(*app);
  add_verify(*app);
  add_repair(*app);
  add_bench(*app);
  add_external_commands(*app);
  return app;
}

void run(int argc, char **argv) {
  const std::unique_ptr<CLI::App> app = make_app();
  if (argc < 2) throw Failure(ExitCode::usage, "", "no command (gpz --help lists them)");
  const std::string first = argv[1];
  if (first[0] != '-' && is_external(*app, first)) run_external(first, argv);
  try {
    app->parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success)) {
      std::string reason = error.what();
      std::replace(reason.begin(), reason.end(), '\n', ' ');
      throw Failure(ExitCode::usage, "",
                    first[0] == '-' ? fmt::format("{} (gpz --help explains)", reason)
                                    : fmt::format("{0}: {1} (gpz {0} --help explains)", first, reason));
    }
    std::ostringstream text;
    text.exceptions(std::ios::badbit);  // rather than a part of it where memory ends
    app->exit(error, text, text);
    OutputFile out("-");
    out.write(text.str());
    out.commit();
  }
}

}  // namespace gpz::tool
