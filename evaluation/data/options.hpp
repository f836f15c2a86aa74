// SPDX-License-Identifier: BSD-3-Clause
// The command line of the programs that make data.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "command_parser.hpp"

namespace gpz::bench::data {

// What every program has: --seed, --threads (all of the machine), --out NAME.f32 (has to be given).
class Program {
 public:
  explicit Program(const std::string &what_it_does);

  // An option of one program. `value` holds the default.
  template <typename Value>
  tool::Option option(const std::string &name, Value &value, const std::string &meaning) {
    return parser_.program().option(name, value, meaning).show_default();
  }
  std::uint64_t seed() const { return seed_; }
  unsigned threads() const { return threads_; }
  const std::string &out() const { return out_; }
  // Program, version, and all options on which the data depend, for About::source.
  std::string source() const;

  // What main returns: parses the options, calls `work`, and prints what it throws (1) or what is wrong with the
  // options.
  int run(int argc, char **argv, const std::function<void()> &work);

 private:
  tool::CommandParser parser_;
  std::string name_;
  std::uint64_t seed_ = 1;
  unsigned threads_;
  std::string out_;
};

}  // namespace gpz::bench::data
