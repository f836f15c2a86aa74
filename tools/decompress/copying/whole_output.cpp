// SPDX-License-Identifier: BSD-3-Clause
#include "copying/whole_output.hpp"

#include <memory>

#include "exit_code.hpp"

namespace gpz::tool {
namespace {

class OutputSink final : public Sink {
 public:
  explicit OutputSink(OutputFile &file) : file_(file) {}

  const std::string &name() const override { return file_.name(); }
  // The first bytes are the header alone. It waits for the first frame, which may need further features.
  void write(const std::vector<Span> &pieces) override {
    if (is_empty_) {
      is_empty_ = false;
      for (const Span &piece : pieces) add_to_header(piece);
      return;
    }
    write_header();
    for (const Span &piece : pieces) file_.write(piece.data, piece.size);
  }
  void replace(const Span &bytes) override {
    header_.clear();
    add_to_header(bytes);
  }
  void close() override { write_header(); }
  void cut(std::uint64_t) override {
    // Nothing is written after an error: the command ends, and the file with it.
    throw Failure(ExitCode::other, file_.name(), "cannot be cut");
  }

 private:
  void add_to_header(const Span &bytes) {
    const auto *const from = static_cast<const std::uint8_t *>(bytes.data);
    header_.insert(header_.end(), from, from + bytes.size);
  }
  void write_header() {
    if (!header_.empty()) file_.write(header_.data(), header_.size());
    header_.clear();
  }

  OutputFile &file_;
  bool is_empty_ = true;
  Bytes header_;  // until it is in the file
};

// `metadata` with the features that frames need which are encoded again.
Metadata with_features(Metadata metadata, const EncodingOptions &options) {
  constexpr bool ids = true;  // as far as is known before the first frame
  if (options.effort) metadata.features |= features_of(*options.effort, options.order, ids);
  return metadata;
}

}  // namespace

WholeOutput::WholeOutput(const std::string &path, const Metadata &metadata, const EncodingOptions &options)
    : file_(path), writer_(std::make_unique<OutputSink>(file_), with_features(metadata, options), options.threads) {
  writer_.set_key_interval(options.key_interval);
  writer_.set_order(options.order);
  writer_.set_effort(options.effort.value_or(effort_within(metadata.features)));
  writer_.set_pending(most_pending());
}

void WholeOutput::copy(const StoredFrame &frame) {
  writer_.write(frame);
  ++copied_;
}

void WholeOutput::copy(const FrameInfo &info, const std::vector<ChunkView> &chunks) {
  writer_.write(info, chunks);
  ++copied_;
}

void WholeOutput::copy(const StoredRecord &record) {
  writer_.write(record);
  ++other_records_;
}

void WholeOutput::encode(const Frame &frame) {
  writer_.rewrite(frame);
  ++encoded_;
}

void WholeOutput::write(const Table &table) { writer_.write(std::vector<Table>{table}); }

void WholeOutput::commit() {
  writer_.close();
  file_.commit();
}

}  // namespace gpz::tool
