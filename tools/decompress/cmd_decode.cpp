// SPDX-License-Identifier: BSD-3-Clause
// gpz decode: a .gpz file to text.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "commands.hpp"
#include "exit_code.hpp"
#include "frame_input.hpp"
#include "frame_loop.hpp"
#include "observed.hpp"
#include "output_file.hpp"
#include "quantities.hpp"
#include "row_numbers.hpp"
#include "selection/atom_selection.hpp"
#include "selection/options.hpp"
#include "writers/frame_writer.hpp"
#include "writers/lammps_data.hpp"
#include "writers/word.hpp"

namespace gpz::tool {
namespace {

struct DecodeOptions {
  std::string input;
  std::string output;
  std::string format;
  std::string frames = ":";
  std::string data_of;  // the frame that becomes a data file
  std::vector<std::string> elements;
  AtomOptions atoms;
  TextOptions text;
  Limits limits;
};

std::string format_of(const DecodeOptions &options) {
  if (!options.format.empty()) return options.format;
  if (options.output == "-") return "xyz";
  const std::string extension = std::filesystem::path(options.output).extension();
  if (extension == ".xyz") return "xyz";
  if (extension == ".extxyz") return "extxyz";
  if (extension == ".lammpstrj" || extension == ".dump") return "lammps";
  throw Failure(
      ExitCode::usage, options.output,
      "no known extension (.xyz .extxyz .lammpstrj .dump); give --format, or use gpz convert for DCD, XTC and others");
}

std::unique_ptr<FrameWriter> make_writer(const std::string &format, OutputFile &out, TextOptions options) {
  if (format == "lammps") return make_lammps_writer(out, std::move(options));
  return make_xyz_writer(out, std::move(options), format == "extxyz");
}

// Names of columns that other programs do not look for, or nothing.
std::string note_of_forces(const Metadata &metadata) {
  if (in_electronvolts(metadata.units)) return "";
  const std::vector<std::string> &columns = metadata.columns;
  for (const char *name : {"fx", "fy", "fz"})
    if (std::find(columns.begin(), columns.end(), name) == columns.end()) return "";
  return fmt::format(
      "forces are in units {} and keep the names fx fy fz, as programs take forces of extended XYZ for eV/Angstrom: "
      "ase "
      "convert FILE.gpz FILE.extxyz converts them",
      metadata.units);
}

// One frame as a LAMMPS data file.
void decode_data(const DecodeOptions &options) {
  const TextOptions &text = options.text;
  if (!options.format.empty() || options.frames != ":" || !options.elements.empty() || !text.columns.empty() ||
      !text.sort.empty() || text.unwrap || text.exact || text.with_time || text.with_units)
    throw Failure(ExitCode::usage, "",
                  "--data: a data file takes --ids, --types and --region, and no other option of text");
  const std::optional<std::int64_t> number = FrameRange(options.data_of).single();
  if (!number)
    throw Failure(ExitCode::usage, "", fmt::format("--data: '{}' is not the number of a frame", options.data_of));
  require_other_file(options.output, {options.input});
  const FrameInput input(options.input, options.limits);
  if (input.reader() == nullptr) throw Failure(ExitCode::usage, input.name(), "--data needs a file, not a pipe");
  const Reader &reader = *input.reader();
  const std::vector<std::size_t> chosen = FrameRange(options.data_of).select(reader.frames());
  if (chosen.empty()) throw Failure(ExitCode::usage, input.name(), fmt::format("no frame {}", options.data_of));
  const bool has_ids = has_identity(reader.info(chosen[0]).fields);
  Frame frame = reader.read(chosen[0], {thread_count(options.text.threads), has_ids});
  AtomSelection(options.atoms, {reader.metadata().elements, reader.metadata().type_labels}).apply(frame, input.name());
  OutputFile out(options.output);
  const std::vector<std::string> notes =
      write_lammps_data(out, std::move(frame), reader.tables(chosen[0]), reader.metadata(), input.name());
  out.commit();
  for (const std::string &note : notes) print_note(printable(note));
}

void decode(DecodeOptions options) {
  if (!options.data_of.empty()) {
    decode_data(options);
    return;
  }
  const FrameChoice choice(options.frames);
  const std::string format = format_of(options);
  require_other_file(options.output, {options.input});
  const int threads = thread_count(options.text.threads);

  if (format == "xyz" && !options.text.columns.empty())
    throw Failure(ExitCode::usage, options.output,
                  "--columns: plain xyz has names and positions only; extxyz and lammps have the other columns");

  FrameInput input(options.input, options.limits);
  const bool row_numbers = ids_are_row_numbers(input.metadata());
  if (options.text.sort == "none") {
    options.text.sort.clear();
  } else if (options.text.sort.empty() && (format != "lammps" || row_numbers)) {
    options.text.sort = "id";
    options.text.sort_required = false;
    // The input of gpz encode had none.
    const std::vector<std::string> &columns = options.text.columns;
    options.text.hide_ids = row_numbers && std::find(columns.begin(), columns.end(), "id") == columns.end();
  }
  options.text.input = input.name();
  options.text.threads = threads;
  options.text.units = input.metadata().units;
  options.text.names.elements = words_or_none(options.elements.empty() ? input.metadata().elements : options.elements);
  if (!options.elements.empty() && options.text.names.elements.empty())
    throw Failure(ExitCode::usage, "", "--elements: a name is too long, or has a blank or a control character");
  options.text.every_type_named = !options.elements.empty();
  options.text.names.labels = words_or_none(input.metadata().type_labels);

  const AtomSelection atoms(options.atoms, {options.elements.empty() ? input.metadata().elements : options.elements,
                                            input.metadata().type_labels});

  OutputFile out(options.output);
  Outcome outcome;
  {
    const std::unique_ptr<FrameWriter> writer = make_writer(format, out, options.text);
    const auto wanted = [&](const FrameInfo &info) {
      std::vector<bool> fields = writer->wanted(info);
      atoms.want(info, fields);
      return fields;
    };
    std::vector<Observable> observables;
    ObservablesOfAtoms of_atoms;
    FrameUse use = {"decode", wanted, [&](Frame frame) {
                      const std::uint64_t in_file = frame.info.particles;
                      atoms.apply(frame, input.name());
                      const auto of_frame = of_atoms.of(observables, in_file, frame.info.particles);
                      writer->write(std::move(frame), of_frame);
                    }};
    if (writer->prints_observables())
      use.take_observables = [&](std::vector<Observable> found) { observables = std::move(found); };
    outcome = for_each_frame(input, choice, threads, use);
    writer->finish();
    if (!of_atoms.note().empty()) print_note(printable(fmt::format("{}: {}", input.name(), of_atoms.note())));
  }
  if (outcome.written > 0 || !outcome.problem) out.commit();
  if (format == "extxyz" && options.text.columns.empty())
    if (const std::string note = note_of_forces(input.metadata()); !note.empty()) print_note(printable(note));
  if (outcome.problem) throw *outcome.problem;
}

}  // namespace

void add_decode(CommandParser &parser) {
  auto options = std::make_shared<DecodeOptions>();
  Command command = parser.command("decode", "Write the frames of a .gpz file as text");
  command.option("IN", options->input, "a .gpz file; - for standard input").required().type_name("FILE");
  command.option("-o,--output", options->output, "output file; - for standard output").required().type_name("FILE");
  command
      .option("--format", options->format,
              "xyz, extxyz or lammps; else by the output's extension (.xyz .extxyz .lammpstrj .dump)")
      .one_of({"xyz", "extxyz", "lammps"});
  add_frames_option(command, options->frames);
  command
      .option("--data", options->data_of,
              "write frame N as a LAMMPS data file, with the topology, masses and charges of the file; -1: the last")
      .type_name("N");
  add_atom_options(command, options->atoms);
  add_columns_option(
      command, options->text.columns,
      "print these columns only, in this order, e.g. id,type,x,y,z; extxyz has names and positions anyway");
  command.option(
      "--sort", options->text.sort,
      "order particles by this column, e.g. id; none: as in the file. Default: xyz and extxyz by id if there are any, "
      "lammps none. Ids that gpz encode gave to the rows of its input put these in order, and are not printed");
  command.flag(
      "--unwrap", options->text.unwrap,
      "print unwrapped positions: xu yu zu if the file has them, else the positions plus the image flags ix iy "
      "iz times the box");
  command.option("--elements", options->elements, "names of atom types 1, 2, ..., e.g. C,H,O").comma_separated();
  command.flag("--exact", options->text.exact, "print every digit of every decoded value");
  command.flag("--with-time", options->text.with_time, "lammps: ITEM: TIME; xyz: Time: in the comment");
  command.flag("--with-units", options->text.with_units, "lammps: ITEM: UNITS in the first frame");
  add_threads_option(command, options->text.threads);
  add_limits_option(command, options->limits);
  command.footer(
      "Digits: values with an error bound get the fewest decimals with which the printed value is still within the\n"
      "bound of the true one; lossless values, and all with --exact, get the fewest that read back as the same "
      "number.\n"
      "A data file starts a new run: it has neither the force field nor the state of fixes, and is no restart file.\n"
      "A damaged or truncated input: all complete frames are written, then the exit code says what is missing.");
  command.callback([options] { run_on(options->input, [&] { decode(*options); }); });
}

}  // namespace gpz::tool
