// SPDX-License-Identifier: BSD-3-Clause
// The end of the interpreter. A thread of Python that asks for the GIL then is ended by Python inside C++, which aborts
// the program. Threads wait for the end of the program instead.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace gpz::python {

// A call of a Python object, from any thread. The interpreter waits for its end. Afterwards only the thread that ends
// the interpreter makes calls; threads of the library get an io_error.
class RunningCall {
 public:
  explicit RunningCall(const std::string &name);
  ~RunningCall();
  RunningCall(const RunningCall &) = delete;
  RunningCall &operator=(const RunningCall &) = delete;
};

// Releases the GIL, which the thread has. If the interpreter ends in the meantime, the thread does not come back.
class Released {
 public:
  Released();
  ~Released();
  Released(const Released &) = delete;
  Released &operator=(const Released &) = delete;

 private:
  PyThreadState *state_;
};

// Call once, when the module is made.
void watch_end_of_interpreter();

}  // namespace gpz::python
