// SPDX-License-Identifier: BSD-3-Clause
// Size, speed and error of a whole trajectory at one effort, for a trajectory in any format that gpz encodes.
//
//   effort_bench --bound B [--effort fast|standard|dense] [--order auto|id|place|memory] [--key K] [--parts 1x1x1]
//   [--frames N]
//   [--threads T] FILE
//
// The file is made in memory, with all columns. Frames need a column id: rows are put into the order of ids first. With
// --parts the box is cut once, at the first frame, and the particles of each part stay together: a chunk each, as MPI
// ranks write them. Bits are those of the whole file, and of its chunks alone. Speeds are bytes of f64 positions a
// second of processor time: of the encoders and the Writer, and of Reader::read. In the end FILE is read once more and
// compared with what the reader gives, value by value.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <stdexcept>

#include "bounds.hpp"
#include "commands.hpp"
#include "gpz/api/frame_fields.hpp"
#include "gpz/choices.hpp"
#include "gpz/reader.hpp"
#include "gpz/writer.hpp"
#include "particle_order.hpp"
#include "positions.hpp"
#include "readers/frame_source.hpp"

namespace {

struct Options {
  std::string path;
  double bound = 0;
  gpz::tool::EncodingOptions encoding;
  std::string parts = "1x1x1";
  std::array<std::size_t, 3> cuts{};  // parts along each axis
  std::size_t frames = SIZE_MAX;
};

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <typename Work>
void timed(double &seconds, const Work &work) {
  const double start = processor_seconds();
  work();
  seconds += processor_seconds() - start;
}

void sort_by_id(const std::string &path, gpz::Frame &frame) {
  const std::vector<std::size_t> order = gpz::tool::sorted_rows(frame, "id", path);
  const auto sort = [&](auto &values) {
    auto sorted = values;
    for (std::size_t i = 0; i < values.size(); ++i) sorted[i] = values[order[i]];
    values = std::move(sorted);
  };
  for (gpz::Frame::Column &column : frame.columns) {
    sort(column.integers);
    sort(column.floats);
  }
}

// The first frames of FILE with the bound, in the order of ids.
class Original {
 public:
  explicit Original(const Options &options)
      : path_(options.path),
        left_(options.frames),
        source_(gpz::tool::open_source(path_, {})),
        bounds_({fmt::format("{}", options.bound), {}, false, {}}) {}

  bool next(gpz::Frame &frame) {
    if (left_ == 0 || !source_->next(frame)) return false;
    --left_;
    bounds_.apply(path_, frame);
    sort_by_id(path_, frame);
    return true;
  }
  const gpz::Metadata &metadata() const { return source_->metadata(); }

 private:
  std::string path_;
  std::size_t left_;
  std::unique_ptr<gpz::tool::FrameSource> source_;
  gpz::tool::Bounds bounds_;
};

// The rows of each part of the box.
std::vector<std::vector<int>> cut(const gpz::Frame &frame, const std::array<std::size_t, 3> &cuts) {
  const gpz::Box &box = frame.info.box;
  const auto positions = gpz::tool::find_positions(frame, gpz::PositionForm::wrapped);
  if (box.kind != gpz::Box::Kind::orthogonal || !positions || !positions->columns[2])
    throw std::runtime_error("parts need x, y, z and an orthogonal box");
  std::vector<std::vector<int>> parts(cuts[0] * cuts[1] * cuts[2]);
  for (std::size_t i = 0; i < frame.info.particles; ++i) {
    std::size_t part = 0;
    for (std::size_t d = 3; d-- > 0;) {
      const double lo = box.values[2 * d];
      const double share = (frame.columns[*positions->columns[d]].floats[i] - lo) / (box.values[2 * d + 1] - lo);
      const double at = std::floor(share * static_cast<double>(cuts[d]));
      part = part * cuts[d] + static_cast<std::size_t>(std::fmin(std::fmax(at, 0), static_cast<double>(cuts[d] - 1)));
    }
    parts[part].push_back(static_cast<int>(i));
  }
  return parts;
}

struct Totals {
  std::size_t frames = 0;
  std::uint64_t particles = 0;  // of all frames
  std::uint64_t chunk_bytes = 0;
  double encode = 0;  // seconds
  double decode = 0;
  double largest_error = 0;  // of a value with a bound, in units of it
};

void encode(const Options &options, gpz::Bytes &file, Totals &totals) {
  Original original(options);
  gpz::Frame frame;
  if (!original.next(frame)) throw std::runtime_error("no frame in it");
  std::vector<std::vector<int>> parts(1);
  if (options.cuts != std::array<std::size_t, 3>{1, 1, 1}) parts = cut(frame, options.cuts);
  const std::vector<std::int64_t> ids = frame.find("id")->integers;

  const gpz::Effort effort = *options.encoding.effort;
  gpz::Metadata metadata = original.metadata();
  metadata.features = gpz::features_of(effort, options.encoding.order, true);
  gpz::Writer writer(file, metadata);
  gpz::KeySchedule schedule(options.encoding.key_interval);
  std::vector<gpz::TrajectoryEncoder> encoders;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    encoders.emplace_back(options.encoding.threads);
    encoders.back().set_order(options.encoding.order);
    encoders.back().set_effort(effort, metadata.features);
  }
  std::vector<gpz::EncodedChunk> chunks(parts.size());
  gpz::api::FrameFields fields;
  do {
    if (parts.size() > 1 && frame.find("id")->integers != ids) throw std::runtime_error("particles come or go");
    const std::vector<gpz::FieldInput> &input = fields.fields_of(frame);
    timed(totals.encode, [&] {
      frame.info.since_key = schedule.next(frame.info.fields);
      for (std::size_t part = 0; part < parts.size(); ++part) {
        const bool all = parts.size() == 1;
        encoders[part].encode(input, all ? frame.info.particles : parts[part].size(),
                              all ? nullptr : parts[part].data(), frame.info.box, frame.info.since_key == 0,
                              chunks[part]);
        totals.chunk_bytes += chunks[part].bytes.size();
      }
      writer.write(frame.info, chunks);
      schedule.written(frame.info);
    });
    ++totals.frames;
    totals.particles += frame.info.particles;
  } while (original.next(frame));
  timed(totals.encode, [&] { writer.close(); });
}

