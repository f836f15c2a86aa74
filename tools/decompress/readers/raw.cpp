// SPDX-License-Identifier: BSD-3-Clause
// Raw arrays of coordinates, little-endian, one frame a file.
#include <fmt/format.h>

#include <utility>

#include "readers/frame_layout.hpp"
#include "readers/frame_source.hpp"

namespace gpz::tool {
namespace {

constexpr std::size_t values_per_read = 1 << 18;

class RawSource final : public FrameSource {
 public:
  RawSource(SourceInput input, const SourceOptions &options)
      : FrameSource(std::move(input)),
        type_(options.raw_type),
        layout_(options.raw_layout),
        dimensions_(static_cast<std::size_t>(options.raw_dimensions)) {
    metadata_.elements = options.elements;
  }

  bool next(Frame &frame) override {
    if (done_) return false;
    done_ = true;
    frame = Frame();
    frame.info.box.dimension = static_cast<std::uint8_t>(dimensions_);
    std::vector<FileColumn> columns;
    for (const char *name : {"x", "y", "z"}) {
      if (columns.size() == dimensions_) break;
      columns.push_back({name, type_, Display::number});
      metadata_.columns.emplace_back(name);
    }
    FrameLayout(std::move(columns)).apply(frame);

    const std::vector<double> values = type_ == ValueType::float32 ? read_all<float>() : read_all<double>();
    const std::size_t particles = values.size() / dimensions_;
    if (particles * dimensions_ != values.size())
      throw Failure(ExitCode::corrupt, input_->name(),
                    fmt::format("{} values are no whole number of {}-D points", values.size(), dimensions_));
    frame.info.particles = particles;
    const bool structures = layout_ == RawLayout::array_of_structures;
    const std::size_t stride = structures ? dimensions_ : 1;
    for (std::size_t axis = 0; axis < dimensions_; ++axis) {
      const std::size_t first = structures ? axis : axis * particles;
      std::vector<double> &to = frame.columns[axis].floats;
      to.resize(particles);
      for (std::size_t i = 0; i < particles; ++i) to[i] = values[first + i * stride];
    }
    return true;
  }

 private:
  template <typename T>
  std::vector<double> read_all() {
    std::vector<double> values;
    if (input_->file_size() > 0) values.reserve(input_->file_size() / sizeof(T));
    std::vector<T> buffer(values_per_read);
    while (true) {
      const std::size_t bytes = input_->read(buffer.data(), buffer.size() * sizeof(T));
      if (bytes % sizeof(T) != 0)
        throw Failure(ExitCode::corrupt, input_->name(),
                      fmt::format("{} bytes are no whole number of {}-byte values", input_->position(), sizeof(T)));
      values.insert(values.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(bytes / sizeof(T)));
      if (bytes < buffer.size() * sizeof(T)) return values;
    }
  }

  ValueType type_;
  RawLayout layout_;
  std::size_t dimensions_;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<FrameSource> make_raw_source(SourceInput input, const SourceOptions &options) {
  return std::make_unique<RawSource>(std::move(input), options);
}

}  // namespace gpz::tool
