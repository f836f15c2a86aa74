// SPDX-License-Identifier: BSD-3-Clause
#include "command_parser.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <sstream>

namespace gpz::tool {

Option &Option::required() {
  option_->required();
  return *this;
}

Option &Option::type_name(const std::string &name) {
  option_->type_name(name);
  return *this;
}

Option &Option::one_of(const std::vector<std::string> &choices) {
  option_->check(CLI::IsMember(choices));
  return *this;
}

Option &Option::range(int first, int last) {
  option_->check(CLI::Range(first, last));
  return *this;
}

Option &Option::range(unsigned first, unsigned last) {
  option_->check(CLI::Range(first, last));
  return *this;
}

Option &Option::range(std::uint64_t first, std::uint64_t last) {
  option_->check(CLI::Range(first, last));
  return *this;
}

Option &Option::range(double first, double last) {
  option_->check(CLI::Range(first, last));
  return *this;
}

Option &Option::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Option &Option::comma_separated() {
  option_->delimiter(',')->allow_extra_args(false);
  return *this;
}

Option &Option::one_value_each() {
  option_->allow_extra_args(false);
  return *this;
}

Option &Option::values(int fewest, int most) {
  option_->expected(fewest, most);
  return *this;
}

Option &Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Option &Option::show_default(const std::string &text) {
  option_->default_str(text);
  return *this;
}

Option &Option::needs(const Option &other) {
  option_->needs(other.option_);
  return *this;
}

bool Option::given() const { return option_->count() > 0; }

template <typename Value>
Option Command::option(const std::string &names, Value &value, const std::string &description) {
  return Option(*app_->add_option(names, value, description));
}

template Option Command::option(const std::string &, std::string &, const std::string &);
template Option Command::option(const std::string &, int &, const std::string &);
template Option Command::option(const std::string &, unsigned &, const std::string &);
template Option Command::option(const std::string &, std::uint64_t &, const std::string &);
template Option Command::option(const std::string &, double &, const std::string &);
template Option Command::option(const std::string &, std::optional<int> &, const std::string &);
template Option Command::option(const std::string &, std::optional<double> &, const std::string &);
template Option Command::option(const std::string &, std::vector<std::string> &, const std::string &);
template Option Command::option(const std::string &, std::vector<double> &, const std::string &);

Option Command::parsed_option(const std::string &name, const std::function<void(const std::string &)> &take,
                              const std::string &description) {
  return Option(*app_->add_option_function<std::string>(
      name,
      [name, take](const std::string &text) {
        try {
          take(text);
        } catch (const UsageError &error) {
          throw CLI::ValidationError(name, error.what());
        }
      },
      description));
}

Option Command::flag(const std::string &names, bool &value, const std::string &description) {
  return Option(*app_->add_flag(names, value, description));
}

void Command::footer(const std::string &text) { app_->footer(text); }

void Command::no_help() { app_->set_help_flag(); }

void Command::callback(const std::function<void()> &work) { app_->callback(work); }

std::vector<Command::Setting> Command::settings() const {
  std::vector<Setting> settings;
  for (const CLI::Option *const option : app_->get_options()) {
    const bool given = option->count() > 0;
    settings.push_back(
        {option->get_name(), given, given ? option->results() : std::vector<std::string>{option->get_default_str()}});
  }
  return settings;
}

CommandParser::CommandParser(const std::string &description, const std::string &name)
    : app_(std::make_unique<CLI::App>(description, name)) {}

CommandParser::~CommandParser() = default;

Command CommandParser::program() const { return Command(*app_); }

void CommandParser::name(const std::string &program) { app_->name(program); }

Command CommandParser::command(const std::string &name, const std::string &description) {
  return Command(*app_->add_subcommand(name, description));
}

bool CommandParser::has_command(const std::string &name) const {
  return !app_->get_subcommands([&](const CLI::App *command) { return command->get_name() == name; }).empty();
}

void CommandParser::require_command() { app_->require_subcommand(1); }

void CommandParser::version(const std::string &text) { app_->set_version_flag("--version", text); }

namespace {

// Insertions, deletions and replacements of a character that turn one word into the other.
std::size_t distance(const std::string &a, const std::string &b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

// The first word that no option takes, and what was perhaps meant by it.
std::string surplus_text(const CLI::App &app) {
  const std::vector<std::string> words = app.remaining(true);
  if (words.empty()) return "an argument too many";
  const std::string word = words[0].substr(0, words[0].find('='));
  if (word.rfind("--", 0) != 0) return "an argument too many: " + word;
  constexpr std::size_t most_typos = 2;
  std::string best;
  std::size_t best_distance = most_typos + 1;
  for (const CLI::App *const command : app.get_subcommands())
    for (const CLI::Option *const option : command->get_options())
      for (const std::string &name : option->get_lnames()) {
        const bool begins_so = ("--" + name).rfind(word, 0) == 0;
        const std::size_t away = begins_so ? 0 : distance(word, "--" + name);
        if (away >= best_distance) continue;
        best = "--" + name;
        best_distance = away;
      }
  return "no option " + word + (best.empty() ? "" : "; perhaps " + best + " was meant");
}

}  // namespace

std::string CommandParser::parse(int argc, const char *const *argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ExtrasError &) {
    throw UsageError(surplus_text(*app_));
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success)) {
      std::string reason = error.what();
      std::replace(reason.begin(), reason.end(), '\n', ' ');
      throw UsageError(reason);
    }
    std::ostringstream text;
    text.exceptions(std::ios::badbit);  // rather than a part of it where memory ends
    app_->exit(error, text, text);
    return text.str();
  }
  return "";
}

std::optional<int> parse_or_report(CommandParser &parser, int argc, const char *const *argv) {
  try {
    const std::string text = parser.parse(argc, argv);
    if (text.empty()) return std::nullopt;
    std::fputs(text.c_str(), stdout);
    return 0;
  } catch (const UsageError &error) {
    std::fprintf(stderr, "%s: %s (--help explains)\n", argv[0], error.what());
    return 2;
  }
}

}  // namespace gpz::tool
