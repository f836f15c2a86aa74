// SPDX-License-Identifier: BSD-3-Clause
#include "interpreter.hpp"

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "gpz/error.hpp"

namespace nb = nanobind;

namespace gpz::python {
namespace {

// Threads that are in a call of a Python object, or take the GIL to return to Python.
class PythonThreads {
 public:
  // Throws io_error in threads of the library when the interpreter ends.
  void begin_call(const std::string &name) {
    if (begin()) return;
    hold_thread();
    if (!ends_the_interpreter()) throw Error(Status::io_error, "Python has ended", name);
    begin_at_the_end();
  }
  void end_call() {
    if (end()) hold_thread();
  }
  // Call without the GIL.
  void begin_return() {
    if (begin()) return;
    hold_thread();
    begin_at_the_end();
  }
  void end_return() { end(); }
  // Lets no further threads in, and waits for those that are in.
  void finish() {
    std::unique_lock<std::mutex> lock(mutex_);
    is_over_ = true;
    ending_thread_ = std::this_thread::get_id();
    changed_.wait(lock, [&] { return count_ <= 0; });  // below 0: a call that forked ends in the child as well
  }

 private:
  bool begin() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!is_over_) ++count_;
    return !is_over_;
  }
  // The thread that ends the interpreter still closes objects.
  void begin_at_the_end() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++count_;
  }
  bool ends_the_interpreter() const { return std::this_thread::get_id() == ending_thread_; }
  // Returns whether the interpreter has ended.
  bool end() {
    bool is_over = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      --count_;
      is_over = is_over_;
    }
    changed_.notify_all();
    return is_over;
  }
  // A thread of Python waits here for the end of the program. Others, and the one that ends the interpreter, go on.
  void hold_thread() const {
    if (ends_the_interpreter() || PyGILState_GetThisThreadState() == nullptr) return;
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
  bool is_over_ = false;
  std::thread::id ending_thread_;  // does not change after is_over_
};

PythonThreads *all_threads = nullptr;  // never destroyed: threads may outlive static objects

PythonThreads &python_threads() {
  static const bool made = [] {
    all_threads = new PythonThreads;
    // The threads whose calls run do not exist in a forked child, and the lock may be theirs.
    ::pthread_atfork(nullptr, nullptr, [] { all_threads = new PythonThreads; });
    return true;
  }();
  static_cast<void>(made);
  return *all_threads;
}

}  // namespace

RunningCall::RunningCall(const std::string &name) { python_threads().begin_call(name); }
RunningCall::~RunningCall() { python_threads().end_call(); }

Released::Released() : state_(PyEval_SaveThread()) {}
Released::~Released() {
  python_threads().begin_return();
  PyEval_RestoreThread(state_);
  python_threads().end_return();
}

void watch_end_of_interpreter() {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    const nb::gil_scoped_release released;
    python_threads().finish();
  }));
}

}  // namespace gpz::python
