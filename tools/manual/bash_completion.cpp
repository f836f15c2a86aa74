// SPDX-License-Identifier: BSD-3-Clause
// Completion for bash. Needs nothing of the package bash-completion.
#include <fmt/format.h>

#include "pages.hpp"

namespace gpz::manual {
namespace {

std::string names_of(const Command &command) {
  std::string text;
  for (const Option &option : command.options)
    for (const std::string &name : option.names) text += (text.empty() ? "" : " ") + name;
  return text;
}

std::string bash_action(const Option &option) {
  if (!option.choices.empty()) return fmt::format("_gpz_words '{}'", fmt::join(option.choices, " "));
  return option.file ? "_gpz_files" : ":";
}

// The cases of a command: what follows an option that takes a value, and otherwise its options and files.
std::string cases(const Command &command) {
  std::string text = fmt::format("    {})\n      case $previous in\n", command.name);
  for (const Option &option : command.options)
    if (!option.positional() && !option.value.empty())
      text += fmt::format("        {}) {} ;;\n", fmt::join(option.names, "|"), bash_action(option));
  return text + fmt::format("        *) _gpz_options '{}' ;;\n      esac\n      ;;\n", names_of(command));
}

}  // namespace

std::string bash_completion(const CommandLine &line) {
  std::string names;
  std::string commands;
  for (const Command &command : line.commands) {
    names += (names.empty() ? "" : " ") + command.name;
    commands += cases(command);
  }
  return R"(# bash completion for gpz

_gpz_offer() {
  local words
  words=$(compgen "$@" -- "$current") && mapfile -t COMPREPLY <<<"$words"
}

_gpz_words() { _gpz_offer -W "$1"; }

_gpz_files() {
  compopt -o filenames 2>/dev/null
  _gpz_offer -f
}

_gpz_options() {
  if [[ $current == -* ]]; then _gpz_words "$1"; else _gpz_files; fi
}

_gpz() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= i
  COMPREPLY=()
  # --option=value comes as three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then
      command=${COMP_WORDS[i]}
      break
    fi
  done
  case $command in
)" + fmt::format("    '') _gpz_words '{} {}' ;;\n", names, names_of(line.program)) +
         commands + R"(  esac
}

complete -F _gpz gpz
)";
}

}  // namespace gpz::manual
