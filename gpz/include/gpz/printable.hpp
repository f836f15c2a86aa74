// SPDX-License-Identifier: BSD-3-Clause
// Names from files, for printing. Names of columns, elements and types, units and the other texts of a file are any
// bytes that its writer chose (docs/format.md, sections 1 and 3).
#pragma once

#include <string>

#include "gpz/export.h"

namespace gpz {

// The text as one line of UTF-8 without commands to a terminal. These bytes become \xHH: control characters, characters
// that change the direction of the text or end a line, and invalid UTF-8. All else is unchanged, including backslashes,
// because the result is for people. Texts of gpz::Error are printable already.
GPZ_API std::string printable(const std::string &text);

}  // namespace gpz