// The largest error of a column in units of `bound`; without a bound it has to be the same bits.
double compare(const gpz::Frame::Column &decoded, const gpz::Frame::Column &original, double bound) {
  if (decoded.integers != original.integers || decoded.floats.size() != original.floats.size())
    throw std::runtime_error("integers do not come back");
  if (bound == 0) {
    if (std::memcmp(decoded.floats.data(), original.floats.data(), original.floats.size() * sizeof(double)) != 0)
      throw std::runtime_error("lossless values do not come back");
    return 0;
  }
  double largest = 0;
  for (std::size_t i = 0; i < original.floats.size(); ++i) {
    const double error = std::abs(decoded.floats[i] - original.floats[i]);
    if (!(error <= bound)) throw std::runtime_error(fmt::format("an error of {} of the bound", error / bound));
    largest = std::fmax(largest, error / bound);
  }
  return largest;
}

void decode(const Options &options, const gpz::Bytes &file, Totals &totals) {
  const gpz::Reader reader(file.data(), file.size());
  if (reader.frames() != totals.frames) throw std::runtime_error("frames are missing");
  Original original(options);
  gpz::Frame expected;
  for (std::size_t i = 0; i < totals.frames; ++i) {
    gpz::Frame frame;
    timed(totals.decode, [&] { frame = reader.read(i, options.encoding.threads); });
    if (!original.next(expected)) throw std::runtime_error("it has become shorter");
    sort_by_id(options.path, frame);
    if (frame.columns.size() != expected.columns.size()) throw std::runtime_error("columns are missing");
    for (std::size_t c = 0; c < frame.columns.size(); ++c) {
      const double bound = expected.info.fields[expected.columns[c].field].bound;
      totals.largest_error = std::fmax(totals.largest_error, compare(frame.columns[c], expected.columns[c], bound));
    }
  }
}

std::array<std::size_t, 3> parse_parts(const std::string &text) {
  std::array<std::size_t, 3> cuts{};
  int end = 0;
  if (std::sscanf(text.c_str(), "%zux%zux%zu%n", &cuts[0], &cuts[1], &cuts[2], &end) != 3 ||
      static_cast<std::size_t>(end) != text.size() || cuts[0] * cuts[1] * cuts[2] == 0)
    throw std::runtime_error("--parts is like 2x2x1");
  return cuts;
}

void run(Options &options) {
  options.cuts = parse_parts(options.parts);
  gpz::Bytes file;
  Totals totals;
  encode(options, file, totals);
  decode(options, file, totals);
  const auto bits = [&](std::uint64_t bytes) {
    return 8 * static_cast<double>(bytes) / static_cast<double>(totals.particles);
  };
  const double megabytes = 24e-6 * static_cast<double>(totals.particles);
  fmt::print(
      "{} frames of {} atoms, effort {}, order {}, {} parts, {} threads: {:.3f} bits/atom ({:.3f} in chunks); encode "
      "{:.0f} MB/s, decode {:.0f} MB/s; largest error {:.6f} of the bound\n",
      totals.frames, totals.particles / totals.frames, gpz::name_of(gpz::effort_names, *options.encoding.effort),
      gpz::name_of(gpz::order_names, options.encoding.order), options.parts, options.encoding.threads,
      bits(file.size()), bits(totals.chunk_bytes), megabytes / totals.encode, megabytes / totals.decode,
      totals.largest_error);
}

}  // namespace

int main(int argc, char **argv) {
  Options options;
  gpz::tool::CommandParser parser("Size, speed and error of a trajectory at one effort");
  gpz::tool::Command program = parser.program();
  program.option("file", options.path, "Trajectory").required();
  program.option("--bound", options.bound, "Error bound of the positions, distance units").required().positive();
  options.encoding.effort = gpz::default_effort;
  gpz::tool::add_effort_option(program, options.encoding.effort, gpz::name_of(gpz::effort_names, gpz::default_effort));
  gpz::tool::add_encoding_options(program, options.encoding);
  program.option("--parts", options.parts, "Chunks of a frame: parts of the box along x, y, z");
  program.option("--frames", options.frames, "Frames to read").positive();
  program.option("--threads", options.encoding.threads, "Threads of each part's encoder, and of the reader").positive();
  if (const auto status = gpz::tool::parse_or_report(parser, argc, argv)) return *status;
  try {
    run(options);
    return 0;
  } catch (const std::exception &error) {
    fmt::print(stderr, "effort_bench: {}: {}\n", options.path, error.what());
    return 1;
  }
}
