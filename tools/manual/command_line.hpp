// SPDX-License-Identifier: BSD-3-Clause
// The command line of gpz as data, from CLI11's description of it: what manual pages and completions are made of.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gpz::manual {

struct Option {
  std::vector<std::string> names;    // with their dashes, short ones first; of a positional argument: empty
  std::string value;                 // what stands for its value: FILE, UINT, IN, ...; of a flag: empty
  std::vector<std::string> choices;  // the only values it takes, if there are so few
  std::string range;                 // of a number: "1 to 5"; empty: not limited
  std::string fallback;              // value without the option, empty: none is noted
  std::string description;
  bool file = false;      // the value is the name of a file
  bool required = false;  // has to be given
  bool optional_value = false;
  bool repeatable = false;

  bool positional() const { return names.empty(); }
};

struct Command {
  std::string name;  // of the program: "gpz"; of a command: "encode"
  std::string description;
  std::string footer;
  std::vector<Option> options;
};

struct CommandLine {
  Command program;
  std::vector<Command> commands;
};

CommandLine describe(const CLI::App &app);

}  // namespace gpz::manual
