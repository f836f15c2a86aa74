// SPDX-License-Identifier: BSD-3-Clause
// Commands and their options. CLI11 reads them; only command_parser.cpp includes it, because its headers take ten
// seconds to compile in each file that does.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gpz::tool {

// A line that cannot be parsed, or a value that an option refuses.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An option of a command. Valid as long as its CommandParser.
class Option {
 public:
  explicit Option(CLI::Option &option) : option_(&option) {}

  Option &required();
  Option &type_name(const std::string &name);  // in the help: FILE
  Option &one_of(const std::vector<std::string> &choices);
  Option &range(int first, int last);
  Option &range(unsigned first, unsigned last);
  Option &range(std::uint64_t first, std::uint64_t last);
  Option &range(double first, double last);
  Option &positive();
  Option &comma_separated();             // one argument with several values
  Option &one_value_each();              // given several times, with one value each
  Option &values(int fewest, int most);  // so many arguments
  Option &show_default();                // the help has the value of the variable
  Option &show_default(const std::string &text);
  Option &needs(const Option &other);
  bool given() const;

 private:
  CLI::Option *option_;
};

// A command, or the program itself. Valid as long as its CommandParser.
class Command {
 public:
  explicit Command(CLI::App &app) : app_(&app) {}

  // An option whose value is stored in `value`, or a positional argument if `names` has no dash. For std::string, int,
  // unsigned, std::uint64_t, double, std::optional of int and double, std::vector of std::string and double.
  template <typename Value>
  Option option(const std::string &names, Value &value, const std::string &description);
  // An option whose text is passed to `take`, which refuses it by a UsageError.
  Option parsed_option(const std::string &name, const std::function<void(const std::string &)> &take,
                       const std::string &description);
  Option flag(const std::string &names, bool &value, const std::string &description);
  void footer(const std::string &text);
  void no_help();
  // Called when the line has been parsed and has this command.
  void callback(const std::function<void()> &work);

  struct Setting {
    std::string name;
    bool given;                       // on the line
    std::vector<std::string> values;  // else the default that the help shows
  };
  // All options, in the order in which they were added.
  std::vector<Setting> settings() const;

 private:
  CLI::App *app_;
};

class CommandParser {
 public:
  explicit CommandParser(const std::string &description, const std::string &name = "");
  CommandParser(const CommandParser &) = delete;
  CommandParser &operator=(const CommandParser &) = delete;
  ~CommandParser();

  Command program() const;  // its own options
  void name(const std::string &program);
  Command command(const std::string &name, const std::string &description);
  bool has_command(const std::string &name) const;
  void require_command();
  void version(const std::string &text);  // of --version

  // Parses the line and runs its command. Returns the text of --help or --version, if the line asks for one. Throws
  // UsageError.
  std::string parse(int argc, const char *const *argv);

  // For what describes the options: manual pages.
  const CLI::App &app() const { return *app_; }

 private:
  std::unique_ptr<CLI::App> app_;
};

// For programs without commands: parses the line, and prints the help if it is asked for, or what is wrong. Returns the
// exit code with which the program has to end then: 0 or 2.
std::optional<int> parse_or_report(CommandParser &parser, int argc, const char *const *argv);

}  // namespace gpz::tool
