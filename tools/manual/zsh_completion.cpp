// SPDX-License-Identifier: BSD-3-Clause
// Completion for zsh, by its _arguments.
#include <fmt/format.h>

#include "pages.hpp"

namespace gpz::manual {
namespace {

// Inside of single quotes, and of a specification whose parts end with one of "[]:".
std::string zsh_quoted(const std::string &text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      out += fmt::format("\\{}", c);
    else
      out += c;
  }
  return out;
}

std::string zsh_action(const Option &option) {
  if (!option.choices.empty()) return fmt::format("({})", fmt::join(option.choices, " "));
  return option.file ? "_files" : " ";
}

// One name of an option is one specification, which excludes the other names.
std::string specifications(const Option &option) {
  if (option.positional()) return fmt::format(" \\\n        ':{}:{}'", zsh_quoted(option.value), zsh_action(option));
  std::string text;
  for (const std::string &name : option.names) {
    const bool is_long = name.rfind("--", 0) == 0;
    const std::string excluded = option.repeatable ? "*" : fmt::format("({})", fmt::join(option.names, " "));
    text += fmt::format(" \\\n        '{}{}", excluded, name);
    if (!option.value.empty()) text += is_long ? "=" : "+";
    text += fmt::format("[{}]", zsh_quoted(option.description));
    if (!option.value.empty())
      text += fmt::format("{}{}:{}", option.optional_value ? "::" : ":", zsh_quoted(option.value), zsh_action(option));
    text += "'";
  }
  return text;
}

}  // namespace

std::string zsh_completion(const CommandLine &line) {
  std::string names;
  std::string cases;
  for (const Command &command : line.commands) {
    names += fmt::format("    '{}:{}'\n", command.name, zsh_quoted(command.description));
    cases += fmt::format("    {})\n      _arguments -S", command.name);
    for (const Option &option : command.options) cases += specifications(option);
    cases += "\n      ;;\n";
  }
  std::string program;
  for (const Option &option : line.program.options) program += specifications(option);
  return fmt::format(R"(#compdef gpz

_gpz() {{
  local context state state_descr line
  typeset -A opt_args
  local -a commands=(
{}  )
  _arguments -C{} \
        ':command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument) _gpz_arguments ;;
  esac
}}

_gpz_arguments() {{
  case $words[1] in
{}  esac
}}

_gpz "$@"
)",
                     names, program, cases);
}

}  // namespace gpz::manual
