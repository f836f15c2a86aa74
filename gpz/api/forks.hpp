// SPDX-License-Identifier: BSD-3-Clause
// Whether this process is a fork of the one that started a thread: the child does not have the thread, and what the
// thread had locked stays locked.
#pragma once

namespace gpz::api {

// Increases in a child process with every fork. Calls before the fork make it so.
unsigned long fork_generation();

}  // namespace gpz::api
