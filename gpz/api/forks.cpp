// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/forks.hpp"

#include <pthread.h>

#include <atomic>

namespace gpz::api {
namespace {

std::atomic<unsigned long> forks{0};

}  // namespace

unsigned long fork_generation() {
  // Fails only if there is no memory for a few bytes. A child process would then wait for threads that it does not
  // have.
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ++forks; });
  (void)registered;
  return forks;
}

}  // namespace gpz::api
