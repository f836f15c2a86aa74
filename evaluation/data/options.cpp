// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <gpz/version.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <thread>

namespace gpz::bench::data {

Program::Program(const std::string &what_it_does)
    : parser_(what_it_does), threads_(std::max(1u, std::thread::hardware_concurrency())) {
  option("--seed", seed_, "another seed, other particles");
  option("--threads", threads_, "the bytes do not depend on it").range(1u, 1024u);
  parser_.program().option("--out", out_, "NAME.f32; NAME.json is written beside it").required();
}

std::string Program::source() const {
  std::string text = name_ + " of gpz " GPZ_VERSION_STRING;
  for (const tool::Command::Setting &option : parser_.program().settings()) {
    const std::string &name = option.name;
    if (name == "--out" || name == "--threads" || name.rfind("--help", 0) == 0 || name.rfind("-h", 0) == 0) continue;
    text += " " + name + " " + option.values.front();
  }
  return text;
}

int Program::run(int argc, char **argv, const std::function<void()> &work) {
  name_ = std::filesystem::path(argv[0]).filename().string();
  parser_.name(name_);
  if (const auto status = tool::parse_or_report(parser_, argc, argv)) return *status;
  try {
    work();
    return 0;
  } catch (const std::exception &error) {
    std::cerr << name_ << ": " << error.what() << "\n";
    return 1;
  }
}

}  // namespace gpz::bench::data
