// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: the gpz command on a file: info, verify, decode to text, repair. A repaired file is whole.
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "app.hpp"
#include "exit_code.hpp"
#include "gpz/reader.hpp"
#include "memory_file.hpp"
#include "support.hpp"

namespace {

using gpz::fuzz::require;
using gpz::tool::ExitCode;

ExitCode run(std::vector<std::string> words) {
  words.insert(words.begin(), "gpz");
  words.insert(words.end(), {"--max-memory", "16M"});
  std::vector<char *> arguments;
  for (std::string &word : words) arguments.push_back(word.data());
  try {
    gpz::tool::run(static_cast<int>(arguments.size()), arguments.data());
    return ExitCode::ok;
  } catch (const std::exception &error) {
    const gpz::tool::Failure failure = gpz::tool::to_failure(error);
    require(failure.code() != ExitCode::ok && failure.code() != ExitCode::other, "a failure without a reason");
    return failure.code();
  }
}

// A folder that lives as long as the program.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "gpz-fuzz-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr, "no folder for temporary files");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  std::string operator/(const char *name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

void check_repaired(const std::string &path) {
  const gpz::Reader reader(path);
  require(reader.frames() != 0 && reader.scan().has_index && !reader.scan().torn && !reader.scan().damaged,
          "a repaired file is not whole");
  for (std::size_t i = 0; i < reader.frames(); ++i)
    require(gpz::fuzz::status_of([&] { reader.verify(i); }) == gpz::Status::ok,
            "a frame of a repaired file is damaged");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
  static gpz::fuzz::MemoryFile file;
  static const Folder folder;
  file.fill(bytes, size);
  const std::string &in = file.path();
  const std::uint64_t way = gpz::chunk_checksum(bytes, size);
  switch (way % 6) {
    case 0:
      run({"info", in});
      break;
    case 1:
      run({"info", "--json", in});
      break;
    case 2:
      run({"verify", "--threads", "1", in});
      break;
    case 3: {
      const std::string out = folder / "repaired.gpz";
      if (run({"repair", "--threads", "1", in, "-o", out}) == ExitCode::ok) check_repaired(out);
      break;
    }
    default: {
      constexpr const char *formats[] = {"xyz", "extxyz", "lammps"};
      std::vector<std::string> words{"decode", "--threads", "1", in, "-o", "-", "--format", formats[way / 8 % 3]};
      if (way / 32 % 2 == 1) words.emplace_back("--exact");
      if (way / 64 % 2 == 1) words.insert(words.end(), {"--sort", "id"});
      if (way / 128 % 2 == 1) words.emplace_back("--unwrap");
      run(words);
    }
  }
  return 0;
}
