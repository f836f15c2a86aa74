// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::Reader: decides which frames are read, and whether the device or the CPU decodes them.
#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "gpz/api/file.hpp"
#include "gpz/api/frame_file.hpp"
#include "gpz/api/read_output.hpp"
#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/device_object.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/reader/frame_decoder.hpp"
#include "gpz/cuda/reader/landing.hpp"
#include "gpz/cuda/reader/read_ahead.hpp"
#include "gpz/cuda/reader/staged_values.hpp"
#include "gpz/cuda_reader.hpp"
#include "gpz/error.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::cuda {
namespace {

using api::in_file;

constexpr std::size_t most_frames_ahead = 12;
constexpr std::size_t most_chunks = 4096;  // in a frame decoded on the device, where each chunk has a decoder

int threads_of(const ReaderOptions &options) {
  if (options.threads < 0) throw Error(Status::invalid_argument, "a negative number of threads");
  if (options.threads > 0) return options.threads;
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 16u));
}

// More threads are not faster, and the caller's thread and the rest of the program need cores, too.
int reading_threads_of(const ReaderOptions &options) {
  const int threads = threads_of(options);
  return options.threads > 0 ? threads : std::max(1, threads * 3 / 4);
}

// About as many particles as a CPU decodes in the time that kernels take for one block of steps.
std::uint64_t least_chained_of(const ReaderOptions &options) {
  constexpr std::uint64_t usual = 30000;
  return options.least_chained != 0 ? options.least_chained : usual;
}

std::uint64_t longest_frame(const FileScan &scan) {
  std::uint64_t longest = 0;
  for (const IndexEntry &frame : scan.frames) longest = std::max(longest, frame.length);
  return longest;
}

// Large copies are faster. The pinned memory of all threads should still be no larger than a frame, unless copies
// become too small.
void choose_copies(std::uint64_t longest, ReadAhead::Settings &settings) {
  constexpr std::uint64_t least = 64 << 10;
  constexpr std::uint64_t most = 2 << 20;
  const std::uint64_t share = longest / (static_cast<std::uint64_t>(settings.threads) * Landing::rooms_a_lane);
  const auto copy = static_cast<std::size_t>(std::min(std::clamp(share, least, most), longest));
  settings.piece = std::min(settings.piece, copy);
  settings.load = settings.piece == 0 ? 1 : copy / settings.piece;
}

std::vector<FieldOutput> outputs_of(const FrameInfo &info, const std::vector<codec::Target> &targets) {
  std::vector<FieldOutput> outputs;
  for (std::size_t f = 0; f < info.fields.size(); ++f) {
    FieldOutput output{info.fields[f], {}};
    for (std::size_t d = 0; d < info.fields[f].components.size(); ++d) {
      const Array &to = targets[f].components[d];
      output.components[d] = {to.data, to.stride, to.type};
    }
    outputs.push_back(std::move(output));
  }
  return outputs;
}

// True for errors that gpz::Reader handles: it can read the frame, or reports the cause.
bool is_for_the_cpu(const Error &error) {
  switch (error.status()) {
    case Status::corrupt:
    case Status::truncated:
    case Status::unsupported:
    case Status::not_found:
      return true;
    default:
      return false;
  }
}

}  // namespace

struct Reader::State : DeviceObject {
  // Frames that the CPU decodes, from a key frame on.
  struct OnCpu {
    std::size_t key = 0;
    std::string reason;
  };

  State(const std::shared_ptr<Source> &from, int on, const ReaderOptions &chosen)
      : DeviceObject(on),
        budget(chosen.limits),
        threads(threads_of(chosen)),
        reading_threads(reading_threads_of(chosen)),
        ahead_bytes(chosen.ahead),
        least_chained(least_chained_of(chosen)),
        source(from),
        limits(chosen.limits),
        file(opened(source, budget)) {
    require_device(device);
    const CurrentDevice current(device);
    const format::Budget::Scope scope(budget);
    make_path();
  }
  ~State() {
    give_back([this] {
      ahead.reset();
      landing.reset();
      decoder.reset();
      staged.release();
    });
  }

  static api::FrameFile opened(const std::shared_ptr<Source> &source, format::Budget &budget) {
    const format::Budget::Scope scope(budget);
    return api::FrameFile(source);
  }

