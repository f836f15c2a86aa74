// SPDX-License-Identifier: BSD-3-Clause
#include "copying/report.hpp"

#include <fmt/format.h>

#include "counted.hpp"
#include "exit_code.hpp"
#include "output_file.hpp"

namespace gpz::tool {

void print_report(const std::string &output, bool as_json, const Json &json, const std::string &text) {
  if (output == "-") return;
  OutputFile console("-");
  console.write(as_json ? json.text() : text);
  console.commit();
}

std::string other_records_line(std::size_t count) {
  return count == 0 ? "" : fmt::format("  carried along: {}\n", counted(count, "other record"));
}

void check_report(const std::string &output, bool as_json) {
  if (as_json && output == "-")
    throw Failure(ExitCode::usage, "", "--json: the report and the file would both go to standard output");
}

}  // namespace gpz::tool
