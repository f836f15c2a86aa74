#include "app.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "exit_code.hpp"
#include "gpz/version.h"

namespace gpz::tool {

std::unique_ptr<CLI::App> make_app() {
  auto app = std::make_unique<CLI::App>("Error-bounded compressed particle trajectories (.gpz)", "gpz");
  app->set_version_flag("--version", fmt::format("{} (format {})", program_version, GPZ_FORMAT_VERSION));
  app->require_subcommand(1);
  app->footer(std::string(exit_code_help));
  add_decode(*app);
  add_encode(*app);
  add_info(*app);
  add_verify(*app);
  add_repair(*app);
  add_bench(*app);
  return app;
}

}  // namespace gpz::tool
