// SPDX-License-Identifier: BSD-3-Clause
// The message of the last error, shared by the C APIs of gpz and gpz::cuda. Only one library defines it.
#include <cstdio>

#include "gpz/c/c_api.hpp"
#include "gpz/c/structures.hpp"

namespace {

// Not a std::string: storing a message must not fail.
thread_local char last_error[1024] = "";

}  // namespace

extern "C" {

const char *gpz_status_text(gpz_status status) {
  return gpz::to_string(static_cast<gpz::Status>(gpz::c::number(status)));
}
const char *gpz_last_error(void) { return last_error; }

}  // extern "C"

namespace gpz::c {

gpz_status failed(Status status, const char *message) noexcept {
  std::snprintf(last_error, sizeof last_error, "%s", message);
  return static_cast<gpz_status>(status);
}

}  // namespace gpz::c
