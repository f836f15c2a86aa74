// SPDX-License-Identifier: BSD-3-Clause
#include "out_of_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "exit_code.hpp"

namespace gpz::tool {
namespace {

// A message that is ready before it is needed.
char message[4200] = "out of memory";

[[noreturn]] void end() { std::_Exit(fail_without_memory()); }

}  // namespace

void work_on(const std::string &file) noexcept {
  constexpr char reason[] = ": out of memory";
  const std::size_t length = std::min(file.size(), sizeof message - sizeof reason);
  // printable() takes memory.
  std::transform(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length), message, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F || (byte >= 0x80 && byte <= 0x9F) ? '?' : c;
  });
  std::copy(std::begin(reason), std::end(reason), message + length);
}

int fail_without_memory() noexcept {
  print_note(message);
  return static_cast<int>(ExitCode::limit);
}

EndsWithoutMemory::EndsWithoutMemory() noexcept : before_(std::set_new_handler(end)) {}

}  // namespace gpz::tool
