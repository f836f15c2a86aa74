// SPDX-License-Identifier: BSD-3-Clause
#include "readers/frame_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "gpz_file.hpp"
#include "readers/row_parser.hpp"

namespace gpz::tool {
namespace {

bool begins_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

// Throws Failure (usage) for the output of a program that compresses bytes.
void refuse_compressed(ByteInput &input) {
  struct Program {
    std::string_view magic, name, unpack;
  };
  using namespace std::string_view_literals;
  constexpr Program programs[] = {{"\x1F\x8B"sv, "gzip", "zcat"},
                                  {"\x28\xB5\x2F\xFD"sv, "zstd", "zstdcat"},
                                  {"BZh"sv, "bzip2", "bzcat"},
                                  {"\xFD\x37zXZ\0"sv, "xz", "xzcat"}};
  for (const Program &program : programs)
    if (begins_with(input.peek(program.magic.size()), program.magic))
      throw Failure(ExitCode::usage, input.name(),
                    fmt::format("compressed by {0}: pipe it in by {1}, with - in place of its name", program.name,
                                program.unpack));
}

// Throws Failure (usage) for a dump of LAMMPS that is not read.
void refuse_other_dump(ByteInput &input, std::string_view start) {
  struct Style {
    std::string_view start, name;
  };
  constexpr Style styles[] = {{"---", "yaml"}, {"creator: LAMMPS", "yaml"}, {"Number of particles", "cfg"}};
  for (const Style &style : styles)
    if (begins_with(start, style.start))
      throw Failure(ExitCode::usage, input.name(),
                    fmt::format("a dump of style {} is not read: write one of style gpz, custom or atom", style.name));
}

// Passes what may stand in front of a text: a byte order mark and empty lines.
void skip_empty_start(ByteInput &input) {
  input.skip_byte_order_mark();
  constexpr std::string_view blanks = " \t\r\n";
  const auto begins_blank = [&] {
    const std::string_view start = input.peek(1);
    return !start.empty() && blanks.find(start[0]) != std::string_view::npos;
  };
  for (std::string_view line; begins_blank() && is_blank_line(input.peek_line());) input.line(line);
}

std::string guess_format(ByteInput &input) {
  const std::string_view start = input.peek(24);
  if (begins_with(start, "ITEM:")) return "lammps";
  // A binary dump begins with a negative number of 8 bytes, the length of the magic word after it.
  if (start.size() > 12 && begins_with(start.substr(8), "DUMP")) return "lammps-binary";
  if (begins_with(start, "\x89GPZ")) return "gpz";
  refuse_other_dump(input, start);
  const auto first = std::find_if(start.begin(), start.end(), [](unsigned char c) { return c != ' ' && c != '\t'; });
  if (first != start.end() && std::isdigit(static_cast<unsigned char>(*first)) != 0) return "xyz";
  throw Failure(ExitCode::corrupt, input.name(),
                start.empty()
                    ? "an empty file"
                    : "no LAMMPS dump and no XYZ file (raw arrays need --raw; gpz convert reads DCD, XTC and others)");
}

}  // namespace

std::unique_ptr<FrameSource> open_source(const std::string &path, const SourceOptions &options) {
  if (is_url(path) && !options.format.empty() && options.format != "gpz")
    throw Failure(ExitCode::usage, path, "only .gpz files are read by URL: copy it first");
  if (options.format == "gpz" || is_url(path)) return make_gpz_source(path, options);
  auto input = std::make_unique<ByteInput>(path);
  if (options.format != "raw") refuse_compressed(*input);
  const bool is_text = options.format == "lammps" || options.format == "xyz";
  if (is_text || options.format.empty()) skip_empty_start(*input);
  const std::string format = options.format.empty() ? guess_format(*input) : options.format;
  if (format == "lammps") return make_lammps_text_source(std::move(input), options);
  if (format == "lammps-binary") return make_lammps_binary_source(std::move(input), options);
  if (format == "gpz") {
    // Bytes of a pipe that were looked at are gone.
    if (input->file_size() == 0)
      throw Failure(ExitCode::usage, input->name(), "a .gpz file in a pipe: give --format gpz");
    return make_gpz_source(path, options);
  }
  if (format == "raw") return make_raw_source(std::move(input), options);
  return make_xyz_source(std::move(input), options);
}

}  // namespace gpz::tool
