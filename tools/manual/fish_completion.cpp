// SPDX-License-Identifier: BSD-3-Clause
// Completion for fish.
#include <fmt/format.h>

#include "pages.hpp"

namespace gpz::manual {
namespace {

std::string fish_quoted(const std::string &text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string line_of(const std::string &condition, const Option &option) {
  if (option.positional()) return "";
  std::string text = "complete -c gpz -n " + fish_quoted(condition);
  for (const std::string &name : option.names)
    text += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.choices.empty())
    text += fmt::format(" -x -a {}", fish_quoted(fmt::format("{}", fmt::join(option.choices, " "))));
  else if (option.file)
    text += option.optional_value ? " -F" : " -r -F";
  else if (!option.value.empty())
    text += " -x";
  return text + " -d " + fish_quoted(option.description) + "\n";
}

}  // namespace

std::string fish_completion(const CommandLine &line) {
  const std::string no_command = "__fish_use_subcommand";
  std::string text = "# fish completion for gpz\n";
  for (const Option &option : line.program.options) text += line_of(no_command, option);
  for (const Command &command : line.commands)
    text += fmt::format("complete -c gpz -n {} -f -a {} -d {}\n", fish_quoted(no_command), command.name,
                        fish_quoted(command.description));
  for (const Command &command : line.commands)
    for (const Option &option : command.options) text += line_of("__fish_seen_subcommand_from " + command.name, option);
  return text;
}

}  // namespace gpz::manual
