// SPDX-License-Identifier: BSD-3-Clause
// Text made by many threads, written in the order it was asked for.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "output_file.hpp"

namespace gpz::tool {

class OrderedOutput {
 public:
  // Appends its text to the string; runs in any thread.
  using Job = std::function<void(std::string &)>;

  // With one thread, or if the system has no other, jobs run in submit().
  OrderedOutput(OutputFile &out, int threads);
  ~OrderedOutput();

  // Writes go through the calling thread, and so do the exceptions of jobs. Waits while too many jobs are under way.
  void submit(Job job);
  // Writes what is under way.
  void finish();

 private:
  struct Slot {
    Job job;
    std::string text;
    std::exception_ptr error;
    bool taken = false;
    bool done = false;
  };

  void work();
  void write_first();

  OutputFile &out_;
  std::size_t window_;
  std::string inline_text_;
  std::mutex mutex_;
  std::condition_variable work_ready_, text_ready_;
  std::deque<std::unique_ptr<Slot>> slots_;  // in output order
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace gpz::tool
