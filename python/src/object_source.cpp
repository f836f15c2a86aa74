// SPDX-License-Identifier: BSD-3-Clause
#include "object_source.hpp"

#include <nanobind/ndarray.h>
#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "gpz/error.hpp"
#include "module.hpp"
#include "text.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace gpz::python {
namespace {

using InputBytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Calls of Python objects that run now, of all sources.
class RunningCalls {
 public:
  // Throws io_error when the interpreter ends.
  void begin(const std::string &name) {
    bool is_over = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_over = is_over_;
      if (!is_over) ++count_;
    }
    if (!is_over) return;
    hold_thread();
    throw Error(Status::io_error, "Python has ended", name);
  }
  void end() {
    bool is_over = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      --count_;
      is_over = is_over_;
    }
    changed_.notify_all();
    if (is_over) hold_thread();
  }
  // Allows no further calls, and waits for those that run.
  void finish() {
    std::unique_lock<std::mutex> lock(mutex_);
    is_over_ = true;
    ending_thread_ = std::this_thread::get_id();
    changed_.wait(lock, [&] { return count_ <= 0; });  // below 0: a call that forked ends in the child as well
  }

 private:
  // A thread of Python that returned now would ask for the GIL, and be ended inside C++, which aborts the program. It
  // waits for the end of the program instead.
  void hold_thread() const {
    if (std::this_thread::get_id() == ending_thread_ || PyGILState_GetThisThreadState() == nullptr) return;
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
  bool is_over_ = false;
  std::thread::id ending_thread_;  // does not change after is_over_
};

RunningCalls *calls = nullptr;  // never destroyed: threads may outlive static objects

RunningCalls &running_calls() {
  static const bool made = [] {
    calls = new RunningCalls;
    // The threads whose calls run do not exist in a forked child, and the lock may be theirs.
    ::pthread_atfork(nullptr, nullptr, [] { calls = new RunningCalls; });
    return true;
  }();
  static_cast<void>(made);
  return *calls;
}

class RunningCall {
 public:
  explicit RunningCall(const std::string &name) { running_calls().begin(name); }
  ~RunningCall() { running_calls().end(); }
  RunningCall(const RunningCall &) = delete;
  RunningCall &operator=(const RunningCall &) = delete;
};

void copy(const nb::handle &bytes, const Source::Piece &piece, const std::string &name) {
  InputBytes view;
  if (!nb::try_cast(bytes, view) || view.size() != piece.size)
    throw Error(Status::io_error, "read_ranges() returned other bytes than were asked for", name, piece.position);
  if (piece.size > 0) std::memcpy(piece.data, view.data(), piece.size);
}

}  // namespace

ObjectSource::ObjectSource(nb::object object)
    : object_(std::move(object)),
      name_(from_python(nb::cast<nb::str>(object_.attr("name")))),
      size_(nb::cast<std::uint64_t>(object_.attr("size"))) {}

ObjectSource::~ObjectSource() {
  try {
    const RunningCall running(name_);
    const nb::gil_scoped_acquire acquired;
    object_.reset();
  } catch (const Error &) {
    (void)object_.release();  // Python has ended
  }
}

void ObjectSource::read_pieces(const std::vector<Piece> &pieces) const {
  const RunningCall running(name_);
  const bool is_of_python = PyGILState_GetThisThreadState() != nullptr;
  const nb::gil_scoped_acquire acquired;
  try {
    read_with_gil(pieces);
  } catch (const nb::python_error &error) {
    // A thread of the library drops the exception, and may do so when Python has ended.
    if (!is_of_python) throw Error(Status::io_error, error.what(), name_);
    throw;
  }
}

void ObjectSource::read_with_gil(const std::vector<Piece> &pieces) const {
  nb::list ranges;
  for (const Piece &piece : pieces) ranges.append(nb::make_tuple(piece.position, piece.position + piece.size));
  const nb::object answers = object_.attr("read_ranges")(ranges);
  if (nb::len(answers) != pieces.size())
    throw Error(Status::io_error, "read_ranges() returned other ranges than were asked for", name_);
  for (std::size_t k = 0; k < pieces.size(); ++k) copy(answers[k], pieces[k], name_);
}

void bind_sources(nb::module_ &module) {
  nb::class_<SharedSource>(module, "Source")
      .def(
          "__init__",
          [](SharedSource *place, nb::object object, std::uint64_t memory) {
            CacheOptions options;
            options.memory = memory;
            new (place) SharedSource{
                std::make_shared<CachedSource>(std::make_shared<ObjectSource>(std::move(object)), options)};
          },
          "object"_a, "memory"_a)
      .def_prop_ro("counts",
                   [](const SharedSource &source) {
                     const CachedSource::Counts counts = source.cached->counts();
                     return nb::make_tuple(counts.requests, counts.ranges, counts.bytes);
                   })
      .def("forget", [](const SharedSource &source) { source.cached->forget(); });
  // Threads that call Python do not survive the end of the interpreter.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    const nb::gil_scoped_release released;
    running_calls().finish();
  }));
}

}  // namespace gpz::python
