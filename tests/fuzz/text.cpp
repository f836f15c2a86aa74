// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: the readers of `gpz encode`. The first byte of the input says what the command line would, the rest is
// the file.
#include <memory>
#include <string>

#include "exit_code.hpp"
#include "gpz/error.hpp"
#include "memory_file.hpp"
#include "program.hpp"
#include "readers/frame_source.hpp"
#include "support.hpp"

namespace {

using gpz::fuzz::require;

constexpr std::size_t most_frames = 64;

gpz::tool::SourceOptions options_of(gpz::fuzz::Program &program) {
  constexpr const char *formats[] = {"", "", "lammps", "lammps-binary", "xyz", "raw"};
  constexpr gpz::ValueType types[] = {gpz::ValueType::float32, gpz::ValueType::float64};
  const std::size_t choices = program.choice(256);
  gpz::tool::SourceOptions options;
  options.format = formats[choices % 6];
  if (choices / 6 % 2 == 1) options.elements = {"H", "O"};
  options.raw_type = types[choices / 12 % 2];
  options.raw_layout =
      choices / 24 % 2 == 0 ? gpz::tool::RawLayout::array_of_structures : gpz::tool::RawLayout::structure_of_arrays;
  options.raw_dimensions = choices / 48 % 2 == 0 ? 3 : 2;
  options.limits = gpz::fuzz::limits;
  return options;
}

// What a writer of frames relies on.
void check(const gpz::Frame &frame) {
  std::size_t components = 0;
  for (const gpz::Field &field : frame.info.fields) {
    require(!field.components.empty() && field.components.size() <= 3, "a field without components");
    components += field.components.size();
  }
  require(frame.columns.size() == components, "columns without a field");
  for (const gpz::Frame::Column &column : frame.columns) {
    const bool is_integer = frame.info.fields[column.field].type == gpz::ValueType::integer;
    require((is_integer ? column.integers.size() : column.floats.size()) == frame.info.particles,
            "a column of another length");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
  gpz::fuzz::Program program(bytes, size);
  const gpz::tool::SourceOptions options = options_of(program);
  static gpz::fuzz::MemoryFile file;
  file.fill(program.rest(), program.left());
  try {
    const auto source = gpz::tool::open_source(file.path(), options);
    gpz::Frame frame;
    for (std::size_t i = 0; i < most_frames && source->next(frame); ++i) check(frame);
  } catch (const gpz::tool::Failure &failure) {
    require(failure.code() == gpz::tool::ExitCode::corrupt || failure.code() == gpz::tool::ExitCode::truncated ||
                failure.code() == gpz::tool::ExitCode::limit || failure.code() == gpz::tool::ExitCode::usage,
            "a failure that is not about the file");
  } catch (const gpz::Error &error) {  // of a .gpz file
    require(error.status() != gpz::Status::internal && error.status() != gpz::Status::invalid_argument,
            "an error that is not about the file");
  }
  return 0;
}
