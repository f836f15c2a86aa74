// SPDX-License-Identifier: BSD-3-Clause
// The .gpz files that a command puts together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "copying/whole_output.hpp"
#include "gpz/limits.hpp"
#include "gpz/reader.hpp"
#include "gpz_file.hpp"

namespace gpz::tool {

struct JoinedInput {
  JoinedInput(const std::string &path, const Limits &limits) : name(path), reader(open_reader(path, limits)) {}

  std::string name;
  Reader reader;
};
using JoinedInputs = std::vector<std::unique_ptr<JoinedInput>>;

// Opens the files. Throws Failure: usage for a pipe, for an input that is the output as well, and for files whose
// metadata do not fit together; corrupt for a file with unreadable bytes between its frames. A file with a torn end
// counts with its complete frames; a line on standard error says so. `verb` is the name of the command.
JoinedInputs open_inputs(const std::vector<std::string> &paths, const std::string &output, const char *verb,
                         const Limits &limits);

// The metadata that all files share.
Metadata metadata_of(const JoinedInputs &inputs);

// The history of the new file, where it was asked for or an input has one.
void write_history(const JoinedInputs &inputs, bool asked, WholeOutput &out);

}  // namespace gpz::tool
