// SPDX-License-Identifier: BSD-3-Clause
// gpz encode: trajectories of foreign formats to .gpz.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

#include "bounds.hpp"
#include "commands.hpp"
#include "counted.hpp"
#include "decimal_grid.hpp"
#include "encoded_output.hpp"
#include "exit_code.hpp"
#include "gpz/choices.hpp"
#include "gpz/error.hpp"
#include "gpz/reader.hpp"
#include "gpz/trajectory.hpp"
#include "gpz/units.hpp"
#include "gpz_file.hpp"
#include "history.hpp"
#include "last_whole_frame.hpp"
#include "lossless_advice.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "readers/frame_source.hpp"
#include "readers/lammps_data.hpp"
#include "readers/lammps_log.hpp"
#include "readers/row_parser.hpp"
#include "row_numbers.hpp"

namespace gpz::tool {
namespace {

struct EncodeOptions {
  std::string input;
  std::string output;
  BoundOptions bounds;
  std::string raw;
  std::string layout = "aos";
  int dimensions = 3;
  EncodingOptions encoding;
  std::string units;
  double timestep_size = 0;  // 0: unknown
  bool allow_truncated = false;
  std::string data;        // a LAMMPS data file
  std::string atom_style;  // of it
  std::string log;         // of LAMMPS
  bool history = false;
  SourceOptions source;
};

void check_names(const std::string &file, std::uint64_t frame, const std::vector<std::string> &now,
                 const std::vector<std::string> &at_start) {
  if (now == at_start) return;
  throw Failure(ExitCode::usage, file,
                fmt::format("frame {} has names of atom types that the first has not ({}); give all with --elements",
                            frame, fmt::join(now, ",")));
}

// A unit style that contradicts the input would give wrong bounds and wrong lengths; so would one that changes within
// it. `known` is the one of the new file, none before the first frame.
void check_units(const FrameSource &source, std::uint64_t frame, const std::string &option, const std::string &known) {
  const std::string &named = source.metadata().units;
  if (named.empty()) return;
  if (!option.empty() && named != option)
    throw Failure(ExitCode::usage, source.name(), fmt::format("is in units {}, and --units says {}", named, option));
  if (frame == 0 || named == known) return;
  throw Failure(ExitCode::usage, source.name(),
                known.empty() ? fmt::format("frame {} is in units {}, and the frames before name none; give --units {}",
                                            frame, named, named)
                              : fmt::format("frame {} is in units {}, and the frames before are in units {}: encode "
                                            "each part by itself",
                                            frame, named, known));
}

// The bound of positions without --eb, --rel and --lossless, and a line that names it.
double default_bound(const FrameSource &source, const std::string &units_option) {
  constexpr const char *others = "(--eb V for another)";
  const double usual = unit_style(source.is_xyz() ? "metal" : "lj").position_bound;
  const std::string &units = units_option.empty() ? source.metadata().units : units_option;
  if (units.empty()) {
    print_note(fmt::format("positions: bound {}{} {}", usual,
                           source.is_xyz() ? " Angstrom, the default of XYZ files"
                                           : " in the unit of the file, whose units are unknown without --units",
                           others));
    return usual;
  }
  try {
    const UnitStyle &style = unit_style(units);
    print_note(fmt::format("positions: bound {} {}, the default of units {} {}", style.position_bound, style.length,
                           style.name, others));
    return style.position_bound;
  } catch (const Error &error) {
    throw Failure(ExitCode::usage, source.name(), fmt::format("{}; give --eb V or --units", error.cause()));
  }
}

// The report on a written file, made all at once because memory may run out before.
void print_notes(const EncodeOptions &options, const FrameSource &source, const RowNumbers &numbers,
                 const LosslessAdvice &advice, std::vector<std::string> notes) {
  for (const std::string &note : source.notes()) notes.push_back(note);
  for (const std::string &note : numbers.notes(source.name())) notes.push_back(note);
  std::string lossless;
  if (options.output != "-") lossless = text_of(advice, options.output, options.source.limits);
  if (!lossless.empty()) notes.push_back(std::move(lossless));
  for (std::string &note : notes) note = printable(note);
  for (const std::string &note : notes) print_note(note);
}

// The metadata of the new file.
Metadata described(const FrameSource &source, const Frame &first, const EncodeOptions &options) {
  // Its columns are those of the input: they have no ids where rows are numbered (ids_are_row_numbers).
  Metadata metadata = source.metadata();
  metadata.features = features_of(options.encoding.effort.value_or(default_effort), options.encoding.order,
                                  has_identity(first.info.fields));
  // The frames of a .gpz file have been through its encoder as well.
  const std::string &origin = metadata.generator;
  const bool is_new = !source.is_gpz() || origin.empty();
  if (is_new)
    metadata.generator = program_version;
  else if (origin.rfind(program_version, 0) != 0)
    metadata.generator = fmt::format("{}, from a file by {}", program_version, origin);
  if (!source.is_gpz()) {
    metadata.reference = "the input of gpz encode";
    metadata.reference_grid = decimal_grid(first);
  }
  if (!options.units.empty()) metadata.units = options.units;
  if (options.timestep_size > 0) metadata.timestep_size = options.timestep_size;
  return metadata;
}

// The ids of the frame that was found last, which may be outside of it (FrameSource::typed_fields()).
std::vector<std::int64_t> ids_of(const FrameSource &source, const Frame &frame) {
  if (const Frame::Column *const ids = frame.find("id")) return ids->integers;
  const std::vector<FieldInput> *const typed = source.typed_fields();
  if (typed == nullptr) return {};
  std::vector<std::int64_t> ids;
  for (const FieldInput &input : *typed) {
    if (input.field.components[0].name != "id" || input.components[0].type != ConstArray::Type::int64) continue;
    const auto *const bytes = static_cast<const char *>(input.components[0].data);
    ids.resize(frame.info.particles);
    for (std::size_t i = 0; i < ids.size(); ++i)
      std::memcpy(&ids[i], bytes + i * input.components[0].stride, sizeof ids[i]);
  }
  return ids;
}

// The tables of the data file, checked against the first frame.
std::vector<Table> tables_of_data(const EncodeOptions &options, const std::vector<std::int64_t> &ids,
                                  const std::string &units) {
  std::vector<Table> tables = read_lammps_data(options.data, options.atom_style, units);
  require_ids(options.data, tables, ids);
  return tables;
}

// The table `thermo` with the number of atoms, where a frame has another one and the table does not say so yet.
class ThermoOfFrames {
 public:
  explicit ThermoOfFrames(LoggedThermo thermo) : thermo_(std::move(thermo)) {}

