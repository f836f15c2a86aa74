// SPDX-License-Identifier: BSD-3-Clause
// The report of a command that has put a file together.
#pragma once

#include <string>

#include "json.hpp"

namespace gpz::tool {

// Says it on standard output, unless the file itself went there. With `as_json`, `json` is said, otherwise `text`.
// Throws Failure (io).
void print_report(const std::string &output, bool as_json, const Json &json, const std::string &text);

// Throws Failure (usage) if the report and the file would both go to standard output. The part of a report about other
// records: empty if there are none.
std::string other_records_line(std::size_t count);

void check_report(const std::string &output, bool as_json);

}  // namespace gpz::tool
