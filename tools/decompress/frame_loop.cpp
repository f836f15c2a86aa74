// SPDX-License-Identifier: BSD-3-Clause
#include "frame_loop.hpp"

#include <fmt/format.h>

#include <vector>

#include "counted.hpp"
#include "progress.hpp"

namespace gpz::tool {

void report_none_taken(const std::string &name, const FrameChoice &choice, std::uint64_t frames) {
  std::string numbers;
  if (frames == 1) numbers = " (0)";
  if (frames > 1) numbers = fmt::format(" (0 to {})", frames - 1);
  if (choice.range.single())
    throw Failure(ExitCode::usage, name,
                  fmt::format("has {}{}, no frame {}", counted(frames, "frame"), numbers, *choice.range.single()));
  print_note(printable(
      fmt::format("{}: has {}{}, none of them in --frames {}", name, counted(frames, "frame"), numbers, choice.text)));
}

namespace {

// Records of a pipe that are no frames, until a chosen frame after them shows that they are wanted.
class WaitingRecords {
 public:
  WaitingRecords(StreamReader &stream, const FrameUse &use) : use_(use) {
    if (use.take_record) stream.on_record([this](const StoredRecord &record) { add(record); });
  }
  void take() {
    for (const StoredRecord &record : records_) use_.take_record(record);
    records_.clear();
    bytes_ = 0;
  }

 private:
  // More than this, and they are taken before it is known.
  static constexpr std::size_t most = std::size_t{64} << 20;

  void add(const StoredRecord &record) {
    records_.push_back(record);
    bytes_ += sizeof record + record.head.size() + record.body.size();
    if (bytes_ > most) take();
  }

  const FrameUse &use_;
  std::vector<StoredRecord> records_;
  std::size_t bytes_ = 0;
};

// The observables that `read` gives; none, with a note, if they are damaged.
template <typename Read>
std::vector<Observable> readable(const std::string &name, std::uint64_t i, const Read &read) {
  try {
    return read();
  } catch (const Error &error) {
    if (!concerns_one_frame(error)) throw;
    print_note(printable(fmt::format("{}: frame {}: its observables cannot be read: {}", name, i, error.cause())));
    return {};
  }
}

Outcome for_each_of_pipe(StreamReader &stream, const std::string &name, const FrameChoice &choice, int threads,
                         const FrameUse &use) {
  if (!choice.range.forward())
    throw Failure(ExitCode::usage, name, "--frames with a negative number needs a file, not a pipe");
  Outcome outcome;
  Progress progress(use.verb, 0, "frames");
  std::uint64_t i = 0;
  WaitingRecords waiting(stream, use);
  if (use.take_observables) stream.keep_tables();
  bool last_taken = false;
  try {
    for (; !choice.range.ends_before(i); ++i) {
      Frame frame;
      if (!stream.next(frame, threads)) {
        if (last_taken) waiting.take();
        break;
      }
      progress.update(i);
      last_taken = choice.range.takes(i);
      if (!last_taken) continue;
      waiting.take();
      if (use.take_observables) use.take_observables(readable(name, i, [&] { return stream.observables(); }));
      use.take(std::move(frame));
      ++outcome.written;
    }
  } catch (const Error &error) {
    if (!concerns_one_frame(error)) throw;
    if (error.status() == Status::truncated)
      outcome.problem = truncated_after(name, i);
    else
      outcome.problem =
          Failure(ExitCode::corrupt, name,
                  fmt::format("frame {}: {}; {} written", i, error.cause(), counted(outcome.written, "frame")));
  }
  if (outcome.written == 0 && !outcome.problem) report_none_taken(name, choice, i);
  return outcome;
}

}  // namespace

Outcome for_each_stored(const Reader &reader, const std::string &name, const FrameChoice &choice, const char *verb,
                        const TakeStored &take) {
  const std::vector<std::size_t> selected = choice.range.select(reader.frames());
  Outcome outcome;
  std::optional<std::pair<std::size_t, Error>> first_damaged;
  Progress progress(verb, selected.size(), "frames");
  for (std::size_t k = 0; k < selected.size(); ++k) {
    const std::size_t i = selected[k];
    progress.update(k);
    try {
      take(reader, i, k + 1 < selected.size() ? selected[k + 1] : reader.frames());
      ++outcome.written;
    } catch (const Error &error) {
      if (!concerns_one_frame(error)) throw;
      if (!first_damaged) first_damaged.emplace(i, error);
    }
  }

  const FileScan &scan = reader.scan();
  if (first_damaged)
    outcome.problem = Failure(ExitCode::corrupt, name,
                              fmt::format("frame {}: {}; {} of {} frames written", first_damaged->first,
                                          first_damaged->second.cause(), outcome.written, selected.size()));
  else if (scan.damaged)
    outcome.problem = damaged_between(name);
  else if (only_index_damaged(scan, name))
    print_note(printable(index_damaged(name, reader.frames())));
  else if (scan.torn && !(choice.range.forward() && choice.range.ends_before(reader.frames())))
    outcome.problem = truncated_after(name, reader.frames());
  if (selected.empty() && !outcome.problem) report_none_taken(name, choice, reader.frames());
  return outcome;
}

Outcome for_each_frame(FrameInput &input, const FrameChoice &choice, int threads, const FrameUse &use) {
  if (input.reader() == nullptr) return for_each_of_pipe(*input.stream(), input.name(), choice, threads, use);
  return for_each_stored(*input.reader(), input.name(), choice, use.verb,
                         [&](const Reader &reader, std::size_t i, std::size_t) {
                           Frame frame = reader.read(i, threads, use.wanted(reader.info(i)));
                           if (use.take_observables)
                             use.take_observables(readable(input.name(), i, [&] { return reader.observables(i); }));
                           use.take(std::move(frame));
                         });
}

}  // namespace gpz::tool