  // In front of a frame; nothing if the table before is valid for it.
  std::optional<Table> before(const FrameInfo &info) {
    const bool needs_count = !has_count_ && thermo_.needs_count(info.timestep, info.particles);
    if (is_written_ && !needs_count) return std::nullopt;
    is_written_ = true;
    has_count_ = needs_count;
    return needs_count ? thermo_.with_count() : thermo_.table();
  }

 private:
  LoggedThermo thermo_;
  bool is_written_ = false;
  bool has_count_ = false;
};

void write_within(Bounds &bounds, const std::string &file, const Frame &frame, EncodedOutput &out) {
  out.write(frame);
  bounds.note_kept(file, frame.info, out.last_frame());
}

void write_history(const FrameSource &source, const EncodeOptions &options, EncodedOutput &out) {
  History history(options.history);
  if (source.is_gpz() && options.input != "-") history.take(open_reader(options.input, options.source.limits));
  history.add_input(options.input);
  if (history.is_kept()) out.copy(tables_record({history.table()}));
}

std::string summary(const std::string &path, const FrameSource &source, const EncodedOutput &out) {
  const auto before = static_cast<double>(source.position());
  const auto after = static_cast<double>(out.size());
  return fmt::format("{}: {}, {:.1f} MB -> {:.1f} MB ({:.1f} %)", path, counted(out.frames(), "frame"), before / 1e6,
                     after / 1e6, before > 0 ? 100 * after / before : 0);
}

// Closes a file that has frames, although the command fails.
void close_whole(EncodedOutput &out) {
  try {
    out.settle();
  } catch (const Error &) {
    // The failure that ends the command came first.
  }
  if (out.frames() > 0) out.close();
}

// Checks options that do not depend on the input, and passes on those of raw arrays. Returns whether there is a choice
// of the bound of positions.
bool complete(EncodeOptions &options) {
  const int choices =
      (options.bounds.absolute ? 1 : 0) + (options.bounds.relative ? 1 : 0) + (options.bounds.lossless ? 1 : 0);
  const Failure no_choice(ExitCode::usage, "", "give one of --eb V, --rel V and --lossless");
  if (choices > 1) throw no_choice;
  // Raw arrays name no units, and their coordinates are of any kind.
  if (choices == 0 && !options.raw.empty() && options.units.empty()) throw no_choice;
  if (!options.units.empty()) unit_style(options.units);
  require_other_file(options.output, {options.input, options.data, options.log});
  if (!options.raw.empty()) {
    options.source.format = "raw";
    options.source.raw_type = options.raw == "f32" ? ValueType::float32 : ValueType::float64;
    options.source.raw_layout =
        options.layout == "soa" ? RawLayout::structure_of_arrays : RawLayout::array_of_structures;
    options.source.raw_dimensions = options.dimensions;
  }
  options.encoding.threads = options.source.threads = thread_count(options.encoding.threads);
  // Values of a .gpz file stay as they are, unless a bound is asked for.
  options.source.keep_bits = choices == 0 && options.bounds.columns.empty();
  return choices != 0;
}

void encode(EncodeOptions options) {
  const bool has_choice = complete(options);
  Bounds bounds(options.bounds);
  const std::unique_ptr<FrameSource> source = open_source(options.input, options.source);
  const bool is_new = !source->is_gpz();
  if (is_new) options.source.keep_bits = false;
  const bool in_order_of_memory = source->is_in_order_of_memory();
  if (in_order_of_memory && options.encoding.order != Order::place) options.encoding.order = Order::memory;
  RowNumbers numbers(options.encoding.order);
  LosslessAdvice advice;
  Progress progress("encode", source->size() >> 20, "MiB");
  std::optional<EncodedOutput> out;
  Metadata metadata;
  std::optional<ThermoOfFrames> thermo;
  std::uint64_t frames = 0;
  std::uint64_t end = 0;  // of the last whole frame in the input
  try {
    for (Frame frame; source->next(frame); ++frames) {
      if (is_new || in_order_of_memory) numbers.apply(source->name(), frame);
      const std::vector<Field> &fields = frame.info.fields;
      const bool has_positions = std::any_of(fields.begin(), fields.end(), takes_position_bound);
      if (is_new) check_units(*source, frames, options.units, metadata.units);
      if (is_new && !has_choice && has_positions && !bounds.has_positions())
        bounds.use_default(default_bound(*source, options.units));
      if (!options.source.keep_bits) bounds.apply(source->name(), frame);
      if (!bounds.lossless() && !options.source.keep_bits) look_at(frame, frames, advice);
      if (!out) {
        metadata = described(*source, frame, options);
        std::vector<Table> tables;
        if (!options.data.empty()) tables = tables_of_data(options, ids_of(*source, frame), metadata.units);
        if (!options.log.empty()) {
          thermo.emplace(read_lammps_log(options.log, metadata.units));
          tables.push_back(*thermo->before(frame.info));
        }
        out.emplace(options.output, metadata, options.encoding);
        if (!tables.empty()) out->copy(tables_record(tables));
      }
      check_names(source->name(), frames, source->metadata().elements, metadata.elements);
      check_names(source->name(), frames, source->metadata().type_labels, metadata.type_labels);
      for (const StoredRecord &record : source->records()) out->copy(record);
      if (thermo)
        if (const std::optional<Table> table = thermo->before(frame.info)) out->copy(tables_record({*table}));
      if (!options.source.keep_bits)
        write_within(bounds, source->name(), frame, *out);
      else if (const std::vector<FieldInput> *const typed = source->typed_fields())
        out->rewrite(frame.info, *typed);
      else
        out->rewrite(frame);
      end = source->position();
      progress.update(end >> 20);
    }
    if (out) out->settle();
  } catch (const std::exception &error) {
    const Failure failure = to_failure(error, source->name());
    // The frames before it stay, as a whole file.
    if (out && failure.code() != ExitCode::io) close_whole(*out);
    if (!out || out->frames() == 0) throw failure;
    const Failure with_end(failure.code(), "",
                           fmt::format("{}; {} written", with_last_whole_frame(failure, out->frames(), end),
                                       counted(out->frames(), "complete frame")));
    if (failure.code() != ExitCode::truncated || !options.allow_truncated) throw with_end;
    print_notes(options, *source, numbers, advice, {with_end.what()});
    return;
  }
  if (!out) throw Failure(ExitCode::truncated, source->name(), "no frame in it");
  for (const StoredRecord &record : source->records()) out->copy(record);
  write_history(*source, options, *out);
  out->close();
  std::vector<std::string> notes;
  if (source->last_line_is_cut())
    notes.push_back(
        fmt::format("{}: the last line has no line break; if the file was cut there, the last number has lost digits",
                    source->name()));
  if (is_watched()) notes.insert(notes.begin(), summary(options.output, *source, *out));
  print_notes(options, *source, numbers, advice, std::move(notes));
}

}  // namespace

void add_encode(CommandParser &parser) {
  auto options = std::make_shared<EncodeOptions>();
  Command command = parser.command(
      "encode",
      "Compress LAMMPS text and binary dumps, XYZ, extended XYZ or raw arrays to a .gpz file, or a .gpz file again");
  command.option("IN", options->input, "input file; - for standard input").required().type_name("FILE");
  command.option("-o,--output", options->output, "the .gpz file; - for standard output").required().type_name("FILE");
  command
      .parsed_option(
          "--eb", [options](const std::string &text) { options->bounds.absolute = text; },
          fmt::format("bound of the positions, in distance units; 0: as --lossless; without --eb, --rel and --lossless "
                      "the default of the units: {} Angstrom, {} in lj",
                      unit_style("metal").position_bound, unit_style("lj").position_bound))
      .type_name("FLOAT");
  command
      .parsed_option(
          "--rel", [options](const std::string &text) { options->bounds.relative = text; },
          "this bound relative to the longest box edge of the first frame, below 1; without a box to its range of "
          "values")
      .type_name("FLOAT");
  command.flag("--lossless", options->bounds.lossless, "keep every bit of the positions");
  command
      .option(
          "--bound", options->bounds.columns,
          fmt::format("COLUMN=V: bound of another float column; without one it is lossless. A * at the end of COLUMN "
                      "stands for any text. V is thermal for velocities: {}",
                      thermal_bound_text))
      .one_value_each();
  add_encoding_options(command, options->encoding, true);
  add_effort_option(command, options->encoding.effort, name_of(effort_names, default_effort));
  command
      .option("--format", options->source.format,
              "lammps, lammps-binary, xyz or gpz; else by the first bytes (a .gpz file in a pipe needs it)")
      .one_of({"lammps", "lammps-binary", "xyz", "gpz"});
  const Option raw =
      command.option("--raw", options->raw, "a raw array of f32 or f64 coordinates, one frame").one_of({"f32", "f64"});
  command.option("--layout", options->layout, "of the raw array: aos (x y z x y z ...) or soa (all x, all y, all z)")
      .one_of({"aos", "soa"})
      .needs(raw);
  command.option("--dims", options->dimensions, "of the raw array: 2 or 3").range(2, 3).needs(raw);
  command.option("--elements", options->source.elements, "names of atom types 1, 2, ..., e.g. C,H,O").comma_separated();
  command.option("--units", options->units, "LAMMPS unit style of the input, e.g. metal; stored in the file");
  command
      .option("--data", options->data,
              "a LAMMPS data file of the system: masses, charges, molecules and topology go into the new file")
      .type_name("FILE");
  command.option("--atom-style", options->atom_style, "of the data file, where its line Atoms does not name it");
  command.option("--log", options->log, "the LAMMPS log of the run: its thermodynamic output goes into the new file")
      .type_name("FILE");
  command
      .parsed_option(
          "--dt",
          [options](const std::string &text) {
            if (!parse_number(std::string_view(text), options->timestep_size) || !(options->timestep_size > 0) ||
                !std::isfinite(options->timestep_size))
              throw UsageError(fmt::format("--dt {}: the length of a timestep is a number above 0", text));
          },
          "length of a timestep, in time units: readers have times of frames then; dumps have them only with "
          "dump_modify time yes")
      .type_name("FLOAT");
  add_history_option(command, options->history);
  command.flag("--allow-truncated", options->allow_truncated,
               "an input that ends within a frame is no error: a line on standard error names its last whole frame");
  add_threads_option(command, options->encoding.threads);
  add_limits_option(command, options->source.limits);
  command.footer(
      "Integer columns are lossless. Frames without ids keep their rows in order, as ids where that is needed; with\n"
      "--order place they are sets, sorted by position. Lines on standard error say so, and name the default bound.\n"
      "A .gpz file as input is decoded and encoded again: without --eb, --rel and "
      "--bound\n"
      "all values keep every bit, with the bounds that the file has (from a pipe signalling NaNs of 32 bits become "
      "quiet).\n"
      "A larger bound is that of the old error and the new one together, so that it "
      "holds\n"
      "for the original values too; the grid in between is that of the difference of both bounds. A smaller one is\n"
      "refused: the digits are gone. If the input is broken or the disk is full, the complete frames before stay in "
      "OUT.");
  command.callback([options] { run_on(options->input, [&] { encode(*options); }); });
}

}  // namespace gpz::tool
