// SPDX-License-Identifier: BSD-3-Clause
// .gpz files, to be encoded again.
#include <fmt/format.h>

#include <utility>

#include "frame_input.hpp"
#include "readers/frame_source.hpp"
#include "typed_frame.hpp"

namespace gpz::tool {
namespace {

class GpzSource final : public FrameSource {
 public:
  GpzSource(const std::string &path, const SourceOptions &options)
      : input_(path, options.limits),
        most_record_bytes_(options.limits.memory != 0 ? options.limits.memory : default_memory_limit()),
        threads_(options.threads),
        keep_bits_(options.keep_bits) {
    metadata_ = input_.metadata();
    if (!options.elements.empty()) metadata_.elements = options.elements;
    if (input_.stream() != nullptr) input_.stream()->on_record([this](const StoredRecord &record) { keep(record); });
  }

  bool next(Frame &frame) override {
    records_.clear();
    record_bytes_ = 0;
    const bool found = input_.reader() != nullptr ? next_of_file(*input_.reader(), frame) : next_of_pipe(frame);
    if (found) ++frames_;
    return found;
  }

  std::vector<StoredRecord> records() const override { return records_; }
  const std::vector<FieldInput> *typed_fields() const override { return is_typed_ ? &typed_.fields() : nullptr; }
  bool is_gpz() const override { return true; }
  bool is_in_order_of_memory() const override {
    return input_.reader() != nullptr && tool::is_in_order_of_memory(*input_.reader());
  }
  const std::string &name() const override { return input_.name(); }
  std::uint64_t size() const override { return input_.reader() != nullptr ? input_.reader()->scan().file_size : 0; }
  std::uint64_t position() const override { return position_; }

 private:
  bool next_of_file(const Reader &reader, Frame &frame) {
    const FileScan &scan = reader.scan();
    for (const RecordEntry &entry : reader.records(frames_)) keep(reader.stored(entry));
    if (frames_ == scan.frames.size()) {
      if (scan.damaged) throw damaged_between(name());
      if (only_index_damaged(scan, name()))
        print_note(printable(index_damaged(name(), scan.frames.size())));
      else if (scan.torn)
        throw truncated_after(name(), scan.frames.size());
      return false;
    }
    is_typed_ = keep_bits_ && typed_.read(reader, frames_, threads_);
    if (is_typed_)
      frame.info = typed_.info();
    else
      frame = reader.read(frames_, threads_);
    position_ = scan.frames[frames_].offset + scan.frames[frames_].length;
    return true;
  }

  bool next_of_pipe(Frame &frame) {
    try {
      return input_.stream()->next(frame, threads_);
    } catch (const Error &error) {
      if (error.status() == Status::truncated) throw truncated_after(name(), frames_);
      throw;
    }
  }

  void keep(StoredRecord record) {
    record_bytes_ += sizeof record + record.head.size() + record.body.size();
    if (record_bytes_ > most_record_bytes_)
      throw Error(Status::limit_exceeded,
                  fmt::format("the records in front of frame {} take more memory than the limit of {} bytes", frames_,
                              most_record_bytes_),
                  name());
    records_.push_back(std::move(record));
  }

  FrameInput input_;
  std::uint64_t most_record_bytes_;
  int threads_;
  bool keep_bits_;
  bool is_typed_ = false;
  TypedFrame typed_;
  std::vector<StoredRecord> records_;
  std::uint64_t record_bytes_ = 0;
  std::size_t frames_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace

std::unique_ptr<FrameSource> make_gpz_source(const std::string &path, const SourceOptions &options) {
  return std::make_unique<GpzSource>(path, options);
}

}  // namespace gpz::tool
