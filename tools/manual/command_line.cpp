// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace gpz::manual {
namespace {

// On one line.
std::string joined(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// The text between the first `begin` and the next `end`.
std::optional<std::string> between(const std::string &text, std::string_view begin, std::string_view end) {
  std::size_t first = text.find(begin);
  if (first == text.npos) return {};
  first += begin.size();
  const std::size_t last = text.find(end, first);
  if (last == text.npos) return {};
  return text.substr(first, last - first);
}

// CLI11 has the checks of an option only as words after its type: "TEXT:{place,id}", "UINT:UINT in [1 - 9]".
void read_type(const std::string &type, Option &option) {
  if (const auto members = between(type, ":{", "}")) {
    option.choices = CLI::detail::split(*members, ',');
  } else if (const auto least = between(type, "in [", " - "), most = between(type, " - ", "]"); least && most) {
    option.range = *least + " to " + *most;
  }
  option.value = type.substr(0, type.find_first_of(": "));
  option.file = option.value == "FILE";
}

Option describe(const CLI::Option &from) {
  Option option;
  for (const std::string &name : from.get_snames()) option.names.push_back("-" + name);
  for (const std::string &name : from.get_lnames()) option.names.push_back("--" + name);
  if (from.get_items_expected_max() > 0) read_type(from.get_type_name(), option);
  if (option.positional()) option.value = from.get_name(true, false);
  option.fallback = from.get_default_str();
  option.description = joined(from.get_description());
  option.required = from.get_required();
  option.optional_value = !option.value.empty() && from.get_items_expected_min() == 0;
  option.repeatable = from.get_items_expected_max() >= CLI::detail::expected_max_vector_size;
  return option;
}

Command describe_command(const CLI::App &app) {
  Command command;
  command.name = app.get_name();
  command.description = joined(app.get_description());
  command.footer = joined(app.get_footer());
  for (const CLI::Option *option : app.get_options()) command.options.push_back(describe(*option));
  // As users write them: -o FILE before IN would read as well, but examples have IN first.
  std::stable_partition(command.options.begin(), command.options.end(),
                        [](const Option &option) { return option.positional(); });
  return command;
}

}  // namespace

CommandLine describe(const CLI::App &app) {
  CommandLine line;
  line.program = describe_command(app);
  for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; }))
    line.commands.push_back(describe_command(*command));
  return line;
}

}  // namespace gpz::manual