  // Creates all objects between the file and values on the device.
  void make_path() {
    ReadAhead::Settings settings;
    settings.threads = reading_threads;
    settings.frames = ahead_bytes == 0 ? 1 : most_frames_ahead;
    settings.bytes = ahead_bytes;
    const std::uint64_t longest = longest_frame(file.scan());
    choose_copies(longest, settings);
    landing.emplace(device, settings, longest);
    ahead.emplace(file, *landing, settings);
    decoder.emplace(device, file.scan().metadata.features, threads);
  }

  // Head of frame i, which may already have been read ahead.
  format::FrameHead head(std::size_t i) const {
    const format::FrameHead *const known = ahead->head(i);
    return known != nullptr ? *known : file.head(i);
  }

  FrameRead read(std::size_t i, const std::vector<ColumnOutput> &columns, std::size_t capacity, OutputOrder order,
                 Stream stream) {
    const format::FrameHead head = this->head(i);
    api::require_room(head.info.particles, capacity);
    const auto targets = api::column_targets(head.info, columns);
    const std::size_t sorted_by = api::sort_field(head.info, {threads, order == OutputOrder::id});
    const std::vector<FieldOutput> outputs = outputs_of(head.info, targets);
    check(outputs, head.info.particles);
    forget_last_error();  // earlier errors of the caller do not belong to this call

    FrameRead result{head.info, true, {}};
    result.reason = reason_for_cpu(i, head);
    if (result.reason.empty()) {
      result.reason = decode(i, head, outputs, sorted_by, stream);
      if (!result.reason.empty()) on_cpu = OnCpu{key_of(i, head), result.reason};
    }
    if (!result.reason.empty()) {
      result.decoded_on_device = false;
      read_on_cpu(i, head, outputs, order, stream);
    }
    last = i;
    return result;
  }

  void check(const std::vector<FieldOutput> &outputs, std::uint64_t particles) const {
    if (particles == 0) return;
    check_outputs(outputs, particles);
    for (const FieldOutput &output : outputs)
      for (std::size_t d = 0; d < output.field.components.size(); ++d)
        if (output.components[d].data != nullptr)
          require_reachable(output.components[d].data, device, "column " + output.field.components[d].name);
  }

  static std::size_t key_of(std::size_t i, const format::FrameHead &head) {
    return i - std::min<std::size_t>(i, head.info.since_key);
  }

  bool has_chains() const {
    constexpr std::uint32_t chains = feature::modelled_sections | feature::classed_sections | feature::steps;
    return (file.scan().metadata.features & chains) != 0;
  }

  // Empty if the device may be able to decode frame i.
  std::string reason_for_cpu(std::size_t i, const format::FrameHead &head) const {
    if (on_cpu && on_cpu->key == key_of(i, head)) return on_cpu->reason;
    if (head.info.fields.empty()) return "no fields";
    if (head.info.fields.size() > max_fields) return "more than " + std::to_string(max_fields) + " fields";
    if (has_chains() && head.info.particles < least_chained)
      return "the CPU is faster: effort standard or dense, fewer than " + std::to_string(least_chained) + " particles";
    if (head.chunks.size() > most_chunks) return "more than " + std::to_string(most_chunks) + " chunks";
    return {};
  }

  // Decodes on the device. Returns why the CPU has to decode the frame; empty if it is done.
  std::string decode(std::size_t i, const format::FrameHead &head, const std::vector<FieldOutput> &outputs,
                     std::size_t sorted_by, Stream stream) {
    // A frame for the CPU may be followed by others: do not read ahead.
    const bool goes_on = !last || (*last + 1 == i && !on_cpu);
    on_cpu.reset();
    try {
      const std::size_t first = decoder->first_frame(i, head, outputs);
      ahead->aim(first, goes_on && ahead_bytes != 0 ? file.scan().frames.size() : i + 1);
      for (std::size_t j = first; j <= i; ++j) {
        const ReadAhead::Frame frame = ahead->take(j);
        landing->follow(frame.slot, stream);
        const FrameDecoder::Bytes bytes = {landing->on_device(frame.slot),
                                           [&](std::size_t offset, void *to, std::size_t count) {
                                             file.source().read_at(frame.position + offset, to, count);
                                           }};
        if (j == i)
          decoder->decode(j, *frame.head, bytes, outputs, sorted_by, stream);
        else
          decoder->pass(j, *frame.head, bytes, stream);
        ahead->check(j);
        ahead->give_back(j);
      }
      return {};
    } catch (const Error &error) {
      give_up(stream);
      if (!is_for_the_cpu(error)) throw;
      return error.cause();
    } catch (...) {
      give_up(stream);
      throw;
    }
  }

