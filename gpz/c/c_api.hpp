// SPDX-License-Identifier: BSD-3-Clause
// Shared by all parts of the C API (this folder, and cuda/host/c_api.cpp): the exception barrier with the message of
// the last error, and the C descriptions of frames and fields as those of the C++ API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gpz/error.hpp"
#include "gpz/frame.hpp"
#include "gpz/gpz.h"
#include "gpz/limits.hpp"
#include "gpz/writer.hpp"

namespace gpz::c {
class Image;
}  // namespace gpz::c

struct gpz_writer {
  explicit gpz_writer(gpz::Writer to, gpz::c::Image *in = nullptr) : writer(std::move(to)), image(in) {}

  gpz::Writer writer;
  gpz::c::Image *image;  // sink of a writer to memory, owned by `writer`; otherwise nullptr
};

namespace gpz::c {

// Stores `message` for gpz_last_error() of this thread. Exported for libgpz_cuda.so, so that both libraries share one
// message.
GPZ_API gpz_status failed(Status status, const char *message) noexcept;

// Calls f() and turns every exception into a status.
template <class F>
gpz_status guarded(F &&f) noexcept {
  try {
    f();
    return GPZ_OK;
  } catch (const Error &error) {
    return failed(error.status(), error.what());
  } catch (const std::bad_alloc &) {
    return failed(Status::out_of_memory, "out of memory");
  } catch (const std::length_error &) {
    return failed(Status::out_of_memory, "out of memory");
  } catch (const std::exception &error) {
    return failed(Status::internal, error.what());
  } catch (...) {
    return failed(Status::internal, "unknown exception");
  }
}

// Throws invalid_argument unless the condition holds. Inline, so that static analysis knows the condition afterwards.
inline void require(bool condition, const char *cause) {
  if (!condition) throw Error(Status::invalid_argument, cause);
}

// As above; the message also states the given value: "threads is a number from 0 (all cores) up, not -1".
inline void require(bool condition, const char *cause, long long given) {
  if (!condition) throw Error(Status::invalid_argument, cause + (", not " + std::to_string(given)));
}

// The object of a caller. Throws invalid_argument for a null pointer.
template <class Object>
Object &opened(Object *object, const char *name) {
  if (object == nullptr) throw Error(Status::invalid_argument, std::string(name) + " is a null pointer");
  return *object;
}
// There is no object until the call succeeds.
template <class Object>
void start(Object **object, const char *name) {
  opened(object, name) = nullptr;
}

inline void require_order(int order) {
  require(order >= GPZ_ORDER_PLACE && order <= GPZ_ORDER_AUTO,
          "order is GPZ_ORDER_PLACE (0), GPZ_ORDER_ID (1), GPZ_ORDER_MEMORY (2) or GPZ_ORDER_AUTO (3)", order);
}
inline void require_effort(int effort) {
  require(effort >= GPZ_EFFORT_FAST && effort <= GPZ_EFFORT_DENSE,
          "effort is GPZ_EFFORT_FAST (0), GPZ_EFFORT_STANDARD (1) or GPZ_EFFORT_DENSE (2)", effort);
}

// Splits a text into words at blanks.
std::vector<std::string> words_of(const char *names);

// Convert enumerations; throw invalid_argument for a number outside the enumeration. value_type: the type that a file
// stores for a type of arrays. Arguments are references, because an invalid number must not be copied as an
// enumeration.
ConstArray::Type array_type(const gpz_type &type);
ValueType value_type(const gpz_type &type);

// The caller's fields, from any version of gpz.h.
std::vector<gpz_field> taken_fields(const gpz_field *fields, std::size_t count);

// Fields without bounds, for field_inputs() of host arrays and its counterpart for device arrays. Throws
// invalid_argument (names, data, stride, numbers outside their enumeration).
std::vector<FieldInput> unbounded_inputs(const std::vector<gpz_field> &fields, std::uint64_t particles);

// The given bound of a field; 0: lossless. Throws invalid_argument if it is not a valid bound.
double given_bound(const gpz_field &field);

// Throw invalid_argument.
FrameInfo frame_info(const gpz_frame *frame);
Metadata metadata_of(const gpz_metadata *metadata);  // NULL: no metadata
void check_threads(int threads);

struct ReadChoice {
  int threads = 1;
  Limits limits;
};
// Throws invalid_argument.
ReadChoice read_choice(const gpz_read_options *options);

}  // namespace gpz::c
