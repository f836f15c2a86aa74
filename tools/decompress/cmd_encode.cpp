// SPDX-License-Identifier: BSD-3-Clause
// gpz encode: trajectories of foreign formats to .gpz.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "commands.hpp"
#include "counted.hpp"
#include "encoded_output.hpp"
#include "exit_code.hpp"
#include "gpz/chunk.hpp"
#include "gpz/trajectory.hpp"
#include "output_file.hpp"
#include "positions.hpp"
#include "progress.hpp"
#include "readers/frame_source.hpp"

namespace gpz::tool {
namespace {

struct EncodeOptions {
  std::string input;
  std::string output;
  std::optional<double> absolute;
  std::optional<double> relative;
  bool lossless = false;
  std::vector<std::string> bounds;  // COLUMN=V
  std::string raw;
  std::string layout = "aos";
  int dimensions = 3;
  int threads = 0;
  unsigned key_interval = default_key_interval;
  std::string order = "id";
  std::string units;
  SourceOptions source;
};

void check_positive(const char *option, const std::optional<double> &value) {
  if (value && !(*value > 0 && std::isfinite(*value)))
    throw Failure(ExitCode::usage, "", fmt::format("{} {}: a bound is a number above 0", option, *value));
}

std::map<std::string, double> parse_bounds(const std::vector<std::string> &texts) {
  std::map<std::string, double> bounds;
  for (const std::string &text : texts) {
    const std::size_t equals = text.rfind('=');
    double value = 0;
    const char *const end = text.data() + text.size();
    if (equals == std::string::npos || equals == 0 ||
        std::from_chars(text.data() + equals + 1, end, value).ptr != end || equals + 1 == text.size())
      throw Failure(ExitCode::usage, "", "--bound " + text + ": expected COLUMN=V");
    if (!(value > 0 && std::isfinite(value)))
      throw Failure(ExitCode::usage, "", "--bound " + text + ": a bound is a number above 0");
    bounds[text.substr(0, equals)] = value;
  }
  return bounds;
}

// The columns of a frame as the encoder's input; float32 fields need their values narrowed again.
class EncoderInput {
 public:
  const std::vector<FieldInput> &make(const Frame &frame) {
    fields_.clear();
    narrowed_.resize(frame.columns.size());
    for (const Field &field : frame.info.fields) fields_.push_back({field, {}});
    for (std::size_t c = 0; c < frame.columns.size(); ++c) {
      const Frame::Column &column = frame.columns[c];
      FieldInput &input = fields_[column.field];
      input.components[column.component] = array_of(column, input.field.type, narrowed_[c]);
    }
    return fields_;
  }

 private:
  static ConstArray array_of(const Frame::Column &column, ValueType type, std::vector<float> &narrowed) {
    if (type == ValueType::integer) return {column.integers.data(), sizeof(std::int64_t), ConstArray::Type::int64};
    if (type == ValueType::float64) return {column.floats.data(), sizeof(double), ConstArray::Type::float64};
    narrowed.resize(column.floats.size());
    std::transform(column.floats.begin(), column.floats.end(), narrowed.begin(),
                   [](double value) { return static_cast<float>(value); });
    return {narrowed.data(), sizeof(float), ConstArray::Type::float32};
  }

  std::vector<FieldInput> fields_;
  std::vector<std::vector<float>> narrowed_;
};

// Gives the fields of every frame the bounds that the user asked for.
class Bounds {
 public:
  explicit Bounds(const EncodeOptions &options)
      : absolute_(options.absolute), relative_(options.relative), columns_(parse_bounds(options.bounds)) {}

  void apply(const std::string &file, Frame &frame) {
    std::size_t used = 0;
    for (Field &field : frame.info.fields) {
      if (field.leading) continue;
      const auto asked = columns_.find(field.components[0].name);
      if (asked == columns_.end()) continue;
      if (field.type == ValueType::integer)
        throw Failure(ExitCode::usage, file, "--bound: column " + asked->first + " holds integers, which are lossless");
      field.bound = asked->second;
      ++used;
    }
    if (used < columns_.size()) throw unknown_column(file, frame);
    apply_to_positions(file, frame);
  }

 private:
  Failure unknown_column(const std::string &file, const Frame &frame) const {
    std::string known;
    for (const Field &field : frame.info.fields)
      if (!field.leading && field.type != ValueType::integer) known += " " + field.components[0].name;
    for (const auto &[name, bound] : columns_)
      if (frame.find(name) == nullptr)
        return {ExitCode::usage, file,
                fmt::format("--bound: no column '{}'; there are{}", name,
                            known.empty() ? " none that take a bound" : known)};
    return {ExitCode::usage, file, "--bound is for other columns; positions take --eb or --rel"};
  }

  void apply_to_positions(const std::string &file, Frame &frame) {
    if (frame.info.fields.empty() || !frame.info.fields[0].leading) return;
    if (relative_ && !absolute_) {
      const double range = extent(frame);
      absolute_ = *relative_ * range;
      if (!(*absolute_ > 0 && std::isfinite(*absolute_)))
        throw Failure(ExitCode::usage, file,
                      fmt::format("--rel {} of a range of {} is no bound; give --eb", *relative_, range));
    }
    if (!absolute_) return;
    const auto positions = find_positions(frame);
    Field &field = frame.info.fields[0];
    field.bound = *absolute_;
    // Fractions of the box: an error in them counts as the distance that it becomes.
    if (positions->scaled()) {
      const double edges = frame.info.box.largest_edge_sum();
      if (edges == 0) throw Failure(ExitCode::usage, file, "the frames have no box");
      field.bound /= edges;
    }
  }

