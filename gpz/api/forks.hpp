// SPDX-License-Identifier: BSD-3-Clause
// Detects that this process was forked from the one that started a thread: a child process does not have the thread,
// and locks that the thread held stay locked.
#pragma once

namespace gpz::api {

// Increases in the child process with every fork after the first call.
unsigned long fork_generation();

}  // namespace gpz::api
