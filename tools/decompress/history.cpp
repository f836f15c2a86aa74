// SPDX-License-Identifier: BSD-3-Clause
#include "history.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "commands.hpp"
#include "frame_input.hpp"
#include "gpz/chunk.hpp"
#include "gpz/error.hpp"
#include "table_text.hpp"

namespace gpz::tool {
namespace {

using Texts = std::vector<std::string>;

constexpr const char *table_name = "history";
constexpr std::array<const char *, 4> history_columns = {"program", "command", "input", "input_digest"};

std::string &command_line() {
  static std::string words;
  return words;
}

std::string without_folder(const std::string &word) {
  const std::size_t slash = word.rfind('/');
  return slash == std::string::npos || slash + 1 == word.size() ? word : word.substr(slash + 1);
}

// Empty for what is no regular file, or cannot be read any more.
std::string digest_of(const std::string &path) {
  if (path == "-") return "";
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return "";
  struct stat status {};
  std::string digest;
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void *const bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes != MAP_FAILED) {
      digest = fmt::format("xxh3:{:016x}", chunk_checksum(bytes, size));
      ::munmap(bytes, size);
    }
  }
  ::close(descriptor);
  return digest;
}

std::string text_at(const Table &table, const char *name, std::size_t row) {
  const Texts *const texts = texts_of(table, name);
  return texts == nullptr ? "" : (*texts)[row];
}

}  // namespace

void remember_command(int argc, char **argv) {
  std::string &words = command_line();
  for (int i = 0; i < argc; ++i) words += (i == 0 ? "" : " ") + without_folder(argv[i]);
}

void add_history_option(Command &command, bool &history) {
  command.flag("--history", history,
               "note in the new file this command, its input and the digest of the input (gpz info --history); files "
               "with a history keep it, with or without");
}

bool History::Step::operator==(const Step &other) const {
  return program == other.program && command == other.command && input == other.input && digest == other.digest;
}

void History::take(const Reader &input) {
  std::vector<Table> tables;
  try {
    tables = input.tables(input.frames(), {table_name});
  } catch (const Error &error) {
    if (!concerns_one_frame(error)) throw;
  }
  for (const Table &table : tables) {
    kept_ = true;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      Step step{text_at(table, history_columns[0], row), text_at(table, history_columns[1], row),
                text_at(table, history_columns[2], row), text_at(table, history_columns[3], row)};
      if (std::find(steps_.begin(), steps_.end(), step) == steps_.end()) steps_.push_back(std::move(step));
    }
  }
}

void History::add_input(const std::string &path) { inputs_.push_back(path); }

Table History::table() const {
  std::vector<Step> steps = steps_;
  for (const std::string &input : inputs_)
    steps.push_back({program_version, command_line(), without_folder(input), digest_of(input)});
  std::array<Texts, history_columns.size()> texts;
  for (const Step &step : steps) {
    texts[0].push_back(step.program);
    texts[1].push_back(step.command);
    texts[2].push_back(step.input);
    texts[3].push_back(step.digest);
  }
  Table table{table_name, {}};
  for (std::size_t c = 0; c < history_columns.size(); ++c) table.columns.push_back({history_columns[c], "", texts[c]});
  return table;
}

std::string history_text(const Table &history) {
  std::string text;
  for (std::size_t row = 0; row < history.rows(); ++row) {
    text += fmt::format("{:>3}  {}: {}\n", row + 1, printable(text_at(history, history_columns[0], row)),
                        printable(text_at(history, history_columns[1], row)));
    const std::string input = text_at(history, history_columns[2], row);
    const std::string digest = text_at(history, history_columns[3], row);
    if (!input.empty())
      text += fmt::format("     from {}{}\n", printable(input), digest.empty() ? "" : " " + printable(digest));
  }
  return text;
}

}  // namespace gpz::tool