  // The longest box edge, or without a box the largest range of a coordinate.
  static double extent(const Frame &frame) {
    if (frame.info.box.kind != Box::Kind::none) {
      const std::array<double, 3> edges = frame.info.box.edges();
      return *std::max_element(edges.begin(), edges.end());
    }
    EncoderInput input;
    return value_range(input.make(frame)[0], frame.info.particles);
  }

  std::optional<double> absolute_;
  std::optional<double> relative_;  // to the first frame
  std::map<std::string, double> columns_;
};

void check_names(const std::string &file, std::uint64_t frame, const std::vector<std::string> &now,
                 const std::vector<std::string> &at_start) {
  if (now == at_start) return;
  throw Failure(ExitCode::usage, file,
                fmt::format("frame {} has names of atom types that the first has not ({}); give all with --elements",
                            frame, fmt::join(now, ",")));
}

void encode(EncodeOptions options) {
  const int choices = (options.absolute ? 1 : 0) + (options.relative ? 1 : 0) + (options.lossless ? 1 : 0);
  if (choices != 1) throw Failure(ExitCode::usage, "", "give one of --eb V, --rel V and --lossless");
  check_positive("--eb", options.absolute);
  check_positive("--rel", options.relative);
  if (same_file(options.input, options.output))
    throw Failure(ExitCode::usage, options.output, "is the input as well as the output");
  if (!options.raw.empty()) {
    options.source.format = "raw";
    options.source.raw_type = options.raw == "f32" ? ValueType::float32 : ValueType::float64;
    options.source.raw_layout =
        options.layout == "soa" ? RawLayout::structure_of_arrays : RawLayout::array_of_structures;
    options.source.raw_dimensions = options.dimensions;
  }

  Bounds bounds(options);
  const std::unique_ptr<FrameSource> source = open_source(options.input, options.source);
  const ByteInput &input = source->input();
  Progress progress("encode", input.file_size() >> 20, "MiB");
  std::optional<EncodedOutput> out;
  Metadata metadata;
  EncoderInput encoder_input;
  std::uint64_t frames = 0;
  try {
    for (Frame frame; source->next(frame); ++frames) {
      bounds.apply(input.name(), frame);
      if (!out) {
        metadata = source->metadata();
        metadata.generator = program_version;
        if (!options.units.empty()) metadata.units = options.units;
        out.emplace(options.output, metadata,
                    EncodingOptions{thread_count(options.threads), options.key_interval,
                                    options.order == "id" ? Order::id : Order::place});
      }
      check_names(input.name(), frames, source->metadata().elements, metadata.elements);
      check_names(input.name(), frames, source->metadata().type_labels, metadata.type_labels);
      out->write(frame.info, encoder_input.make(frame));
      progress.update(input.position() >> 20);
    }
  } catch (const std::exception &error) {
    const Failure failure = to_failure(error, input.name());
    // What came before stays, as a whole file.
    if (frames > 0 && failure.code() != ExitCode::io) out->close();
    if (frames == 0) throw failure;
    throw Failure(failure.code(), "", fmt::format("{}; {} written", failure.what(), counted(frames, "complete frame")));
  }
  if (!out) throw Failure(ExitCode::truncated, input.name(), "no frame in it");
  out->close();
}

}  // namespace

void add_encode(CLI::App &app) {
  auto options = std::make_shared<EncodeOptions>();
  CLI::App *command = app.add_subcommand(
      "encode", "Compress LAMMPS text and binary dumps, XYZ, extended XYZ or raw arrays to a .gpz file");
  command->add_option("IN", options->input, "input file; - for standard input")->required()->type_name("FILE");
  command->add_option("-o,--output", options->output, "the .gpz file; - for standard output")
      ->required()
      ->type_name("FILE");
  command->add_option("--eb", options->absolute, "bound of the positions, in distance units");
  command->add_option(
      "--rel", options->relative,
      "the same relative to the longest box edge of the first frame; without a box to its range of values");
  command->add_flag("--lossless", options->lossless, "keep every bit of the positions");
  command->add_option("--bound", options->bounds, "COLUMN=V: bound of another float column; without one it is lossless")
      ->allow_extra_args(false);
  command
      ->add_option("--key", options->key_interval,
                   "a key frame every K frames; the others, if there are ids, are stored as differences: smaller, but "
                   "read from their key frame on; 1: key frames only")
      ->check(CLI::Range(1u, max_key_interval))
      ->capture_default_str();
  command
      ->add_option("--order", options->order,
                   "of particles in key frames: place, as LAMMPS writes them by default, or id where that is smaller")
      ->check(CLI::IsMember({"place", "id"}))
      ->capture_default_str();
  command->add_option("--format", options->source.format, "lammps, lammps-binary or xyz; else by the first bytes")
      ->check(CLI::IsMember({"lammps", "lammps-binary", "xyz"}));
  CLI::Option *raw = command->add_option("--raw", options->raw, "a raw array of f32 or f64 coordinates, one frame")
                         ->check(CLI::IsMember({"f32", "f64"}));
  command
      ->add_option("--layout", options->layout, "of the raw array: aos (x y z x y z ...) or soa (all x, all y, all z)")
      ->check(CLI::IsMember({"aos", "soa"}))
      ->needs(raw);
  command->add_option("--dims", options->dimensions, "of the raw array: 2 or 3")->check(CLI::Range(2, 3))->needs(raw);
  command->add_option("--elements", options->source.elements, "names of atom types 1, 2, ..., e.g. C,H,O")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--units", options->units, "LAMMPS unit style to note in the file, e.g. metal");
  add_threads_option(*command, options->threads);
  command->footer(
      "Integer columns are lossless. If the input is broken or the disk is full, the complete frames before stay in "
      "OUT.");
  command->callback([options] { run_on(options->input, [&] { encode(*options); }); });
}

}  // namespace gpz::tool