  void give_up(Stream stream) {
    decoder->forget();
    // Memory that is still being read must not be filled with another frame.
    check_handled(cudaStreamSynchronize(stream), "decoding");
  }

  void read_on_cpu(std::size_t i, const format::FrameHead &head, const std::vector<FieldOutput> &outputs,
                   OutputOrder order, Stream stream) {
    ahead->aim(i, i);  // stops reading ahead
    const auto n = static_cast<std::size_t>(head.info.particles);
    std::vector<DeviceArray> arrays;
    std::vector<ColumnOutput> columns;
    for (const FieldOutput &output : outputs)
      for (std::size_t d = 0; d < output.field.components.size(); ++d)
        if (output.components[d].data != nullptr) {
          arrays.push_back(output.components[d]);
          columns.push_back({output.field.components[d].name, {}});
        }
    staged.reserve(arrays, n);
    staged.reserve_on_host();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const StagedValues::Column &column = staged.columns()[c];
      columns[c].values = {staged.on_host(column), static_cast<std::ptrdiff_t>(column.size()), column.type()};
    }
    if (!cpu) cpu.emplace(source, limits);
    if (i >= cpu->frames() || cpu->scan().frames[i].offset != file.scan().frames[i].offset ||
        cpu->scan().frames[i].length != file.scan().frames[i].length)
      throw Error(Status::corrupt, "the file has changed since it was opened", file.name());
    cpu->read_columns(i, columns, n, {threads, order == OutputOrder::id});
    staged.copy_from_host(stream);
    staged.place(nullptr, stream);
    check_handled(cudaStreamSynchronize(stream), "copy to the device");
  }

  void release() {
    ahead.reset();
    landing.reset();
    decoder.reset();
    staged.release();
    last.reset();
    make_path();
  }

  format::Budget budget;  // first member, because others are charged to it
  int threads;            // for decoding on the CPU
  int reading_threads;
  std::uint64_t ahead_bytes;
  std::uint64_t least_chained;
  std::shared_ptr<Source> source;
  Limits limits;
  api::FrameFile file;
  std::optional<Landing> landing;
  std::optional<ReadAhead> ahead;
  std::optional<FrameDecoder> decoder;
  std::optional<std::size_t> last;  // the frame read last
  // For frames that the CPU decodes.
  std::optional<gpz::Reader> cpu;
  std::optional<OnCpu> on_cpu;
  StagedValues staged;
};

Reader::Reader(const std::string &path, int device, const ReaderOptions &options)
    : state_(in_file(path, [&] {
        return std::make_unique<State>(std::make_shared<api::File>(path, api::File::Mode::read), device, options);
      })) {}

Reader::Reader(const std::uint8_t *bytes, std::size_t size, const std::string &name, int device,
               const ReaderOptions &options)
    : state_(in_file(name, [&] {
        return std::make_unique<State>(std::make_shared<api::MemorySource>(bytes, size, name), device, options);
      })) {}

Reader::Reader(const std::shared_ptr<Source> &source, int device, const ReaderOptions &options) {
  if (source == nullptr) throw Error(Status::invalid_argument, "the source is a null pointer");
  const std::string name = source->name();
  state_ = in_file(name, [&] { return std::make_unique<State>(source, device, options); });
}

Reader::~Reader() = default;
Reader::Reader(Reader &&) noexcept = default;
Reader &Reader::operator=(Reader &&) noexcept = default;

int Reader::device() const { return state_->device; }
const FileScan &Reader::scan() const { return state_->file.scan(); }

FrameInfo Reader::info(std::size_t i) const {
  const format::Budget::Scope scope(state_->budget);
  return in_file(state_->file.name(), [&] { return state_->file.head(i).info; });
}

FrameRead Reader::read(std::size_t i, const std::vector<ColumnOutput> &columns, std::size_t capacity, OutputOrder order,
                       Stream stream) {
  const format::Budget::Scope scope(state_->budget);
  const CurrentDevice current(state_->device);
  return in_file(state_->file.name(), [&] { return state_->read(i, columns, capacity, order, stream); });
}

void Reader::release() {
  const format::Budget::Scope scope(state_->budget);
  const CurrentDevice current(state_->device);
  state_->release();
}

MemoryUse Reader::memory() const {
  MemoryUse sum;
  for (const MemoryUse &use : {state_->landing->memory(), state_->decoder->memory(), state_->staged.memory()}) {
    sum.device_bytes += use.device_bytes;
    sum.allocations += use.allocations;
  }
  return sum;
}

}  // namespace gpz::cuda
