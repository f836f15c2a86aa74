// SPDX-License-Identifier: BSD-3-Clause
// Names from files, on a terminal. Names of columns, elements and types, units and the other texts of a file are any
// bytes that its writer chose (docs/format.md, sections 1 and 3).
#pragma once

#include <string>

#include "gpz/export.h"

namespace gpz {

// The text as one line of UTF-8 that no terminal takes for a command: each byte of a control character, of a character
// that changes the direction of the text or ends a line, and of what is no UTF-8 becomes \xHH. All else stays as it is,
// backslashes too: the result is for people. Texts of gpz::Error have been treated so.
GPZ_API std::string printable(const std::string &text);

}  // namespace gpz
