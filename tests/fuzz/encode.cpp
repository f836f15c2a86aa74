// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: gpz encode, from a text to a file that is read again. The first byte of the input says what the text is:
// a LAMMPS dump, XYZ, or the data file or the log of a small dump; the second one has options.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "command_parser.hpp"
#include "commands.hpp"
#include "exit_code.hpp"
#include "gpz/reader.hpp"
#include "gpz/tables.hpp"
#include "memory_file.hpp"
#include "support.hpp"
#include "text_maker.hpp"

namespace {

using gpz::fuzz::require;
using gpz::fuzz::TextKind;
using gpz::tool::ExitCode;

constexpr std::size_t head_size = 2;

constexpr std::string_view small_dump =
    "ITEM: TIMESTEP\n100\nITEM: NUMBER OF ATOMS\n3\nITEM: BOX BOUNDS pp pp pp\n0 9\n0 9\n0 9\n"
    "ITEM: ATOMS id type x y z\n1 1 1 2 3\n2 1 4 5 6\n3 2 7 8 8.5\n";

void fill(gpz::fuzz::MemoryFile &file, std::string_view text) {
  file.fill(reinterpret_cast<const std::uint8_t *>(text.data()), text.size());
}

TextKind kind_of(std::uint8_t byte) { return static_cast<TextKind>(byte % gpz::fuzz::text_kinds); }

// Whether there is a file.
bool encode(std::vector<std::string> words) {
  words.insert(words.begin(), "gpz");
  std::vector<char *> arguments;
  for (std::string &word : words) arguments.push_back(word.data());
  try {
    gpz::tool::CommandParser parser("", "gpz");
    gpz::tool::add_encode(parser);
    parser.parse(static_cast<int>(arguments.size()), arguments.data());
    return true;
  } catch (const std::exception &error) {
    const gpz::tool::Failure failure = gpz::tool::to_failure(error);
    require(failure.code() != ExitCode::ok && failure.code() != ExitCode::other && failure.code() != ExitCode::io,
            "a failure that is not about the text");
    // At the end: elsewhere the message quotes the text.
    constexpr std::string_view end = "out of memory";
    const std::string_view what = failure.what();
    require(what.size() < end.size() || what.substr(what.size() - end.size()) != end, "a text that takes all memory");
    return false;
  }
}

void check(const std::string &path) {
  const gpz::Reader reader(path);
  require(reader.frames() != 0, "a file without frames");
  for (std::size_t i = 0; i < reader.frames(); ++i) {
    require(gpz::fuzz::status_of([&] { reader.verify(i); }) == gpz::Status::ok, "a frame cannot be read again");
    for (const gpz::RecordEntry &entry : reader.records(i)) {
      const gpz::StoredRecord record = reader.stored(entry);
      if (record.type == gpz::tables_record_type) gpz::tables_of(record);
    }
  }
}

}  // namespace

// What gpz encode says on standard error is not shown: as with the option -close_fd_mask=2 of libFuzzer.
extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv) {
  static std::string option = "-close_fd_mask=2";
  static std::vector<char *> arguments(*argv, *argv + *argc);
  arguments.insert(arguments.begin() + 1, option.data());
  arguments.push_back(nullptr);
  *argc = static_cast<int>(arguments.size()) - 1;
  *argv = arguments.data();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
  if (size < head_size) return 0;
  static gpz::fuzz::MemoryFile text;
  static gpz::fuzz::MemoryFile dump;
  static gpz::fuzz::MemoryFile out;
  text.fill(bytes + head_size, size - head_size);
  fill(out, "");
  const TextKind kind = kind_of(bytes[0]);
  const unsigned options = bytes[1];
  std::vector<std::string> words{"encode", "--threads", "1", "--max-memory", "64M", "-o", out.path()};
  switch (kind) {
    case TextKind::lammps_data:
    case TextKind::lammps_log:
      fill(dump, small_dump);
      words.insert(words.end(), {dump.path(), kind == TextKind::lammps_data ? "--data" : "--log", text.path()});
      if (kind == TextKind::lammps_data && options % 4 == 1) words.insert(words.end(), {"--atom-style", "full"});
      break;
    default:
      words.push_back(text.path());
      if (options % 4 == 1) words.insert(words.end(), {"--elements", "C,H,O"});
      if (options % 4 == 2) words.insert(words.end(), {"--format", kind == TextKind::lammps_dump ? "lammps" : "xyz"});
  }
  if (options / 4 % 4 == 1) words.emplace_back("--lossless");
  if (options / 4 % 4 == 2) words.insert(words.end(), {"--rel", "1e-4"});
  if (options / 16 % 4 == 1) words.insert(words.end(), {"--units", "real"});
  if (options / 64 == 1) words.emplace_back("--allow-truncated");
  if (encode(std::move(words))) check(out.path());
  return 0;
}

// The kind of the text stays.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size, std::size_t capacity,
                                               unsigned seed) {
  gpz::fuzz::Random random(seed);
  if (capacity <= head_size) return size;
  if (size < head_size) {
    data[0] = static_cast<std::uint8_t>(random() / 7 % gpz::fuzz::text_kinds);
    data[1] = 0;
    size = head_size;
  }
  const TextKind kind = kind_of(data[0]);
  std::uint8_t *const start = data + head_size;
  const std::size_t way = random() / 7 % 16;
  if (way == 0) data[1] = static_cast<std::uint8_t>(random() / 7);
  if (way < 3) return head_size + gpz::fuzz::mutate_bytes(start, size - head_size, capacity - head_size);
  std::string text(reinterpret_cast<const char *>(start), size - head_size);
  if (way == 3 || text.empty())
    text = gpz::fuzz::make_text(kind, random);
  else
    gpz::fuzz::change_text(kind, text, random);
  text.resize(std::min(text.size(), capacity - head_size));
  std::memcpy(start, text.data(), text.size());
  return head_size + text.size();
}
