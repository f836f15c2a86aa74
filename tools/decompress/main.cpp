// The gpz command.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <sstream>

#include "app.hpp"
#include "exit_code.hpp"
#include "output_file.hpp"

namespace gpz::tool {

namespace {

int fail(const Failure &failure) {
  std::string line = failure.what();
  std::replace(line.begin(), line.end(), '\n', ' ');
  fmt::print(stderr, "gpz: {}\n", line);
  return static_cast<int>(failure.code());
}

int run(int argc, char **argv) {
  const std::unique_ptr<CLI::App> app = make_app();
  if (argc < 2) throw Failure(ExitCode::usage, "", "no command (gpz --help lists them)");
  const std::string first = argv[1];
  if (first[0] != '-' && app->get_subcommands([&](CLI::App *c) { return c->get_name() == first; }).empty())
    throw Failure(ExitCode::usage, "", fmt::format("no command '{}' (gpz --help lists them)", first));
  try {
    app->parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success))
      throw Failure(ExitCode::usage, "",
                    first[0] == '-' ? fmt::format("{} (gpz --help explains)", error.what())
                                    : fmt::format("{0}: {1} (gpz {0} --help explains)", first, error.what()));
    std::ostringstream text;
    app->exit(error, text, text);
    OutputFile out("-");
    out.write(text.str());
    out.commit();
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace
}  // namespace gpz::tool

int main(int argc, char **argv) {
  // A closed pipe is an error of write(), reported like every other.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return gpz::tool::run(argc, argv);
  } catch (const std::exception &error) {
    return gpz::tool::fail(gpz::tool::to_failure(error));
  }
}
