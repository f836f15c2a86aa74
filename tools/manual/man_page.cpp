// SPDX-License-Identifier: BSD-3-Clause
// Manual pages.
#include <fmt/format.h>

#include "gpz/version.h"
#include "pages.hpp"

namespace gpz::manual {
namespace {

// Text that roff prints as it is.
std::string roff(const std::string &text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'' || c == '`' || c == '^' || c == '~')
      out += fmt::format("\\({}", c == '\'' ? "aq" : c == '`' ? "ga" : c == '^' ? "ha" : "ti");
    else
      out += c;
  }
  // A dot at the start of a line is a request.
  return !out.empty() && out[0] == '.' ? "\\&" + out : out;
}

std::string bold(const std::string &text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string &text) { return "\\fI" + roff(text) + "\\fR"; }

std::string sentence(const std::string &text) {
  return text.empty() || text.back() == '.' ? roff(text) : roff(text) + ".";
}

std::string value_of(const Option &option) {
  if (option.choices.empty()) return italic(option.value);
  std::string text;
  for (const std::string &choice : option.choices) text += (text.empty() ? "" : "|") + bold(choice);
  return text;
}

// "-o, --output FILE"
std::string heading(const Option &option) {
  std::string text;
  for (const std::string &name : option.names) text += (text.empty() ? "" : ", ") + bold(name);
  if (option.value.empty()) return text;
  if (!text.empty()) text += ' ';
  return text + (option.optional_value ? "[" + value_of(option) + "]" : value_of(option));
}

std::string explanation(const Option &option) {
  std::string text = sentence(option.description);
  if (!option.range.empty()) text += "\nA number from " + roff(option.range) + ".";
  if (!option.fallback.empty()) text += "\nDefault: " + roff(option.fallback) + ".";
  if (option.repeatable && !option.positional()) text += "\nMay be given several times.";
  return text;
}

std::string header(const std::string &name, const std::string &description) {
  std::string upper = name;
  for (char &c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return fmt::format(".TH {} 1 \"\" \"gpz {}\" \"gpz\"\n.SH NAME\n{} \\- {}\n", upper, GPZ_VERSION_STRING, roff(name),
                     roff(description));
}

std::string options_section(const Command &command) {
  if (command.options.empty()) return "";
  std::string text = ".SH OPTIONS\n";
  for (const Option &option : command.options)
    text += fmt::format(".TP\n{}\n{}\n", heading(option), explanation(option));
  return text;
}

}  // namespace

std::string program_page(const CommandLine &line) {
  const Command &program = line.program;
  std::string page = header(program.name, program.description);
  page += fmt::format(".SH SYNOPSIS\n{0} {1} [{2}]\n.br\n{0} {3} | {4}\n", bold(program.name), italic("COMMAND"),
                      italic("ARGUMENTS"), bold("--help"), bold("--version"));
  page += ".SH COMMANDS\n";
  for (const Command &command : line.commands)
    page += fmt::format(".TP\n.BR {}\\-{} (1)\n{}\n", roff(program.name), roff(command.name),
                        sentence(command.description));
  page += options_section(program);
  return page + ".SH EXIT STATUS\n" + roff(program.footer) + "\n";
}

std::string command_page(const CommandLine &line, const Command &command) {
  std::string page = header(line.program.name + "-" + command.name, command.description);
  page += fmt::format(".SH SYNOPSIS\n{} {}", bold(line.program.name), bold(command.name));
  for (const Option &option : command.options)
    if (option.positional()) page += " " + italic(option.value);
  for (const Option &option : command.options)
    if (option.required && !option.positional())
      page += fmt::format(" {} {}", bold(option.names.front()), value_of(option));
  page += fmt::format(" [{}]\n", italic("OPTIONS"));
  page += fmt::format(".SH DESCRIPTION\n{}\n", sentence(command.description));
  // CLI11 gives a command without a footer that of the program.
  if (!command.footer.empty() && command.footer != line.program.footer) page += ".PP\n" + roff(command.footer) + "\n";
  page += options_section(command);
  return page + fmt::format(".SH SEE ALSO\n.BR {} (1)\nhas the exit status.\n", roff(line.program.name));
}

}  // namespace gpz::manual
