// SPDX-License-Identifier: BSD-3-Clause
// Which programs a .gpz file went through, and what it was made of: the table `history` (docs/format.md, section 11a).
#pragma once

#include <string>
#include <vector>

#include "command_parser.hpp"
#include "gpz/reader.hpp"
#include "gpz/tables.hpp"

namespace gpz::tool {

// The words of this command, for the history. Folders are left out: they say where somebody works.
void remember_command(int argc, char **argv);

// --history
void add_history_option(Command &command, bool &history);

class History {
 public:
  // `asked`: also where no input has a history.
  explicit History(bool asked) : kept_(asked) {}

  // Takes over the history of an input, if it has one. A damaged one is left out.
  void take(const Reader &input);
  // An input of this command. Its digest is XXH3 of its bytes, 64 bits, as `xxhsum -H3` prints it; of a pipe there is
  // none.
  void add_input(const std::string &path);

  // Whether the new file gets a history.
  bool is_kept() const { return kept_; }
  // The earlier history, and this command.
  Table table() const;

 private:
  struct Step {
    std::string program, command, input, digest;
    bool operator==(const Step &other) const;
  };

  bool kept_;
  std::vector<Step> steps_;
  std::vector<std::string> inputs_;
};

// The rows of a history in lines for people, printable().
std::string history_text(const Table &history);

}  // namespace gpz::tool
