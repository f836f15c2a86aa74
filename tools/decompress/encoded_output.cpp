#include "encoded_output.hpp"

#include <filesystem>

#include "gpz/trajectory.hpp"
#include "gpz/writer.hpp"

namespace gpz::tool {
namespace {

class FileOutput final : public EncodedOutput {
 public:
  FileOutput(const std::string &path, const Metadata &metadata, int threads, unsigned key_interval, KeyOrder order)
      : path_(path), writer_(path, metadata, Writer::Mode::create, threads) {
    writer_.set_key_interval(key_interval);
    writer_.set_key_order(order);
  }

  ~FileOutput() override {
    std::error_code ignored;
    if (writer_.frames().empty() && !closed_ && std::filesystem::is_regular_file(path_, ignored))
      std::filesystem::remove(path_, ignored);
  }

  void write(const FrameInfo &info, const std::vector<FieldInput> &fields) override { writer_.write(info, fields); }
  void close() override {
    writer_.close();
    closed_ = true;
  }

 private:
  std::string path_;
  Writer writer_;
  bool closed_ = false;
};

// A pipe takes the parts of the file one after the other.
class PipeOutput final : public EncodedOutput {
 public:
  PipeOutput(const Metadata &metadata, int threads, unsigned key_interval, KeyOrder order)
      : out_("-"), encoder_(threads), key_interval_(key_interval) {
    encoder_.set_order(order);
    put(file_header(metadata));
  }

  void write(const FrameInfo &info, const std::vector<FieldInput> &fields) override {
    FrameInfo head = info;
    const bool follows = has_identity(info.fields);
    if (!follows) since_key_ = 0;
    head.since_key = static_cast<std::uint16_t>(since_key_);
    head.reference = reference_;
    encoder_.encode(fields, info.particles, nullptr, info.box, since_key_ == 0, chunk_);
    for (std::size_t f = 0; f < head.fields.size(); ++f) {
      Field &field = head.fields[f];
      fill_step(field);
      field.largest_error = chunk_.largest_error[f];
    }
    const FrameRecord record = frame_record(head, {{chunk_.particles, chunk_.bytes.size(), chunk_.checksum}});
    frames_.push_back({out_.bytes(), record.length, info.timestep, info.time, info.particles});
    put(record.prefix);
    put(chunk_.bytes);
    put(record.trailer);
    reference_ = record.checksum;
    since_key_ = follows ? (since_key_ + 1) % key_interval_ : 0;
  }

  void close() override {
    put(index_record(frames_));
    out_.commit();
  }

 private:
  void put(const Bytes &bytes) { out_.write(bytes.data(), bytes.size()); }

  OutputFile out_;
  TrajectoryEncoder encoder_;
  unsigned key_interval_;
  unsigned since_key_ = 0;       // of the next frame
  std::uint64_t reference_ = 0;  // the head checksum of the last one
  EncodedChunk chunk_;
  std::vector<IndexEntry> frames_;
};

}  // namespace

std::unique_ptr<EncodedOutput> open_encoded_output(const std::string &path, const Metadata &metadata, int threads,
                                                   unsigned key_interval, KeyOrder order) {
  if (path == "-") return std::make_unique<PipeOutput>(metadata, threads, key_interval, order);
  return std::make_unique<FileOutput>(path, metadata, threads, key_interval, order);
}

}  // namespace gpz::tool
