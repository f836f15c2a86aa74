// SPDX-License-Identifier: BSD-3-Clause
// gpz select: frames, atoms and columns of a .gpz file as another one.
#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "copying/carried_records.hpp"
#include "copying/frame_copier.hpp"
#include "copying/records_of_part.hpp"
#include "copying/report.hpp"
#include "copying/whole_output.hpp"
#include "counted.hpp"
#include "exit_code.hpp"
#include "frame_input.hpp"
#include "frame_loop.hpp"
#include "history.hpp"
#include "selection/atom_selection.hpp"
#include "selection/kept_columns.hpp"
#include "selection/options.hpp"

namespace gpz::tool {
namespace {

struct SelectOptions {
  std::string input;
  std::string output;
  std::string frames = ":";
  AtomOptions atoms;
  std::vector<std::string> columns;
  bool json = false;
  bool history = false;
  EncodingOptions encoding;
  Limits limits;
};

// Atoms and columns of frames.
class Selection final : public FrameCopier::Change {
 public:
  Selection(const AtomSelection &atoms, const std::vector<std::string> &columns, const std::string &file)
      : atoms_(atoms), columns_(columns), file_(file) {}

  const AtomSelection &atoms() const { return atoms_; }
  bool of_stored(StoredFrame &frame) const override {
    return atoms_.all() && (columns_.empty() || keep_stored_columns(frame, columns_));
  }
  std::vector<bool> wanted(const FrameInfo &info) const override {
    if (columns_.empty()) return {};
    std::vector<bool> fields = fields_with(info, columns_);
    atoms_.want(info, fields);
    return fields;
  }
  void of_decoded(Frame &frame) const override {
    atoms_.apply(frame, file_);
    if (!columns_.empty()) keep_columns(frame, columns_, file_);
  }

 private:
  const AtomSelection &atoms_;
  const std::vector<std::string> &columns_;
  std::string file_;
};

Outcome write_frames(FrameInput &input, const FrameChoice &choice, const Selection &selection, int threads,
                     const Limits &limits, WholeOutput &out) {
  RecordsOfPart of_part(selection.atoms().ids(), limits);
  RecordsOfPart *const part = selection.atoms().all() ? nullptr : &of_part;
  if (input.reader() != nullptr) {
    FrameCopier copier(out, threads, &selection);
    CarriedRecords others(*input.reader(), out, part, limits);
    bool all_carried = true;
    // Damage between frames costs no frame.
    const auto carry = [&](const auto &step) {
      try {
        step();
      } catch (const Error &error) {
        if (!concerns_one_frame(error)) throw;
        all_carried = false;
      }
    };
    Outcome outcome = for_each_stored(*input.reader(), input.name(), choice, "select",
                                      [&](const Reader &reader, std::size_t i, std::size_t next) {
                                        carry([&] { others.before(i); });
                                        copier.put(reader, i, next);
                                        carry([&] { others.after(i); });
                                      });
    if (!all_carried && !outcome.problem) outcome.problem = damaged_between(input.name());
    return outcome;
  }
  std::vector<StoredRecord> waiting;  // in front of the next frame
  std::uint64_t particles = 0;
  const auto copy_waiting = [&] {
    for (const StoredRecord &record : waiting) out.copy(part == nullptr ? record : part->changed(record, particles));
    waiting.clear();
  };
  const auto take = [&](Frame frame) {
    particles = frame.info.particles;
    copy_waiting();
    if (part != nullptr)
      if (const auto record = part->before_frame(particles)) out.copy(*record);
    selection.of_decoded(frame);
    out.encode(frame);
  };
  const auto wanted = [&](const FrameInfo &info) { return selection.wanted(info); };
  const auto carry = [&](const StoredRecord &record) { waiting.push_back(record); };
  Outcome outcome = for_each_frame(input, choice, threads, {"select", wanted, take, carry});
  copy_waiting();
  return outcome;
}

void report(const SelectOptions &options, const WholeOutput &out) {
  const EndsWithoutMemory end;
  const std::size_t frames = out.copied() + out.encoded();
  Json json;
  json["file"] = options.output;
  json["frames"] = frames;
  json["copied"] = out.copied();
  json["encoded_again"] = out.encoded();
  json["other_records"] = out.other_records();
  print_report(options.output, options.json, json,
               fmt::format("{}: {}: {} copied, {} encoded again\n", printable(options.output), counted(frames, "frame"),
                           out.copied(), out.encoded()) +
                   other_records_line(out.other_records()));
}

void select(SelectOptions options) {
  check_report(options.output, options.json);
  const FrameChoice choice(options.frames);
  require_other_file(options.output, {options.input});
  options.encoding.threads = thread_count(options.encoding.threads);
  FrameInput input(options.input, options.limits);
  Metadata metadata = input.metadata();
  if (!options.columns.empty()) metadata.columns = options.columns;
  const AtomSelection atoms(options.atoms, {metadata.elements, metadata.type_labels});

  if (options.encoding.order != Order::place && input.reader() != nullptr && is_in_order_of_memory(*input.reader()))
    options.encoding.order = Order::memory;
  WholeOutput out(options.output, metadata, options.encoding);
  const Selection selection(atoms, options.columns, input.name());
  const Outcome outcome = write_frames(input, choice, selection, options.encoding.threads, options.limits, out);
  History history(options.history);
  if (input.reader() != nullptr) history.take(*input.reader());
  history.add_input(options.input);
  if (history.is_kept()) out.write(history.table());
  if (outcome.written > 0 || !outcome.problem) out.commit();
  if (outcome.problem) throw *outcome.problem;
  report(options, out);
}

}  // namespace

void add_select(CommandParser &parser) {
  auto options = std::make_shared<SelectOptions>();
  Command command = parser.command("select", "Write some frames, atoms or columns of a .gpz file to another one");
  command.option("IN", options->input, "a .gpz file; - for standard input").required().type_name("FILE");
  command.option("-o,--output", options->output, "the new file; - for standard output").required().type_name("FILE");
  add_frames_option(command, options->frames);
  add_atom_options(command, options->atoms);
  add_columns_option(command, options->columns, "keep these columns only, e.g. id,type,x,y,z");
  add_history_option(command, options->history);
  command.flag("--json", options->json, "the report as JSON");
  add_encoding_options(command, options->encoding);
  add_effort_option(command, options->encoding.effort, "that of IN");
  add_threads_option(command, options->encoding.threads);
  add_limits_option(command, options->limits);
  command.footer(
      "Without a selection of atoms, frames are copied from their key frame on, with their bytes and checksums. So\n"
      "are the columns that are kept, if there are positions, ids and whole vectors (x, y and z) among them.\n"
      "Other frames are decoded and encoded again, by --key, --order and --effort. Their values stay the same.\n"
      "Without ids they have no differences: they are key frames.\n"
      "Records that are no frames are carried along, in front of the next frame that is kept. With --ids, tables keep\n"
      "the rows of these atoms, and the bonds between them. Observables stay those of all atoms: Atoms is how many.\n"
      "A damaged or truncated input: all complete frames are written, then the exit code says what is missing.");
  command.callback([options] { run_on(options->input, [&] { select(*options); }); });
}

}  // namespace gpz::tool
