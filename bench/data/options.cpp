// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <gpz/version.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <thread>

namespace gpz::bench::data {

Program::Program(const std::string &what_it_does)
    : app_(what_it_does), threads_(std::max(1u, std::thread::hardware_concurrency())) {
  option("--seed", seed_, "another seed, other particles");
  option("--threads", threads_, "the bytes do not depend on it")->check(CLI::Range(1u, 1024u));
  app_.add_option("--out", out_, "NAME.f32; NAME.json is written beside it")->required();
}

std::string Program::source() const {
  std::string text = app_.get_name() + " of gpz " GPZ_VERSION_STRING;
  for (const CLI::Option *option : app_.get_options()) {
    const std::string name = option->get_name();
    if (name == "--out" || name == "--threads" || name.rfind("--help", 0) == 0 || name.rfind("-h", 0) == 0) continue;
    text += " " + name + " " + (option->count() > 0 ? option->results().front() : option->get_default_str());
  }
  return text;
}

int Program::run(int argc, char **argv, const std::function<void()> &work) {
  try {
    app_.name(std::filesystem::path(argv[0]).filename().string());
    app_.parse(argc, argv);
    work();
    return 0;
  } catch (const CLI::ParseError &error) {
    return app_.exit(error);
  } catch (const std::exception &error) {
    std::cerr << app_.get_name() << ": " << error.what() << "\n";
    return 1;
  }
}

}  // namespace gpz::bench::data
