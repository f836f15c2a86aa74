// SPDX-License-Identifier: BSD-3-Clause
// gpz annotate: adds topology, masses, charges and thermodynamic output to a .gpz file.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "counted.hpp"
#include "exit_code.hpp"
#include "gpz/error.hpp"
#include "gpz/reader.hpp"
#include "gpz/writer.hpp"
#include "gpz_file.hpp"
#include "output_file.hpp"
#include "readers/lammps_data.hpp"
#include "readers/lammps_log.hpp"
#include "table_text.hpp"

namespace gpz::tool {
namespace {

struct AnnotateOptions {
  std::string file;
  std::string data;
  std::string atom_style;
  std::string log;
  Limits limits;
};

bool equal_tables(const Table &a, const Table &b) {
  return tables_record({a}).body == tables_record({b}).body;  // the bits of floats, too
}

// Bytes after the last complete record would be lost, and another program may be writing.
void check_whole(const Reader &reader, const std::string &file) {
  const FileScan &scan = reader.scan();
  if (scan.damaged || scan.torn || !scan.has_index)
    throw Failure(scan.damaged ? ExitCode::corrupt : ExitCode::truncated, file,
                  "has no index at its end: it is still being written, or damaged (gpz repair)");
}

// Tables in front of the first frame are valid for all frames, so others after the last one would be for none.
void check_place(const Reader &reader, const std::string &file, const std::vector<Table> &tables) {
  for (const RecordEntry &entry : reader.frames() == 0 ? std::vector<RecordEntry>() : reader.records(0)) {
    if (entry.type != tables_record_type) continue;
    for (const Table &there : tables_of(reader.stored(entry)))
      for (const Table &table : tables)
        if (there.name == table.name)
          throw Failure(ExitCode::usage, file,
                        fmt::format("has another table {} in front of its first frame, which stays valid (gpz encode "
                                    "--data makes a new file)",
                                    table.name));
  }
}

// Those of `tables` that the file does not have already, for all of its frames.
std::vector<Table> new_tables(const Reader &reader, std::vector<Table> tables) {
  const std::vector<Table> known = reader.tables(0);
  const auto is_known = [&](const Table &table) {
    return std::any_of(known.begin(), known.end(),
                       [&](const Table &other) { return other.name == table.name && equal_tables(table, other); });
  };
  tables.erase(std::remove_if(tables.begin(), tables.end(), is_known), tables.end());
  return tables;
}

// Those of the first frame, as far as it has any.
std::vector<std::int64_t> first_ids(const Reader &reader) {
  if (reader.frames() == 0) return {};
  const FrameInfo info = reader.info(0);
  const bool has_ids = std::any_of(info.fields.begin(), info.fields.end(), [](const Field &field) {
    return field.type == ValueType::integer && field.components[0].name == "id";
  });
  if (!has_ids) return {};
  std::vector<std::int64_t> ids(info.particles);
  reader.read_columns(0, {{"id", {ids.data(), sizeof(std::int64_t), ConstArray::Type::int64}}}, ids.size());
  return ids;
}

// With the number of atoms, if it is another one than that of a frame.
Table logged(const Reader &reader, const LoggedThermo &thermo) {
  const std::vector<IndexEntry> &frames = reader.scan().frames;
  const bool needs_count = std::any_of(frames.begin(), frames.end(), [&](const IndexEntry &frame) {
    return thermo.needs_count(frame.timestep, frame.particles);
  });
  return needs_count ? thermo.with_count() : thermo.table();
}

void annotate(const AnnotateOptions &options) {
  if (options.data.empty() && options.log.empty())
    throw Failure(ExitCode::usage, "", "nothing to add: give --data, --log or both");
  require_local(options.file, "annotate");
  require_other_file(options.file, {options.data, options.log});
  const Reader reader(options.file, options.limits);
  check_whole(reader, options.file);
  std::vector<Table> tables;
  if (!options.data.empty()) {
    tables = read_lammps_data(options.data, options.atom_style, reader.metadata().units);
    require_ids(options.data, tables, first_ids(reader));
  }
  if (!options.log.empty()) tables.push_back(logged(reader, read_lammps_log(options.log, reader.metadata().units)));
  tables = new_tables(reader, std::move(tables));
  check_place(reader, options.file, tables);
  if (tables.empty()) {
    print_note(fmt::format("{}: has all of it already", printable(options.file)));
    return;
  }
  const std::uint64_t before = reader.scan().file_size;
  Writer writer(options.file, {}, Writer::Mode::append);
  writer.write(tables);
  writer.close();
  std::vector<TablesOfName> added;
  for (const Table &table : tables) add_table(table, added);
  print_note(fmt::format("{}: {}; {} bytes more", printable(options.file), tables_text(added), writer.size() - before));
}

}  // namespace

void add_annotate(CommandParser &parser) {
  auto options = std::make_shared<AnnotateOptions>();
  Command command =
      parser.command("annotate", "Add topology, masses, charges or thermodynamic output to a .gpz file, in place");
  command.option("FILE", options->file, "a .gpz file, which becomes longer").required().type_name("FILE");
  command.option("--data", options->data, "a LAMMPS data file of the same system: masses, charges, molecules, topology")
      .type_name("FILE");
  command.option("--atom-style", options->atom_style, "of the data file, where its line Atoms does not name it");
  command.option("--log", options->log, "the LAMMPS log of the run: its thermodynamic output").type_name("FILE");
  add_limits_option(command, options->limits);
  command.footer(
      "No frame is written again: the tables are added at the end of the file. They are valid for all frames in front\n"
      "of which the file has none of the same kind. A file that is still being written is refused.");
  command.callback([options] { run_on(options->file, [&] { annotate(*options); }); });
}

}  // namespace gpz::tool
