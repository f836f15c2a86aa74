// SPDX-License-Identifier: BSD-3-Clause
// gpz info: what is in a .gpz file, on one screen.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <unordered_map>

#include "capped.hpp"
#include "commands.hpp"
#include "counted.hpp"
#include "exit_code.hpp"
#include "frame_input.hpp"
#include "gpz/choices.hpp"
#include "gpz/chunk.hpp"
#include "gpz/units.hpp"
#include "gpz_file.hpp"
#include "history.hpp"
#include "json.hpp"
#include "name_width.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "sampled_frames.hpp"
#include "size_shares.hpp"
#include "table_text.hpp"

namespace gpz::tool {
namespace {

struct ColumnSummary {
  std::string name;
  std::uint16_t number = 0;
  std::string type;
  double smallest_bound = 0;
  double bound = 0;  // largest of all frames, as the next one
  double largest_error = 0;
  double bytes = 0;  // of the file, an estimate
};

struct Summary {
  FrameInfo first;
  std::uint64_t particles = 0;  // of all frames
  std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
  std::uint64_t value_bytes = 0;         // 8 a value, 4 for f32
  std::uint64_t unreadable = 0;          // frames
  std::vector<std::int64_t> key_frames;  // their numbers
  unsigned most_since_key = 0;           // frames
  std::uint64_t independent = 0;         // frames that are no key frames, and whose first chunk is independent
  std::uint64_t other_records = 0;       // that are no frames
  std::uint64_t other_bytes = 0;
  std::size_t frames_read = 0;          // heads
  bool is_sample = false;               // other frames may differ
  std::uint64_t unreadable_tables = 0;  // 1 if there are tables that cannot be read
  std::vector<TablesOfName> tables;     // of the file, by name; of a sample, those that are valid for the first frame
  std::vector<Observable> observables;  // of all frames; of a sample, those of the first frame
  std::vector<ColumnSummary> columns;
  std::unordered_map<std::string, std::size_t> index_of;  // by name: index into columns, until they are sorted
};

std::string type_name(const Field &field) {
  switch (field.type) {
    case ValueType::float32:
      return "f32";
    case ValueType::float64:
      return "f64";
    case ValueType::integer:
      break;
  }
  if (field.display == Display::element) return "element";
  return field.display == Display::type_label ? "label" : "integer";
}

const char *box_kind(Box::Kind kind) {
  switch (kind) {
    case Box::Kind::orthogonal:
      return "orthogonal";
    case Box::Kind::triclinic:
      return "triclinic";
    case Box::Kind::general_triclinic:
      return "general triclinic";
    case Box::Kind::none:
      break;
  }
  return "none";
}

std::string boundary_text(const Box &box) {
  if (box.boundary[0] == '\0') return "";
  std::string text;
  for (std::size_t side = 0; side < 6; ++side) {
    if (side % 2 == 0 && side > 0) text += ' ';
    text += box.boundary[side];
  }
  return text;
}

void add_columns(const FrameInfo &info, Summary &summary) {
  for (const Field &field : info.fields) {
    const std::uint64_t bytes = field.type == ValueType::float32 ? 4 : 8;
    summary.value_bytes =
        capped_sum(summary.value_bytes, capped_product(info.particles, field.components.size() * bytes));
    for (const Field::Component &component : field.components) {
      const auto [known, is_new] = summary.index_of.emplace(component.name, summary.columns.size());
      if (is_new) summary.columns.push_back({component.name, component.column, type_name(field), field.bound, 0, 0, 0});
      ColumnSummary *const column = &summary.columns[known->second];
      column->smallest_bound = std::min(column->smallest_bound, field.bound);
      column->bound = std::max(column->bound, field.bound);
      column->largest_error = std::max(column->largest_error, field.largest_error);
    }
  }
}

// Whether the first chunk of a frame does not build on the frame before it. To look at all would cost a file of many
// chunks the square of their number.
bool is_independent(const Reader &reader, std::size_t i, std::size_t chunks) {
  return chunks > 0 && reader.chunk_kind(i, 0) != ChunkKind::difference;
}

void add_sizes(const Reader &reader, Summary &summary) {
  const auto add = [&](const Field &field, double bytes) {
    for (const Field::Component &component : field.components) {
      const auto known = summary.index_of.find(component.name);
      if (known != summary.index_of.end())
        summary.columns[known->second].bytes += bytes / static_cast<double>(field.components.size());
    }
  };
  if (summary.is_sample)
    for_field_sizes(reader, add, 2);
  else
    for_field_sizes(reader, add);
}

void add_observables(const Reader &reader, std::size_t i, Summary &summary) {
  for (const Observable &found : reader.observables(i)) {
    const auto is_same = [&](const Observable &other) { return other.name == found.name && other.unit == found.unit; };
    if (std::none_of(summary.observables.begin(), summary.observables.end(), is_same))
      summary.observables.push_back(found);
  }
}

// Those in front of frame i; none where they are damaged.
std::vector<RecordEntry> other_records(const Reader &reader, std::size_t i) {
  try {
    return reader.records(i);
  } catch (const Error &error) {
    if (!concerns_one_frame(error)) throw;
    return {};
  }
}

// Reads tables or observables. Damage in them does not keep the rest from being shown.
template <typename Step>
void unless_damaged(Summary &summary, const Step &step) {
  if (summary.unreadable_tables > 0) return;
  try {
    step();
  } catch (const Error &error) {
    if (!concerns_one_frame(error)) throw;
    summary.unreadable_tables = 1;
  }
}

// Reads the records between the frames. Tables are decoded for the first frame only.
void add_records(const Reader &reader, Summary &summary) {
  std::vector<Table> of_first;
  // In this order: what the reader keeps of the tables of observables counts against the limit of the others.
  unless_damaged(summary, [&] { add_observables(reader, 0, summary); });
  unless_damaged(summary, [&] { of_first = reader.tables(0); });
  if (summary.is_sample) {
    for (const Table &table : of_first) add_table(table, summary.tables);
    return;
  }
  for (std::size_t i = 0; i <= reader.frames(); ++i) {
    for (const RecordEntry &entry : other_records(reader, i)) {
      ++summary.other_records;
      summary.other_bytes += entry.length;
      if (entry.type != tables_record_type) continue;
      unless_damaged(summary, [&] {
        for (const TableHead &head : table_heads(reader.stored(entry))) add_table(head, summary.tables);
      });
    }
    if (i < reader.frames()) unless_damaged(summary, [&] { add_observables(reader, i, summary); });
  }
  std::sort(summary.tables.begin(), summary.tables.end(),
            [](const TablesOfName &a, const TablesOfName &b) { return a.first.name < b.first.name; });
}

// Adds the sizes in the index of frames that were not read.
void add_unread_frames(const FileScan &scan, Summary &summary) {
  const IndexSums sums = sums_of(scan);
  const double read = static_cast<double>(std::max<std::uint64_t>(summary.particles, 1));
  summary.value_bytes = static_cast<std::uint64_t>(static_cast<double>(summary.value_bytes) *
                                                   (static_cast<double>(sums.particles) / read));
  summary.particles = sums.particles;
  summary.fewest = sums.fewest;
  summary.most = sums.most;
  summary.other_bytes = sums.other_bytes;
}

Summary summarize(const Reader &reader, bool is_remote) {
  Summary summary;
  const std::vector<std::size_t> frames = frames_to_read(reader.frames(), is_remote);
  summary.frames_read = frames.size();
  summary.is_sample = frames.size() < reader.frames();
  Progress progress("info", reader.frames(), "frames");
  for (const std::size_t i : frames) {
    progress.update(i);
    FrameInfo info;
    try {
      std::vector<ChunkEntry> chunks;
      info = reader.info(i, &chunks);
      if (!summary.is_sample && info.since_key != 0 && is_independent(reader, i, chunks.size())) ++summary.independent;
    } catch (const Error &error) {
      if (!concerns_one_frame(error)) throw;
      ++summary.unreadable;
      continue;
    }
    summary.particles = capped_sum(summary.particles, info.particles);
    summary.fewest = std::min(summary.fewest, info.particles);
    summary.most = std::max(summary.most, info.particles);
    if (info.since_key == 0) summary.key_frames.push_back(static_cast<std::int64_t>(i));
    summary.most_since_key = std::max<unsigned>(summary.most_since_key, info.since_key);
    add_columns(info, summary);
    if (summary.first.fields.empty()) summary.first = std::move(info);
  }
  if (summary.is_sample) add_unread_frames(reader.scan(), summary);
  add_records(reader, summary);
  summary.fewest = std::min(summary.fewest, summary.most);
  add_sizes(reader, summary);
  std::stable_sort(summary.columns.begin(), summary.columns.end(),
                   [](const ColumnSummary &a, const ColumnSummary &b) { return a.number < b.number; });
  return summary;
}

double bits_per_particle(const FileScan &scan, const Summary &summary) {
  return summary.particles == 0 ? 0
                                : 8.0 * static_cast<double>(scan.file_size) / static_cast<double>(summary.particles);
}

double ratio(const FileScan &scan, const Summary &summary) {
  return static_cast<double>(summary.value_bytes) / static_cast<double>(scan.file_size);
}

std::string state_text(const FileScan &scan, const Summary &summary, bool index_damaged) {
  if (summary.unreadable > 0)
    return "damaged: " + counted(summary.unreadable, "frame") + " cannot be read (gpz repair)";
  if (summary.unreadable_tables > 0) return "damaged: tables cannot be read";
  if (scan.damaged) return "damaged: unreadable bytes between complete frames (gpz repair)";
  if (index_damaged) return "structure complete, the index is damaged (gpz repair mends it)";
  if (scan.torn)
    return fmt::format("torn: {} after the last complete frame", counted(scan.file_size - scan.frames_end, "byte"));
  return scan.has_index ? "structure complete (gpz verify checks the contents)"
                        : "structure complete, without an index (still being written, or never closed)";
}

std::string bound_text(const ColumnSummary &column) {
  const auto text = [](double bound) { return bound > 0 ? fmt::format("{:.6g}", bound) : "lossless"; };
  if (column.smallest_bound == column.bound) return text(column.bound);
  return text(column.smallest_bound) + " to " + text(column.bound);
}

// The interval of equally spaced numbers; 0 if they are not, or if it has more than 64 bits.
template <typename Container, typename Number>
std::int64_t interval_of(const Container &items, const Number &number) {
  if (items.size() < 2) return 0;
  std::int64_t interval = 0;
  for (std::size_t i = 1; i < items.size(); ++i) {
    std::int64_t difference = 0;
    if (__builtin_sub_overflow(number(items[i]), number(items[i - 1]), &difference)) return 0;
    if (i > 1 && difference != interval) return 0;
    interval = difference;
  }
  return interval;
}

std::int64_t timestep_interval(const std::vector<IndexEntry> &frames) {
  return interval_of(frames, [](const IndexEntry &frame) { return frame.timestep; });
}

std::int64_t key_interval(const Summary &summary) {
  return interval_of(summary.key_frames, [](std::int64_t number) { return number; });
}

std::string key_frames_text(const Summary &summary) {
  if (summary.most_since_key == 0) return "all";
  std::string count = fmt::format("{}", summary.key_frames.size());
  if (summary.key_frames.size() < 2) return count;
  if (const std::int64_t interval = key_interval(summary); interval != 0)
    return count + fmt::format(", every {}", interval);
  return count + fmt::format(", up to {} frames apart", summary.most_since_key + 1);
}

std::string independent_text(const Summary &summary, std::size_t frames) {
  if (summary.independent == 0) return "";
  return fmt::format("{} of {} difference frames: other particles or columns, or differences would be larger",
                     summary.independent, frames - summary.unreadable - summary.key_frames.size());
}

std::string frames_text(const std::vector<IndexEntry> &frames) {
  if (frames.empty()) return "0";
  std::string text = fmt::format("{}, timestep {}", frames.size(), frames.front().timestep);
  if (frames.size() > 1) text += fmt::format(" to {}", frames.back().timestep);
  if (const std::int64_t interval = timestep_interval(frames); interval != 0)
    text += fmt::format(", every {}", interval);
  if (!std::isnan(frames.front().time))
    text += fmt::format("; time {:.6g} to {:.6g}", frames.front().time, frames.back().time);
  return text;
}

std::string box_summary(const Box &box) {
  if (box.kind == Box::Kind::none) return "none";
  const auto &v = box.values;
  const std::string head =
      fmt::format("{}, {}-D{}{}", box_kind(box.kind), box.dimension, box.boundary[0] ? ", " : "", boundary_text(box));
  switch (box.kind) {
    case Box::Kind::general_triclinic:
      return head + fmt::format(
                        "; a {:.6g} {:.6g} {:.6g}, b {:.6g} {:.6g} {:.6g}, c {:.6g} {:.6g} {:.6g}, origin {:.6g} "
                        "{:.6g} {:.6g}",
                        v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11]);
    case Box::Kind::triclinic:
    case Box::Kind::orthogonal:
    case Box::Kind::none:
      break;
  }
  std::string text =
      head + fmt::format("; x {:.6g} {:.6g}, y {:.6g} {:.6g}, z {:.6g} {:.6g}", v[0], v[1], v[2], v[3], v[4], v[5]);
  if (box.kind == Box::Kind::triclinic) text += fmt::format(", xy {:.6g}, xz {:.6g}, yz {:.6g}", v[6], v[7], v[8]);
  return text;
}

// The names of the required features.
std::vector<std::string> feature_names(std::uint32_t features) {
  std::vector<std::string> names;
  for (const auto &[bit, name] : feature::names)
    if ((features & bit) != 0) names.emplace_back(name);
  return names;
}

// Which effort it was is known no closer: not every frame has to use what the file header allows.
std::string features_text(std::uint32_t features) {
  if (features == 0) return "";
  return fmt::format("{} (effort {})", fmt::join(feature_names(features), ", "),
                     name_of(effort_names, effort_within(features)));
}

// Describes the original values that the bounds refer to.
std::string reference_text(const Metadata &metadata) {
  std::string text = metadata.reference;
  if (metadata.reference_grid > 0)
    text += fmt::format("{}positions were on a grid of {:.6g}", text.empty() ? "" : "; ", metadata.reference_grid);
  return text;
}

std::string info_text(const std::string &name, const Reader &reader, const Summary &summary) {
  const FileScan &scan = reader.scan();
  const Metadata &metadata = scan.metadata;
  std::string text = printable(name) + "\n";
  const auto line = [&](const char *label, const std::string &value) {
    if (!value.empty()) text += fmt::format("  {:<11} {}\n", label, printable(value));
  };
  line("frames", frames_text(scan.frames));
  if (summary.is_sample)
    line("read", fmt::format("{} frames; of the others, what the index says", summary.frames_read));
  if (reader.frames() > summary.unreadable && !summary.is_sample) line("key frames", key_frames_text(summary));
  line("independent", independent_text(summary, reader.frames()));
  line("particles", summary.fewest == summary.most ? fmt::format("{}", summary.most)
                                                   : fmt::format("{} to {}", summary.fewest, summary.most));
  if (summary.other_records > 0)
    line("records", fmt::format("{} that {} no frame{}: {} bytes", summary.other_records,
                                summary.other_records == 1 ? "is" : "are", summary.other_records == 1 ? "" : "s",
                                summary.other_bytes));
  if (summary.is_sample && summary.other_bytes > 0)
    line("records", fmt::format("that are no frames: {} bytes", summary.other_bytes));
  line("tables", tables_text(summary.tables));
  std::vector<std::string> observables;
  for (const Observable &observable : summary.observables)
    observables.push_back(observable.name + (is_per_atom(observable.unit) ? " (per atom)" : ""));
  line("observables", fmt::format("{}", fmt::join(observables, " ")));
  if (reader.frames() > 0) line("box", box_summary(summary.first.box));
  line("units", metadata.units);
  line("elements", fmt::format("{}", fmt::join(metadata.elements, " ")));
  line("labels", fmt::format("{}", fmt::join(metadata.type_labels, " ")));
  line("features", features_text(metadata.features));
  line("written by", metadata.generator);
  line("command", metadata.command);
  line("bounds of", reference_text(metadata));
  line("size",
       summary.particles == 0
           ? fmt::format("{} bytes", scan.file_size)
           : fmt::format("{} bytes, {:.2f} bits a particle; ratio {:.2f} to {} bytes of plain values", scan.file_size,
                         bits_per_particle(scan, summary), ratio(scan, summary), summary.value_bytes));
  line("state", state_text(scan, summary, only_index_damaged(scan, name)));
  if (summary.columns.empty()) return text;

  const std::size_t width = name_width(summary.columns);
  text += fmt::format("\n  {:<{}}  {:<8} {:>12} {:>14} {:>14}\n", "column", width, "type", "bound", "largest error",
                      "share of file");
  for (const ColumnSummary &column : summary.columns) {
    const bool lossless = !(column.bound > 0);
    text += fmt::format("  {:<{}}  {:<8} {:>12} {:>14} {:>12.1f} %\n", printable(column.name), width, column.type,
                        bound_text(column), lossless ? "0" : fmt::format("{:.6g}", column.largest_error),
                        100 * column.bytes / static_cast<double>(scan.file_size));
  }
  return text;
}

Json info_json(const std::string &name, const Reader &reader, const Summary &summary) {
  const FileScan &scan = reader.scan();
  const Metadata &metadata = scan.metadata;
  Json json;
  json["file"] = name;
  json["bytes"] = scan.file_size;
  json["state"] = scan.damaged || summary.unreadable + summary.unreadable_tables > 0 ? "damaged"
                  : scan.torn && !only_index_damaged(scan, name)                     ? "torn"
                                                                                     : "complete";
  json["has_index"] = scan.has_index;
  json["frames"] = reader.frames();
  // 0: there is one, or they are not equally spaced.
  json["key_frames"] = {{"count", summary.key_frames.size()}, {"interval", key_interval(summary)}};
  json["independent_difference_frames"] = summary.independent;
  json["other_records"] = {{"count", summary.other_records}, {"bytes", summary.other_bytes}};
  if (summary.is_sample) {
    json["frames_read"] = summary.frames_read;
    json["key_frames"] = nullptr;
    json["independent_difference_frames"] = nullptr;
    json["other_records"]["count"] = nullptr;
  }
  json["tables"] = Json::array();
  for (const TablesOfName &table : summary.tables)
    json["tables"].push_back({{"name", table.first.name},
                              {"rows", table.first.rows},
                              {"columns", table.first.columns},
                              {"count", table.count},
                              {"fewest_rows", table.fewest_rows},
                              {"most_rows", table.most_rows}});
  json["observables"] = Json::array();
  for (const Observable &observable : summary.observables)
    json["observables"].push_back({{"name", observable.name}, {"unit", observable.unit}});
  json["particles"] = {{"fewest", summary.fewest}, {"most", summary.most}, {"total", summary.particles}};
  if (reader.frames() > 0) {
    json["timesteps"] = {{"first", scan.frames.front().timestep},
                         {"last", scan.frames.back().timestep},
                         {"interval", timestep_interval(scan.frames)}};
    // JSON has no NaN: null.
    json["time"] = {{"first", scan.frames.front().time}, {"last", scan.frames.back().time}};
    const Box &box = summary.first.box;
    json["box"] = {{"kind", box_kind(box.kind)},
                   {"dimension", box.dimension},
                   {"boundary", boundary_text(box)},
                   {"values", box.values}};
  }
  json["features"] = feature_names(metadata.features);
  json["effort"] = name_of(effort_names, effort_within(metadata.features));
  json["units"] = metadata.units;
  json["atom_style"] = metadata.atom_style;
  json["generator"] = metadata.generator;
  json["command"] = metadata.command;
  json["reference"] = metadata.reference;
  json["reference_grid"] = metadata.reference_grid;
  json["elements"] = metadata.elements;
  json["type_labels"] = metadata.type_labels;
  json["bits_per_particle"] = bits_per_particle(scan, summary);
  json["value_bytes"] = summary.value_bytes;
  json["ratio"] = ratio(scan, summary);
  json["columns"] = Json::array();
  for (const ColumnSummary &column : summary.columns)
    json["columns"].push_back({{"name", column.name},
                               {"type", column.type},
                               {"smallest_bound", column.smallest_bound},
                               {"bound", column.bound},
                               {"largest_error", column.largest_error},
                               {"bytes", std::llround(column.bytes)}});
  return json;
}

// The history of the file.
void print_history(const std::string &path, const Reader &reader) {
  const std::vector<Table> tables = reader.tables(reader.frames(), {"history"});
  if (tables.empty()) throw Failure(ExitCode::usage, path, "has no history (gpz encode --history)");
  OutputFile out("-");
  const EndsWithoutMemory end;
  out.write(history_text(tables[0]));
  out.commit();
}

void info(const std::string &path, bool as_json, bool history, const Limits &limits) {
  const FrameInput input(path, limits);
  if (input.reader() == nullptr) throw Failure(ExitCode::usage, input.name(), "info needs a file, not a pipe");
  const Reader &reader = *input.reader();
  if (history) {
    print_history(input.name(), reader);
    return;
  }
  const Summary summary = summarize(reader, is_url(path));
  OutputFile out("-");
  const EndsWithoutMemory end;
  out.write(as_json ? info_json(input.name(), reader, summary).text() : info_text(input.name(), reader, summary));
  out.commit();
}

}  // namespace

void add_info(CommandParser &parser) {
  struct Options {
    std::string input;
    bool json = false;
    bool history = false;
    Limits limits;
  };
  auto options = std::make_shared<Options>();
  Command command = parser.command("info", "Show what is in a .gpz file");
  command.option("IN", options->input, "a .gpz file").required().type_name("FILE");
  command.flag("--json", options->json, "as JSON");
  command.flag("--history", options->history, "only which commands the file went through, and what it was made of");
  add_limits_option(command, options->limits);
  command.callback([options] {
    run_on(options->input, [&] { info(options->input, options->json, options->history, options->limits); });
  });
}

}  // namespace gpz::tool
