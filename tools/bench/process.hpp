// SPDX-License-Identifier: BSD-3-Clause
// Runs a command of the shell, and a folder for its files that is always removed.
#pragma once

#include <csignal>
#include <string>
#include <vector>

namespace gpz::bench {

// A new folder in the folder for temporary files ($TMPDIR, else /tmp). While one lives, a signal that asks to end (HUP,
// INT, TERM) does not end the process but makes run_shell() and stop_if_asked() throw Failure, so that destructors
// remove the folder. One at a time.
class ScratchFolder {
 public:
  // Throws Failure (io).
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;

  std::string file(const std::string &name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  std::vector<std::pair<int, struct sigaction>> before_;
};

// Throws Failure (other) if a signal asked to end.
void stop_if_asked();

// `sh -c command` with no input and both outputs in the file `log`, until it ends; returns the seconds that took.
// Throws Failure naming `name` if it cannot be started, ends with another status than 0, or by a signal, with the last
// line of its output.
double run_shell(const std::string &name, const std::string &command, const std::string &log);

}  // namespace gpz::bench
